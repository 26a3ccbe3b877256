"""`forget`: take out a node, a task, a source, or all of a namespace, and release what it owned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lorelite.engine import Engine
from lorelite.errors import TransactionError
from lorelite.ingest.ownership import Removed, remove_document, remove_nodes
from lorelite.records import ForgetReport
from lorelite.resolution.merge import undo_merge
from lorelite.retrieve.ranker import persisted
from lorelite.store.calls import CallFilter
from lorelite.store.communities import report_id
from lorelite.store.documents import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """What is to be forgotten: a node and a task by id, sources by name and hash, or everything."""

    node_id: str | None = None
    task_id: str | None = None
    source_ref: str | None = None
    source_hash: str | None = None
    clear_all: bool = False


async def forget(engine: Engine, namespace: str, what: Selector, *, dry_run: bool) -> ForgetReport:
    """Delete what is selected, then tell the vector ranker. Ids that are not there are nothing to forget.

    Raises RankerFailed when the ranker could not be told: what was selected is deleted here all the same, and the same
    call again tells the ranker once more.
    """
    if dry_run:
        report, _ = engine.store.rehearsed(lambda: _forget(engine, namespace, what))
        return replace(report, dry_run=True)
    if engine.ranker is not None and engine.store.db.in_transaction:
        raise TransactionError(
            f"forget has to tell vector ranker {engine.ranker.name}, which cannot be undone inside transaction(); "
            "call it before or after"
        )
    with engine.store.atomic("forget"):
        report, gone = _forget(engine, namespace, what)
    if engine.ranker is not None:
        await persisted(engine, namespace, gone)
    return report


def _forget(engine: Engine, namespace: str, what: Selector) -> tuple[ForgetReport, list[str]]:
    """What was deleted, and the ids of all deleted nodes of the selection, those of before included."""
    store = engine.store
    now = engine.clock()
    if what.clear_all:
        report, gone = _forget_all(engine, namespace), store.pruning.deleted_ids(namespace)
        report = replace(report, calls=store.calls.delete(CallFilter(namespace=namespace)))
        store.pruning.forget_deleted("node", namespace, gone, now)
        store.pruning.forget_deleted("task", namespace, store.pruning.deleted_tasks(namespace, now), now)
        return report, gone
    if what.source_ref is not None or what.source_hash is not None:
        removed, documents = _forget_sources(engine, namespace, what.source_ref, what.source_hash)
        refs = {document.source_ref for document in documents} | ({what.source_ref} if what.source_ref else set())
        report = ForgetReport(
            nodes=removed.nodes,
            edges=removed.edges,
            documents=len(documents),
            calls=store.calls.forget(namespace, refs) if refs else 0,
        )
        before = store.pruning.deleted_ids(namespace, source_ref=what.source_ref, source_hash=what.source_hash)
        store.pruning.forget_deleted("node", namespace, before, now)
        return report, list(dict.fromkeys([*removed.ids, *before]))
    nodes = _forget_node(engine, namespace, what.node_id) if what.node_id is not None else 0
    tasks = 0
    if what.task_id is not None:
        tasks = store.journal.delete_task(namespace, what.task_id, now)
        tasks = tasks or store.pruning.forget_deleted("task", namespace, [what.task_id], now)
    calls = store.calls.forget(namespace) if nodes or tasks else 0
    report = ForgetReport(nodes=nodes, tasks=tasks, calls=calls)
    return report, store.pruning.deleted_ids(namespace, node_id=what.node_id or "")


def _forget_node(engine: Engine, namespace: str, node_id: str) -> int:
    """Delete one node. If a source owns it, taking that source in again restores it; an entity that documents share
    has no such source, and returns when one of them changes."""
    store = engine.store
    if store.merges.of(namespace, [node_id]):
        # What is part of another is taken out of it first: the other is not to go on saying it.
        undo_merge(engine, namespace, node_id)
    node = store.nodes.get(namespace, node_id)
    if node is None:
        # A job may have taken it out: then it is to be gone from the past.
        return store.pruning.forget_deleted("node", namespace, [node_id], engine.clock())
    if node.source_ref is not None and node.source_hash is not None:
        document = store.documents.find(namespace, node.source_ref, node.source_hash)
        if document is not None:
            store.documents.reopen(document.id)
    reports = _forget_reports_on(engine, namespace, [node_id])
    return (reports + remove_nodes(engine, namespace, [node_id])).nodes


def _forget_sources(
    engine: Engine, namespace: str, source_ref: str | None, source_hash: str | None
) -> tuple[Removed, Sequence[Document]]:
    """Delete exactly the share of the sources that match; a condition that is None matches all."""
    store, documents = engine.store, _matching(engine, namespace, source_ref, source_hash)
    told = [id for document in documents for id in store.documents.supported_by(document.id)]
    own = [id for each in documents for id in store.nodes.ids_of_source(namespace, each.source_ref, each.source_hash)]
    removed = _forget_reports_on(engine, namespace, [*told, *own])
    for document in documents:
        removed += remove_document(engine, document)
    store.communities.delete_empty(namespace)
    return removed, documents


def _forget_reports_on(engine: Engine, namespace: str, ids: Sequence[str]) -> Removed:
    """Delete the reports of the communities of these entities: they repeat what was said of them. The next run of the
    pipeline writes new ones."""
    communities = engine.store.communities.of_nodes(namespace, ids)
    reports = dict.fromkeys(report_id(namespace, each) for named in communities.values() for each in named)
    return remove_nodes(engine, namespace, list(reports)) if reports else Removed()


def _forget_all(engine: Engine, namespace: str) -> ForgetReport:
    """Delete everything of the namespace but its ontology.

    How far jobs have read stays: new events come after that, and those that `undo` brings back were read.
    """
    store = engine.store
    store.merges.delete_all(namespace)
    removed, documents = _forget_sources(engine, namespace, None, None)
    nodes = store.nodes.delete(namespace, store.nodes.all_ids(namespace))
    edges = store.edges.delete_all(namespace)
    store.communities.delete_all(namespace)
    store.memos.delete_all(namespace)
    tasks, events = store.journal.clear(namespace, engine.clock())
    return ForgetReport(
        nodes=removed.nodes + nodes,
        edges=removed.edges + edges,
        tasks=tasks,
        events=events,
        documents=len(documents),
    )


def _matching(engine: Engine, namespace: str, source_ref: str | None, source_hash: str | None) -> list[Document]:
    if source_ref is not None:
        versions = engine.store.documents.versions(namespace, source_ref)
        return [document for document in versions if source_hash in (None, document.source_hash)]
    if source_hash is not None:
        return engine.store.documents.with_hash(namespace, source_hash)
    return engine.store.documents.every(namespace)
