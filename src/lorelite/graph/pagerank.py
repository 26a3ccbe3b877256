"""Personalised PageRank: where a walker stands who sets out from seeds, follows edges, and now and then starts anew."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from math import fsum

LeadingOn = Mapping[str, Sequence[tuple[str, float]]]
"""Node → those that a walker may go on to, with weights above 0; a node without any may be left out."""
Neighbours = Callable[[Sequence[str]], LeadingOn]


def personalised_pagerank(
    seeds: Mapping[str, float], neighbours: Neighbours, *, restart: float, tolerance: float, max_nodes: int
) -> dict[str, float]:
    """Node → the share of time that the walker spends there, for the nodes near the seeds; the shares sum to 1.

    seeds: node → weight, not below 0; where a walk starts. restart: the chance, above 0 and at most 1, that it ends at
    each node and a new one starts; so it does where nothing leads on. The walker takes an edge as often as its share of
    the weight of all that leave the node.

    Computed by pushing (Andersen, Chung and Lang, "Local graph partitioning using PageRank vectors", 2006), all nodes
    of a round together: the mass that waits at a node stays with the share *restart* and moves on with the rest, until
    nowhere more than *tolerance* waits. Then what waits stays where it is, so that the shares are off by no more than
    what waits in all. At most *max_nodes* nodes are asked for their neighbours, once each, a round at a time: those
    where most waits; so the cost depends on the seeds and not on the size of the graph. Deterministic.
    """
    walk = pagerank_walk(seeds, restart=restart, tolerance=tolerance, max_nodes=max_nodes)
    try:
        unread = next(walk)
        while True:
            unread = walk.send(neighbours(unread))
    except StopIteration as ended:
        ranks: dict[str, float] = ended.value
        return ranks


def pagerank_walk(
    seeds: Mapping[str, float], *, restart: float, tolerance: float, max_nodes: int
) -> Generator[list[str], LeadingOn, dict[str, float]]:
    """`personalised_pagerank` for callers that must wait for what they read: yields nodes, is sent their ties."""
    total = fsum(seeds.values())
    start = {node: weight / total for node, weight in seeds.items() if weight > 0} if total > 0 else {}
    if restart == 1:
        return start
    ranks: dict[str, float] = {}
    waiting = dict(start)
    leading_on: dict[str, Sequence[tuple[str, float]]] = {}
    while pushed := _to_push(waiting, leading_on, tolerance, max_nodes):
        unread = [node for node in pushed if node not in leading_on]
        if unread:
            found = yield unread
            leading_on |= {node: _shares(found.get(node, ())) for node in unread}
        moved: dict[str, float] = {}
        ended = 0.0
        for node in pushed:
            mass = waiting.pop(node)
            ranks[node] = ranks.get(node, 0.0) + restart * mass
            onward = (1 - restart) * mass
            if not leading_on[node]:
                ended += onward
            for neighbour, share in leading_on[node]:
                moved[neighbour] = moved.get(neighbour, 0.0) + onward * share
        if ended:
            for node, share in start.items():
                moved[node] = moved.get(node, 0.0) + ended * share
        for node, mass in moved.items():
            waiting[node] = waiting.get(node, 0.0) + mass
    for node, mass in waiting.items():
        ranks[node] = ranks.get(node, 0.0) + mass
    return ranks


def _to_push(waiting: Mapping[str, float], known: Mapping[str, object], tolerance: float, max_nodes: int) -> list[str]:
    """The nodes where more than *tolerance* waits, of those not asked yet no more than may be."""
    heavy = [node for node, mass in waiting.items() if mass > tolerance]
    unread = [node for node in heavy if node not in known]
    room = max_nodes - len(known)
    if len(unread) <= room:
        return heavy
    unread.sort(key=lambda node: (-waiting[node], node))
    left_out = set(unread[room:])
    return [node for node in heavy if node not in left_out]


def _shares(weighted: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    total = fsum(weight for _, weight in weighted)
    return [(node, weight / total) for node, weight in weighted] if total > 0 else []
