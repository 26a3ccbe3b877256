"""Telling the vector ranker which vectors are stored and which must go."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite.engine import Engine
from lorelite.errors import RankerFailed
from lorelite.hooks import Diagnostic
from lorelite.records import Node
from lorelite.search.vectors import unpacked


async def persisted(engine: Engine, namespace: str, ids: Sequence[str], vector: Sequence[float] | None = None) -> None:
    """Tell the ranker, node by node, that vectors must go (or, with *vector*, that one was stored). Call it outside of
    transactions.

    Raises RankerFailed at the first node of which it cannot be told in `WikiConfig.deletion_hook_timeout_ms`: what is
    deleted here must not be found there. With `force_delete_ignores_ranker` that is a diagnostic, hook_failed.
    """
    if engine.ranker is None:
        return
    for id in ids:
        try:
            await engine.tell_ranker(namespace, id, vector, engine.config.deletion_hook_timeout_ms)
        except RankerFailed as failure:
            if not engine.config.force_delete_ignores_ranker:
                raise
            _tell_of(engine, namespace, id, failure)


async def vectors_stored(engine: Engine, made: Sequence[tuple[Node, Sequence[float]]]) -> None:
    """Tell the ranker of new vectors, as well as it goes: a failure is a diagnostic, and the file has the vector."""
    if engine.ranker is None:
        return
    for node, vector in made:
        await _told(engine, node.namespace, node.id, vector)


async def rows_came_back(engine: Engine, namespace: str) -> None:
    """Tell the ranker what the namespace's last revision did to vectors without making any: as well as it goes.

    Inside a transaction it is not told at all.
    """
    if engine.ranker is not None and engine.store.changes.recording:
        changes = engine.store.changes.last_revision(namespace)
        await vectors_came(engine, namespace, [change.record_id for change in changes if change.table_name == "node"])


async def vectors_came(engine: Engine, namespace: str, nodes: Sequence[str] | None = None) -> None:
    """Tell the ranker of the vectors that these nodes have, or all of the namespace; and which of these have none."""
    if engine.ranker is None or engine.embedder is None or engine.store.db.in_transaction:
        return
    gone = set(nodes or ())
    # Read first: a hook may take its time, and nothing of the file is held meanwhile.
    for node_id, data in list(engine.store.vectors.fitting(namespace, engine.embedder.model_id, nodes)):
        gone.discard(node_id)
        await _told(engine, namespace, node_id, unpacked(data))
    for node_id in sorted(gone):
        await _told(engine, namespace, node_id, None)


async def _told(engine: Engine, namespace: str, node_id: str, vector: Sequence[float] | None) -> None:
    try:
        await engine.tell_ranker(namespace, node_id, vector)
    except RankerFailed as failure:
        _tell_of(engine, namespace, node_id, failure)


def _tell_of(engine: Engine, namespace: str, node_id: str, failure: RankerFailed) -> None:
    engine.tell(
        Diagnostic(
            code="hook_failed",
            severity="warning",
            operation="on_embedding_persisted",
            namespace=namespace,
            message=str(failure),
            detail={"node_id": node_id},
            at=engine.clock(),
        )
    )
