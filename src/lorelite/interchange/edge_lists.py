"""Graphs that other programs drew: lists of nodes and edges as CSV or JSON, node-link JSON, GraphML.

What is read is what `upsert_graph` takes, so such a file is a source like any other: taken in again it changes
nothing, and a changed one takes the place of what it said before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from sys import float_info
from typing import Any

from lorelite.errors import DumpError
from lorelite.ids import content_id
from lorelite.interchange.graphml import read_graphml
from lorelite.interchange.tables import TABLE_SUFFIXES, Row, json_of, number, opened, read_table, reading, text
from lorelite.options import MAX_SOURCE_REF_CHARS
from lorelite.text.clean import clean_text

_SOURCE = ("source", "from", "source_id", "src", "start", "subject", ":start_id", "head")
_TARGET = ("target", "to", "target_id", "dst", "tgt", "end", "object", ":end_id", "tail")
_EDGE_TYPE = ("type", "relation", "predicate", "edge_type", ":type", "label")
_KEYS = ("id", "node_id", "key", ":id")
_ID = (*_KEYS, "name", "title", "label")
_TITLE = ("title", "name", "label", *_KEYS)
_NODE_TYPE = ("type", "node_type", "entity_type", "kind", "category", ":label")
_BODY = ("description", "body", "summary", "text")
_WEIGHT = ("weight", "strength", "score")
_NEO4J_COLUMNS = ("id", "start_id", "end_id", "type", "label")
_NEO4J_TYPES = ("string", "int", "long", "float", "double", "boolean")
LISTS_OF_EDGES = ("edges", "links", "relations", "relationships")
LISTS_OF_NODES = ("nodes", "entities", "vertices")
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
    suffix = path.suffix.lower()
    nodes: Iterable[Row] = ()
    edges: Iterable[Row]
    if suffix in (".graphml", ".xml"):
        nodes, edges = read_graphml(path)
    elif suffix == ".json":
        nodes, edges = _node_link(path)
    elif suffix in TABLE_SUFFIXES:
        edges = read_table(path)
    else:
        raise DumpError(str(path), f"expected a name that ends in .graphml or {', '.join(TABLE_SUFFIXES)}")
    beside = () if nodes_path is None else read_table(nodes_path)
    made: dict[str, dict[str, Any]] = {}
    ids: dict[str, str] = {}
    for name, rows in ((str(path), nodes), (str(nodes_path), beside)):
        _take_nodes(rows, name, prefix, made, ids)
    for spec in list(made.values()):
        ids.setdefault(spec["title"], spec["id"])
    joined = _joined(edges, str(path), prefix, made, ids)
    return GraphFile(list(made.values()), joined)


def _take_nodes(
    rows: Iterable[Row], name: str, prefix: str, made: dict[str, dict[str, Any]], ids: dict[str, str]
) -> None:
    """Adds to *made*, id → node, and to *ids*: an edge may name its ends by id or by name."""
    for place, row in enumerate(rows, 1):
        named = _by_column(row)
        key = _first(named, _ID)
        if not key:
            raise DumpError(
                name, f"node {place}: expected an id or a name, found the columns {', '.join(map(str, row)) or 'none'}"
            )
        spec = _node(key, named, prefix)
        made[spec["id"]] = spec
        ids.setdefault(key, spec["id"])


def _joined(
    rows: Iterable[Row], name: str, prefix: str, made: dict[str, dict[str, Any]], ids: dict[str, str]
) -> list[dict[str, Any]]:
    """The edges, each of a type once between two nodes; ends that no node has are added to *made*."""
    joined: dict[tuple[str, str, str], dict[str, Any]] = {}
    said: dict[tuple[str, str, str], dict[str, None]] = {}
    """Descriptions, each once."""
    for place, row in enumerate(rows, 1):
        named = _by_column(row)
        ends = _end(named, _SOURCE), _end(named, _TARGET)
        if not all(ends):
            columns = ", ".join(map(str, row)) or "none"
            wanted = "a source and a target" if any(ends) else "columns for source and target"
            raise DumpError(name, f"edge {place}: expected {wanted}, found {columns}")
        for end in ends:
            if end not in ids:
                spec = _node(end, {}, prefix)
                made.setdefault(spec["id"], spec)
                ids[end] = spec["id"]
        edge = _edge(ids[ends[0]], ids[ends[1]], named)
        if len(edge["type"]) > MAX_SOURCE_REF_CHARS:
            raise DumpError(name, f"edge {place}: expected a type of at most {MAX_SOURCE_REF_CHARS:,} characters")
        key = edge["source_id"], edge["type"], edge["target_id"]
        said.setdefault(key, {})[edge.pop("description")] = None
        known = joined.setdefault(key, edge)
        if known is not edge:
            summed = known["weight"] + edge["weight"]
            known["weight"] = max(-float_info.max, min(float_info.max, summed))
    return [{**edge, "description": "\n".join(filter(None, said[key]))} for key, edge in joined.items()]


def _node(key: str, named: Row, prefix: str) -> dict[str, Any]:
    spec = {
        "id": content_id("entity", prefix, key),
        "title": _first(named, _TITLE) or key,
        "body": _first(named, _BODY),
        "kind": "entity",
    }
    kind = _first(named, _NODE_TYPE)
    return spec | ({"type": kind} if kind else {})


def _edge(source: str, target: str, named: Row) -> dict[str, Any]:
    return {
        "source_id": source,
        "target_id": target,
        "type": clean_text(_first(named, _EDGE_TYPE)) or RELATED,
        "weight": number(_first(named, _WEIGHT), 1.0),
        "description": _first(named, _BODY),
    }


def _end(named: Row, names: Iterable[str]) -> str:
    """The node that an edge names. D3 puts the whole node there once it has drawn the graph."""
    found = next((value for name in names if isinstance(value := named.get(name), Mapping)), None)
    return _first(named, names) if found is None else _first(_by_column(found), _ID)


def _first(named: Row, names: Iterable[str]) -> str:
    """The first of these columns that holds something."""
    return next((found for name in names if (found := text(named.get(name)))), "")


def _by_column(row: Mapping[Any, Any]) -> Row:
    """The row by what its columns are called, whatever their case."""
    named: Row = {}
    for name, value in row.items():
        named.setdefault(_column(str(name)), value)
    return named


@lru_cache(maxsize=1024)
def _column(name: str) -> str:
    """Neo4j writes `name:string` and `person:START_ID(People)`."""
    plain = name.strip().casefold()
    head, colon, rest = plain.rpartition(":")
    kind = rest.partition("(")[0].removesuffix("[]")
    if colon and kind in _NEO4J_COLUMNS:
        return f":{kind}"
    return head if colon and head and kind in _NEO4J_TYPES else plain


def has_two_ends(row: Mapping[Any, Any]) -> bool:
    """Does a row name a source and a target, whatever the columns are called?"""
    named = _by_column(row)
    return bool(_end(named, _SOURCE) and _end(named, _TARGET))


def _node_link(path: Path) -> tuple[list[Row], list[Row]]:
    with reading(path), opened(path) as stream:
        value = json_of(stream.read(), path)
    elements = value.get("elements") if isinstance(value, Mapping) else None
    if isinstance(elements, list):  # Cytoscape, as are the nodes and edges in an object
        rows = _rows(elements, path)
        return [row for row in rows if "source" not in row], [row for row in rows if "source" in row]
    if isinstance(elements, Mapping):
        value = elements
    if isinstance(value, list):
        return [], _rows(value, path)
    if isinstance(value, Mapping):
        edges = next((value[name] for name in LISTS_OF_EDGES if name in value), None)
        nodes = next((value[name] for name in LISTS_OF_NODES if name in value), None)
        if edges is None and "adjacency" in value:
            raise DumpError(str(path), 'expected "links" or "edges", found "adjacency"; write it as node-link JSON')
        if edges is not None or nodes is not None:
            return _by_name(_rows(nodes or [], path), _rows(edges or [], path))
    raise DumpError(str(path), 'expected a list of edges, or an object with "nodes" and "links" or "edges"')


def _by_name(nodes: list[Row], edges: list[Row]) -> tuple[list[Row], list[Row]]:
    """Edges may name their ends by places in the list of nodes, where nodes have names and no ids."""
    ends = [edge.get(name) for edge in edges for name in ("source", "target")]
    if any(type(end) is not int or not 0 <= end < len(nodes) for end in ends) or any(
        _first(_by_column(node), _KEYS) for node in nodes
    ):
        return nodes, edges
    names = [_first(_by_column(node), _ID) for node in nodes]
    return nodes, [{**edge, "source": names[edge["source"]], "target": names[edge["target"]]} for edge in edges]


def _rows(value: object, path: Path) -> list[Row]:
    """Objects as they are; [source, target] and [source, type, target] as edges; other values as ids of nodes."""
    if not isinstance(value, list):
        raise DumpError(str(path), f"expected a list, found {type(value).__name__}")
    return [_row(item) for item in value]


def _row(item: object) -> Row:
    if isinstance(item, Mapping):
        # Cytoscape keeps what counts in "data".
        inner = item.get("data")
        return dict(inner) if isinstance(inner, Mapping) and ("id" in inner or "source" in inner) else dict(item)
    if isinstance(item, list) and len(item) == 2:
        return {"source": item[0], "target": item[1]}
    if isinstance(item, list) and len(item) == 3:
        weight = item[2]
        if isinstance(weight, int | float):
            return {"source": item[0], "target": item[1], "weight": weight}
        return {"source": item[0], "type": item[1], "target": item[2]}
    return {"id": item}
