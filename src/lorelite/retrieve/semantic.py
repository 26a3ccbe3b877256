"""Making and keeping vectors: batch by batch, one bad text never costing the others theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from lorelite.engine import Engine
from lorelite.errors import LoreliteError, ModelUnreachable, TransactionError
from lorelite.hooks import Diagnostic
from lorelite.records import Node
from lorelite.retrieve.ranker import vectors_stored
from lorelite.store.nodes import embedded_text
from lorelite.store.vectors import Embeddable

EMBEDDED_KINDS = ("fact", "entity", "chunk", "question", "report")
BATCH = 64
MOST_ATTEMPTS = 5
_FIRST_WAIT, _LONGEST_WAIT = 60_000, 86_400_000
"""Milliseconds."""
Standing = Literal["due", "waiting", "given up"]
_HOPELESS = 8
"""Calls that failed, and none that went well, after which the rest of a batch is not tried one by one."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A node whose vector could not be made, and why: provider_error, invalid_vector or float32_overflow."""

    node: Node
    reason: str


Made = tuple[Node, list[float]]


async def embed_missing(engine: Engine, namespace: str, on_batch: Callable[[int], None] = lambda done: None) -> int:
    """Make the vectors that are missing or stale, batch by batch, each stored at once; gives how many were made.

    A failing embedder is no error here: what it did not make is noted and told, and tried again by run_reembed. Inside
    a transaction no embedder may be asked: nothing is made then, and the next call, or run_reembed, catches up.
    """
    if engine.embedder is None or engine.store.db.in_transaction:
        return 0
    made = done = after = 0
    while found := engine.store.vectors.embeddable(
        namespace, engine.embedder.model_id, EMBEDDED_KINDS, after=after, limit=BATCH, missing_only=True
    ):
        due = [each.node for each in found if standing(each, engine.clock()) == "due"]
        made += await embed_nodes(engine, due, "embed")
        after = found[-1].key
        done += len(found)
        on_batch(done)
    return made


def standing(each: Embeddable, now: int) -> Standing:
    """When a node is to be tried again whose vector could not be made.

    Each failure doubles the wait, from a minute up to a day; the fifth ends it, as does a text that cannot be a vector.
    """
    if each.attempts is None or each.failed_at is None:
        return "due"
    if each.attempts >= MOST_ATTEMPTS or each.reason == "float32_overflow":
        return "given up"
    wait = min(_FIRST_WAIT << (each.attempts - 1), _LONGEST_WAIT)
    return "due" if now >= each.failed_at + wait else "waiting"


async def embed_nodes(engine: Engine, nodes: Sequence[Node], operation: str = "write") -> int:
    """Make and store the vectors of these nodes; gives how many were made, 0 without an embedder.

    What fails is noted for run_reembed and told as the diagnostic embedding_failed. Inside a transaction as
    `embed_missing`. Raises StoreErrors.
    """
    if engine.embedder is None or not nodes or engine.store.db.in_transaction:
        return 0
    made, failed = await embedded(engine, nodes)
    with engine.store.atomic():
        keep(engine, made, failed)
    tell_failed(engine, failed, operation)
    await vectors_stored(engine, made)
    return len(made)


async def embedded(engine: Engine, nodes: Sequence[Node]) -> tuple[list[Made], list[Failed]]:
    """Vectors for the nodes, and those that none could be made for. A batch that fails is split until what fails
    stands alone."""
    made: list[Made] = []
    failed: list[Failed] = []
    waiting = [list(nodes)] if nodes else []
    failures = 0
    while waiting:
        batch = waiting.pop()
        try:
            vectors = await engine.embed(batch[0].namespace, [embedded_text(node) for node in batch])
        except TransactionError:
            raise
        except LoreliteError as error:
            failures += 1
            is_down = isinstance(error, ModelUnreachable) or (failures >= _HOPELESS and not made)
            if len(batch) == 1 or is_down:
                reason = str(error.data.get("fault", "provider_error"))
                failed += [Failed(node, reason if len(batch) == 1 else "provider_error") for node in batch]
            else:
                half = len(batch) // 2
                waiting += [batch[half:], batch[:half]]
            if is_down:
                failed += [Failed(node, "provider_error") for rest in waiting for node in rest]
                break
            continue
        made += zip(batch, vectors, strict=True)
    return made, failed


def keep(engine: Engine, made: Sequence[Made], failed: Sequence[Failed]) -> None:
    """Store vectors and note failures, within the caller's transaction."""
    assert engine.embedder is not None
    model_id, now = engine.embedder.model_id, engine.clock()
    engine.store.vectors.put(model_id, made, now)
    engine.store.vectors.mark_failed(model_id, [(each.node.id, each.reason) for each in failed], now)


def tell_failed(engine: Engine, failed: Sequence[Failed], operation: str) -> None:
    if failed:
        engine.tell(
            Diagnostic(
                code="embedding_failed",
                severity="warning",
                operation=operation,
                namespace=failed[0].node.namespace,
                message="vectors could not be made; run_reembed tries again",
                detail={each.node.id: each.reason for each in failed},
                at=engine.clock(),
            )
        )
