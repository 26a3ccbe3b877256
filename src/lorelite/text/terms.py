"""Recurring terms that are no names: identifiers of code, and phrases of a subject."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from lorelite.text.name_words import NO_NAMES
from lorelite.text.span import Span
from lorelite.text.stopwords import words_of

MAX_PHRASES = 40
MIN_IDENTIFIER_COUNT = 2


@dataclass(frozen=True, slots=True)
class Term:
    """A term and the spans where it stands."""

    name: str
    type: str | None
    mentions: tuple[Span, ...]


_BACKTICKED = re.compile(r"(?<!`)`([^`\n]{2,80})`(?!`)")
_IDENTIFIER = re.compile(
    r"(?<![\w./-])(?:[A-Za-z_]\w*(?:_[A-Za-z0-9]+)+|[a-z]{2,}(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,})(?:\(\))?(?![\w-])"
)
_CODE_NAME = re.compile(r"[A-Za-z_][\w.:/-]*[\w](?:\(\))?")
_IS_CODE = re.compile(r"[_./:()]|[a-z][A-Z]|^[a-z]+[0-9]")
_DETERMINERS = words_of("the a an his her its their our my your this that these those each every any no some")
_BEFORE_NOUNS = _DETERMINERS | words_of("of in on at by for from with to into as and or between per via under over")
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")


def find_identifiers(text: str) -> list[Term]:
    """Names of code: in backticks, or written in snake_case or CamelCase at least twice."""
    marked: dict[str, list[Span]] = defaultdict(list)
    plain: dict[str, list[Span]] = defaultdict(list)
    for match in _BACKTICKED.finditer(text):
        name = match[1].strip()
        if _CODE_NAME.fullmatch(name):
            start = match.start(1) + match[1].index(name)
            marked[name.removesuffix("()")].append(Span(start, start + len(name.removesuffix("()"))))
    for match in _IDENTIFIER.finditer(text):
        name = match[0].removesuffix("()")
        plain[name].append(Span(match.start(), match.start() + len(name)))
    kept = {name for name, spans in plain.items() if len(spans) >= MIN_IDENTIFIER_COUNT and _reads_as_code(name)}
    terms = []
    for name in [*marked, *(name for name in plain if name in kept and name not in marked)]:
        spans = sorted({*marked.get(name, ()), *plain.get(name, ())})
        terms.append(Term(name, "code" if _IS_CODE.search(name) else None, tuple(spans)))
    return terms


def _reads_as_code(name: str) -> bool:
    # McDonald and YouTube are CamelCase too, so a capital at the start needs three humps or an underscore.
    return "_" in name.strip("_") or name[0].islower() or len(re.findall("[A-Z]", name)) >= 3


def find_phrases(text: str, sentences: Sequence[Span]) -> list[Term]:
    """Lower-case phrases of two or three content words that recur, belong together and stand where nouns stand.

    At least three mentions, most of them after an article or a preposition and before no article. English.
    """
    places: dict[str, list[Span]] = defaultdict(list)
    as_noun: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for sentence in sentences:
        run: list[str] = []
        spans: list[Span] = []
        before, end = "", sentence.start
        for match in _WORD.finditer(text, sentence.start, sentence.end):
            word = match[0]
            broken = bool(text[end : match.start()].strip(" \n"))
            if broken or not _is_content(word):
                _add_phrases(run, spans, before, "" if broken else word, places, as_noun)
                run, spans = [], []
                before = "" if broken else word
            if _is_content(word):
                words[word] += 1
                run.append(word)
                spans.append(Span(*match.span()))
            else:
                before = word
            end = match.end()
        _add_phrases(run, spans, before, "", places, as_noun)
    minimum = max(3, len(sentences) // 400)
    scored = []
    for phrase, found in places.items():
        rarest = min(words[word] for word in phrase.split(" "))
        if len(found) >= minimum and len(found) * 3 >= rarest and as_noun[phrase] * 3 >= len(found) * 2:
            scored.append((-len(found) * (1 + phrase.count(" ")), phrase))
    chosen: list[str] = []
    for _, phrase in sorted(scored):
        if not any(phrase in longer or longer in phrase for longer in chosen):
            chosen.append(phrase)
    return [Term(phrase, None, tuple(places[phrase])) for phrase in chosen[:MAX_PHRASES]]


def _is_content(word: str) -> bool:
    return word.islower() and len(word) > 2 and word not in NO_NAMES and not word.endswith(("ly", "n't", "n’t"))


def _add_phrases(
    run: list[str],
    spans: list[Span],
    before: str,
    after: str,
    places: dict[str, list[Span]],
    as_noun: Counter[str],
) -> None:
    """Count every two and three neighbouring words of a run of content words that may be a noun phrase."""
    for size in (2, 3):
        for first in range(len(run) - size + 1):
            last = first + size - 1
            # Past and -ing forms at the end are verbs far more often than nouns.
            if run[last].endswith(("ed", "ing")):
                continue
            phrase = " ".join(run[first : last + 1])
            places[phrase].append(Span(spans[first].start, spans[last].end))
            opens = first > 0 or before.casefold() in _BEFORE_NOUNS
            closes = last == len(run) - 1 and after.casefold() not in _DETERMINERS
            as_noun[phrase] += opens and closes
