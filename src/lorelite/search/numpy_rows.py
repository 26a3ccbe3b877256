"""Unit vectors in rows of numpy arrays: as float32, or as a byte a number where there are many.

What a scan finds is not exact, but by how much it may be wrong is known: every cosine of a row with the query lies
within `slack` of its score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lorelite.search.vectors import Stored, cosines

_ELEMENTS = 1 << 18
"""Numbers that are multiplied at once: small enough for the processor's cache, and for BLAS to start no threads, which
cost more than they save."""
_GROWTH = 1.25
_CEILING = 127
Array = np.ndarray[Any, Any]


class FloatRows:
    """float32 numbers, four bytes each: the vectors as stored, times a power of two, which rounds nothing."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._count = 0
        self._rows: Array = np.empty((0, dimensions), np.float32)
        self._factors: Array = np.empty(0, np.float32)
        """What makes a row one of length 1: between 1 and 2, or 0 for one without a direction."""

    @property
    def nbytes(self) -> int:
        return int(self._rows.nbytes + self._factors.nbytes)

    def append(self, packed: Sequence[bytes]) -> None:
        given, start = _matrix(packed), self._count
        self._count += len(given)
        self._rows = _with_room(self._rows, start, self._count)
        self._factors = _with_room(self._factors, start, self._count)
        for part in _parts(*given.shape):
            lengths = _lengths(given[part])
            fractions, exponents = np.frexp(lengths)
            at = slice(start + part.start, start + part.stop)
            self._rows[at] = np.ldexp(np.where(lengths[:, None] > 0, given[part], 0), -exponents[:, None])
            self._factors[at] = np.divide(1, fractions, out=np.zeros_like(lengths), where=fractions > 0)

    def scan(self, unit: Sequence[float], is_wanted: bytes) -> NumpyScan:
        """Score all rows; is_wanted: a byte for each, 1 or 0."""
        query, scores = np.asarray(unit, np.float32), np.empty(self._count, np.float32)
        for part in _parts(self._count, self._dimensions):
            np.dot(self._rows[part], query, out=scores[part])
        scores *= self._factors[: self._count]
        return NumpyScan(scores, rounding(self._dimensions), is_wanted)

    def cosines(self, unit: Sequence[float], rows: Sequence[int], stored: Stored) -> list[float]:
        """The unrounded cosines of these rows."""
        return cosines(unit, self._rows[rows].astype("<f4", copy=False).tobytes())

    def as_bytes(self) -> ByteRows:
        rounded = ByteRows(self._dimensions)
        for part in _parts(self._count, self._dimensions):
            rounded.append_units(self._rows[part] * self._factors[part, None])
        return rounded


class ByteRows:
    """A byte for each number, with a scale for each row."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._count = 0
        self._codes: Array = np.empty((0, dimensions), np.int8)
        self._scales: Array = np.empty(0, np.float32)
        self._residuals: Array = np.empty(0, np.float32)

    @property
    def nbytes(self) -> int:
        return int(self._codes.nbytes + self._scales.nbytes + self._residuals.nbytes)

    def append(self, packed: Sequence[bytes]) -> None:
        given = _matrix(packed)
        for part in _parts(*given.shape):
            lengths = _lengths(given[part])
            units = given[part] / np.where(lengths > 0, lengths, np.inf)[:, None]
            self.append_units(units.astype(np.float32))

    def append_units(self, units: Array) -> None:
        start = self._count
        self._count += len(units)
        at = slice(start, self._count)
        self._codes = _with_room(self._codes, start, self._count)
        self._scales = _with_room(self._scales, start, self._count)
        self._residuals = _with_room(self._residuals, start, self._count)
        scales = np.abs(units).max(axis=1, initial=0) / np.float32(_CEILING)
        codes = np.rint(units / np.where(scales > 0, scales, 1)[:, None])
        self._codes[at] = codes
        self._scales[at] = scales
        # The scalar product of the query, of length 1, with what was rounded off is at most its length.
        self._residuals[at] = np.linalg.norm(units - codes * scales[:, None], axis=1)

    def scan(self, unit: Sequence[float], is_wanted: bytes) -> NumpyScan:
        """As FloatRows."""
        query, scores = np.asarray(unit, np.float32), np.empty(self._count, np.float32)
        numbers = np.empty((_rows_at_once(self._dimensions), self._dimensions), np.float32)
        for part in _parts(self._count, self._dimensions):
            room = numbers[: part.stop - part.start]
            np.copyto(room, self._codes[part])
            np.dot(room, query, out=scores[part])
        scores *= self._scales[: self._count]
        return NumpyScan(scores, self._residuals[: self._count] + rounding(self._dimensions), is_wanted)

    def cosines(self, unit: Sequence[float], rows: Sequence[int], stored: Stored) -> list[float]:
        """As FloatRows."""
        return cosines(unit, b"".join(stored(rows)))


class NumpyScan:
    """The scores of one query; rows that are not wanted have none."""

    def __init__(self, scores: Array, slack: Array | float, is_wanted: bytes) -> None:
        wanted = np.frombuffer(is_wanted, bool)
        self._slack = slack
        self._wanted = is_wanted.count(1)
        self._scores = scores
        if self._wanted < len(scores):
            self._scores = np.where(wanted, scores, -np.inf)

    def best(self, limit: int) -> list[int]:
        """The *limit* rows with the highest scores, in no order."""
        if limit >= self._wanted:
            return self.at_least(-np.inf)
        first = len(self._scores) - limit
        found: list[int] = np.argpartition(self._scores, first)[first:].tolist()
        return found

    def at_least(self, cosine: float) -> list[int]:
        """All rows whose cosine may be this or more."""
        above = self._scores + self._slack >= cosine if cosine > -np.inf else self._scores > -np.inf
        found: list[int] = np.flatnonzero(above).tolist()
        return found


def rounding(dimensions: int) -> float:
    """How much a scalar product of two unit vectors in float32 may be wrong.

    n products and sums are wrong by n / (1 - n·u) units of rounding u at most (Higham, Accuracy and Stability of
    Numerical Algorithms, 3.1), and each vector's own rounding adds one.
    """
    return (dimensions + 16) * 2.0**-24 * 1.1


def _matrix(packed: Sequence[bytes]) -> Array:
    return np.frombuffer(b"".join(packed), "<f4").reshape(len(packed), -1)


def _lengths(rows: Array) -> Array:
    """The lengths of the rows, in double; 0 for those without a direction."""
    numbers = rows.astype(np.float64)
    lengths: Array = np.sqrt(np.einsum("ij,ij->i", numbers, numbers))
    lengths[~np.isfinite(lengths)] = 0
    return lengths


def _rows_at_once(dimensions: int) -> int:
    return max(1, _ELEMENTS // dimensions)


def _parts(count: int, dimensions: int) -> Iterator[slice]:
    size = _rows_at_once(dimensions)
    return (slice(start, min(start + size, count)) for start in range(0, count, size))


def _with_room(rows: Array, count: int, wanted: int) -> Array:
    """The first *count* rows in an array that holds as many as are wanted."""
    if wanted <= len(rows):
        return rows
    room = wanted if count == 0 else max(wanted, int(count * _GROWTH))
    larger: Array = np.empty((room, *rows.shape[1:]), rows.dtype)
    larger[:count] = rows[:count]
    return larger
