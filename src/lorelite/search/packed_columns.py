"""Unit vectors without numpy: each column one long integer, so that Python's arithmetic works on all rows at once.

A row is rounded to whole numbers c, the query to whole numbers q. A column holds the c of its rows in fields of 18
bits; the sum of all columns, each times its q, then holds the scalar products q·c in the same fields. No field spoils
the next, since by Cauchy and Schwarz |q·c| ≤ |q|·|c| < 2¹⁷, whatever the sum was on its way.
"""

from __future__ import annotations

import heapq
import math
import sys
from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import compress
from operator import mul

from lorelite.search.vectors import Stored, cosines, length, unpacked

_BITS = 18
_HALF = 1 << (_BITS - 1)
"""Added to each field where it is read: fields may be negative."""
_TURN = 4
"""So many fields fill whole bytes."""
_TURN_BYTES = _TURN * _BITS // 8
_BLOCK = 2048
"""Rows of one block: what changes costs a block, and what is scored at once stays in the processor's cache."""
_SHIFT = float(1 << 52) + _HALF
"""Added to a double it leaves its whole part, and _HALF, in the lowest bytes."""
_SLOP = 1e-9
"""More than doubles are ever wrong by."""


class PackedColumns:
    """18 bits for each number."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        # Rounding makes a vector longer by √d / 2 at most. Where d leaves no room, all is rounded to 0.
        self._scale = max(math.sqrt(_HALF) - 0.05 - math.sqrt(dimensions) / 2, 0.25)
        self._count = 0
        self._blocks: list[list[int]] = []
        self._lengths = array("d")
        self._residual = 0.0
        """The most that was rounded off a row, as a length."""

    @property
    def nbytes(self) -> int:
        # A long integer has 30 bits in every 4 bytes, and 24 bytes beside.
        columns = self._count * _BITS * 4 // 30 + 24 * len(self._blocks)
        return columns * self._dimensions + self._lengths.itemsize * len(self._lengths)

    def append(self, packed: Sequence[bytes]) -> None:
        done = 0
        while done < len(packed):
            start = self._count % _BLOCK
            if start == 0:
                self._blocks.append([0] * self._dimensions)
            rows = packed[done : done + _BLOCK - start]
            block = self._blocks[-1]
            for place, column in enumerate(self._columns(rows)):
                block[place] += column << (_BITS * start)
            self._count += len(rows)
            done += len(rows)

    def _columns(self, packed: Sequence[bytes]) -> Iterable[int]:
        numbers, shift = array("d"), _SHIFT
        for data in packed:
            row = unpacked(data).tolist()
            size = math.hypot(*row)
            has_direction = size > 0 and math.isfinite(size)
            factor = self._scale / size if has_direction else 0.0
            scaled = [value * factor for value in row] if has_direction else [0.0] * len(row)
            shifted = [value + shift for value in scaled]
            lost = math.dist(scaled, [value - shift for value in shifted]) / self._scale
            self._residual = max(self._residual, lost)
            self._lengths.append(size if has_direction else 0.0)
            numbers.extend(shifted)
        if len(packed) == 1:
            return (int(number) - int(shift) for number in numbers)
        if sys.byteorder == "big":
            numbers.byteswap()
        halves = _halves(len(packed))
        return (_joined(numbers[place :: self._dimensions]) - halves for place in range(self._dimensions))

    def scan(self, unit: Sequence[float], is_wanted: bytes) -> PlainScan:
        """Score all rows; is_wanted: a byte for each, 1 or 0."""
        factors = [round(value * self._scale) for value in unit]
        used = list(filter(None, factors))
        scores = array("I")
        for number, block in enumerate(self._blocks):
            total = sum(map(mul, compress(block, factors), used))
            scores.frombytes(_split(total, min(_BLOCK, self._count - number * _BLOCK)))
        rounded = [factor / self._scale for factor in factors]
        slack = math.dist(unit, rounded) + length(rounded) * self._residual + _SLOP
        return PlainScan(scores, self._scale**2, slack, is_wanted)

    def cosines(self, unit: Sequence[float], rows: Sequence[int], stored: Stored) -> list[float]:
        """The unrounded cosines of these rows."""
        return cosines(unit, b"".join(stored(rows)), [self._lengths[row] for row in rows])


class PlainScan:
    """The scores of one query: those of the fields, which are `unit` for a cosine of 1 and wrong by *slack* at most."""

    def __init__(self, scores: array[int], unit: float, slack: float, is_wanted: bytes) -> None:
        self._scores = scores
        self._unit = unit
        self._slack = slack
        self._is_wanted = is_wanted

    def best(self, limit: int) -> list[int]:
        """The *limit* rows with the highest scores, and more where the last ones tie; in no order."""
        best = heapq.nlargest(limit, compress(self._scores, self._is_wanted))
        return self._from(best[-1]) if best else []

    def at_least(self, cosine: float) -> list[int]:
        """All rows whose cosine may be this or more."""
        return self._from((cosine - self._slack) * self._unit + _HALF)

    def _from(self, bound: float) -> list[int]:
        scores = enumerate(self._scores)
        return [row for row, score in scores if score >= bound and self._is_wanted[row]]


def _joined(numbers: array[float]) -> int:
    """One integer of the lowest bits of these doubles, the first one lowest."""
    data = numbers.tobytes()
    whole = 0
    for turn in range(_TURN):
        fields = bytearray(_TURN_BYTES * -(-len(numbers) // _TURN))
        for byte in range(3):
            given = data[8 * turn + byte :: 8 * _TURN]
            fields[byte : _TURN_BYTES * len(given) : _TURN_BYTES] = given
        whole += int.from_bytes(fields, "little") << (_BITS * turn)
    return whole


def _split(whole: int, count: int) -> bytes:
    """The first *count* fields of a sum, each in four bytes and with _HALF added."""
    turns = -(-count // _TURN)
    whole += _halves(_TURN * turns)
    mask = _ones(turns, _TURN * _BITS) * ((1 << _BITS) - 1)
    found = bytearray(4 * _TURN * turns)
    for turn in range(_TURN):
        fields = (whole >> (_BITS * turn) & mask).to_bytes(_TURN_BYTES * turns, "little")
        for byte in range(3):
            found[4 * turn + byte :: 4 * _TURN] = fields[byte::_TURN_BYTES]
    return bytes(found[: 4 * count])


@lru_cache(8)
def _halves(count: int) -> int:
    """_HALF in each of *count* fields."""
    return _ones(count, _BITS) * _HALF


@lru_cache(8)
def _ones(count: int, bits: int) -> int:
    """1 in each of *count* fields of so many bits."""
    return ((1 << (bits * count)) - 1) // ((1 << bits) - 1)
