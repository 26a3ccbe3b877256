"""`traverse_graph`: the connected neighbourhood of a node."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeVar

from lorelite.engine import Engine
from lorelite.graph.walk import Order, Reached, Step, walk
from lorelite.records import Direction, Edge, Graph, GraphNode, Node
from lorelite.retrieve.citing import cited
from lorelite.store.edges import WalkFilter
from lorelite.text.budget import token_cost, truncated_to
from lorelite.timeline.past import at

N = TypeVar("N", bound=Node)
EdgeChoice = Literal["induced", "walked"]


def traverse(
    engine: Engine,
    namespace: str,
    source_id: str,
    *,
    where: WalkFilter,
    direction: Direction,
    max_depth: int,
    max_nodes: int,
    order: Order,
    token_budget: int | None,
    edges: EdgeChoice,
) -> Graph:
    """Walk from *source_id*, level by level. An anchor that is missing or deleted gives an empty graph.

    The anchor passes every filter; other nodes that do not are dead ends.
    """
    engine = at(engine, [namespace], where.as_of)
    store = engine.store
    anchor = store.nodes.get(namespace, source_id)
    if anchor is None:
        return Graph()

    def steps(frontier: Sequence[str]) -> list[Step]:
        found: list[Step] = []
        if direction != "inbound":
            found += store.edges.steps(namespace, frontier, True, where)
        if direction != "outbound":
            found += store.edges.steps(namespace, frontier, False, where)
        return found

    nothing_to_walk = where.edge_types == ()
    reached, is_cut = walk(
        source_id,
        (lambda frontier: []) if nothing_to_walk else steps,
        max_depth=max_depth,
        max_nodes=max_nodes,
        order=order,
    )
    found = store.nodes.by_ids(namespace, [item.id for item in reached])
    there = [graph_node(found[item.id], item.depth, item.parent) for item in reached if item.id in found]
    nodes = cited(engine, there, per_owner=3)
    if token_budget is not None:
        kept = packed(nodes, token_budget)
        is_cut = is_cut or len(kept) < len(nodes)
        nodes = kept
    return Graph(
        nodes=tuple(nodes),
        edges=() if nothing_to_walk else tuple(_edges(engine, namespace, nodes, reached, edges, where.as_of)),
        truncated=is_cut,
    )


def graph_node(node: Node, depth: int, parent: str | None) -> GraphNode:
    fields = {name: getattr(node, name) for name in Node.__dataclass_fields__}
    return GraphNode(**fields, depth=depth, parent=parent)


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
