"""Sentences of any script, as spans of the original text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from lorelite.text.span import Span
from lorelite.text.stopwords import words_of

MAX_SENTENCE_CHARS = 1000
"""Longer sentences are cut at clause punctuation or a space."""

_BLOCK_START = re.compile(
    r"\n(?:[^\S\n]*\n)+"  # a blank line
    # a line that begins an item
    r"|\n(?=[^\S\n]*(?:#{1,6}\s|[-*+•–]\s+\S|\d{1,3}[.)]\s+\S|>|\||```|~~~|={3,}|-{3,}))"
)
_HEADING_LINE = re.compile(r"[^\S\n]*#{1,6}\s[^\n]*")
_LIST_MARK = re.compile(r"[^\S\n]*(?:\d{1,3}[.)]|[-*+•–])(?=\s)")
_CLOSERS = "\"'”’»›)\\]）」』】》〉*_"
_END = re.compile(
    # From the first mark of a run only, and never giving back: a long run of dots takes linear time.
    rf"(?<![.!?…])(?P<stop>[.!?…]++)[{_CLOSERS}]*+(?=\s|$)"
    rf"|(?:[。！？｡]|(?<=[^\s])……)+[{_CLOSERS}]*"
    rf"|[।॥۔؟။៕៖።፧܀᠃]+[{_CLOSERS}]*"
)
_WORD_BEFORE = re.compile(r"(?:\w+\.)*\w+$")
_NEXT_WORD = re.compile(r"[\s\"'“”‘’«»(\[_*]*")
_ABBREVIATIONS = words_of(
    """
    mr mrs ms dr prof st sr jr rev hon gen col capt cpt lt sgt maj cmdr adm gov sen rep pres mt ft messrs
    mme mlle vs e.g i.e cf viz al fig figs eq no nos vol vols pp p ed eds ch sec dept univ inc ltd co corp
    bros approx est b c d jan feb mar apr jun jul aug sep sept oct nov dec ave blvd rd u.s u.k u.n a.m p.m
    z.b d.h u.a bzw ca evtl ggf hr fr nr abs art bd bzgl geb gest sog usw vgl hl bspw inkl zzgl s st m sra
    srta ud uds dña ej pág av etc т.е т.д т.п г гг ул им др
    """
)
_ENDS_ANYWAY = words_of("etc usw inc ltd co corp jr sr al u.s u.k u.n a.m p.m est no ed c m fr art mar")
_BEFORE_NUMBER = words_of("no nos nr fig figs eq p pp vol vols ch sec art abs ca approx pág")
_ORDINAL_FOLLOWERS = re.compile(
    r"(?:Jan|Feb|März|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrhundert|Jahrestag|Weltkrieg|Klasse|Platz|Auflage)"
)
_CLAUSE_END = re.compile(r"[,;:](?=\s)|[，、；：،؛—–]")
_SPACE = re.compile(r"\s")


def split_sentences(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """The sentences of `text[start:end]` in order, without surrounding whitespace; no word is left out.

    Blank lines, headings, list items, quotations and table rows begin a new sentence. A full stop ends one unless it
    belongs to an abbreviation, an initial, a number, or a lower-case word follows. At most 1,000 characters each.
    """
    stop = len(text) if end is None else min(end, len(text))
    spans: list[Span] = []
    for block_start, block_end in _blocks(text, start, stop):
        position = block_start
        for boundary in _boundaries(text, block_start, block_end):
            spans += _capped(text, position, boundary)
            position = boundary
        spans += _capped(text, position, block_end)
    return spans


def _blocks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    position = start
    for match in _BLOCK_START.finditer(text, start, end):
        yield from _without_heading(text, position, match.start())
        position = match.end()
    yield from _without_heading(text, position, end)


def _without_heading(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    heading = _HEADING_LINE.match(text, start, end)
    if heading:
        yield start, heading.end()
        start = heading.end()
    yield start, end


def _boundaries(text: str, start: int, end: int) -> Iterator[int]:
    mark = _LIST_MARK.match(text, start, end)
    for match in _END.finditer(text, mark.end() if mark else start, end):
        if match["stop"] is None or _ends_sentence(text, match, start, end):
            yield match.end()


def _ends_sentence(text: str, match: re.Match[str], start: int, end: int) -> bool:
    following = _NEXT_WORD.match(text, match.end(), end)
    position = following.end() if following else match.end()
    if position >= end:
        return True
    after = text[position]
    if after.islower():
        return False
    if match["stop"] != "." or match.end() > match.end("stop"):
        return True
    word = _WORD_BEFORE.search(text, max(start, match.start() - 24), match.start())
    if word is None:
        return True
    before = word[0]
    folded = before.casefold()
    if after.isdigit() and folded in _BEFORE_NUMBER:
        return False
    if before.isdigit() and len(before) <= 2 and _ORDINAL_FOLLOWERS.match(text, position):
        return False
    if folded in _ABBREVIATIONS:
        return folded in _ENDS_ANYWAY
    is_initial = len(before) == 1 and before != "I" and after.isupper()
    return not (is_initial and (before.isupper() or text[position + 1 : position + 2] == "."))


def _capped(text: str, start: int, end: int) -> Iterator[Span]:
    """The sentence without its surrounding whitespace, in pieces of at most MAX_SENTENCE_CHARS."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while end - start > MAX_SENTENCE_CHARS:
        cut = clause_cut(text, start, start + MAX_SENTENCE_CHARS)
        trimmed = cut
        while text[trimmed - 1].isspace():
            trimmed -= 1
        yield Span(start, trimmed)
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield Span(start, end)


def clause_cut(text: str, start: int, limit: int) -> int:
    """Where to cut before `limit`: after a clause or a word of the second half, else between two graphemes."""
    half = start + (limit - start) // 2
    for pattern in (_CLAUSE_END, _SPACE):
        ends = [match.end() for match in pattern.finditer(text, half, limit)]
        if ends:
            return ends[-1]
    return grapheme_cut(text, start, limit)


def grapheme_cut(text: str, start: int, limit: int) -> int:
    """The last position up to `limit` (and after `start`) that separates no letter from its marks or joiners."""
    cut = limit
    # 32 steps: longer runs of marks are not writing.
    while cut > max(start + 1, limit - 32) and cut < len(text) and _is_extending(text, cut):
        cut -= 1
    return cut if cut > max(start, limit - 32) else limit


def _is_extending(text: str, position: int) -> bool:
    character, before = text[position], text[position - 1]
    return (
        unicodedata.category(character)[0] == "M"
        or character == "\u200d"
        or before == "\u200d"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or ("\ud800" <= before <= "\udbff" and "\udc00" <= character <= "\udfff")
        or (character == "\n" and before == "\r")
    )
