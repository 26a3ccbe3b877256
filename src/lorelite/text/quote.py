"""Finding in a document what a model says it quotes from it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property, lru_cache

from lorelite.text import characters
from lorelite.text.sentences import split_sentences
from lorelite.text.span import Span
from lorelite.text.stem import light_stem
from lorelite.text.stopwords import stop_words_for
from lorelite.text.tokens import word_tokens

_ELLIPSIS = re.compile(r"\s*[\[(]?(?:\.{3,}|…|\. \. \.)[\])]?\s*")
_OUTER = " \t\n\r\"'`“”„‚‘’«»‹›「」『』()[]*_"
_TRAILING = _OUTER + ".,;:!?。，、；：！？"
MARKS = dict.fromkeys(map(ord, '“”„‟«»‹›「」『』"＂‘’‚‛ʼ′″´'), "'") | dict.fromkeys(map(ord, "‐‑‒–—―−﹣－"), "-")
"""Quotation marks and dashes in one spelling each, for str.translate."""
_LETTERS = MARKS | dict.fromkeys(map(ord, "*`"), None)
_IGNORED = re.compile(f"[{characters.IGNORABLE}]")
_UNSPACED = re.compile(f"[{characters.UNSPACED}]")
_PIECES = re.compile(r"([!-)+-_a-~]+(?: [!-)+-_a-~]+)*)|.", re.DOTALL)
"""Words of ASCII with single spaces between them, which fold character by character, and single other characters."""
_LINK_MARKS = re.compile(
    r"\[\[(?:[^\[\]|\n]{1,300}\|)?|\]\]|\[(?=[^\[\]\n]{1,300}\]\()|\]\([^()\s]{1,2000}(?:[ \t]+\"[^\"\n]{0,300}\")?\)"
)
"""What stands around the words of a link: who quotes what is read leaves it out."""
_SHORT = 20
"""A shorter quote must stand between word boundaries: "art" is not a quote from "party"."""
_PART = 12
"""Characters that the longest part of a quote with an ellipsis must have to be looked for."""
_ATTEMPTS = 1000
_OVERLAP = 0.6


def find_quote(text: str, quote: str, start: int, end: int) -> Span | None:
    """Where *quote* stands in `text[start:end]`, or None.

    Exact first, then in another spelling of whitespace, quotation marks, dashes, case, emphasis, links or Unicode
    form; of a quote with an ellipsis its longest part is looked for. Words are never skipped or exchanged, and the span
    is that of the original characters. Linear in the text.
    """
    return QuoteFinder(text, start, end).quote(quote)


class QuoteFinder:
    """Many searches in one piece of a text, `text[start:end]`."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.start = max(start, 0)
        self.end = min(end, len(text))

    def quote(self, quote: str) -> Span | None:
        """See `find_quote`."""
        quote = quote.strip()
        if not _has_letter(quote):
            return None
        short = len(quote) < _SHORT
        for at in _occurrences(self.text, quote, self.start, self.end):
            if self._is_whole(at, at + len(quote), short):
                return Span(at, at + len(quote))
        for spelling in (quote, quote.strip(_OUTER).rstrip(_TRAILING)):
            if span := next(self._spelled(spelling, short), None):
                return span
        part = max(_ELLIPSIS.split(quote), key=len).strip(_OUTER)
        return self.quote(part) if _PART <= len(part) < len(quote.strip(_TRAILING)) else None

    def mentions(self, name: str, limit: int) -> list[Span]:
        """The places where *name* stands as a whole word, at most *limit*.

        In another case only when it never stands in its own, and is longer than three characters.
        """
        spans: list[Span] = []
        same_case: list[Span] = []
        wanted = " ".join(name.split())
        for span in self._spelled(name, short=True):
            spans.append(span)
            if " ".join(span.of(self.text).split()) == wanted:
                same_case.append(span)
            if len(same_case) >= limit:
                break
        return same_case or (spans[:limit] if len(wanted) > 3 or _UNSPACED.match(wanted) else [])

    def best_sentence(self, statement: str) -> Span | None:
        """The sentence that shares most words with *statement*, if it holds at least 60 % of them."""
        wanted = _content_words(statement)
        if not wanted:
            return None
        shares = [(len(wanted & words) / len(wanted), span) for span, words in self._sentence_words]
        share, span = max(shares, key=lambda each: each[0], default=(0.0, None))
        return span if share >= _OVERLAP else None

    def sentence_with(self, first: tuple[Span, ...], second: tuple[Span, ...]) -> Span | None:
        """The first sentence in which one of *first* and one of *second* stand."""
        if not first or not second:
            return None
        for sentence in self._sentences:
            if all(any(_contains(sentence, span) for span in spans) for spans in (first, second)):
                return sentence
        return None

    @cached_property
    def _sentences(self) -> list[Span]:
        return list(split_sentences(self.text, self.start, self.end))

    @cached_property
    def _sentence_words(self) -> list[tuple[Span, set[str]]]:
        return [(span, _content_words(span.of(self.text))) for span in self._sentences]

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        return _fold(self.text[self.start : self.end])

    def _spelled(self, quote: str, short: bool) -> Iterator[Span]:
        """The occurrences of *quote* in any spelling."""
        needle = _fold(quote)[0].strip()
        if not _has_letter(needle):
            return
        folded, origin = self._folded
        for at in _occurrences(folded, needle, 0, len(folded)):
            last = at + len(needle) - 1
            halves = (at and origin[at - 1] == origin[at]) or origin[last] == origin[last + 1]
            if not halves and self._is_whole(self.start + origin[at], self.start + origin[last] + 1, short):
                yield Span(self.start + origin[at], self.start + origin[last] + 1)

    def _is_whole(self, start: int, end: int, short: bool) -> bool:
        """Whether the span cuts no character in two, nor, when *short*, a word."""
        if _is_mark(self.text[start]) or (end < self.end and _is_mark(self.text[end])):
            return False
        if not short:
            return True
        return not (_joined(self.text, start) or _joined(self.text, end))


def _occurrences(text: str, needle: str, start: int, end: int) -> Iterator[int]:
    at = text.find(needle, start, end)
    for _ in range(_ATTEMPTS):
        if at < 0:
            return
        yield at
        at = text.find(needle, at + 1, end)


def _fold(text: str) -> tuple[str, list[int]]:
    """*text* in one spelling, and for each of its characters (and the end) the place it comes from."""
    folded: list[str] = []
    origin: list[int] = []
    after_space = True
    for piece in _read(text):
        at, char = piece.start(), piece[0]
        if piece[1]:
            folded.append(char.lower().replace('"', "'"))
            origin.extend(range(at, piece.end()))
            after_space = False
            continue
        plain = _folded_char(char)
        if plain == " ":
            if after_space:
                continue
            after_space = True
        elif plain:
            after_space = False
        folded.append(plain)
        origin += [at] * len(plain)
    return "".join(folded), [*origin, len(text)]


def _read(text: str) -> Iterator[re.Match[str]]:
    """The pieces of the text but for the marks of links."""
    position = 0
    for mark in _LINK_MARKS.finditer(text) if "[" in text or "]" in text else ():
        yield from _PIECES.finditer(text, position, mark.start())
        position = mark.end()
    yield from _PIECES.finditer(text, position)


@lru_cache(maxsize=4096)
def _folded_char(char: str) -> str:
    if char.isspace():
        return " "
    plain = unicodedata.normalize("NFKD", char).casefold().translate(_LETTERS)
    return _IGNORED.sub("", " ".join(plain.split()))


def _joined(text: str, at: int) -> bool:
    """Whether the characters on both sides of *at* belong to one word of a script that has spaces."""
    if not 0 < at < len(text):
        return False
    return all((char.isalnum() or char == "_") and not _UNSPACED.match(char) for char in text[at - 1 : at + 1])


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] == "M"


def _has_letter(text: str) -> bool:
    return any(char.isalnum() or unicodedata.category(char) == "So" for char in text)


def _contains(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _content_words(text: str) -> set[str]:
    tokens = set(word_tokens(text))
    return set(map(light_stem, tokens - stop_words_for(tokens)))
