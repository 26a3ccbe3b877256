"""Several namespaces in one result: how much each counts, and how many places it is sure of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

from lorelite.retrieve.hits import Hit, Listed, N


@dataclass(frozen=True, slots=True)
class Findings:
    """What one namespace yields: scored hits, and nodes that fill up behind them since nothing scored them."""

    hits: Sequence[Hit[Listed]] = ()
    unscored: Sequence[Listed] = ()
    words: Sequence[Hit[Listed]] = ()
    """What was found by words, best first."""
    meaning: Mapping[str, tuple[Listed, float]] = field(default_factory=dict)
    """Node id → (node, similarity): the *width* nearest, nearest first, then others that were compared."""
    width: int = 0


@dataclass(frozen=True, slots=True)
class Tiers:
    """weights: namespace → factor of its scores (1 where it is not named; 0 leaves it out). floors: how many of the
    best places of a namespace are kept for it. include_zero_weight: show it at the bottom in place of leaving it out.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    floors: Mapping[str, int] = field(default_factory=dict)
    include_zero_weight: bool = False

    def weight(self, namespace: str) -> float:
        return self.weights.get(namespace, 1.0)

    def leaves_out(self, namespace: str) -> bool:
        return not self.weight(namespace) and not self.include_zero_weight


@dataclass(frozen=True, slots=True)
class Place(Generic[N]):
    """A node in the result. Its score is None where nothing scored it."""

    node: N
    score: float | None
    row: int = 0
    """0 scored, 1 not scored, 2 of a namespace of weight 0: in this order."""

    def order(self) -> tuple[int, float, int, str]:
        by_score = -self.score if self.row == 0 and self.score is not None else 0.0
        return self.row, by_score, -self.node.updated_at, self.node.id


def weighed(score: float, weight: float) -> float:
    """A score times its weight; a negative one is divided, so that more weight is never worse."""
    return score * weight if score >= 0 else score / weight


def chosen(
    found: Mapping[str, Findings],
    tiers: Tiers,
    limit: int,
    arranged: Callable[[list[Place[Listed]]], list[Place[Listed]]] = list,
) -> list[Place[Listed]]:
    """The best *limit* places over all namespaces in a total order; the floors are kept, the order too.

    arranged: puts the places in another order before the first are taken.
    """
    ranked = {name: _places(findings, tiers.weight(name)) for name, findings in found.items()}
    everything = arranged(sorted((place for places in ranked.values() for place in places), key=Place.order))
    reserved = {place.node.id for name, places in ranked.items() for place in places[: tiers.floors.get(name, 0)]}
    free = limit - len(reserved)
    kept = []
    for place in everything:
        is_reserved = place.node.id in reserved
        if is_reserved or free > 0:
            kept.append(place)
            free -= not is_reserved
    return kept[:limit]


def _places(findings: Findings, weight: float) -> list[Place[Listed]]:
    if weight:
        places = [Place(hit.node, weighed(hit.score, weight)) for hit in findings.hits]
        places += [Place(node, None, 1) for node in findings.unscored]
    else:
        places = [Place(hit.node, 0.0, 2) for hit in findings.hits]
        places += [Place(node, None, 2) for node in findings.unscored]
    return sorted(places, key=Place.order)
