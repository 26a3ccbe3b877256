"""Telling the vector ranker which vectors are stored and which must go."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite.engine import Engine
from lorelite.errors import RankerFailed
from lorelite.hooks import Diagnostic
from lorelite.records import Node


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
        try:
            await engine.tell_ranker(node.namespace, node.id, vector)
        except RankerFailed as failure:
            _tell_of(engine, node.namespace, node.id, failure)


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
