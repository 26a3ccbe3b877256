"""Who vouches for a fact or a task."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import NotFound
from lorelite.memory.fields import name_of
from lorelite.records import Node, Task, Verification

T = TypeVar("T", Node, Task)


def verify_node(engine: Engine, namespace: str, node_id: str, by: object, at: object) -> Node:
    """Add a verification to a node and give it back. Raises NotFound."""
    with engine.store.atomic("verify"):
        node = engine.store.nodes.get(namespace, options.node_id("node_id", node_id))
        if node is None:
            raise NotFound("node", node_id, "it was never there, or was forgotten")
        verified = _verified(engine, node, by, at)
        engine.store.nodes.put([verified], whole=True)
    return verified


def verify_task(engine: Engine, namespace: str, task_id: str, by: object, at: object) -> Task:
    """Add a verification to a task and give it back. Raises NotFound."""
    with engine.store.atomic("verify"):
        task = engine.store.journal.task(namespace, options.node_id("task_id", task_id))
        if task is None:
            raise NotFound("task", task_id, "list_tasks names those that are there")
        verified = _verified(engine, task, by, at)
        engine.store.journal.put_task(verified)
    return verified


def _verified(engine: Engine, row: T, by: object, at: object) -> T:
    now = engine.clock()
    moment = options.moment("at", at)
    verification = Verification(name_of("by", by), now if moment is None else moment)
    if verification in row.verified:
        return row
    return replace(row, verified=(*row.verified, verification), updated_at=now)
