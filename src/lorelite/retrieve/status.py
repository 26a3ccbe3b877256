"""`get_status`: what a namespace holds."""

from __future__ import annotations

from dataclasses import replace

from lorelite.engine import Engine
from lorelite.reports import JobStatus, Status


def status(engine: Engine, namespace: str, *, unflushed: bool) -> Status:
    store = engine.store
    nodes = store.nodes.count(namespace)
    communities, levels = store.communities.count(namespace)
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
        communities=communities,
        community_levels=levels,
        reports=nodes.get("report", 0),
        tasks=tasks,
        events=events,
        vectors=store.vectors.count(namespace, model_id) if model_id else 0,
        size_bytes=store.size_bytes(),
        unflushed=unflushed,
        ingesting=store.board.activity(namespace).ingesting,
        jobs=jobs_of(engine, namespace),
    )


def jobs_of(engine: Engine, namespace: str) -> tuple[JobStatus, ...]:
    """The jobs of this open file as they are, and what the file says of others: run by another process, or interrupted.

    Who may write is alone, so that a job which it does not run itself is one that nobody runs.
    """
    here = engine.store.board.activity(namespace).jobs
    known = {job.id for job in here}
    rows = [job for job in engine.store.jobs.begun(namespace) if job.id not in known]
    others = rows if engine.store.read_only else [replace(job, state="interrupted") for job in rows]
    return (*here, *others)
