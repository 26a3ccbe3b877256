"""Vectors of meaning without a model at run time: a table of English words beside the hashed spelling of every word.

The table is distilled from a sentence transformer (tools/static_table.py), after the idea of Model2Vec (Tulkens & van
Dongen 2024): a text is the weighted sum of its words' vectors, so synonyms are near and word order does not count.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import mul
from typing import Any, Protocol

from lorelite.errors import InvalidOption
from lorelite.models.hash_embedder import weighted_words, word_features
from lorelite.models.static_table import DIMENSIONS, OFFSET, WordTable, own_table, read_table
from lorelite.text.normalise import fold_diacritics

MODEL_ID = f"lorelite-static-{DIMENSIONS}-1"
LONGEST_TEXT = 100_000
"""Characters that are read of a text."""

_SPELLING_OF_KNOWN = 0.4
"""Of a known word's spelling, against about 1 of its meaning: names and numbers stay apart, synonyms stay near."""
_SPELLING_OF_UNKNOWN = 1.0
_MOST_ROWS = 8_192
_MOST_PARTS = 4_096


class StaticEmbedder:
    """An embedder that needs no endpoint, no network and no package: 384 numbers per text, of length 1.

    The first 128 are meaning, from a table of 22,716 English words; the rest are spelling. A word that the table lacks
    (another language, a rare name) is spelling throughout, as with HashEmbedder. Function words count only where there
    is nothing else; a text without words is all zero. The first 100,000 characters of a text are read.

    Nothing is loaded before the first `embed`. table: the bytes of the table's file, where the package does not hold
    it; None takes the package's. `embed` raises ModelError where that was left out or the bytes are something else.
    """

    blocking = True
    in_process = True
    dimensions = DIMENSIONS
    model_id = MODEL_ID

    def __init__(self, table: bytes | None = None) -> None:
        if table is not None and not isinstance(table, bytes | bytearray | memoryview):
            raise InvalidOption("table", "the bytes of the table's file, or None", table)
        self._table = None if table is None else bytes(table)
        self._rows: _Rows | None = None

    def __repr__(self) -> str:
        return "StaticEmbedder()"

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self._rows is None:
            self._rows = rows_of(own_table() if self._table is None else read_table(self._table))
        return [self._rows.total(weighted_words(text[:LONGEST_TEXT])) for text in texts]

    def as_blocking(self) -> StaticEmbedder:
        return self


class _Rows(Protocol):
    def total(self, words: Mapping[str, float]) -> list[float]:
        """The weighted sum of the words' vectors at length 1."""
        ...


def rows_of(table: WordTable, *, with_numpy: bool = True) -> _Rows:
    """The vectors of words, added up by numpy where it is installed, with equal results where it is not."""
    if with_numpy:
        try:
            import numpy
        except ImportError:
            pass
        else:
            return _NumpyRows(table, numpy)
    return _PlainRows(table)


class _NumpyRows:
    """Whole vectors of the words met so far, in one matrix that begins anew when it is full."""

    def __init__(self, table: WordTable, numpy: Any) -> None:
        self._table = table
        self._numpy = numpy
        self._places: dict[str, int] = {}
        self._matrix = numpy.zeros((64, DIMENSIONS), "f4")

    def total(self, words: Mapping[str, float]) -> list[float]:
        if not words:
            return [0.0] * DIMENSIONS
        if len(self._places) + len(words) > _MOST_ROWS:
            self._places.clear()
        known = self._places
        places = [known[word] if word in known else self._add(word) for word in words]
        total = self._numpy.array(list(words.values())) @ self._matrix[places]
        length = math.sqrt(total @ total)
        return (total / length if length else total).tolist()  # type: ignore[no-any-return]

    def _add(self, word: str) -> int:
        numpy, place = self._numpy, len(self._places)
        if place == len(self._matrix):
            self._matrix = numpy.concatenate([self._matrix, numpy.zeros_like(self._matrix)])
        row = self._matrix[place]
        row[:] = 0
        scale, digits, spelling = _parts(self._table, word)
        if digits:
            row[: len(digits)] = (numpy.frombuffer(digits, "u1").astype("f4") - OFFSET) * scale
        for index, share in spelling:
            row[index] += share
        self._places[word] = place
        return place


class _PlainRows:
    """The parts of words' vectors, kept small: numbers are made of the digits only while they are added up."""

    def __init__(self, table: WordTable) -> None:
        self._parts = lru_cache(maxsize=_MOST_PARTS)(lambda word: _parts(table, word))

    def total(self, words: Mapping[str, float]) -> list[float]:
        vector = [0.0] * DIMENSIONS
        weights: list[float] = []
        rows: list[bytes] = []
        for word, weight in words.items():
            scale, digits, spelling = self._parts(word)
            if digits:
                weights.append(weight * scale)
                rows.append(digits)
            for index, share in spelling:
                vector[index] += weight * share
        if rows:
            offset = OFFSET * sum(weights)
            for index, column in enumerate(zip(*rows, strict=True)):
                vector[index] += sum(map(mul, weights, column)) - offset
        length = math.sqrt(math.fsum(map(mul, vector, vector)))
        return [number / length for number in vector] if length else vector


def _parts(table: WordTable, word: str) -> tuple[float, bytes, tuple[tuple[int, float], ...]]:
    """A word's scale and digits in the table (0 and none when it lacks the word), and its spelling."""
    place = table.find(fold_diacritics(word))
    if place is None:
        return 0.0, b"", word_features(word, DIMENSIONS, _SPELLING_OF_UNKNOWN)
    spelling = word_features(word, DIMENSIONS, _SPELLING_OF_KNOWN)
    # The same places as those of an unknown word, so that a misspelt word is near the right one.
    return table.scales[place], table.digits(place), tuple(each for each in spelling if each[0] >= table.dimensions)
