"""Moving nodes between communities while modularity gains, and the Louvain method built on it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from random import Random

from lorelite.graph.weighted import WeightedGraph, merged

TINY = 1e-12
"""Gains below this share of the graph's weight are rounding, and following them might never end."""


def louvain(
    graph: WeightedGraph, *, seed: int, resolution: float = 1.0, start: Sequence[int] | None = None
) -> list[int]:
    """For each node its community, 0 … k-1 (Blondel, Guillaume, Lambiotte and Lefebvre, 2008).

    start: communities to begin with, any numbers; None: every node alone.
    """
    random = Random(seed)
    community, count = renumbered(range(len(graph)) if start is None else start)
    level, of_level = graph, list(community)
    place: list[int] | None = None  # node → node of the level
    while True:
        moved = move_nodes(level, of_level, shuffled(len(level), random), resolution)
        of_level, count = renumbered(of_level)
        community = of_level if place is None else [of_level[at] for at in place]
        if place is not None and not moved:
            return community
        level, place, of_level = merged(level, of_level, count), community, list(range(count))


def move_nodes(graph: WeightedGraph, community: list[int], order: Sequence[int], resolution: float) -> bool:
    """Move nodes to where modularity gains most until none gains; whether any moved. Writes to *community*.

    The labels in *community* are below the number of nodes. order: nodes to begin with, all or some. A node is looked
    at again only when a neighbour went to another community than its own (Ozaki, Tezuka and Inaba 2016; Traag, Waltman
    and van Eck 2019).
    """
    neighbours, weights, strengths = graph.neighbours, graph.weights, graph.strengths
    count = len(graph)
    strength_of = [0.0] * count
    size = [0] * count
    for node, own in enumerate(community):
        strength_of[own] += strengths[node]
        size[own] += 1
    empty = [label for label in range(count) if not size[label]]
    least = TINY * graph.total
    share = resolution / graph.total if graph.total else 0.0
    queue = deque(order)
    waiting = bytearray(count)
    for node in order:
        waiting[node] = 1
    at = community.__getitem__
    moved = False
    while queue:
        node = queue.popleft()
        waiting[node] = 0
        own = community[node]
        strength = strengths[node]
        penalty = share * strength
        links = {own: 0.0}
        for other, weight in zip(map(at, neighbours[node]), weights[node], strict=True):
            links[other] = links[other] + weight if other in links else weight
        strength_of[own] -= strength
        best, most = own, links[own] - penalty * strength_of[own] + least
        for other, link in links.items():
            if link > most and (gain := link - penalty * strength_of[other]) > most:
                best, most = other, gain
        if most < 0 and size[own] > 1:
            best = empty[-1]
        strength_of[best] += strength
        if best == own:
            continue
        moved = True
        community[node] = best
        size[own] -= 1
        size[best] += 1
        if not size[own]:
            empty.append(own)
        if size[best] == 1:
            empty.pop()
        for to in neighbours[node]:
            if not waiting[to] and community[to] != best:
                waiting[to] = 1
                queue.append(to)
    return moved


def shuffled(count: int, random: Random) -> list[int]:
    """0 … count-1 in a random order: of random() alone, the only sequence that Python promises not to change."""
    order = list(range(count))
    draw = random.random
    for last in range(count - 1, 0, -1):
        other = int(draw() * (last + 1))
        order[last], order[other] = order[other], order[last]
    return order


def renumbered(labels: Iterable[int]) -> tuple[list[int], int]:
    """The labels as 0 … k-1 in the order in which they first come, and k."""
    number: dict[int, int] = {}
    return [number.setdefault(label, len(number)) for label in labels], len(number)
