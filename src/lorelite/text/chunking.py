"""Documents in pieces that can be retrieved and quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lorelite.errors import InvalidOption
from lorelite.text.clean import plain_line_ends
from lorelite.text.headings import find_headings
from lorelite.text.sentences import clause_cut, split_sentences
from lorelite.text.span import Span

DEFAULT_MAX_CHARS = 1800
DEFAULT_OVERLAP = 200

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """The chunk `text[start:end]` and the path of its headings, such as "Stave Five > The End of It"."""

    start: int
    end: int
    heading: str

    def of(self, text: str) -> str:
        """The characters themselves."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class ChunkedText:
    """The chunks of `chunk_text`, and whether one of them had to end inside a word."""

    chunks: list[str]
    truncated: bool


def chunk_spans(text: str, max_chars: int = DEFAULT_MAX_CHARS, overlap: int = DEFAULT_OVERLAP) -> list[ChunkSpan]:
    """The chunks of a document in order; together they hold every visible character.

    A chunk begins at a heading, or repeats up to `overlap` characters of whole sentences of the one before; it ends
    with a paragraph, else a sentence, else a clause, a word, a character. Raises InvalidOption unless
    `max_chars` >= 1 and 0 <= `overlap` < `max_chars`.
    """
    _check(max_chars, overlap, least=1)
    text = plain_line_ends(text)
    chunks: list[ChunkSpan] = []
    for section in _sections(text, max_chars):
        chunks += _packed(text, section, max_chars, overlap)
    return chunks


def _check(max_chars: int, overlap: int, least: int, names: tuple[str, str] = ("max_chars", "overlap")) -> None:
    if not isinstance(max_chars, int) or isinstance(max_chars, bool) or max_chars < least:
        raise InvalidOption(names[0], f"a whole number of at least {least}", max_chars)
    if not isinstance(overlap, int) or isinstance(overlap, bool) or not 0 <= overlap < max_chars:
        raise InvalidOption(names[1], f"a whole number from 0 to {names[0]} - 1", overlap)


def _sections(text: str, max_chars: int) -> Iterator[ChunkSpan]:
    """The document cut at its headings; a section too small to stand alone is read with the next one."""
    small = min(120, max_chars // 8)
    pending: ChunkSpan | None = None
    for section in headed_sections(text):
        if pending is not None:
            if pending.end - pending.start <= small:
                longer = max(pending, section, key=lambda part: part.end - part.start)
                section = ChunkSpan(pending.start, section.end, longer.heading)
            else:
                yield pending
        pending = section
    if pending is not None:
        yield pending


def headed_sections(text: str) -> Iterator[ChunkSpan]:
    """The document cut at its headings, each with the path of headings that stand above its text."""
    start, path = 0, list[tuple[int, str]]()
    for heading in find_headings(text):
        if heading.start > start:
            yield ChunkSpan(start, heading.start, _shown(path))
        start = heading.start
        path = [entry for entry in path if entry[0] < heading.level] + [(heading.level, heading.title)]
    if start < len(text):
        yield ChunkSpan(start, len(text), _shown(path))


def _shown(path: list[tuple[int, str]]) -> str:
    return " > ".join(title for _, title in path if title)


def _packed(text: str, section: ChunkSpan, max_chars: int, overlap: int) -> Iterator[ChunkSpan]:
    sentences = list(_fitting_sentences(text, section, max_chars))
    first = 0
    while first < len(sentences):
        start = sentences[first].start
        last = first
        while last + 1 < len(sentences) and sentences[last + 1].end - start <= max_chars:
            last += 1
        if last + 1 < len(sentences):
            last = _paragraph_end(text, sentences, first, last, max_chars)
        yield ChunkSpan(start, sentences[last].end, section.heading)
        first = _overlapping_start(sentences, first, last, overlap)


def _fitting_sentences(text: str, section: ChunkSpan, max_chars: int) -> Iterator[Span]:
    for sentence in split_sentences(text, section.start, section.end):
        start = sentence.start
        while sentence.end - start > max_chars:
            cut = clause_cut(text, start, start + max_chars)
            yield Span(start, cut)
            start = cut
        if start < sentence.end:
            yield Span(start, sentence.end)


def _paragraph_end(text: str, sentences: list[Span], first: int, last: int, max_chars: int) -> int:
    """The last sentence of a paragraph in the second half of the chunk, else `last`."""
    index = last
    while index > first and sentences[index].end - sentences[first].start > max_chars // 2:
        if _BLANK_LINE.search(text, sentences[index].end, sentences[index + 1].start):
            return index
        index -= 1
    return last


def _overlapping_start(sentences: list[Span], first: int, last: int, overlap: int) -> int:
    """The sentence with which the next chunk begins: always beyond `first`, and past the end when all are used."""
    following = last + 1
    if following == len(sentences):
        return following
    start = following
    while start - 1 > first and sentences[last].end - sentences[start - 1].start <= overlap:
        start -= 1
    return start


_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_SENTENCE_STOP = re.compile(r"[.!?]\s")
_SPACE = re.compile(r"\s")


def chunk_text(text: str, max_chars: int, overlap: int) -> ChunkedText:
    """Equal windows cut at a blank line, a sentence end or a space of their second half, else anywhere.

    The rules of `chunkText` of core-llm-wiki, whose lengths count UTF-16 units; a character outside the basic plane
    counts as two and is never split. Surrounding whitespace is dropped, empty text has no chunks. Raises
    InvalidOption unless `max_chars` >= 2 and 0 <= `overlap` < `max_chars`.
    """
    units = _ASTRAL.sub(lambda match: _unit_pair(match[0]), text.strip())
    if not units:
        return ChunkedText([], False)
    _check(max_chars, overlap, least=2)
    chunks: list[str] = []
    truncated = False
    cursor = 0
    while len(units) - cursor > max_chars:
        split = _window_split(units, cursor, max_chars)
        if split is None:
            split, truncated = cursor + max_chars, True
        chunks.append(_between_pairs(units, cursor, split))
        cursor = max(split - overlap, cursor + 1)
    chunks.append(_between_pairs(units, cursor, len(units)))
    return ChunkedText(chunks, truncated)


def _window_split(units: str, cursor: int, max_chars: int) -> int | None:
    half, end = cursor + max_chars // 2, cursor + max_chars
    blank = units.rfind("\n\n", half, end)
    if blank >= 0:
        return blank + 2
    for pattern in (_SENTENCE_STOP, _SPACE):
        splits = [match.end() for match in pattern.finditer(units, half, end)]
        if splits:
            return splits[-1]
    return None


def _unit_pair(character: str) -> str:
    offset = ord(character) - 0x10000
    return chr(0xD800 + (offset >> 10)) + chr(0xDC00 + (offset & 0x3FF))


def _between_pairs(units: str, start: int, end: int) -> str:
    def outside(position: int) -> int:
        inside = 0 < position < len(units) and (
            "\ud800" <= units[position - 1] <= "\udbff" and "\udc00" <= units[position] <= "\udfff"
        )
        return position - inside

    part = units[outside(start) : outside(end)]
    return part.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
