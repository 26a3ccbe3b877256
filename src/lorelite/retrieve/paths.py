"""`shortest_path`: how two nodes are connected."""

from __future__ import annotations

from dataclasses import replace

from lorelite.engine import Engine
from lorelite.graph.paths import Path, TooWide, lightest_path, shortest_path
from lorelite.graph.walk import Reached
from lorelite.records import Direction, Graph
from lorelite.retrieve.citing import cited
from lorelite.retrieve.traverse import hydrated, steps_of
from lorelite.store.edges import WalkFilter
from lorelite.timeline.past import at

MOST_MET = 50_000
"""Nodes that a search may meet before it gives up."""
_AGAINST: dict[Direction, Direction] = {"outbound": "inbound", "inbound": "outbound", "both": "both"}


def path_between(
    engine: Engine,
    namespace: str,
    source_id: str,
    target_id: str,
    *,
    where: WalkFilter,
    direction: Direction,
    max_depth: int,
    weighted: bool,
) -> Graph:
    """The nodes of the path in its order, each with the one before it as its parent, and the edges between them.

    The two ends pass every filter. The graph is empty when an end is missing or there is no path; when the search gave
    up because it met too many nodes, it is `truncated` as well.
    """
    engine = at(engine, [namespace], where.as_of)
    if engine.store.nodes.by_ids(namespace, [source_id, target_id]).keys() != {source_id, target_id}:
        return Graph()
    where = replace(where, ends=(source_id, target_id))
    forward = steps_of(engine, namespace, where, direction)
    backward = steps_of(engine, namespace, where, _AGAINST[direction])
    try:
        if weighted:
            found = lightest_path(source_id, target_id, forward, max_depth=max_depth, max_nodes=MOST_MET)
        else:
            found = shortest_path(source_id, target_id, forward, backward, max_depth=max_depth, max_nodes=MOST_MET)
    except TooWide:
        return Graph(truncated=True)
    return Graph() if found is None else _graph(engine, namespace, found)


def _graph(engine: Engine, namespace: str, path: Path) -> Graph:
    parents = (None, *path.nodes)
    over = (None, *path.edges)
    reached = [
        Reached(id, depth, parent, edge_id)
        for depth, (id, parent, edge_id) in enumerate(zip(path.nodes, parents, over, strict=False))
    ]
    edges = {edge.id: edge for edge in engine.store.edges.by_ids(namespace, path.edges)}
    return Graph(
        nodes=tuple(cited(engine, hydrated(engine, namespace, reached), per_owner=3)),
        edges=tuple(cited(engine, [edges[id] for id in path.edges], per_owner=3)),
    )
