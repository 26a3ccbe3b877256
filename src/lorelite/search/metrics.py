"""How near vectors are under a metric, as scores of which the higher is nearer; float32, with numpy or without."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

from lorelite.search.vectors import TIE, cosines, dot, installed_numpy, length, normalised, unpacked


def scores(metric: str, query: Sequence[float], packed: bytes) -> list[float]:
    """Of each of the vectors that follow one another in *packed*: "cosine", "dotproduct", or "euclidean", which is
    1 / (1 + distance). Rounded to TIE decimals; 0 is the cosine of a vector of no length."""
    if metric == "cosine":
        return cosines(normalised(query), packed)
    numpy, size = installed_numpy(), len(query)
    if numpy is not None:
        matrix = numpy.frombuffer(packed, "<f4").reshape(-1, size).astype("f8")
        if metric == "dotproduct":
            return _rounded(numpy.einsum("ij,j->i", matrix, numpy.asarray(query)).tolist())
        matrix -= numpy.asarray(query)
        return _rounded((1 / (1 + numpy.sqrt(numpy.einsum("ij,ij->i", matrix, matrix)))).tolist())
    numbers = memoryview(unpacked(packed))
    score = _SCORES[metric]
    return _rounded([score(query, numbers[start : start + size]) for start in range(0, len(numbers), size)])


def _closeness(one: Sequence[float], other: Sequence[float]) -> float:
    return 1 / (1 + math.dist(one, other))


_SCORES: dict[str, Callable[[Sequence[float], Sequence[float]], float]] = {
    "dotproduct": dot,
    "euclidean": _closeness,
}


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(value, TIE) + 0.0 for value in values]


def fault(metric: str, vector: Sequence[float], dimension: int) -> tuple[str, object] | None:
    """(expected, found) of a vector that an index cannot take, None for one that it can."""
    if len(vector) != dimension:
        return f"{dimension} numbers", f"{len(vector)} numbers"
    if not all(map(_fits, vector)):
        return "finite numbers that float32 can hold", next(number for number in vector if not _fits(number))
    if metric == "cosine" and not length(vector):
        return "a vector with a direction (the index goes by the cosine)", "zeros alone"
    return None


_MAX_FLOAT32 = 3.4e38


def _fits(number: Any) -> bool:
    is_real = type(number) is float or isinstance(number, Real)
    return is_real and abs(number) < _MAX_FLOAT32
