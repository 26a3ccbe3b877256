"""`upsert_graph`: nodes and edges that a caller has already, under the same ownership as documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import InvalidOption, SourceHashCollision
from lorelite.ids import content_id, random_id
from lorelite.ingest.conform import conformed
from lorelite.ingest.ownership import Removed, remove_document
from lorelite.memory.ontology import drop_diagnostics, taken_up
from lorelite.records import Confidence, Edge, Kind, Node, UpsertReport
from lorelite.resolution.merge import settle
from lorelite.store.documents import Document
from lorelite.text.clean import clean_text

_NODE_FIELDS = {"id", "type", "title", "body", "tags", "kind", "confidence"}
_EDGE_FIELDS = {"id", "type", "source_id", "target_id", "weight", "description", "confidence"}


def upsert_graph(
    engine: Engine,
    namespace: str,
    *,
    source_ref: str,
    source_hash: str,
    nodes: Sequence[Mapping[str, Any]],
    edges: Sequence[Mapping[str, Any]],
) -> UpsertReport:
    """Write a source's nodes and edges in place of its earlier ones, all or nothing.

    The same (source_ref, source_hash) again writes nothing and reports zeros. Raises SourceHashCollision when the
    hash belongs to another source, NodeOwnershipConflict when an id belongs to another namespace,
    StrictOntologyViolation for what a strict ontology does not permit, InvalidOption for malformed input: in each case
    before anything is written.
    """
    namespace = options.namespace(namespace)
    source_ref = options.source_ref(source_ref)
    source_hash = options.source_hash(source_hash)
    store = engine.store
    known = store.documents.find(namespace, source_ref, source_hash)
    if known is not None and known.status == "complete":
        return UpsertReport()
    owners = store.documents.with_hash(namespace, source_hash)
    owner = next((document for document in owners if document.source_ref != source_ref), None)
    if owner is not None:
        raise SourceHashCollision(namespace, source_hash, owner.source_ref, source_ref)
    now = engine.clock()
    new_nodes = [_node(spec, namespace, source_ref, source_hash, now) for spec in options.mappings("nodes", nodes)]
    new_edges = [_edge(spec, namespace, source_ref, source_hash, now) for spec in options.mappings("edges", edges)]
    document = Document(
        id=content_id("doc", namespace, source_ref, source_hash),
        namespace=namespace,
        source_ref=source_ref,
        source_hash=source_hash,
        origin="stated",
        status="complete",
        created_at=now,
    )
    with store.atomic(cause="upsert"):
        store.namespaces.ensure(namespace)
        store.nodes.check_owner(namespace, [node.id for node in new_nodes])
        ends = dict.fromkeys(id for edge in new_edges for id in (edge.source_id, edge.target_id))
        fitting = conformed(taken_up(engine, namespace), new_nodes, new_edges, store.ontology.types_of(namespace, ends))
        removed = Removed()
        for version in store.documents.versions(namespace, source_ref):
            removed += remove_document(engine, version)
        store.documents.add(document, "")
        store.nodes.put(fitting.nodes)
        written = store.edges.add(fitting.edges)
        settle(engine, namespace, [*(node.id for node in fitting.nodes), *ends])
    engine.tell(*drop_diagnostics(engine, namespace, fitting.dropped, operation="upsert_graph", source_ref=source_ref))
    return UpsertReport(
        nodes_written=len(new_nodes),
        edges_written=written,
        superseded=removed.nodes + removed.edges,
        untyped=fitting.untyped,
        edges_dropped=len(fitting.dropped),
    )


def _node(spec: Mapping[str, Any], namespace: str, source_ref: str, source_hash: str, now: int) -> Node:
    _check_fields("nodes", spec, _NODE_FIELDS, required=("id", "title"))
    return Node(
        id=options.node_id("nodes[].id", spec["id"]),
        namespace=namespace,
        kind=options.one_of("nodes[].kind", spec.get("kind", "fact"), get_args(Kind)),
        title=clean_text(options.text("nodes[].title", spec["title"])),
        body=clean_text(options.text("nodes[].body", spec.get("body") or "")),
        node_type=clean_text(options.text("nodes[].type", spec["type"])) if spec.get("type") is not None else None,
        tags=tuple(map(clean_text, options.texts("nodes[].tags", spec.get("tags", ())))),
        confidence=options.one_of("nodes[].confidence", spec.get("confidence", "certain"), get_args(Confidence)),
        source_type="immutable_document",
        source_ref=source_ref,
        source_hash=source_hash,
        created_at=now,
        updated_at=now,
    )


def _edge(spec: Mapping[str, Any], namespace: str, source_ref: str, source_hash: str, now: int) -> Edge:
    _check_fields("edges", spec, _EDGE_FIELDS, required=("type", "source_id", "target_id"))
    return Edge(
        id=options.node_id("edges[].id", spec["id"]) if spec.get("id") is not None else random_id("edge"),
        namespace=namespace,
        source_id=options.node_id("edges[].source_id", spec["source_id"]),
        target_id=options.node_id("edges[].target_id", spec["target_id"]),
        edge_type=options.node_id("edges[].type", spec["type"]),
        weight=options.finite("edges[].weight", spec.get("weight", 1.0)),
        description=clean_text(options.text("edges[].description", spec.get("description", ""))),
        confidence=options.one_of("edges[].confidence", spec.get("confidence", "certain"), get_args(Confidence)),
        source_ref=source_ref,
        source_hash=source_hash,
        created_at=now,
        updated_at=now,
    )


def _check_fields(field: str, spec: Mapping[str, Any], known: set[str], required: Sequence[str]) -> None:
    missing = [name for name in required if spec.get(name) is None]
    if missing:
        raise InvalidOption(f"{field}[]", f"the fields {', '.join(required)}", dict(spec))
    unknown = sorted(map(str, set(spec) - known))
    if unknown:
        raise InvalidOption(f"{field}[]", f"only the fields {', '.join(sorted(known))}", unknown)
