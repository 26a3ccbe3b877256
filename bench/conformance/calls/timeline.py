"""The outbox."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bench.conformance.session import Session
from lorelite import OutboxEvent

_MOST = 10_000
_TABLES = {"node": "entries", "task": "tasks", "edge": "edges", "event": "events"}
"""What the reference calls our tables; others keep our name, since it tells of none of them."""
_COLUMNS = {"namespace": "entity_id", "node_type": "okf_type", "lifecycle": "lifecycle_status"}


def _outbox(session: Session, limit: Any = 100) -> list[dict[str, Any]]:
    asked = max(0, min(int(limit), _MOST))
    return [_event(event) for event in session.wiki.get_outbox_events(limit=asked)]


def _event(event: OutboxEvent) -> dict[str, Any]:
    payload = {_COLUMNS.get(name, name): value for name, value in event.payload.items()}
    if event.operation == "delete" and "id" in payload:
        payload = {name: payload[name] for name in ("id", "entity_id", "deleted_at")}
    return {
        "id": str(event.sequence),
        "entity_id": event.namespace,
        "table_name": _TABLES.get(event.table_name, event.table_name),
        "record_id": event.record_id,
        "operation": event.operation.upper(),
        "payload": payload,
        "created_at": event.created_at,
    }


def _processed(session: Session, ids: Sequence[Any]) -> None:
    session.wiki.mark_outbox_events_processed([int(id) for id in ids])


CALLS: dict[str, Callable[..., Any]] = {
    "getUnprocessedOutboxEvents": _outbox,
    "markOutboxEventsProcessed": _processed,
}
CONFIG = {"enableOutbox": None}
READS_ONLY = {"getUnprocessedOutboxEvents"}
