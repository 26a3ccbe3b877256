"""The one tokeniser of both search indexes: documents and queries pass through the same rules.

A token is at most 64 characters, holds no whitespace and no control character, and is never empty. Order matters
for phrases: the whole of a compound comes first and its parts follow in reading order, so the phrase `multi agent`
is found in `a multi-agent scheduler`. How the other forms of a word are found is said in `stemmers`; what is there
for them alone begins with a character of private use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise

from lorelite.text import characters
from lorelite.text.normalise import fold_case, fold_diacritics, normalise
from lorelite.text.stemmers import (
    Inflection,
    english_stem,
    has_other_alphabet,
    inflection_of,
    is_latin,
    parts_of,
    stem_and_ending,
)
from lorelite.text.stopwords import stop_words_for

TOKENIZER_VERSION = 3
"""Stored with an index; another number means the index must be built anew."""

MAX_TOKEN_LENGTH = 64
MAX_QUERY_TERMS = 64
MAX_QUERY_LENGTH = 20_000


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One thing a reader asks for, and the tokens under which an index may hold it.

    text: what to show in an explanation.
    alternatives: exact tokens in order of preference; the first that has hits is used, the others are not.
    prefix: tokens that begin with `alternatives[0]` count as well (a single character of an unspaced script).
    optional: a part of a compound that is itself a term; a document without it lacks nothing.
    parts: looked for only when nothing above has a hit: each exactly, the last one by prefix too.
    forms: marked tokens that other forms of the word share with it.
    inflected: `forms` count beside the exact word; otherwise only where there is no exact hit.
    phrases: the rows of tokens in which a quoted text may be held; `alternatives` is then empty and `parts` holds
    the single words.
    """

    text: str
    alternatives: tuple[str, ...]
    prefix: bool = False
    optional: bool = False
    parts: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    inflected: bool = False
    phrases: tuple[tuple[str, ...], ...] = ()


def word_tokens(text: str) -> list[str]:
    """The words of a text as written, wholes and parts, in reading order, repeated as often as they occur."""
    return _row(text, _written_tokens)


def english_tokens(text: str) -> list[str]:
    """The words of a text, the inflected ones as stem and ending, whatever its language."""
    return _row(text, _english_tokens)


def index_tokens(text: str) -> list[str]:
    """The tokens of a document in reading order, repeated as often as they occur; after them the parts of words."""
    tokens = _row(text, _english_tokens)
    inflection = inflection_of(tokens, 2)
    if inflection != "english":
        tokens = _row(text, _written_tokens)
    if inflection == "inflected":
        return tokens + _row(text, _parts)
    return tokens + _row(text, _parts_of_other_scripts) if has_other_alphabet(text) else tokens


def query_terms(text: str) -> list[QueryTerm]:
    """The distinct terms of a query, at most 64, without function words unless there is nothing else.

    Text between balanced double quotes (straight or curly) becomes a phrase. Any text is a valid query; a query of
    punctuation or whitespace has no terms. Only the first 20,000 characters are read.
    """
    text = text[:MAX_QUERY_LENGTH]
    inflection = inflection_of(word_tokens(text), 1)
    terms: dict[QueryTerm, None] = {}
    position = 0
    for quoted in _QUOTED.finditer(text):
        terms.update(dict.fromkeys(_word_terms(text[position : quoted.start()], inflection)))
        terms.update(dict.fromkeys(_phrase_terms(quoted[1] or quoted[2] or "", inflection)))
        position = quoted.end()
    terms.update(dict.fromkeys(_word_terms(text[position:], inflection)))
    return _without_stop_words(list(terms))[:MAX_QUERY_TERMS]


# --- from text to pieces to matches ---------------------------------------------------------------

_CACHED_LENGTH = 48
_QUOTED = re.compile(r'"([^"]*)"|“([^“”]*)”')
_PLAIN_WORD = re.compile(r"""["'(\[]*([A-Z]?[a-z]+|[A-Z]+|[0-9]+)["')\],.;:!?]*""")

_UNITS = (
    "[mcd]?l|[kmµ]?g|[kcmnµ]?m|km/h|mph|kmh|mi|ft|lbs?|oz|[KMGT]i?B|[kmgt]b|[kMG]?Hz|[kM]?Wh?|[mk]?V|mA|mAh|ms|ns"
    "|min|hrs?|h|s|px|pt|dpi|rpm|°[CF]|%"
)
_DIGIT_AND_GAP = re.compile(r"\d[ \u00a0\u202f]")
NUMBER_AND_UNIT = rf"(?<![\w.,])(\d+(?:[.,]\d+)?)[ \u00a0\u202f]({_UNITS})(?!\w)"
_NUMBER_AND_UNIT = re.compile(NUMBER_AND_UNIT)


def _pieces(text: str) -> list[str]:
    if not text.isascii():
        text = _TRADE_MARKS.sub(" ", text)
    if _DIGIT_AND_GAP.search(text):
        text = _NUMBER_AND_UNIT.sub(r"\1\2", text)
    return text.split()


def _row(text: str, tokens_of: Callable[[str], tuple[str, ...]]) -> list[str]:
    """The tokens of all pieces of a text in a row; those of short pieces are remembered."""
    pieces = _pieces(text)
    if len(text) <= _CACHED_LENGTH or len(max(pieces, key=len, default="")) <= _CACHED_LENGTH:
        return list(chain.from_iterable(map(tokens_of, pieces)))
    tokens: list[str] = []
    for piece in pieces:
        tokens += tokens_of(piece) if len(piece) <= _CACHED_LENGTH else tokens_of.__wrapped__(piece)  # type: ignore[attr-defined]
    return tokens


@lru_cache(maxsize=1 << 16)
def _english_tokens(piece: str) -> tuple[str, ...]:
    return tuple(chain.from_iterable(map(stem_and_ending, _written_tokens(piece))))


@lru_cache(maxsize=1 << 16)
def _written_tokens(piece: str) -> tuple[str, ...]:
    plain = _PLAIN_WORD.fullmatch(piece)
    return (plain[1].lower(),) if plain else tuple(_tokenise(piece))


@lru_cache(maxsize=1 << 14)
def _parts(piece: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(map(parts_of, _bases(piece)))))


@lru_cache(maxsize=1 << 14)
def _parts_of_other_scripts(piece: str) -> tuple[str, ...]:
    if not has_other_alphabet(piece):
        return ()
    return tuple(dict.fromkeys(part for base in _bases(piece) if not is_latin(base) for part in parts_of(base)))


def _bases(piece: str) -> Iterator[str]:
    """The words of a piece in their simplest form."""
    return map(fold_diacritics, _written_tokens(piece))


def _tokenise(piece: str) -> list[str]:
    tokens: list[str] = []
    for match in token_matches(piece):
        if match.lastgroup == "unspaced":
            tokens += _overlapping_pairs(match[0])
        elif match.lastgroup == "emoji":
            tokens += emoji_forms(match[0])
        else:
            for part in _compound_parts(match[0]):
                tokens += _forms(part)
    return tokens


def token_matches(piece: str) -> Iterator[re.Match[str]]:
    if not piece.isascii():
        piece = normalise(piece)
    if "," in piece:
        piece = _THOUSANDS_COMMA.sub("", piece)
    return _token_pattern().finditer(piece)


@cache
def _token_pattern() -> re.Pattern[str]:
    """A run of an unspaced script, an emoji, or a word with the joiners that hold a compound together."""
    c = characters
    letter = rf"(?:(?![{c.UNSPACED}_])[\w{c.combining_marks()}])"
    run = rf"{letter}+(?:'{letter}+)*"
    joiner = r"(?:[-.+~%@]|[/\\:?&=#_]{1,3})"
    return re.compile(
        rf"(?P<unspaced>[{c.UNSPACED}]+)"
        rf"|(?P<emoji>[{c.REGIONAL_INDICATORS}]{{2}}|[{c.EMOJI}][{c.SKIN_TONES}]?)"
        rf"|(?P<word>(?:(?<![\w#])#|(?<![\w@])@|(?<![\w.])\.(?=[A-Za-z]))?{run}(?:{joiner}{run})*"
        r"(?:\+\+|\#|(?<=\d)%)?)"
    )


_TRADE_MARKS = re.compile("[©®℠™]")
_THOUSANDS_COMMA = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


# --- words ----------------------------------------------------------------------------------------

_LEVELS = (re.compile(r"[/\\:?&=@#~%]+"), re.compile(r"\."), re.compile(r"[-_+]+"))
_CAMEL = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th|s)", re.IGNORECASE)
_ELISION = re.compile("(?:[ldjmtsnc]|qu|jusqu|lorsqu|puisqu|(?:d|n|s)?[ae]ll|dall|sull|un)'(.+)", re.IGNORECASE)
_CONTRACTION = re.compile(".*(?:n't|'(?:ll|re|ve|d|m|t))", re.IGNORECASE)


def _compound_parts(word: str) -> list[str]:
    """The word itself, then what its joiners hold together, outermost joiners first."""
    return [part for part, _ in placed_parts(word)]


def placed_parts(word: str, start: int = 0, level: int = 0) -> Iterator[tuple[str, int]]:
    """The word itself and its parts, each with the place where it begins."""
    yield word, start
    bare = word.lstrip("@#.")
    start += len(word) - len(bare)
    bare = bare.rstrip("+#%")
    if bare != word:
        yield bare, start
    for depth in range(level, len(_LEVELS)):
        joiners = list(_LEVELS[depth].finditer(bare))
        if joiners:
            begins = [0, *(joiner.end() for joiner in joiners)]
            ends = [*(joiner.start() for joiner in joiners), len(bare)]
            for begin, end in zip(begins, ends, strict=True):
                yield from placed_parts(bare[begin:end], start + begin, depth + 1)
            return
    for inner in _inner_words(bare):
        yield inner[0] if inner.re is not _ORDINAL else inner[1], start + inner.start()


def _inner_words(word: str) -> list[re.Match[str]]:
    """The words of camelCase and of a number with its unit; none when the word is one word."""
    if not word.isascii() or word.isdigit():
        return []
    ordinal = _ORDINAL.fullmatch(word)
    if ordinal:
        return [ordinal]
    words = [] if "'" in word else list(_CAMEL.finditer(word))
    mixed_with_digits = any(part[0].isdigit() for part in words)
    # A hash or a serial number changes between letters and digits too often to have words.
    return words if 1 < len(words) <= (3 if mixed_with_digits else 8) else []


def word_keys(word: str) -> Iterator[str]:
    """Every token under which a word or compound, its parts apart, may be held and asked for."""
    forms = _forms(word)
    yield from forms
    yield from map(english_stem, forms)
    yield from parts_of(forms[-1])


def _forms(word: str) -> tuple[str, ...]:
    """As written, then with what readers leave out (accents, apostrophes), each at most 64 characters."""
    written = fold_case(word)[:MAX_TOKEN_LENGTH]
    if written.isascii() and "'" not in written:
        return (written,)
    forms = {written: None, _base(written): None}
    forms |= {fold_diacritics(form): None for form in list(forms)}
    return tuple(form[:MAX_TOKEN_LENGTH] for form in forms if form)


def _base(word: str) -> str:
    """Without the apostrophe: scrooge's → scrooge, l'homme → homme, o'brien → obrien."""
    if "'" not in word:
        return word
    if word.endswith("'s"):
        return word[:-2]
    elision = _ELISION.fullmatch(word)
    return elision[1] if elision and not _CONTRACTION.fullmatch(word) else word.replace("'", "")


# --- unspaced scripts and emoji -------------------------------------------------------------------


@cache
def _cluster_pattern() -> re.Pattern[str]:
    return re.compile(f"[^{characters.combining_marks()}][{characters.combining_marks()}]*|.", re.DOTALL)


def unspaced_clusters(run: str) -> list[str]:
    return _cluster_pattern().findall(run)


def _overlapping_pairs(run: str) -> list[str]:
    """Every two neighbouring characters, then the last alone: so `字*` finds 字 wherever it stands."""
    clusters = unspaced_clusters(run.casefold())
    return [first + second for first, second in pairwise(clusters)] + clusters[-1:]


def emoji_forms(emoji: str) -> tuple[str, ...]:
    toned = len(emoji) == 2 and emoji[0] not in _REGIONAL_INDICATORS
    return (emoji, emoji[0]) if toned else (emoji,)


_REGIONAL_INDICATORS = {chr(code) for code in range(0x1F1E6, 0x1F200)}


# --- queries --------------------------------------------------------------------------------------


def _word_terms(text: str, inflection: Inflection) -> Iterator[QueryTerm]:
    for piece in _pieces(text):
        for match in token_matches(piece):
            if match.lastgroup == "unspaced":
                *pairs, last = _overlapping_pairs(match[0])
                if pairs:
                    yield from (QueryTerm(pair, (pair,)) for pair in pairs)
                else:
                    yield QueryTerm(last, (last,), prefix=True)
            elif match.lastgroup == "emoji":
                forms = emoji_forms(match[0])
                yield QueryTerm(forms[0], forms)
            else:
                yield from _compound_terms(match[0], inflection)


def _compound_terms(word: str, inflection: Inflection) -> Iterator[QueryTerm]:
    """The whole; and its parts too where the compound is made of ordinary words."""
    whole, *parts = _compound_parts(word)
    part_terms = [_term(part, inflection, optional=True) for part in parts]
    tokens = tuple(dict.fromkeys(term.alternatives[0] for term in part_terms))
    yield _term(whole, inflection, parts=tokens)
    if len(parts) > 1 and "@" not in word and "://" not in word and not any(map(str.isdigit, word)):
        yield from part_terms


def _term(word: str, inflection: Inflection, *, optional: bool = False, parts: tuple[str, ...] = ()) -> QueryTerm:
    written = _wanted_forms(word)
    stems = {form: english_stem(form) for form in written}
    if inflection == "english":
        alternatives = dict.fromkeys(token for form in written for token in (stems[form], form))
    else:
        alternatives = dict.fromkeys((*written, *stems.values()))
    latin = is_latin(written[-1])
    forms = () if latin and inflection == "none" else tuple(dict.fromkeys(parts_of(written[-1])))
    return QueryTerm(
        written[0],
        tuple(alternatives),
        optional=optional,
        parts=parts,
        forms=forms,
        inflected=bool(forms) and not (latin and inflection == "english"),
    )


def _wanted_forms(word: str) -> tuple[str, ...]:
    """A possessive or an elision is asked for by its base, which the index holds for both spellings."""
    written = fold_case(word)[:MAX_TOKEN_LENGTH]
    if "'" in written and not _CONTRACTION.fullmatch(written) and _base(written) != written.replace("'", ""):
        return _forms(_base(written))
    return _forms(word)


def _phrase_terms(text: str, inflection: Inflection) -> Iterator[QueryTerm]:
    words = list(_word_terms(text, inflection))
    rows = [_row(text, _english_tokens), _row(text, _written_tokens)]
    if len(words) == 1 and all(set(row) <= set(words[0].alternatives) for row in rows):
        yield words[0]
        return
    runs = [match for piece in _pieces(text)[-1:] for match in token_matches(piece)]
    if len(rows[0]) > 1 and runs and runs[-1].lastgroup == "unspaced" and len(unspaced_clusters(runs[-1][0])) > 1:
        # In a longer run the last character has a right neighbour, so it is not a token there.
        rows = [row[:-1] for row in rows]
    if rows[0]:
        singles = dict.fromkeys(word.alternatives[0] for word in _without_stop_words(words))
        phrases = dict.fromkeys(map(tuple, rows))
        yield QueryTerm(" ".join(text.split()), (), parts=tuple(singles), phrases=tuple(phrases))


def _without_stop_words(terms: list[QueryTerm]) -> list[QueryTerm]:
    stop_words = stop_words_for(_texts(terms))
    kept = [term for term in terms if term.phrases or term.text not in stop_words]
    return kept or terms


def _texts(terms: Iterable[QueryTerm]) -> Iterator[str]:
    return (term.text for term in terms if not term.phrases)
