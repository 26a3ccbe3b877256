"""Which nodes are joined, however far apart."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite.graph.weighted import WeightedGraph


def components(graph: WeightedGraph) -> list[list[int]]:
    """The connected components: each ascending, the largest first, ties by their smallest node."""
    label = split_by_connection(graph, [0] * len(graph))
    found: list[list[int]] = [[] for _ in range(max(label, default=-1) + 1)]
    for node, own in enumerate(label):
        found[own].append(node)
    return sorted(found, key=len, reverse=True)


def split_by_connection(graph: WeightedGraph, community: Sequence[int]) -> list[int]:
    """For each node the number of its piece: nodes of one community that are joined within it; by smallest node."""
    piece = [-1] * len(graph)
    count = 0
    for start, own in enumerate(community):
        if piece[start] < 0:
            piece[start] = count
            waiting = [start]
            while waiting:
                for to in graph.neighbours[waiting.pop()]:
                    if piece[to] < 0 and community[to] == own:
                        piece[to] = count
                        waiting.append(to)
            count += 1
    return piece
