"""`forget`: take out a node, a task, a source, or all of a namespace, and release what it owned."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from lorelite.engine import Engine
from lorelite.ingest.ownership import Removed, remove_document
from lorelite.records import ForgetReport
from lorelite.store.documents import Document


class _Rehearsal(Exception):
    """Unwinds a dry run."""


def rehearsed(engine: Engine, forget: Callable[[], ForgetReport]) -> ForgetReport:
    """What *forget* would delete: everything is done, counted and undone."""
    report = ForgetReport()
    with suppress(_Rehearsal), engine.store.atomic():
        report = forget()
        raise _Rehearsal
    return replace(report, dry_run=True)


def forget_node(engine: Engine, namespace: str, node_id: str) -> ForgetReport:
    """Delete one node. If a source owns it, taking that source in again restores it; an entity that documents share
    has no such source, and returns when one of them changes."""
    store = engine.store
    with store.atomic():
        node = store.nodes.get(namespace, node_id)
        if node is None:
            return ForgetReport()
        if node.source_ref is not None and node.source_hash is not None:
            document = store.documents.find(namespace, node.source_ref, node.source_hash)
            if document is not None:
                store.documents.reopen(document.id)
        return ForgetReport(nodes=store.nodes.delete(namespace, [node_id]))


def forget_source(engine: Engine, namespace: str, source_ref: str | None, source_hash: str | None) -> ForgetReport:
    """Delete exactly the share of the sources that match; a condition that is None matches all."""
    store = engine.store
    with store.atomic():
        removed, documents = Removed(), _matching(engine, namespace, source_ref, source_hash)
        for document in documents:
            removed += remove_document(engine, document)
        return ForgetReport(nodes=removed.nodes, edges=removed.edges, documents=len(documents))


def forget_task(engine: Engine, namespace: str, task_id: str) -> ForgetReport:
    with engine.store.atomic():
        return ForgetReport(tasks=engine.store.journal.delete_task(namespace, task_id, engine.clock()))


def forget_all(engine: Engine, namespace: str) -> ForgetReport:
    """Delete everything of the namespace."""
    store = engine.store
    with store.atomic():
        report = forget_source(engine, namespace, None, None)
        nodes = store.nodes.delete(namespace, store.nodes.all_ids(namespace))
        edges = store.edges.delete_all(namespace)
        tasks, events = store.journal.clear(namespace, engine.clock())
        return ForgetReport(
            nodes=report.nodes + nodes,
            edges=report.edges + edges,
            tasks=tasks,
            events=events,
            documents=report.documents,
        )


def _matching(engine: Engine, namespace: str, source_ref: str | None, source_hash: str | None) -> list[Document]:
    if source_ref is not None:
        versions = engine.store.documents.versions(namespace, source_ref)
        return [document for document in versions if source_hash in (None, document.source_hash)]
    if source_hash is not None:
        return engine.store.documents.with_hash(namespace, source_hash)
    return engine.store.documents.every(namespace)
