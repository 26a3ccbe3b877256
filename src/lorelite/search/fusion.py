"""Two scores of a node, by words and by meaning, as one. Pure: ids and numbers only."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

DEFAULT_HYBRID_WEIGHT = 0.3
"""Share of the semantic score, by weighted min-max, when the caller names none."""

Key = TypeVar("Key", bound=Hashable)
Scores = Mapping[str, float]
"""Node id → score."""


def blended(keyword: Scores, semantic: Scores) -> dict[str, float]:
    """The union of both lists when no weight was given: each stretched to 0 … 1 (min-max), then DEFAULT_HYBRID_WEIGHT.

    A node that one list lacks counts 0 there.
    """
    return _summed(stretched(keyword), stretched(semantic), DEFAULT_HYBRID_WEIGHT)


def weighted(keyword: Scores, semantic: Scores, weight: float) -> dict[str, float]:
    """The union of both lists scored `weight · semantic + (1 - weight) · keyword`.

    Semantic is the cosine, not below 0; keyword is the score over the best score, so that the shares do not depend on
    the scale of the keyword index. A node without a vector counts 0 there.
    """
    top = max(keyword.values(), default=1.0) or 1.0
    by_word = {id: score / top for id, score in keyword.items()}
    return _summed(by_word, {id: max(0.0, score) for id, score in semantic.items()}, weight)


def _summed(keyword: Scores, semantic: Scores, weight: float) -> dict[str, float]:
    ids = dict.fromkeys((*keyword, *semantic))
    return {id: weight * semantic.get(id, 0.0) + (1 - weight) * keyword.get(id, 0.0) for id in ids}


def stretched(scores: Mapping[Key, float]) -> dict[Key, float]:
    """The scores moved to 0 … 1 (min-max); all 1 where all are equal."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {id: (score - low) / (high - low) if high > low else 1.0 for id, score in scores.items()}
