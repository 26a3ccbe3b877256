"""Cosine similarity of stored vectors, float32 and little endian: computed in double, with numpy or without."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Callable, Sequence
from operator import mul
from typing import Any, Generic, TypeVar, cast

Key = TypeVar("Key")
TIE = 12
"""Decimals to which cosines are rounded: what differs less is a tie, whoever computed it and in which order."""

Stored = Callable[[Sequence[int]], Sequence[bytes]]
"""Gives vectors as they are stored, one for each row of a matrix."""


class VectorBlock(Generic[Key]):
    """A few vectors of one length, compared with a query as they are."""

    def __init__(self, keys: Sequence[Key], packed: Sequence[bytes]) -> None:
        """keys: what each vector stands for; packed: its numbers."""
        self.keys = list(keys)
        self._packed = packed

    def nearest(self, query: Sequence[float], limit: int) -> list[tuple[Key, float]]:
        """(key, cosine) of the *limit* rows nearest to *query*, ties in the order of `keys`; 0 for a zero vector."""
        scores = cosines(normalised(query), b"".join(self._packed))
        return [(self.keys[row], scores[row]) for row in best_first(scores)[:limit]]


def best_first(scores: Sequence[float]) -> list[int]:
    """The places of *scores* from the highest to the lowest, ties in order."""
    return sorted(range(len(scores)), key=lambda row: -scores[row])


def cosines(unit: Sequence[float], packed: bytes, lengths: Sequence[float] | None = None) -> list[float]:
    """The cosine of a vector of length 1 with each of these, which follow one another; rounded to TIE decimals.

    lengths: of the vectors, where they are known. 0 for a vector without a direction.
    """
    numpy, size = installed_numpy(), len(unit)
    if numpy is None:
        numbers = memoryview(unpacked(packed))
        rows = [numbers[start : start + size] for start in range(0, len(numbers), size)]
        return list(map(_cosine, (dot(unit, row) for row in rows), lengths or map(length, rows)))
    matrix = numpy.frombuffer(packed, "<f4").reshape(-1, size).astype("f8")
    # Not by BLAS: its threads cost more than they save here.
    products = numpy.einsum("ij,j->i", matrix, numpy.asarray(unit))
    lengths = numpy.sqrt(numpy.einsum("ij,ij->i", matrix, matrix)).tolist()
    return list(map(_cosine, products.tolist(), lengths))


def _cosine(product: float, size: float) -> float:
    cosine = product / size if size else 0.0
    return round(cosine, TIE) + 0.0 if math.isfinite(cosine) else 0.0


def normalised(vector: Sequence[float]) -> list[float]:
    """The vector at length 1; a zero vector stays as it is."""
    size = length(vector)
    return [value / size for value in vector] if size else list(vector)


def length(vector: Sequence[float]) -> float:
    return math.sqrt(dot(vector, vector))


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    total: float = sum(map(mul, one, other))
    return total


dot = cast(Callable[[Sequence[float], Sequence[float]], float], getattr(math, "sumprod", _dot))
"""The scalar product. `math.sumprod` is of Python 3.12."""


def unpacked(data: bytes) -> array[float]:
    """The numbers of a stored vector."""
    numbers = array("f", data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def installed_numpy() -> Any:
    """numpy, or None in a browser tab. Imported on first use: it takes longer than all of ours."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy
