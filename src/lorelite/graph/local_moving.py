"""The first phase of the Louvain method alone: nodes in order, pass by pass, until nothing moves."""

from __future__ import annotations

from lorelite.graph.weighted import WeightedGraph

MAX_PASSES = 100


def local_moving(graph: WeightedGraph, resolution: float = 1.0) -> list[int]:
    """For each node its community, named by a node; what depends on nothing but the order of the nodes.

    Every node starts alone. In passes over the nodes in their order each moves to the neighbouring community where
    modularity gains most; if none gains more than where it is, it stays, and of equal ones it takes the smallest label.
    Ends when a pass moves nothing, or after 100. (Blondel and others, 2008, first phase.)
    """
    community = list(range(len(graph)))
    strength_of = list(graph.strengths)
    total = graph.total
    at = community.__getitem__
    for _ in range(MAX_PASSES):
        moved = False
        for node, strength in enumerate(graph.strengths):
            own = community[node]
            links = {own: 0.0}
            for other, weight in zip(map(at, graph.neighbours[node]), graph.weights[node], strict=True):
                links[other] = links[other] + weight if other in links else weight
            # gain times 2m²: whole numbers where weights and resolution are, so that equal gains are equal
            penalty = resolution * strength
            staying = most = links.pop(own) * total - penalty * (strength_of[own] - strength)
            best = own
            for other, link in links.items():
                gain = link * total - penalty * strength_of[other]
                if gain > most or (gain == most > staying and other < best):
                    best, most = other, gain
            if best != own:
                strength_of[own] -= strength
                strength_of[best] += strength
                community[node] = best
                moved = True
        if not moved:
            break
    return community
