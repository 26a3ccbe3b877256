"""A caller's own graph held against the ontology, before any of it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from lorelite.errors import StrictOntologyViolation
from lorelite.ontology.check import End, EndType, check_edge, resolve_type
from lorelite.ontology.manifest import Manifest, Ontology
from lorelite.ontology.typing import DroppedEdge
from lorelite.records import Edge, Node

_WHY = {
    "no_source_type": "the node it starts from has no type",
    "type_not_in_manifest": "the manifest has no edge of that type from the type of its source",
    "target_type_mismatch": "the manifest does not let that edge lead to the type of its target",
}


@dataclass(frozen=True, slots=True)
class Conformed:
    nodes: Sequence[Node]
    edges: Sequence[Edge]
    dropped: Sequence[DroppedEdge] = ()
    untyped: int = 0
    """Nodes whose type the manifest does not know: they are kept without it."""


def conformed(
    ontology: Ontology, nodes: Sequence[Node], edges: Sequence[Edge], known: Mapping[str, str | None]
) -> Conformed:
    """Nodes and edges with types as the manifest writes them. *known*: the types of nodes that are there already.

    Strict: raises StrictOntologyViolation for a type, or an edge between two types, that the manifest does not have.
    Emergent: such a node is kept without its type, such an edge is left out. Both ends of an edge count; one that is
    nowhere yet is taken on trust. Off, or emergent with an empty manifest: everything stays as the caller says.
    """
    manifest = ontology.manifest
    if ontology.mode == "off" or (ontology.mode == "emergent" and manifest == Manifest()):
        return Conformed(nodes, edges)
    # A graph has many rows and few types: each is looked up once.
    as_written = {name: resolve_type(manifest, name) for name in {node.node_type for node in nodes}}
    checked = cache(partial(check_edge, manifest))
    typed = [_typed(node, as_written[node.node_type]) for node in nodes]
    lost = [
        node for node, after in zip(nodes, typed, strict=True) if node.node_type is not None and not after.node_type
    ]
    if lost and ontology.mode == "strict":
        first = lost[0]
        raise StrictOntologyViolation(
            first.namespace, "node", first.node_type or "", first.id, "the manifest has no such type"
        )
    types: dict[str, str | None] = {**known, **{node.id: node.node_type for node in typed}}
    kept: list[Edge] = []
    dropped: list[DroppedEdge] = []
    for edge in edges:
        source, target = (_end(types, id) for id in (edge.source_id, edge.target_id))
        row = checked(edge.edge_type, source, target)
        if not isinstance(row, str):
            kept.append(edge if row.type == edge.edge_type else replace(edge, edge_type=row.type))
        elif ontology.mode == "strict":
            ends = f"{edge.source_id} → {edge.target_id}"
            raise StrictOntologyViolation(edge.namespace, "edge", edge.edge_type, ends, _WHY[row])
        else:
            dropped.append(
                DroppedEdge(
                    reason="manifest_violation",
                    source_id=edge.source_id,
                    source_type=types.get(edge.source_id),
                    edge_type=edge.edge_type,
                    target_type=types.get(edge.target_id),
                )
            )
    return Conformed(typed, kept, dropped, len(lost))


def _typed(node: Node, node_type: str | None) -> Node:
    return node if node.node_type == node_type else replace(node, node_type=node_type)


def _end(types: Mapping[str, str | None], id: str) -> EndType:
    return types.get(id, End.UNKNOWN)
