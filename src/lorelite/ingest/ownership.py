"""The share of the graph that one source owns, and taking exactly that share away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lorelite.engine import Engine
from lorelite.ingest.entities import is_shared, refresh_entities
from lorelite.store.documents import Document


@dataclass(frozen=True, slots=True)
class Removed:
    nodes: int = 0
    edges: int = 0
    ids: tuple[str, ...] = ()
    """Of the nodes."""

    def __add__(self, other: Removed) -> Removed:
        return Removed(self.nodes + other.nodes, self.edges + other.edges, self.ids + other.ids)


def remove_nodes(engine: Engine, namespace: str, ids: Sequence[str]) -> Removed:
    """Delete nodes, and the notes that heal made of contradictions with them: these repeat their titles."""
    notes = engine.store.health.notes_on(namespace, ids)
    gone = list(dict.fromkeys([*ids, *notes]))
    return Removed(engine.store.nodes.delete(namespace, gone), 0, tuple(gone))


def remove_document(engine: Engine, document: Document) -> Removed:
    """Delete a document and all that rests on it alone; what others support too keeps their share."""
    store = engine.store
    namespace = document.namespace
    with store.atomic():
        store.merge_shares.forget_document(document)
        own = store.nodes.ids_of_source(namespace, document.source_ref, document.source_hash)
        shared = store.documents.supported_by(document.id)
        edges = store.edges.delete_of_source(namespace, document.source_ref, document.source_hash)
        store.chunks.drop_similar(namespace, own)
        store.documents.delete(document.id)
        still_supported = {row.node_id for row in store.documents.support([*shared, *own])}
        orphans = [
            node.id
            for node in store.nodes.by_ids(namespace, shared).values()
            if node.id not in still_supported and is_shared(node)
        ]
        gone = [*(id for id in own if id not in still_supported), *sorted(orphans)]
        removed = remove_nodes(engine, namespace, gone) + Removed(edges=edges)
        _hand_over(engine, namespace, still_supported & set(own))
        refresh_entities(engine, namespace, sorted(still_supported), engine.clock())
    return removed


def _hand_over(engine: Engine, namespace: str, ids: Iterable[str]) -> None:
    """What a document stated and others refer to stays as the entity that they would have made of the name."""
    nodes = engine.store.nodes.by_ids(namespace, sorted(ids)).values()
    engine.store.nodes.put(
        [
            replace(
                node,
                kind="entity",
                tags=(),
                confidence="inferred",
                source_type="immutable_document",
                source_ref=None,
                source_hash=None,
            )
            for node in nodes
        ]
    )
