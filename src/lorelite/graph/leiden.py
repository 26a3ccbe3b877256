"""Communities whose members are joined among themselves: the Leiden method."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from lorelite.graph.components import split_by_connection
from lorelite.graph.louvain import move_nodes, renumbered, shuffled
from lorelite.graph.weighted import WeightedGraph, merged

ITERATIONS = 2


def leiden(
    graph: WeightedGraph, *, seed: int, resolution: float = 1.0, start: Sequence[int] | None = None
) -> list[int]:
    """For each node its community, 0 … k-1; every community is connected.

    Traag, Waltman and van Eck, "From Louvain to Leiden" (2019), with modularity and the best instead of a random choice
    when communities are refined; two iterations. start: communities to begin with, any numbers; None: every node alone.
    """
    random = Random(seed)
    community, _ = renumbered(range(len(graph)) if start is None else start)
    for _ in range(ITERATIONS):
        community = _iteration(graph, community, random, resolution)
    # An iteration that ends because nothing could be merged proves nothing of its communities; pieces are worth more.
    return split_by_connection(graph, community)


def _iteration(graph: WeightedGraph, community: list[int], random: Random, resolution: float) -> list[int]:
    """Communities after moving, refining and merging until nothing is left to merge."""
    level, place = graph, list(range(len(graph)))
    while True:
        order = shuffled(len(level), random)
        move_nodes(level, community, order, resolution)
        community, communities = renumbered(community)
        if communities == len(level):
            break
        part, parts = renumbered(_refined(level, community, order, resolution))
        if parts == len(level):
            break
        place = [part[at] for at in place]
        of_part = [0] * parts
        for node, own in enumerate(part):
            of_part[own] = community[node]
        level, community = merged(level, part, parts), of_part
    return [community[at] for at in place]


def _refined(graph: WeightedGraph, community: Sequence[int], order: Sequence[int], resolution: float) -> list[int]:
    """Parts of the communities, each connected: nodes that stand alone join the part where modularity gains most.

    Only nodes and parts that are well connected with the rest of their community take part.
    """
    neighbours, weights = graph.neighbours, graph.weights
    count = len(graph)
    share = resolution / graph.total if graph.total else 0.0
    community_of = community.__getitem__
    whole = [0.0] * count
    cut = [0.0] * count  # of each part, the weight between it and the rest of its community
    for node, own in enumerate(community):
        whole[own] += graph.strengths[node]
        inner = 0.0
        for other, weight in zip(map(community_of, neighbours[node]), weights[node], strict=True):
            if other == own:
                inner += weight
        cut[node] = inner
    part = list(range(count))
    strength_of = list(graph.strengths)
    alone = bytearray(b"\1") * count
    for node in order:
        if not alone[node]:
            continue
        own = community[node]
        strength = strength_of[node]
        penalty = share * strength
        rest = whole[own]
        if cut[node] < penalty * (rest - strength):
            continue
        links: dict[int, float] = {}
        for to, weight in zip(neighbours[node], weights[node], strict=True):
            if community[to] == own:
                other = part[to]
                links[other] = links[other] + weight if other in links else weight
        best, most = node, 0.0
        for other, link in links.items():
            if link > most:
                of_other = strength_of[other]
                gain = link - penalty * of_other
                if gain > most and cut[other] >= share * of_other * (rest - of_other):
                    best, most = other, gain
        if best != node:
            part[node] = best
            alone[node] = alone[best] = 0
            strength_of[best] += strength
            cut[best] += cut[node] - 2 * links[best]
    return part
