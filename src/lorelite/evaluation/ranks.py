"""Measures of one ranked list: where the evidence stands, and how much of it the first k places hold."""

from __future__ import annotations

import math
from collections.abc import Sequence

Ranks = Sequence[int | None]
"""For each piece of evidence its place, from 1; None: it was not found."""


def ranks(gold: Sequence[Sequence[str]], *lists: Sequence[str]) -> tuple[int | None, ...]:
    """The best place that each piece of gold, any of its names, has in any of the ranked *lists*."""
    places: dict[str, int] = {}
    for found in lists:
        for place, name in enumerate(found, 1):
            places[name] = min(place, places.get(name, place))
    return tuple(min((places[name] for name in piece if name in places), default=None) for piece in gold)


def recall_at(ranked: Ranks, k: int) -> float:
    """|gold among the first k| / |gold|."""
    return sum(rank is not None and rank <= k for rank in ranked) / len(ranked)


def all_gold_at(ranked: Ranks, k: int) -> float:
    """1 when every piece of gold is among the first k, else 0."""
    return float(all(rank is not None and rank <= k for rank in ranked))


def reciprocal_rank(ranked: Ranks) -> float:
    """1 / the best place of any piece of gold; 0 when none was found."""
    best = min((rank for rank in ranked if rank is not None), default=None)
    return 0.0 if best is None else 1 / best


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least *share* of the values do not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[max(1, math.ceil(share * len(ordered))) - 1] if ordered else 0.0
