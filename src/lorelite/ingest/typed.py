"""What was found in a document, held against the ontology: which types and relations of it may be stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lorelite.engine import Engine
from lorelite.memory.ontology import edge_rows, effective, typed_by
from lorelite.ontology.check import ENGINE_EDGES
from lorelite.ontology.manifest import Ontology
from lorelite.ontology.names import alike_edge, alike_type
from lorelite.ontology.typing import DroppedEdge, EdgeProposal, Proposal, Typing, WaitingEdge
from lorelite.records import Edge, Origin
from lorelite.store.documents import Document
from lorelite.text.extraction import ExtractedEntity, ExtractedRelation
from lorelite.text.title_key import title_key


@dataclass(frozen=True, slots=True)
class Permitted:
    """The relations that may be stored, typed as the manifest writes them, and those that may not."""

    relations: tuple[ExtractedRelation, ...] = ()
    dropped: tuple[DroppedEdge, ...] = ()


def typed_entities(
    ontology: Ontology, entities: Iterable[ExtractedEntity], origin: Origin
) -> tuple[ExtractedEntity, ...]:
    """Entities with the manifest's words for their types; one that it does not know goes without.

    What rules found proposes no types, so an emergent ontology leaves it those that it has.
    """
    if ontology.mode == "off":
        return tuple(entities)
    keeps = ontology.mode == "emergent" and origin != "model"
    return tuple(
        replace(entity, type=alike_type(ontology.manifest, entity.type) or (entity.type if keeps else None))
        for entity in entities
    )


def permitted_relations(
    ontology: Ontology,
    relations: Sequence[ExtractedRelation],
    ids: Mapping[str, str],
    types: Mapping[str, str | None],
) -> Permitted:
    """The relations that the ontology permits. ids: title key → node; types: node → type, as they are stored."""
    if ontology.mode == "off":
        return Permitted(tuple(relations))
    kept: list[ExtractedRelation] = []
    dropped: list[DroppedEdge] = []
    for relation in relations:
        source, target = (ids.get(title_key(name), "") for name in (relation.source, relation.target))
        if relation.type in ENGINE_EDGES and relation.origin != "model":
            kept.append(relation)
            continue
        row = alike_edge(ontology.manifest, relation.type, types.get(source), types.get(target))
        if not isinstance(row, str):
            kept.append(replace(relation, type=row.type))
        elif ontology.mode == "emergent" and relation.origin != "model":
            kept.append(relation)
        elif relation.origin == "model":
            dropped.append(
                DroppedEdge(
                    reason=row,
                    source_id=source,
                    source_type=types.get(source),
                    edge_type=relation.type,
                    target_title=relation.target,
                    target_type=types.get(target),
                )
            )
    return Permitted(tuple(kept), tuple(dropped))


@dataclass(frozen=True, slots=True)
class Late:
    """What became of edges that waited."""

    edges: list[Edge]
    waiting: tuple[WaitingEdge, ...] = ()
    """They still lead nowhere."""
    dropped: tuple[DroppedEdge, ...] = ()
    """Those, and what the ontology does not permit."""


def waiting_among(typing: Typing) -> tuple[WaitingEdge, ...]:
    """The edges to titles that nothing has yet; a part of the document that is read later may have it."""
    return tuple(
        WaitingEdge(edge.source_id, edge.edge_type, edge.target_title)
        for edge in typing.dropped
        if edge.reason == "target_not_found"
    )


def late_edges(engine: Engine, document: Document) -> Late:
    """The document's waiting edges, looked up again. Those of a fact that is gone go with it."""
    namespace = document.namespace
    waiting = engine.store.ontology.waiting(document.id)
    if not waiting:
        return Late([])
    types = engine.store.ontology.types_of(namespace, {edge.source_id for edge in waiting})
    proposals = [
        Proposal(
            id=edge.source_id,
            title="",
            node_type=types[edge.source_id],
            edges=(EdgeProposal(edge.edge_type, edge.target_title),),
        )
        for edge in waiting
        if edge.source_id in types
    ]
    typing = typed_by(
        engine,
        namespace,
        effective(engine, namespace),
        proposals,
        source_ref=document.source_ref,
        source_hash=document.source_hash,
    )
    return Late(typed_rows(engine, document, typing), waiting_among(typing), typing.dropped)


def typed_rows(engine: Engine, document: Document, typing: Typing) -> list[Edge]:
    """The edges of a document's facts, as its own."""
    return edge_rows(
        engine,
        document.namespace,
        typing,
        source_ref=document.source_ref,
        source_hash=document.source_hash,
    )
