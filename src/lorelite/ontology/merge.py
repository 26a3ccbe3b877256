"""Emergent mode: types that a model proposes are added to the manifest, and never change what is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lorelite.ontology.manifest import EdgeType, Manifest, NodeType
from lorelite.ontology.rules import MAX_NAME_CHARS, is_storable

MAX_TYPES = 300
"""Node types, and as many times two edge rows: what more a model proposes is left out."""
_MAX_DESCRIPTION = 300


@dataclass(frozen=True, slots=True)
class OntologyUpdates:
    """What a reply wants to add, read tolerantly; the endpoints and parents are not checked yet."""

    node_types: tuple[NodeType, ...] = ()
    edge_types: tuple[EdgeType, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.node_types or self.edge_types)

    def __add__(self, other: OntologyUpdates) -> OntologyUpdates:
        return OntologyUpdates(self.node_types + other.node_types, self.edge_types + other.edge_types)


NO_UPDATES = OntologyUpdates()


def read_updates(value: object) -> OntologyUpdates:
    """The `ontology_updates` of a reply: whatever in it has the shape of a type; all else is left out."""
    if not isinstance(value, Mapping):
        return NO_UPDATES
    nodes = []
    for row in _mappings(value.get("node_types")):
        if name := _name(row.get("type")):
            nodes.append(NodeType(name, _description(row.get("description")), _name(row.get("parent_type")) or None))
    edges = []
    for row in _mappings(value.get("edge_types")):
        name, source, target = (_name(row.get(key)) for key in ("type", "source_type", "target_type"))
        if name and source and target:
            edges.append(EdgeType(name, source, target, _description(row.get("description"))))
    return OntologyUpdates(tuple(nodes), tuple(edges))


def merge_updates(manifest: Manifest, updates: OntologyUpdates) -> Manifest:
    """The manifest with the proposals that fit; it stays valid whatever they are.

    A type that is there already is left as it is. A proposed parent counts when it is a known or proposed type that
    has no parent itself; else the type goes in without. An edge needs two known ends; a known edge type keeps its
    casing. Gives back the same manifest when nothing is new.
    """
    known = {node.type.casefold(): node for node in manifest.node_types}
    new = {key: node for key, node in _first_of_each(updates.node_types).items() if key not in known}
    proposed = known | new
    nodes = list(manifest.node_types)
    for key, node in new.items():
        if len(nodes) >= MAX_TYPES:
            break
        parent = proposed.get(node.parent_type.casefold()) if node.parent_type else None
        fits = parent is not None and parent.parent_type is None and parent.type.casefold() != key
        nodes.append(NodeType(node.type, node.description, node.parent_type if fits else None))
    taken = {node.type.casefold() for node in nodes}
    nodes = [
        node
        if node.parent_type is None or node.parent_type.casefold() in taken
        else NodeType(node.type, node.description)
        for node in nodes
    ]
    edges = [*manifest.edge_types]
    names = {edge.type.casefold(): edge.type for edge in edges}
    triples = {_triple(edge) for edge in edges}
    for edge in updates.edge_types:
        ends = {edge.source_type.casefold(), edge.target_type.casefold()}
        if ends <= taken and _triple(edge) not in triples and len(edges) < 2 * MAX_TYPES:
            name = names.setdefault(edge.type.casefold(), edge.type)
            edges.append(EdgeType(name, edge.source_type, edge.target_type, edge.description))
            triples.add(_triple(edge))
    merged = Manifest(tuple(nodes), tuple(edges))
    return manifest if merged == manifest else merged


def _first_of_each(nodes: Iterable[NodeType]) -> dict[str, NodeType]:
    first: dict[str, NodeType] = {}
    for node in nodes:
        first.setdefault(node.type.casefold(), node)
    return first


def _triple(edge: EdgeType) -> tuple[str, str, str]:
    return edge.type.casefold(), edge.source_type.casefold(), edge.target_type.casefold()


def _mappings(value: object) -> list[Mapping[str, object]]:
    return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list | tuple) else []


def _name(value: object) -> str:
    name = " ".join(value.split()) if isinstance(value, str) else ""
    return name if len(name) <= MAX_NAME_CHARS and is_storable(name) else ""


def _description(value: object) -> str:
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return text[:_MAX_DESCRIPTION] if is_storable(text, one_line=False) else ""
