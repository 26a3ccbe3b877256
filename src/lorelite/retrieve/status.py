"""`get_status`: what a namespace holds."""

from __future__ import annotations

from lorelite.engine import Engine
from lorelite.records import Status


def status(engine: Engine, namespace: str, *, unflushed: bool) -> Status:
    store = engine.store
    nodes = store.nodes.count(namespace)
    tasks, events = store.journal.count(namespace)
    model_id = engine.embedder.model_id if engine.embedder else None
    return Status(
        namespace=namespace,
        path=store.path,
        read_only=store.read_only,
        keyword_index=store.keyword.kind,
        embedder=model_id,
        documents=tuple(store.documents.infos(namespace)),
        chunks=nodes.get("chunk", 0),
        facts=nodes.get("fact", 0),
        entities=nodes.get("entity", 0),
        edges=store.edges.count(namespace),
        tasks=tasks,
        events=events,
        vectors=store.vectors.count(namespace, model_id) if model_id else 0,
        size_bytes=store.size_bytes(),
        unflushed=unflushed,
    )
