"""Where a text holds what a query asks for, and the piece of it that shows most of that.

A text is searched as an index of this one text would be: what the tokeniser takes as the same word is marked, be it
another form, spelling, part of a compound, or what is tried for a word that does not occur.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from lorelite.search.inverted import InvertedIndex
from lorelite.search.query_plan import Clause, resolve
from lorelite.text import characters
from lorelite.text.normalise import normalise
from lorelite.text.sentences import split_sentences
from lorelite.text.span import Span
from lorelite.text.tokens import (
    NUMBER_AND_UNIT,
    emoji_forms,
    english_tokens,
    index_tokens,
    placed_parts,
    query_terms,
    token_matches,
    unspaced_clusters,
    word_keys,
    word_tokens,
)

_Mark = tuple[int, int, Clause]
_PIECE = re.compile(rf"{NUMBER_AND_UNIT}|[^\s©®℠™]+")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text, `original[start:end]`, and what is marked in it, by position in the original."""

    text: str
    start: int
    end: int
    highlights: tuple[Span, ...]


def highlights(text: str, query: str) -> tuple[Span, ...]:
    """The pieces of *text* that *query* asks for, in order, without overlap; a phrase is one piece."""
    return _merged(_marks(text, query))


def snippet(text: str, query: str, length: int = 240) -> Snippet:
    """At most *length* characters of *text*: from the sentence on after which most different terms of *query* stand.

    A longer text is cut at a space where there is one near.
    """
    marks = sorted(_marks(text, query))
    length = max(0, length)
    start = _best_start(text, marks, length) if len(text) > length else 0
    end = min(start + length, len(text))
    if end < len(text):
        end = max(text.rfind(" ", start + length // 2, end + 1), text.rfind("\n", start + length // 2, end + 1))
        end = end if end > start else start + length
    inside = tuple(span for span in _merged(marks) if start <= span.start and span.end <= end)
    return Snippet(text[start:end], start, end, inside)


def _best_start(text: str, marks: Sequence[_Mark], length: int) -> int:
    """Where a sentence, or in a long one a mark, begins, with most of the different clauses close behind."""
    starts = [span.start for span in split_sentences(text)]
    best, most = (starts or [0])[0], 0
    position = 0
    for place, (at, _, _) in enumerate(marks):
        while position + 1 < len(starts) and starts[position + 1] <= at:
            position += 1
        begin = starts[position] if starts and at - starts[position] < length // 2 else at
        near = {clause for start, end, clause in marks[place:] if end <= begin + length}
        if len(near) > most:
            best, most = begin, len(near)
    return best


def _marks(text: str, query: str) -> list[_Mark]:
    terms = query_terms(query)
    if not terms:
        return []
    index = InvertedIndex((1.0,))
    index.add(0, (index_tokens(text),))
    clauses = resolve(terms, index)
    words = {clause[0]: clause for clause in clauses if len(clause) == 1}
    phrases = [clause for clause in clauses if len(clause) > 1]
    marks = [mark for piece in _PIECE.finditer(text) for mark in _word_marks(text, *piece.span(), words)]
    for phrase in phrases:
        marks += _phrase_marks(text, phrase)
    return marks


def _word_marks(text: str, start: int, end: int, wanted: Mapping[str, Clause]) -> Iterator[_Mark]:
    piece = _normalised(text, start, end)
    for match in token_matches(piece.text):
        if match.lastgroup == "unspaced":
            yield from _unspaced_marks(match, piece, wanted)
            continue
        is_word = match.lastgroup == "word"
        parts = placed_parts(match[0]) if is_word else iter([(match[0], 0)])
        marked_until = -1
        for part, offset in parts:
            keys = word_keys(part) if is_word else emoji_forms(part)
            token = next((key for key in keys if key in wanted), None)
            at = match.start() + offset
            if token is not None and at >= marked_until:
                marked_until = at + len(part)
                yield *piece.written(at, marked_until), wanted[token]


def _unspaced_marks(match: re.Match[str], piece: _Normalised, wanted: Mapping[str, Clause]) -> Iterator[_Mark]:
    ends = [match.start()]
    clusters = unspaced_clusters(match[0])
    for cluster in clusters:
        ends.append(ends[-1] + len(cluster))
    for place, (first, second) in enumerate(pairwise(clusters)):
        clause = wanted.get((first + second).casefold())
        if clause is not None:
            yield *piece.written(ends[place], ends[place + 2]), clause
    clause = wanted.get(clusters[-1].casefold())
    if clause is not None:
        yield *piece.written(ends[-2], ends[-1]), clause


def _phrase_marks(text: str, phrase: Clause) -> Iterator[_Mark]:
    """From the piece in which the phrase begins to the one in which it ends."""
    for tokens_of in (english_tokens, word_tokens):
        row: list[str] = []
        pieces: list[tuple[int, int]] = []
        for piece in _PIECE.finditer(text):
            tokens = tokens_of(piece[0])
            row += tokens
            pieces += [_trimmed(text, *piece.span())] * len(tokens)
        for at in range(len(row) - len(phrase) + 1):
            if row[at] == phrase[0] and tuple(row[at : at + len(phrase)]) == phrase:
                yield pieces[at][0], pieces[at + len(phrase) - 1][1], phrase


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The piece without the punctuation around it."""
    piece = _normalised(text, start, end)
    spans = [match.span() for match in token_matches(piece.text)]
    return piece.written(spans[0][0], spans[-1][1]) if spans else (start, end)


@dataclass(frozen=True, slots=True)
class _Normalised:
    """A piece of a text as the tokeniser sees it, and for each of its characters where in the text it came from."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def written(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]`, which is not empty, stands as it was written: whole characters."""
        return self.starts[start], self.ends[end - 1]


def _normalised(text: str, start: int, end: int) -> _Normalised:
    piece = text[start:end]
    if piece.isascii() and not any(character in piece for character in ", "):
        return _Normalised(piece, range(start, end), range(start + 1, end + 1))
    normal: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for cluster in _cluster_pattern().finditer(piece):
        if _THOUSANDS.match(piece, cluster.start()) or _GAP.match(piece, cluster.start()):
            continue
        spelled = normalise(cluster[0])
        normal.append(spelled)
        starts += [start + cluster.start()] * len(spelled)
        ends += [start + cluster.end()] * len(spelled)
    return _Normalised("".join(normal), starts, ends)


_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_GAP = re.compile(r"[ \u00a0\u202f]")


@cache
def _cluster_pattern() -> re.Pattern[str]:
    attached = rf"{characters.combining_marks()}{characters.IGNORABLE}\uff9e\uff9f"
    # Parts of a Hangul syllable are composed.
    return re.compile(rf"(?:[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|.)[{attached}]*", re.DOTALL)


def _merged(marks: Iterable[_Mark]) -> tuple[Span, ...]:
    """Spans that overlap are one, and so are neighbours with nothing between them."""
    merged: list[Span] = []
    for start, end, _ in sorted(marks):
        if start >= end:
            continue
        if merged and start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(end, merged[-1].end))
        else:
            merged.append(Span(start, end))
    return tuple(merged)
