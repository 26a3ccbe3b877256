"""Tasks: what is to be done, as a caller states and changes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import NotFound
from lorelite.ids import random_id
from lorelite.memory.fields import checked_task
from lorelite.records import Task

_CLOSED = frozenset({"done", "abandoned"})


def add_task(engine: Engine, namespace: str, task_id: str | None, given: Mapping[str, object]) -> Task:
    """Store a task and give it back. Raises NodeOwnershipConflict when the id is taken, NotFound for a related node
    that is not there."""
    fields = checked_task(given)
    id = random_id("task") if task_id is None else options.node_id("task_id", task_id)
    store = engine.store
    with store.atomic("task"):
        now = engine.clock()
        task = Task(id=id, namespace=namespace, created_at=now, updated_at=now, **fields)
        store.namespaces.ensure(namespace)
        store.journal.check_task_id(namespace, task.id)
        _check_related(engine, namespace, fields)
        task = _resolved(task, now)
        store.journal.put_task(task)
    return task


def update_task(engine: Engine, namespace: str, task_id: str, given: Mapping[str, object]) -> Task:
    """Change the given fields of a task and give it back; `resolved_at` follows the status. Raises NotFound."""
    fields = checked_task(given)
    with engine.store.atomic("task"):
        now = engine.clock()
        known = engine.store.journal.task(namespace, options.node_id("task_id", task_id))
        if known is None:
            raise NotFound("task", task_id, "list_tasks names those that are there")
        _check_related(engine, namespace, fields)
        task = _resolved(replace(known, **fields, updated_at=now), now)
        engine.store.journal.put_task(task)
    return task


def _resolved(task: Task, now: int) -> Task:
    """A task is resolved while it is closed, from the moment it was closed first."""
    if task.status not in _CLOSED:
        return replace(task, resolved_at=None)
    return task if task.resolved_at is not None else replace(task, resolved_at=now)


def _check_related(engine: Engine, namespace: str, fields: Mapping[str, Any]) -> None:
    related = fields.get("related_node_id")
    if related is not None and engine.store.nodes.get(namespace, related) is None:
        raise NotFound("node", related, "related_node_id names a node of the same namespace")
