"""A list that repeats itself less: what was found, chosen for being relevant and for being new."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

from lorelite.search.fusion import stretched


def diversified(
    relevance: Sequence[float], similarities: Callable[[int], Sequence[float]], diversity: float, count: int
) -> list[int]:
    """The places of all, the first *count* by maximal marginal relevance (Carbonell & Goldstein 1998), then the others
    as they were.

    relevance: scores, best first; stretched to 0 … 1 before they are weighed. similarities: of the one at a place with
    each. diversity: 0 leaves the order as it is, 1 looks only for what is unlike everything chosen. The first stays
    first; of equals the earlier one is chosen.
    """
    scores = list(stretched(dict(enumerate(relevance))).values())
    left = list(range(len(scores)))
    chosen: list[int] = []
    nearest = [0.0] * len(scores)
    """To anything chosen."""
    while left and len(chosen) < count:
        best = max(left, key=lambda place: (1 - diversity) * scores[place] - diversity * nearest[place])
        if not chosen:
            best = left[0]
        left.remove(best)
        chosen.append(best)
        nearest = list(map(max, nearest, similarities(best)))
    return chosen + left


def overlap(one: Set[str], other: Set[str]) -> float:
    """The share of the words of both that both have (Jaccard 1901): 0 … 1."""
    return len(one & other) / len(one | other) if one and other else 0.0
