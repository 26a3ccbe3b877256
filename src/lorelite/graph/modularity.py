"""How much more weight lies inside of communities than chance would put there."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from lorelite.graph.weighted import WeightedGraph


def modularity(graph: WeightedGraph, community: Sequence[int], resolution: float = 1.0) -> float:
    """Weighted modularity (Newman 2004, with the resolution of Reichardt and Bornholdt 2006), from -0.5 to 1.

    community[i] is that of node i, any number. 0 for a graph without edges.
    """
    if not graph.total:
        return 0.0
    inside = fsum(
        weight
        for node, own in enumerate(community)
        for to, weight in zip(graph.neighbours[node], graph.weights[node], strict=True)
        if community[to] == own
    )
    strength: dict[int, list[float]] = {}
    for node, own in enumerate(community):
        strength.setdefault(own, []).append(graph.strengths[node])
    expected = fsum(fsum(members) ** 2 for members in strength.values())
    return inside / graph.total - resolution * expected / graph.total**2
