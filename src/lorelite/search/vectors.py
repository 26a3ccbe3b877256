"""Cosine similarity over a block of vectors: numpy where it is installed, equal results without."""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Sequence
from operator import mul
from typing import Any, Generic, TypeVar

Key = TypeVar("Key")


class VectorBlock(Generic[Key]):
    """Vectors of one length, normalised once and scored together."""

    def __init__(self, keys: Sequence[Key], packed: Sequence[bytes]) -> None:
        """keys: what each row stands for; packed: its float32 numbers, little endian."""
        self.keys = list(keys)
        self._numpy = _numpy()
        self._rows: Any
        if self._numpy is not None and packed:
            matrix = self._numpy.frombuffer(b"".join(packed), dtype="<f4").reshape(len(packed), -1)
            lengths = self._numpy.linalg.norm(matrix, axis=1, keepdims=True)
            self._rows = matrix / self._numpy.where(lengths > 0, lengths, 1)
        else:
            self._rows = [normalised(array("f", data)) for data in packed]

    def nearest(self, query: Sequence[float], limit: int) -> list[tuple[Key, float]]:
        """(key, cosine) of the *limit* rows nearest to *query*, ties in the order of `keys`; 0 for a zero vector."""
        unit = normalised(query)
        if self._numpy is not None and self.keys:
            cosines = self._rows @ self._numpy.asarray(unit, dtype="<f4")
            order = self._numpy.argsort(-cosines, kind="stable")[:limit].tolist()
            return [(self.keys[row], float(cosines[row])) for row in order]
        scores = [sum(map(mul, unit, row)) for row in self._rows]
        order = heapq.nsmallest(limit, range(len(scores)), key=lambda row: (-scores[row], row))
        return [(self.keys[row], scores[row]) for row in order]


def normalised(vector: Sequence[float]) -> list[float]:
    """The vector at length 1; a zero vector stays as it is."""
    length = math.sqrt(sum(map(mul, vector, vector)))
    return [value / length for value in vector] if length else list(vector)


def _numpy() -> Any:
    """numpy, or None in a browser tab. Imported on first use: it takes longer than all of ours."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy
