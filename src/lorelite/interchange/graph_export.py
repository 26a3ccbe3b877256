"""A knowledge graph as GraphML, CSV, JSON or Cypher, for other programs. Memory grows with the batch, not the graph."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args
from xml.sax.saxutils import escape, quoteattr

from lorelite import options
from lorelite.interchange.whole_file import whole_file
from lorelite.pipeline.knowledge import Knowledge
from lorelite.reports import ExportReport

GraphFormat = Literal["graphml", "json", "cypher", "nodes.csv", "edges.csv"]
GRAPH_FORMATS: tuple[GraphFormat, ...] = get_args(GraphFormat)

_BATCH = 500
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NODE_FIELDS: Mapping[str, str] = {
    "label": "string",
    "name": "string",
    "type": "string",
    "description": "string",
    "degree": "int",
    "communities": "string",
    "document": "string",
    "order": "int",
}
_EDGE_FIELDS: Mapping[str, str] = {
    "relation": "string",
    "type": "string",
    "description": "string",
    "weight": "double",
    "directed": "boolean",
}


@dataclass(frozen=True, slots=True)
class _Item:
    """A node, or an edge where `target` is not empty; `fields` are among those of _NODE_FIELDS or _EDGE_FIELDS."""

    id: str
    target: str
    fields: Mapping[str, Any]


async def exported(knowledge: Knowledge, format: str, *, path: str | Path | None, chunks: bool) -> str | ExportReport:
    """The export as text, or with *path* written to that file, which is there whole or not at all.

    Raises InvalidOption for an unknown format, CannotOpen, StorageFull.
    """
    chosen = options.one_of("format", format, GRAPH_FORMATS)
    pieces = export_graph(knowledge, chosen, chunks=options.switch("chunks", chunks))
    if path is None:
        return "".join([piece async for piece in pieces])
    target = options.file_path(path)
    size = 0
    with whole_file(target) as stream:
        async for piece in pieces:
            size += stream.write(piece.encode())
    return ExportReport(path=target, namespaces=(knowledge.namespace,), size_bytes=size)


async def export_graph(knowledge: Knowledge, format: GraphFormat, *, chunks: bool = False) -> AsyncIterator[str]:
    """The text of the export, piece by piece.

    graphml: as networkx, Gephi, yEd and Cytoscape read it. json: node-link, as networkx and D3 read it. cypher:
    statements for Neo4j and its kin that may be run again without doubling anything. nodes.csv, edges.csv: tables with
    a header. Entities and their relations (RELATES_TO); with *chunks* also chunks, HAS_ENTITY and SIMILAR_TO.
    """
    writer = _WRITERS[format]()
    if head := writer.head():
        yield head
    if writer.wants_nodes:
        async for batch in _nodes(knowledge, chunks):
            yield writer.nodes(batch)
    if between := writer.between():
        yield between
    if writer.wants_edges:
        async for batch in _edges(knowledge, chunks):
            if batch:
                yield writer.edges(batch)
    if tail := writer.tail():
        yield tail


async def _nodes(knowledge: Knowledge, chunks: bool) -> AsyncIterator[list[_Item]]:
    for ids in _batches(await knowledge.entity_ids()):
        communities = await knowledge.communities_of(ids)
        yield [
            _Item(
                entity.id,
                "",
                {
                    "label": "Entity",
                    "name": entity.name,
                    "type": entity.type,
                    "description": entity.description,
                    "degree": entity.degree,
                    "communities": " ".join(communities.get(entity.id, ())),
                },
            )
            for entity in await knowledge.entities(ids)
        ]
    for ids in _batches(await knowledge.chunk_ids() if chunks else ()):
        yield [
            _Item(
                chunk.id,
                "",
                {
                    "label": "Chunk",
                    "name": chunk.heading,
                    "description": chunk.content,
                    "document": chunk.document_ids[0],
                    "order": chunk.order,
                },
            )
            for chunk in await knowledge.chunks(ids)
        ]


async def _edges(knowledge: Knowledge, chunks: bool) -> AsyncIterator[list[_Item]]:
    for ids in _batches(await knowledge.entity_ids()):
        batch = set(ids)
        yield [
            _Item(
                relation.source_id,
                relation.target_id,
                {
                    "relation": "RELATES_TO",
                    "type": relation.type,
                    "description": relation.description,
                    "weight": relation.weight,
                    "directed": relation.is_directed,
                },
            )
            for relation in await knowledge.relations_of(ids)
            # A relation between two batches is met in both of them.
            if min(relation.source_id, relation.target_id) in batch
        ]
    for ids in _batches(await knowledge.chunk_ids() if chunks else ()):
        mentioned, similar = await knowledge.entities_of(ids), await knowledge.similar_to(ids)
        yield [
            *(
                _Item(id, entity, {"relation": "HAS_ENTITY", "weight": weight, "directed": True})
                for id in ids
                for entity, weight in mentioned.get(id, ())
            ),
            *(
                _Item(id, other, {"relation": "SIMILAR_TO", "weight": weight, "directed": False})
                for id in ids
                for other, weight in similar.get(id, ())
                if id < other
            ),
        ]


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + _BATCH] for start in range(0, len(ids), _BATCH))


class _Writer:
    """How a format says it. Fields that an item has not are left out, or empty in a table."""

    wants_nodes = True
    wants_edges = True

    def head(self) -> str:
        return ""

    def nodes(self, items: Sequence[_Item]) -> str:
        return ""

    def between(self) -> str:
        return ""

    def edges(self, items: Sequence[_Item]) -> str:
        return ""

    def tail(self) -> str:
        return ""


class _GraphML(_Writer):
    def head(self) -> str:
        keys = [
            f'  <key id="{owner}_{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>'
            for owner, fields in (("node", _NODE_FIELDS), ("edge", _EDGE_FIELDS))
            for name, kind in fields.items()
        ]
        return "\n".join(
            [
                '<?xml version="1.0" encoding="UTF-8"?>',
                '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
                *keys,
                '  <graph edgedefault="directed">\n',
            ]
        )

    def nodes(self, items: Sequence[_Item]) -> str:
        return "".join(f"    <node id={_attribute(item.id)}>{_data('node', item.fields)}</node>\n" for item in items)

    def edges(self, items: Sequence[_Item]) -> str:
        return "".join(
            f"    <edge source={_attribute(item.id)} target={_attribute(item.target)}>"
            f"{_data('edge', item.fields)}</edge>\n"
            for item in items
        )

    def tail(self) -> str:
        return "  </graph>\n</graphml>\n"


def _attribute(text: str) -> str:
    return quoteattr(_storable(text))


def _storable(text: str) -> str:
    """XML cannot hold every character."""
    return _NOT_XML.sub("\ufffd", text)


def _data(owner: str, fields: Mapping[str, Any]) -> str:
    return "".join(
        f'<data key="{owner}_{name}">{escape(_storable(_plain(value)))}</data>'
        for name, value in fields.items()
        if value != ""
    )


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class _Json(_Writer):
    def __init__(self) -> None:
        self._is_first = True

    def head(self) -> str:
        return '{"directed": true, "multigraph": true, "graph": {}, "nodes": ['

    def nodes(self, items: Sequence[_Item]) -> str:
        return self._listed({"id": item.id, **item.fields} for item in items)

    def between(self) -> str:
        self._is_first = True
        return '\n], "links": ['

    def edges(self, items: Sequence[_Item]) -> str:
        return self._listed({"source": item.id, "target": item.target, **item.fields} for item in items)

    def tail(self) -> str:
        return "\n]}\n"

    def _listed(self, values: Iterator[Mapping[str, Any]]) -> str:
        text = ""
        for value in values:
            text += f"{'' if self._is_first else ','}\n{json.dumps(value, ensure_ascii=False)}"
            self._is_first = False
        return text


class _Cypher(_Writer):
    def head(self) -> str:
        return (
            "CREATE CONSTRAINT lorelite_entity IF NOT EXISTS FOR (n:Entity) REQUIRE n.id IS UNIQUE;\n"
            "CREATE CONSTRAINT lorelite_chunk IF NOT EXISTS FOR (n:Chunk) REQUIRE n.id IS UNIQUE;\n"
        )

    def nodes(self, items: Sequence[_Item]) -> str:
        # A batch holds nodes of one label.
        label = items[0].fields["label"] if items else "Entity"
        rows = _rows({"id": item.id, **_without(item.fields, "label")} for item in items)
        return f"UNWIND {rows} AS row MERGE (n:{label} {{id: row.id}}) SET n += row;\n" if items else ""

    def edges(self, items: Sequence[_Item]) -> str:
        text = ""
        for relation, (source, target) in _ENDS.items():
            of_type = [item for item in items if item.fields["relation"] == relation]
            if of_type:
                rows = _rows(
                    {"source": item.id, "target": item.target, "fields": _without(item.fields, "relation")}
                    for item in of_type
                )
                text += (
                    f"UNWIND {rows} AS row MATCH (a:{source} {{id: row.source}}), (b:{target} {{id: row.target}}) "
                    f"MERGE (a)-[r:{relation}]->(b) SET r += row.fields;\n"
                )
        return text


_ENDS = {"RELATES_TO": ("Entity", "Entity"), "HAS_ENTITY": ("Chunk", "Entity"), "SIMILAR_TO": ("Chunk", "Chunk")}


def _without(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key != name}


def _rows(values: Iterator[Mapping[str, Any]]) -> str:
    return f"[{', '.join(map(_literal, values))}]"


def _literal(value: object) -> str:
    """A Cypher literal. A JSON string is one; names of a map's keys are ours and need no quotes."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_literal(item)}' for key, item in value.items())}}}"
    return json.dumps(value)


class _NodesCsv(_Writer):
    wants_edges = False

    def head(self) -> str:
        return _csv([["id", *_NODE_FIELDS]])

    def nodes(self, items: Sequence[_Item]) -> str:
        return _csv([[item.id, *(item.fields.get(name, "") for name in _NODE_FIELDS)] for item in items])


class _EdgesCsv(_Writer):
    wants_nodes = False

    def head(self) -> str:
        return _csv([["source", "target", *_EDGE_FIELDS]])

    def edges(self, items: Sequence[_Item]) -> str:
        return _csv([[item.id, item.target, *(item.fields.get(name, "") for name in _EDGE_FIELDS)] for item in items])


def _csv(rows: Sequence[Sequence[Any]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([[_cell(value) for value in row] for row in rows])
    return stream.getvalue()


def _cell(value: Any) -> Any:
    return _plain(value) if isinstance(value, bool) else value


_WRITERS: Mapping[str, Callable[[], _Writer]] = {
    "graphml": _GraphML,
    "json": _Json,
    "cypher": _Cypher,
    "nodes.csv": _NodesCsv,
    "edges.csv": _EdgesCsv,
}
