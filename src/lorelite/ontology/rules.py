"""When a manifest holds together. Everything that would make a type ambiguous is refused, with its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast, get_args

from lorelite.errors import InvalidManifest
from lorelite.ontology.manifest import EdgeType, Manifest, NodeType, Ontology, OntologyMode

MAX_NAME_CHARS = 100
_NODE_FIELDS = ("type", "description", "parent_type")
_EDGE_FIELDS = ("type", "source_type", "target_type", "description")


def validate_manifest(manifest: Manifest | Mapping[str, Any]) -> Manifest:
    """The manifest, checked. A mapping has the keys node_types and edge_types, lists of mappings.

    Raises InvalidManifest with the place and a remedy: for an empty or overlong name, a node type named twice
    (case does not count), a parent that is empty, unknown, the type itself or has a parent, an edge to a type that
    is not there, the same (type, source_type, target_type) twice, and one edge type written in two ways.
    """
    if not isinstance(manifest, Manifest):
        manifest = _read(manifest)
    elif not all(isinstance(node, NodeType) for node in manifest.node_types) or not all(
        isinstance(edge, EdgeType) for edge in manifest.edge_types
    ):
        raise InvalidManifest("manifest", "NodeType and EdgeType records", manifest, "or pass a plain mapping")
    nodes = tuple(_node(f"node_types[{place}]", node) for place, node in enumerate(manifest.node_types))
    edges = tuple(_edge(f"edge_types[{place}]", edge) for place, edge in enumerate(manifest.edge_types))
    known = _check_names(nodes)
    for place, node in enumerate(nodes):
        _check_parent(f"node_types[{place}].parent_type", node, known)
    _check_edges(edges, known)
    return Manifest(nodes, edges)


def read_ontology(value: object, default_mode: OntologyMode) -> Ontology:
    """An ontology from what a caller gives: one, a manifest, or {"mode": …, "manifest": …}. Raises InvalidManifest."""
    if isinstance(value, Ontology):
        return Ontology(read_mode(value.mode), validate_manifest(value.manifest))
    if isinstance(value, Mapping) and "manifest" in value:
        unknown = sorted(map(str, set(value) - {"mode", "manifest"}))
        if unknown:
            raise InvalidManifest("ontology", "only the keys mode and manifest", unknown, "remove the others")
        mode = default_mode if value.get("mode") is None else read_mode(value["mode"])
        return Ontology(mode, validate_manifest(value["manifest"]))
    return Ontology(default_mode, validate_manifest(cast(Mapping[str, Any], value)))


def read_mode(value: object) -> OntologyMode:
    for mode in get_args(OntologyMode):
        if value == mode:
            return cast(OntologyMode, mode)
    raise InvalidManifest("mode", "'off', 'emergent' or 'strict'", value, "choose one of them")


# -- reading mappings -------------------------------------------------------------------------------------------


def _read(value: object) -> Manifest:
    if not isinstance(value, Mapping):
        remedy = 'e.g. {"node_types": [{"type": "person"}], "edge_types": []}'
        raise InvalidManifest("manifest", "a Manifest or a mapping", value, remedy)
    _check_keys("manifest", value, ("node_types", "edge_types"))
    nodes = _rows("node_types", value.get("node_types"), _NODE_FIELDS)
    edges = _rows("edge_types", value.get("edge_types"), _EDGE_FIELDS)
    return Manifest(
        tuple(NodeType(row.get("type", ""), row.get("description") or "", row.get("parent_type")) for row in nodes),
        tuple(
            EdgeType(
                row.get("type", ""),
                row.get("source_type", ""),
                row.get("target_type", ""),
                row.get("description") or "",
            )
            for row in edges
        ),
    )


def _rows(name: str, value: object, fields: Iterable[str]) -> list[Mapping[str, Any]]:
    if value is None:
        return []
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InvalidManifest(name, "a list of mappings", value, "put the types into a list")
    rows = list(value)
    for place, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InvalidManifest(f"{name}[{place}]", "a mapping", row, 'e.g. {"type": "person"}')
        _check_keys(f"{name}[{place}]", row, fields)
    return rows


def _check_keys(place: str, value: Mapping[str, Any], known: Iterable[str]) -> None:
    names = tuple(known)
    unknown = sorted(map(str, set(value) - set(names)))
    if unknown:
        raise InvalidManifest(place, f"only the keys {', '.join(names)}", unknown, "correct or remove the others")


# -- rules ------------------------------------------------------------------------------------------------------


def _node(place: str, node: NodeType) -> NodeType:
    parent = node.parent_type
    if parent is not None and (not isinstance(parent, str) or not parent.strip()):
        remedy = f"name the parent of {node.type!r}, or leave parent_type out"
        raise InvalidManifest(f"{place}.parent_type", "the name of a type", parent, remedy)
    return NodeType(
        _name(f"{place}.type", node.type),
        _description(f"{place}.description", node.description),
        None if parent is None else parent.strip(),
    )


def _edge(place: str, edge: EdgeType) -> EdgeType:
    return EdgeType(
        _name(f"{place}.type", edge.type),
        _name(f"{place}.source_type", edge.source_type),
        _name(f"{place}.target_type", edge.target_type),
        _description(f"{place}.description", edge.description),
    )


def _name(place: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidManifest(place, "a name", value, "give it one, or remove the row")
    name = value.strip()
    if len(name) > MAX_NAME_CHARS or not is_storable(name):
        expected = f"at most {MAX_NAME_CHARS} characters on one line"
        raise InvalidManifest(place, expected, value, "shorten it, and put the rest into the description")
    return name


def _description(place: str, value: object) -> str:
    if not isinstance(value, str) or not is_storable(value, one_line=False):
        raise InvalidManifest(place, "text without NUL and lone surrogates", value, "write it as plain text")
    return value


def is_storable(text: str, one_line: bool = True) -> bool:
    """Can SQLite hold the text, and (for a name) does it stay on its line in a prompt?"""
    if any("\ud800" <= character <= "\udfff" or character == "\0" for character in text):
        return False
    return not one_line or text.isprintable()


def _check_names(nodes: tuple[NodeType, ...]) -> dict[str, NodeType]:
    known: dict[str, NodeType] = {}
    for place, node in enumerate(nodes):
        before = known.setdefault(node.type.casefold(), node)
        if before is not node:
            raise InvalidManifest(
                f"node_types[{place}].type",
                "a name that no other type has (case does not count)",
                node.type,
                f"it is {before.type!r} again: rename or remove one of the two",
            )
    return known


def _check_parent(place: str, node: NodeType, known: Mapping[str, NodeType]) -> None:
    if node.parent_type is None:
        return
    parent = known.get(node.parent_type.casefold())
    if parent is None:
        raise InvalidManifest(place, "a type of the manifest", node.parent_type, "add that type, or correct the name")
    if parent is node:
        raise InvalidManifest(place, "another type", node.parent_type, f"{node.type!r} cannot be its own parent")
    if parent.parent_type is not None:
        chain = f"{node.type} → {parent.type} → {parent.parent_type}"
        remedy = f"parents are one level deep: make {parent.parent_type!r} the parent of {node.type!r}"
        raise InvalidManifest(place, "a type without a parent", chain, remedy)


def _check_edges(edges: tuple[EdgeType, ...], known: Mapping[str, NodeType]) -> None:
    names: dict[str, str] = {}
    triples: set[tuple[str, str, str]] = set()
    for place, edge in enumerate(edges):
        for field in ("source_type", "target_type"):
            end = getattr(edge, field)
            if end.casefold() not in known:
                remedy = "add that type to node_types, or correct the name"
                raise InvalidManifest(f"edge_types[{place}].{field}", "a type of the manifest", end, remedy)
        name = edge.type.casefold()
        if names.setdefault(name, edge.type) != edge.type:
            remedy = f"write it {names[name]!r} everywhere"
            raise InvalidManifest(f"edge_types[{place}].type", "one way to write an edge type", edge.type, remedy)
        triple = (name, edge.source_type.casefold(), edge.target_type.casefold())
        if triple in triples:
            found = f"{edge.type} ({edge.source_type} → {edge.target_type})"
            raise InvalidManifest(f"edge_types[{place}]", "each edge once", found, "remove the second row")
        triples.add(triple)
