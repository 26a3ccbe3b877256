"""Graphs that other programs drew: lists of nodes and edges as CSV or JSON, node-link JSON, GraphML.

What is read is what `upsert_graph` takes, so such a file is a source like any other: taken in again it changes
nothing, and a changed one takes the place of what it said before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from lorelite.errors import CannotOpen, DumpError
from lorelite.ids import content_id
from lorelite.interchange.tables import TABLE_SUFFIXES, Row, number, read_table, text
from lorelite.text.strict_json import read_json

_SOURCE = ("source", "from", "source_id", "src", "start", "subject", ":START_ID", "head")
_TARGET = ("target", "to", "target_id", "dst", "tgt", "end", "object", ":END_ID", "tail")
_EDGE_TYPE = ("type", "relation", "predicate", "edge_type", ":TYPE", "label")
_ID = ("id", "node_id", "key", ":ID", "name", "title", "label")
_TITLE = ("title", "name", "label", "id", "node_id", "key", ":ID")
_NODE_TYPE = ("type", "node_type", "entity_type", "kind", "category", ":LABEL")
_BODY = ("description", "body", "summary", "text")
_WEIGHT = ("weight", "strength", "score")
_LISTS_OF_EDGES = ("edges", "links", "relations", "relationships")
_LISTS_OF_NODES = ("nodes", "entities", "vertices")
RELATED = "related_to"


@dataclass(frozen=True, slots=True)
class GraphFile:
    """Nodes and edges as `upsert_graph` takes them."""

    nodes: list[dict[str, Any]] = field(default_factory=list)
    edges: list[dict[str, Any]] = field(default_factory=list)


def read_graph_file(path: Path, nodes_path: Path | None = None, *, prefix: str = "") -> GraphFile:
    """The graph of a file: .graphml; .json as node-link or {"nodes": …, "edges": …}; a table of edges.

    Tables (CSV, TSV, JSON Lines, Parquet) need columns for the two ends (source and target, from and to, subject and
    object …); weight, type and description are used where they are there. nodes_path: a table of nodes beside it. Ends
    that no node has become nodes. prefix: goes into ids, which name (prefix, id of the file); nodes are entities.
    Raises CannotOpen, and DumpError saying what was expected.
    """
    if path.suffix.lower() in (".graphml", ".xml"):
        nodes, edges = _graphml(path)
    elif path.suffix.lower() == ".json":
        nodes, edges = _node_link(path)
    elif path.suffix.lower() in TABLE_SUFFIXES:
        nodes, edges = [], list(read_table(path))
    else:
        raise DumpError(str(path), f"expected a name that ends in .graphml or {', '.join(TABLE_SUFFIXES)}")
    if nodes_path is not None:
        nodes = [*nodes, *read_table(nodes_path)]
    return _specs(nodes, edges, str(path), prefix)


def _specs(nodes: Sequence[Row], edges: Sequence[Row], name: str, prefix: str) -> GraphFile:
    made: dict[str, dict[str, Any]] = {}
    ids: dict[str, str] = {}
    for row in nodes:
        key = _first(row, _ID)
        if not key:
            raise DumpError(name, f"expected a node with an id or a name, found the columns {', '.join(map(str, row))}")
        spec = _node(key, row, prefix)
        made[spec["id"]] = spec
        # An edge may name its ends by id or by name.
        ids.setdefault(key, spec["id"])
    for spec in list(made.values()):
        ids.setdefault(spec["title"], spec["id"])
    joined: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in edges:
        source, target = _first(row, _SOURCE), _first(row, _TARGET)
        if not source or not target:
            raise DumpError(
                name, f"expected edges with columns for source and target, found {', '.join(map(str, row)) or 'none'}"
            )
        for end in (source, target):
            if end not in ids:
                spec = _node(end, {}, prefix)
                made.setdefault(spec["id"], spec)
                ids[end] = spec["id"]
        edge = _edge(ids[source], ids[target], row)
        known = joined.setdefault((edge["source_id"], edge["type"], edge["target_id"]), edge)
        if known is not edge:
            known["weight"] += edge["weight"]
            known["description"] = "\n".join(
                dict.fromkeys(part for part in (known["description"], edge["description"]) if part)
            )
    return GraphFile(list(made.values()), list(joined.values()))


def _node(key: str, row: Row, prefix: str) -> dict[str, Any]:
    spec = {
        "id": content_id("entity", prefix, key),
        "title": _first(row, _TITLE) or key,
        "body": _first(row, _BODY),
        "kind": "entity",
    }
    kind = _first(row, _NODE_TYPE)
    return spec | ({"type": kind} if kind else {})


def _edge(source: str, target: str, row: Row) -> dict[str, Any]:
    return {
        "source_id": source,
        "target_id": target,
        "type": _first(row, _EDGE_TYPE) or RELATED,
        "weight": number(_first(row, _WEIGHT), 1.0),
        "description": _first(row, _BODY),
    }


def _first(row: Row, names: Iterable[str]) -> str:
    """The first of these columns that holds something, whatever its case."""
    lowered = {str(name).casefold(): value for name, value in row.items()}
    return next((found for name in names if (found := text(lowered.get(name.casefold())))), "")


def _node_link(path: Path) -> tuple[list[Row], list[Row]]:
    try:
        value = read_json(path.read_text("utf-8-sig"))
    except OSError as error:
        raise CannotOpen(str(path), error.strerror or str(error)) from error
    except ValueError as error:
        raise DumpError(str(path), f"expected JSON ({error})") from error
    if isinstance(value, list):
        return [], _rows(value, path)
    if isinstance(value, Mapping):
        edges = next((value[name] for name in _LISTS_OF_EDGES if name in value), None)
        nodes = next((value[name] for name in _LISTS_OF_NODES if name in value), None)
        if edges is not None or nodes is not None:
            return _rows(nodes or [], path), _rows(edges or [], path)
    raise DumpError(str(path), 'expected a list of edges, or an object with "nodes" and "links" or "edges"')


def _rows(value: object, path: Path) -> list[Row]:
    """Objects as they are; [source, target] and [source, type, target] as edges; other values as ids of nodes."""
    if not isinstance(value, list):
        raise DumpError(str(path), f"expected a list, found {type(value).__name__}")
    return [_row(item) for item in value]


def _row(item: object) -> Row:
    if isinstance(item, Mapping):
        # Cytoscape keeps what counts in "data".
        inner = item.get("data")
        return dict(inner) if isinstance(inner, Mapping) and len(item) <= 4 else dict(item)
    if isinstance(item, list) and len(item) == 2:
        return {"source": item[0], "target": item[1]}
    if isinstance(item, list) and len(item) == 3:
        weight = item[2]
        if isinstance(weight, int | float):
            return {"source": item[0], "target": item[1], "weight": weight}
        return {"source": item[0], "type": item[1], "target": item[2]}
    return {"id": item}


def _graphml(path: Path) -> tuple[list[Row], list[Row]]:
    try:
        # Entities of a document type can make a small file huge; a graph has no use for any.
        if b"<!DOCTYPE" in path.read_bytes()[:4096].upper():
            raise DumpError(str(path), "expected GraphML without a document type")
        root = ElementTree.parse(path).getroot()
    except OSError as error:
        raise CannotOpen(str(path), error.strerror or str(error)) from error
    except ElementTree.ParseError as error:
        raise DumpError(str(path), f"expected GraphML ({error})") from error
    if _tag(root) != "graphml":
        raise DumpError(str(path), f"expected GraphML, found <{_tag(root)}>")
    names = {
        str(key.get("id")): key.get("attr.name") or str(key.get("id")) for key in root.iter() if _tag(key) == "key"
    }
    nodes, edges = [], []
    for element in root.iter():
        if _tag(element) == "node":
            nodes.append({**dict(_data(element, names)), "id": element.get("id")})
        elif _tag(element) == "edge":
            ends = {"source": element.get("source"), "target": element.get("target")}
            edges.append({**dict(_data(element, names)), **ends})
    return nodes, edges


def _data(element: ElementTree.Element, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for child in element:
        if _tag(child) == "data":
            name = names.get(str(child.get("key")), str(child.get("key")))
            yield name, "".join(child.itertext()).strip()


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
