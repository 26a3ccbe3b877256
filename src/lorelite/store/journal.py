"""Tasks and events: what is to be done, and what happened."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from lorelite.errors import NodeOwnershipConflict
from lorelite.records import Event, Task
from lorelite.store.connection import EVERY, Database
from lorelite.store.trust import trust_fields, trust_values


class JournalTable:
    def __init__(self, db: Database) -> None:
        self._db = db

    def add_event(self, event: Event) -> None:
        self._db.run(
            """
            insert into event (id, namespace, event_type, summary, related_node_id, created_at)
            values (?, ?, ?, ?, ?, ?)""",
            (event.id, event.namespace, event.event_type, event.summary, event.related_node_id, event.created_at),
        )

    def recent_events(self, namespace: str, limit: int) -> list[Event]:
        """The newest events, oldest of them first."""
        rows = self._db.rows(
            "select * from event where namespace = ? order by sequence desc limit ?", (namespace, limit)
        )
        return [_event(row) for row in reversed(rows)]

    def events_after(self, namespace: str, sequence: int, limit: int) -> list[tuple[int, Event]]:
        """(sequence, event) of the first events beyond a watermark, oldest first."""
        rows = self._db.rows(
            "select * from event where namespace = ? and sequence > ? order by sequence limit ?",
            (namespace, sequence, limit),
        )
        return [(row["sequence"], _event(row)) for row in rows]

    def events_by_ids(self, namespace: str, ids: Sequence[str]) -> set[str]:
        """Those of the ids that are events which are there."""
        rows = self._db.rows(
            """
            select e.id from json_each(?) k cross join event e on e.id = k.value where e.namespace = ?""",
            (json.dumps(list(ids)), namespace),
        )
        return {row["id"] for row in rows}

    def waiting_events(self, namespace: str, sequence: int, at_most: int = EVERY) -> tuple[int, int]:
        """(how many events are beyond a watermark, their characters), counted up to *at_most* events."""
        row = self._db.row(
            """
            select count(*) as events, coalesce(sum(characters), 0) as characters from (
                select length(summary) as characters from event where namespace = ? and sequence > ? limit ?)""",
            (namespace, sequence, at_most),
        )
        assert row is not None
        return row["events"], row["characters"]

    def put_task(self, task: Task) -> None:
        self._db.run(
            """
            insert into task (id, namespace, description, status, priority, body, related_node_id, node_type, lifecycle,
                              created_at, updated_at, resolved_at, stale_after, generated_by, verified, sources,
                              usage_window, extra)
            values (:id, :namespace, :description, :status, :priority, :body, :related_node_id, :node_type, :lifecycle,
                    :created_at, :updated_at, :resolved_at, :stale_after, :generated_by, :verified, :sources,
                    :usage_window, :extra)
            on conflict (id) do update set
                description = excluded.description, status = excluded.status, priority = excluded.priority,
                body = excluded.body, related_node_id = excluded.related_node_id, node_type = excluded.node_type,
                lifecycle = excluded.lifecycle, updated_at = excluded.updated_at, resolved_at = excluded.resolved_at,
                stale_after = excluded.stale_after, generated_by = excluded.generated_by,
                verified = excluded.verified, sources = excluded.sources, usage_window = excluded.usage_window,
                extra = excluded.extra, deleted_at = null""",
            _task_values(task),
        )

    def open_tasks(self, namespace: str, limit: int = EVERY) -> list[Task]:
        """Pending and begun tasks, most urgent first, then oldest."""
        rows = self._db.rows(
            """
            select * from task where namespace = ? and status in ('pending', 'in_progress') and deleted_at is null
             order by priority desc, created_at, id limit ?""",
            (namespace, limit),
        )
        return [_task(row) for row in rows]

    def task(self, namespace: str, id: str) -> Task | None:
        """The task if it is not deleted."""
        row = self._db.row("select * from task where id = ? and namespace = ? and deleted_at is null", (id, namespace))
        return None if row is None else _task(row)

    def tasks(self, namespace: str, *, statuses: Sequence[str], limit: int = EVERY) -> list[Task]:
        """Tasks with one of the statuses, most urgent first, then oldest."""
        rows = self._db.rows(
            """
            select * from task where namespace = ? and status in (select value from json_each(?)) and deleted_at is null
             order by priority desc, created_at, id limit ?""",
            (namespace, json.dumps(list(statuses)), limit),
        )
        return [_task(row) for row in rows]

    def check_task_id(self, namespace: str, id: str) -> None:
        """Raises NodeOwnershipConflict when a task has this id; one deleted from the same namespace does not count."""
        taken = self._db.value(
            "select 1 from task where id = ? and (namespace <> ? or deleted_at is null)", (id, namespace)
        )
        if taken is not None:
            raise NodeOwnershipConflict("task", id)

    def delete_task(self, namespace: str, id: str, now: int) -> int:
        return self._db.run(
            "update task set deleted_at = ? where id = ? and namespace = ? and deleted_at is null",
            (now, id, namespace),
        )

    def clear(self, namespace: str, now: int) -> tuple[int, int]:
        """Delete all; gives (tasks, events)."""
        tasks = self._db.run(
            "update task set deleted_at = ? where namespace = ? and deleted_at is null", (now, namespace)
        )
        return tasks, self._db.run("delete from event where namespace = ?", (namespace,))

    def count(self, namespace: str) -> tuple[int, int]:
        """(open and closed tasks, events)."""
        tasks = self._db.value("select count(*) from task where namespace = ? and deleted_at is null", (namespace,))
        return int(tasks), int(self._db.value("select count(*) from event where namespace = ?", (namespace,)))


def event_of(columns: Mapping[str, Any]) -> Event:
    """An event from its columns by name."""
    return Event(**{name: columns[name] for name in _EVENT_FIELDS})


def task_of(columns: Mapping[str, Any]) -> Task:
    """A task from its columns by name."""
    fields = {name: value for name, value in columns.items() if name not in ("origin", "deleted_at")}
    return Task(**fields | trust_fields(fields))


_EVENT_FIELDS = ("id", "namespace", "event_type", "summary", "related_node_id", "created_at")


def _event(row: sqlite3.Row) -> Event:
    return Event(
        id=row["id"],
        namespace=row["namespace"],
        event_type=row["event_type"],
        summary=row["summary"],
        related_node_id=row["related_node_id"],
        created_at=row["created_at"],
    )


def _task(row: sqlite3.Row) -> Task:
    columns = dict(zip(row.keys(), row, strict=True))
    for name in ("origin", "deleted_at"):
        del columns[name]
    return Task(**columns | trust_fields(columns))


def _task_values(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "namespace": task.namespace,
        "description": task.description,
        "status": task.status,
        "priority": task.priority,
        "body": task.body,
        "related_node_id": task.related_node_id,
        "node_type": task.node_type,
        "lifecycle": task.lifecycle,
        "created_at": task.created_at,
        "updated_at": task.updated_at,
        "resolved_at": task.resolved_at,
        **trust_values(task),
    }
