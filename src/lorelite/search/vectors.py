"""Cosine similarity over a block of vectors: numpy where it is installed, equal results without."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from operator import mul
from typing import Any

try:
    import numpy
except ImportError:  # the browser
    numpy = None  # type: ignore[assignment]


class VectorBlock:
    """Rows of one length, normalised once, scored together."""

    def __init__(self, keys: Sequence[int], rows: Sequence[array[float]]) -> None:
        self.keys = list(keys)
        self.dimensions = len(rows[0]) if rows else 0
        self._matrix: Any
        if numpy is not None and rows:
            matrix = numpy.frombuffer(b"".join(row.tobytes() for row in rows), dtype=numpy.float32)
            matrix = matrix.reshape(len(rows), self.dimensions)
            norms = numpy.linalg.norm(matrix, axis=1, keepdims=True)
            self._matrix = numpy.divide(matrix, norms, out=numpy.zeros_like(matrix), where=norms > 0)
        else:
            self._matrix = [normalised(row) for row in rows]

    def cosines(self, query: Sequence[float]) -> list[float]:
        """The cosine of *query* with each row, in the order of `keys`; 0 where a vector is zero."""
        unit = normalised(query)
        if numpy is not None and self.keys:
            scores: list[float] = (self._matrix @ numpy.asarray(unit, dtype=numpy.float32)).tolist()
            return scores
        return [sum(map(mul, unit, row)) for row in self._matrix]


def normalised(vector: Sequence[float]) -> list[float]:
    """The vector at length 1; a zero vector stays as it is."""
    length = math.sqrt(sum(map(mul, vector, vector)))
    return [value / length for value in vector] if length else list(vector)
