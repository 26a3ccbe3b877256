"""Names in scripts that have capitals, found by how a document itself uses capitals. Precision before recall."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from lorelite.text import name_words as lists
from lorelite.text.span import Span
from lorelite.text.stopwords import ENGLISH

SHORT_DOCUMENT = 50_000
"""In a document of fewer characters one mention in the middle of a sentence makes a name."""


@dataclass(slots=True)
class Name:
    """A name with all the spans that mean it; `surfaces` are its spellings, most frequent first."""

    name: str
    type: str | None
    mentions: list[Span]
    surfaces: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Candidate:
    words: tuple[str, ...]
    span: Span
    initial: bool
    title: str


_WORD = re.compile(r"[^\W\d_](?:[^\W_]|[&'’\-](?=[^\W_]))*\.?")
_OPENS_SENTENCE = frozenset("\"'“”‘’«»„:—–-*_([…•>|#!?.")
_POSSESSIVE = re.compile(r"['’]s?$")
_FIELD_LABEL = re.compile(r"[\w-]{1,24}:\s")
_BETWEEN = re.compile(r"[ \t\u00a0]{1,2}|[ \t]*\n[ \t]*")


def find_names(text: str, sentences: Sequence[Span]) -> list[Name]:
    """The people, places and other named things of `text`, with exact spans, most mentioned first.

    A capital at the start of a sentence counts only where the same word has a capital elsewhere. A short form joins a
    longer name when exactly one longer name claims it ("Bob" and "Bob Cratchit").
    """
    usage = _Usage(text, sentences)
    found: dict[tuple[str, ...], list[_Candidate]] = defaultdict(list)
    for candidate in usage.candidates:
        trimmed = usage.trimmed(candidate)
        if trimmed is not None:
            found[trimmed.words].append(trimmed)
    kept = {words: group for words, group in found.items() if usage.is_name(words, group)}
    ends = {word for words in kept if len(words) > 1 for word in (words[0], words[-1])}
    for words, group in found.items():
        # "Jacob" only ever opens a sentence, but "Jacob Marley" tells that it is a name.
        if len(words) == 1 and words not in kept and words[0] in ends and not usage.lower[words[0].casefold()]:
            kept[words] = group
    return _merged(_without_verbs(kept), usage, text)


class _Usage:
    """How the document writes each word: in lower case, with a capital inside a sentence, or at its start."""

    def __init__(self, text: str, sentences: Sequence[Span]) -> None:
        self.text = text
        self.lower: Counter[str] = Counter()
        self.inside: Counter[str] = Counter()
        self.capital: Counter[str] = Counter()
        self.candidates: list[_Candidate] = []
        self.short = len(text) < SHORT_DOCUMENT
        # German: every noun has a capital, so one capital alone says nothing.
        self.nouns_have_capitals = _is_german(text)
        for sentence in sentences:
            self._read(sentence)

    def _read(self, sentence: Span) -> None:
        if sentence.of(self.text).isupper() and sentence.end - sentence.start > 12:
            return
        run: list[re.Match[str]] = []
        run_initial = False
        initial = True
        end = sentence.start
        for match in _WORD.finditer(self.text, sentence.start, sentence.end):
            between = self.text[end : match.start()]
            if between.strip() and between.strip()[-1] in _OPENS_SENTENCE:
                initial = True
            word = _bare(match[0])
            if "\n" in between and _FIELD_LABEL.match(self.text, match.start()):
                self._close(run, run_initial)
                run, initial = [], True
            if word[:1].isupper():
                self.capital[word] += 1
                if not initial:
                    self.inside[word] += 1
                if run and not _continues(run, between, match):
                    self._close(run, run_initial)
                    run = []
                if not run:
                    run_initial = initial
                run.append(match)
            else:
                self.lower[word] += 1
                if run and self._connects(word, run[-1][0]) and _BETWEEN.fullmatch(between):
                    run.append(match)
                else:
                    self._close(run, run_initial)
                    run = []
            # A title's full stop does not end the run; any other one does.
            if match[0].endswith(".") and not _is_dotted(match[0]):
                self._close(run, run_initial)
                run = []
            initial = False
            end = match.end()
        self._close(run, run_initial)

    def _connects(self, word: str, before: str) -> bool:
        """Whether a lower-case word may stand inside a name."""
        if self.nouns_have_capitals:
            return False
        return (word in lists.CONNECTORS and before[:1].isupper()) or (word == "the" and before == "of")

    def _close(self, run: list[re.Match[str]], initial: bool) -> None:
        while run and not run[-1][0][:1].isupper():
            run = run[:-1]
        if not run:
            return
        words = [_bare(match[0]) for match in run]
        title = ""
        if len(words) > 1 and words[0].casefold() in lists.HONORIFICS | lists.OWN_HONORIFICS:
            title = words[0].casefold() if words[1].casefold() not in lists.AFTER_RANK else ""
        last = run[-1]
        end = last.start() + len(_POSSESSIVE.sub("", last[0].rstrip(".") if len(last[0]) > 2 else last[0]))
        self.candidates.append(_Candidate(tuple(words), Span(run[0].start(), end), initial, title))

    def trimmed(self, candidate: _Candidate) -> _Candidate | None:
        """Without words that are no part of a name at its start and end; None when nothing remains."""
        words, initial, title = list(candidate.words), candidate.initial, candidate.title
        start, end = candidate.span.start, candidate.span.end
        starts = [match.start() for match in _WORD.finditer(self.text, start, end)]
        ends = [match.end() for match in _WORD.finditer(self.text, start, end)]
        if len(starts) != len(words):
            return None
        first, last = 0, len(words)
        while first < last and not title and self._is_no_part(words[first], initial and not first, last - first):
            first += 1
        # "Owner of Juniper" at the start of a sentence is a description, not a name.
        if (
            initial
            and not first
            and last > 2
            and words[1] in ("of", "de", "von")
            and self.capital[words[0]] == 1
            and not self.inside[words[0]]
        ):
            first = 2
        while last > first and (
            words[last - 1].casefold() in lists.NO_NAMES | lists.MONTHS_AND_DAYS | lists.CONNECTORS
            and not (title and last - first == 2)
        ):
            last -= 1
        if first == last:
            return None
        # "Scrooge Scrooge" is one name said twice.
        if last - first == 2 and words[first] == words[first + 1]:
            last -= 1
        span = Span(starts[first], end if last == len(words) else ends[last - 1])
        return _Candidate(tuple(words[first:last]), span, initial and first == 0, "" if first else title)

    def _is_no_part(self, word: str, initial: bool, length: int) -> bool:
        folded = word.casefold()
        if length > 1 and folded in lists.FOND_ADJECTIVES:
            return True
        if length > 1 and folded in lists.PLACE_ADJECTIVES and (not initial or self.inside[word]):
            return self.lower[folded] > 8 * self.inside[word]
        if not initial and length > 1 and folded not in ENGLISH | lists.MONTHS_AND_DAYS:
            return self.lower[folded] > self.inside[word]
        if folded in lists.NO_NAMES or folded in lists.CONNECTORS or folded in lists.MONTHS_AND_DAYS:
            return True
        if initial and self.inside[word] == 0:
            return self.lower[folded] > 0
        return length > 1 and self.lower[folded] > self.inside[word]

    def is_name(self, words: tuple[str, ...], group: list[_Candidate]) -> bool:
        """Whether the document gives enough reason to call this a name."""
        inside = sum(not candidate.initial for candidate in group)
        if any(candidate.title for candidate in group):
            return True
        if all(word.casefold() in lists.MONTHS_AND_DAYS | lists.ROMAN_NUMERALS for word in words):
            return False
        if len(words) > 1:
            shouted = all(word.isupper() for word in words) and sum(map(len, words)) > 8
            seen = inside > 0 or len(group) > 1 or (self.short and self._opens_with_a_name(words))
            return len(words) <= 7 and not shouted and seen
        (word,) = words
        if len(word) < 2 or word.endswith(".") or not inside or self.lower[word.casefold()] * 2 > len(group):
            return False
        if self.nouns_have_capitals and not word.isupper():
            return len(group) >= 3
        if len(word) < 3 and not word.isupper():
            return False
        return len(group) >= (1 if self.short else 2)

    def _opens_with_a_name(self, words: tuple[str, ...]) -> bool:
        """Whether the first of two words, capitalised at the start of a sentence only, is no adverb or verb form."""
        return len(words[0]) > 1 and not self.lower[words[0].casefold()] and not words[0].endswith(("ly", "ing", "ed"))

    def is_common_noun(self, word: str) -> bool:
        """Whether the document also writes the word in lower case, more than once in a while."""
        return self.lower[word.casefold()] * 8 > self.capital[word]


def _is_german(text: str) -> bool:
    sample = _LOWER_WORD.findall(text[:50_000])
    return sum(word in _GERMAN_WORDS for word in sample) * 12 > len(sample) > 0


_LOWER_WORD = re.compile(r"\b[a-zäöüß]+\b")
_GERMAN_WORDS = frozenset(("der", "das", "und", "ist", "den", "mit", "dem", "ein", "eine", "wurde"))


def _bare(word: str) -> str:
    bare = _POSSESSIVE.sub("", word.rstrip(".") if len(word) > 2 else word)
    return bare.casefold() if bare[:1].islower() else bare


def _is_dotted(word: str) -> bool:
    return len(word) == 2 or word[:-1].casefold() in lists.HONORIFICS | lists.OWN_HONORIFICS


def _continues(run: list[re.Match[str]], between: str, match: re.Match[str]) -> bool:
    """Whether the next capitalised word belongs to the same name; a possessive ends one."""
    return bool(_BETWEEN.fullmatch(between)) and not _POSSESSIVE.search(run[-1][0])


# --- one name per thing -----------------------------------------------------------------------------


_Groups = dict[tuple[str, ...], list[_Candidate]]


def _merged(kept: _Groups, usage: _Usage, text: str) -> list[Name]:
    groups = _without_titles(kept)
    claims = _claims(groups, usage)
    merged: _Groups = defaultdict(list)
    for words, group in groups.items():
        longer = claims.get(words[0], set()) if len(words) == 1 and not usage.is_common_noun(words[0]) else set()
        merged[next(iter(longer)) if longer else words] += group
    names = [_named(words, group, text) for words, group in merged.items()]
    names.sort(key=lambda name: (-len(name.mentions), name.mentions[0].start))
    return names


def _without_verbs(kept: _Groups) -> _Groups:
    """ "Supervises Lio Renn" is said of Lio Renn, when that name stands elsewhere and the first word does not."""
    groups: _Groups = defaultdict(list)
    for words, group in kept.items():
        rest = words[1:]
        if len(rest) > 1 and rest in kept and all(candidate.initial and not candidate.title for candidate in group):
            skipped = len(words[0]) + 1
            group = [
                _Candidate(rest, Span(candidate.span.start + skipped, candidate.span.end), False, "")
                for candidate in group
            ]
            groups[rest] += group
        else:
            groups[words] += group
    return groups


def _without_titles(kept: _Groups) -> _Groups:
    groups: _Groups = defaultdict(list)
    for words, group in kept.items():
        title = group[0].title
        groups[words[1:] if title in lists.HONORIFICS and title not in ("st", "saint") else words] += group
    return groups


def _claims(groups: _Groups, usage: _Usage) -> dict[str, set[tuple[str, ...]]]:
    """For each single word, the one longer name of which it is the short form: its first or last word.

    A short form that two longer names dispute belongs to none. "Mrs. Cratchit" claims nothing, "Ghost of Jacob
    Marley" speaks for "Jacob Marley"; "London Bridge" disputes "London", and "Evil Spirit" "Spirit", in vain.
    """
    claims: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for words in groups:
        if len(words) > 1 and words[0].casefold() not in lists.OWN_HONORIFICS | {"st", "saint"}:
            for size in range(2, len(words)):
                if words[-size:] in groups:
                    break
            else:
                claims[words[0]].add(words)
                claims[words[-1]].add(words)
    return {
        short: longer
        for short, longer in claims.items()
        if len(longer) == 1 and all(_may_be_shortened(words, short, usage) for words in longer)
    }


def _may_be_shortened(words: tuple[str, ...], short: str, usage: _Usage) -> bool:
    if len(words) > 3 or not words[1][:1].isupper() or short.isupper():
        return False
    if words[-1].casefold() in lists.PLACES | lists.ORGANISATIONS or words[0].casefold() in lists.PLACE_ADJECTIVES:
        return False
    return not any(usage.is_common_noun(word) for word in words if word != short)


def _named(words: tuple[str, ...], group: list[_Candidate], text: str) -> Name:
    mentions = sorted({candidate.span for candidate in group})
    spellings = Counter(" ".join(span.of(text).split()) for span in mentions)
    surfaces = [surface for surface, _ in spellings.most_common()]
    name = " ".join(words)
    if words[0].casefold() in lists.OWN_HONORIFICS | {"st", "saint"}:
        name = surfaces[0]  # keeps the full stop of "Mrs." where the text has one
    is_person = any(candidate.title in lists.PERSON_TITLES for candidate in group)
    kind = "person" if is_person else lists.type_of_name(name)
    return Name(name, kind, mentions, [surface for surface in surfaces if surface != name])
