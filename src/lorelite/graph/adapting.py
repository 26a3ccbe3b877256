"""Communities of a graph that changed: those away from the change stay exactly as they were."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from lorelite.graph.components import components, split_by_connection
from lorelite.graph.hierarchy import Hierarchy, divided, grouped
from lorelite.graph.louvain import move_nodes, renumbered
from lorelite.graph.weighted import WeightedGraph, canonical, merged

Divide = Callable[[WeightedGraph], Sequence[int]]
"""The communities of a graph from nothing: for each node a number."""


def adapted(
    edges: Iterable[tuple[str, str, float]],
    previous: Hierarchy,
    changed: Collection[str],
    divide: Divide,
    *,
    entity_ids: Iterable[str] = (),
    resolution: float = 1.0,
    max_cluster_size: int | None = None,
    use_lcc: bool = False,
) -> Hierarchy:
    """The hierarchy of *edges*, found by moving only what the change reaches from where it was in *previous*.

    changed: nodes whose edges are no longer those that *previous* was found from; new nodes count in any case. Such
    nodes may move, then the neighbours of those that moved, then whole communities of theirs (the frontier of Sahu's
    "DF Louvain", 2024). divide: for what was not divided before. The other arguments are those of `cluster`, and so is
    the order of what comes back; each community is connected.
    """
    names, graph = canonical(edges, entity_ids)
    if use_lcc and names:
        largest = components(graph)[0]
        names, graph = [names[node] for node in largest], graph.induced(largest)
    return _Adapting(names, graph, previous, divide, resolution).hierarchy(changed, max_cluster_size)


class _Adapting:
    def __init__(
        self, names: Sequence[str], graph: WeightedGraph, previous: Hierarchy, divide: Divide, resolution: float
    ) -> None:
        self._names = names
        self._graph = graph
        self._divide = divide
        self._resolution = resolution
        place = {name: node for node, name in enumerate(names)}
        self._before: dict[int, dict[int, int]] = {}
        """Level → node → the number of its cluster."""
        for number, found in enumerate(previous.clusters):
            level = self._before.setdefault(found.level, {})
            level.update((place[name], number) for name in found.members if name in place)

    def hierarchy(self, changed: Collection[str], max_size: int | None) -> Hierarchy:
        known = self._before.get(0, {})
        touched = {node for node, name in enumerate(self._names) if name in changed or node not in known}

        def parts(nodes: Sequence[int], level: int) -> list[list[int]]:
            return self._parts(nodes, level, touched)

        return divided(self._names, self._graph, parts, max_size, self._resolution)

    def _parts(self, nodes: Sequence[int], level: int, touched: set[int]) -> list[list[int]]:
        """The communities of *nodes*, ascending, on a level: the largest first. Adds to *touched* what moved."""
        known = self._before.get(level, {})
        inner = self._graph if len(nodes) == len(self._graph) else self._graph.induced(nodes)
        if not any(node in known for node in nodes):
            community = list(self._divide(inner))
        else:
            start, _ = renumbered(known.get(node, -1 - node) for node in nodes)
            community = list(start)
            # Where nothing changed, what was alone before was too small to be remembered; it stays alone.
            is_touched = any(node in touched for node in nodes)
            frontier = [at for at, node in enumerate(nodes) if node in touched or (is_touched and node not in known)]
            if frontier:
                community = _settled(inner, community, frontier, self._resolution)
                for at, node in enumerate(nodes):
                    if community[at] != start[at]:
                        touched.add(node)
                        touched.update(nodes[to] for to in inner.neighbours[at])
        return grouped(nodes, community)


def _settled(graph: WeightedGraph, community: list[int], frontier: Sequence[int], resolution: float) -> list[int]:
    """Where nodes are once none that the change reaches gains by moving; a community that stays keeps its number."""
    start = list(community)
    move_nodes(graph, community, frontier, resolution)
    near = {community[node] for node in frontier}
    near.update(own for own, before in zip(community, start, strict=True) if own != before)
    near.update(before for own, before in zip(community, start, strict=True) if own != before)
    while True:
        dense, count = renumbered(community)
        number = [0] * count
        for own, label in zip(dense, community, strict=True):
            number[own] = label
        group = list(range(count))
        order = [own for own in group if number[own] in near]
        if not move_nodes(merged(graph, dense, count), group, order, resolution):
            break
        near.update(number[group[own]] for own in order)
        community = [number[group[own]] for own in dense]
    return _connected(graph, community)


def _connected(graph: WeightedGraph, community: Sequence[int]) -> list[int]:
    """The communities, each piece but the first of one that fell apart with a number of its own."""
    fresh = max(community, default=0) + 1
    first: dict[int, int] = {}
    found = []
    for own, piece in zip(community, split_by_connection(graph, community), strict=True):
        found.append(own if first.setdefault(own, piece) == piece else fresh + piece)
    return found
