"""`traverse_graph`: the connected neighbourhood of a node."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeVar

from lorelite.engine import Engine
from lorelite.graph.walk import RANKINGS, Reached, Step, Steps, paths_of, walk
from lorelite.records import Direction, Edge, Graph, GraphNode, Node
from lorelite.retrieve.citing import cited
from lorelite.retrieve.relevance import most_relevant_first
from lorelite.store.edges import WalkFilter
from lorelite.text.budget import token_cost, truncated_to
from lorelite.timeline.past import at

N = TypeVar("N", bound=Node)
EdgeChoice = Literal["induced", "walked"]
WalkOrder = Literal["recent", "weight", "relevance"]


async def traverse(
    engine: Engine,
    namespace: str,
    anchors: Sequence[str],
    *,
    where: WalkFilter,
    direction: Direction,
    max_depth: int,
    max_nodes: int,
    order: WalkOrder,
    query: str,
    token_budget: int | None,
    edges: EdgeChoice,
) -> Graph:
    """Walk from all *anchors* at once, level by level. Those that are missing or deleted are left out; when all are,
    the graph is empty.

    The anchors pass every filter; other nodes that do not are dead ends. query: for the order "relevance".
    """
    engine = at(engine, [namespace], where.as_of)
    store = engine.store
    known = store.nodes.by_ids(namespace, anchors)
    there = [anchor for anchor in anchors if anchor in known]
    if not there:
        return Graph()
    nothing_to_walk = where.edge_types == ()
    reached, is_cut = walk(
        there,
        (lambda frontier: []) if nothing_to_walk else steps_of(engine, namespace, where, direction),
        max_depth=max_depth,
        max_nodes=max_nodes,
        ranking=await most_relevant_first(engine, namespace, query) if order == "relevance" else RANKINGS[order],
    )
    nodes = cited(engine, hydrated(engine, namespace, reached), per_owner=3)
    if token_budget is not None:
        kept = packed(nodes, token_budget)
        is_cut = is_cut or len(kept) < len(nodes)
        nodes = kept
    return Graph(
        nodes=tuple(nodes),
        edges=() if nothing_to_walk else tuple(_edges(engine, namespace, nodes, reached, edges, where.as_of)),
        truncated=is_cut,
    )


def steps_of(engine: Engine, namespace: str, where: WalkFilter, direction: Direction) -> Steps:
    """The steps that a walk in this direction may take."""
    edges = engine.store.edges

    def steps(frontier: Sequence[str]) -> list[Step]:
        found: list[Step] = []
        if direction != "inbound":
            found += edges.steps(namespace, frontier, True, where)
        if direction != "outbound":
            found += edges.steps(namespace, frontier, False, where)
        return found

    return steps


def hydrated(engine: Engine, namespace: str, reached: Sequence[Reached]) -> list[GraphNode]:
    """The nodes of a walk in its order, without those that are gone meanwhile."""
    found = engine.store.nodes.by_ids(namespace, [item.id for item in reached])
    paths = paths_of(reached)
    return [graph_node(found[item.id], item.depth, item.parent, paths[item.id]) for item in reached if item.id in found]


def graph_node(node: Node, depth: int, parent: str | None, path: tuple[str, ...] | None = None) -> GraphNode:
    """The node as a walk met it. path: None where its parent is an anchor, or it is one itself."""
    fields = {name: getattr(node, name) for name in Node.__dataclass_fields__}
    steps = ((node.id,) if parent is None else (parent, node.id)) if path is None else path
    return GraphNode(**fields, depth=depth, parent=parent, path=steps)


def _edges(
    engine: Engine,
    namespace: str,
    nodes: Sequence[GraphNode],
    reached: Sequence[Reached],
    choice: EdgeChoice,
    as_of: int | None,
) -> list[Edge]:
    ids = {node.id for node in nodes}
    if choice == "walked":
        used = [item.edge_id for item in reached if item.edge_id and item.id in ids and item.parent in ids]
        found = engine.store.edges.by_ids(namespace, used)
    else:
        found = engine.store.edges.among(namespace, [node.id for node in nodes], as_of)
    return cited(engine, found, per_owner=3)


def packed(nodes: Sequence[GraphNode], budget: int) -> list[GraphNode]:
    """The nodes that fit *budget* tokens, in order: the anchor always, its body cut to fit; others whole or not."""
    anchor, *others = nodes
    kept = [cut_to_fit(anchor, budget)]
    spent = node_cost(kept[0])
    for node in others:
        cost = node_cost(node)
        if spent + cost <= budget:
            kept.append(node)
            spent += cost
    return kept


def cut_to_fit(node: N, budget: int) -> N:
    """The node, its body cut where it would take more than *budget* tokens."""
    if node_cost(node) <= budget:
        return node
    return replace(node, body=truncated_to(node.body, budget - node_cost(replace(node, body=""))))


def node_cost(node: Node) -> int:
    """About how many tokens a node takes in a prompt."""
    return token_cost(node.title + node.body + (json.dumps(node.tags) if node.tags else ""))
