"""The outbox: changes as events that another system can follow, and following them into another wiki."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lorelite.engine import Engine
from lorelite.errors import InvalidOption
from lorelite.revisions import OutboxEvent, RowCounts
from lorelite.store.changes import Change, Row, unwound
from lorelite.store.logged import BY_NAME, LoggedTable
from lorelite.store.rows import Targets
from lorelite.store.store import Store
from lorelite.timeline.restore import counted

_JSON_COLUMNS = ("tags", "verified", "sources", "usage_window", "extra", "metadata", "finished")


def outbox_events(engine: Engine, consumer: str, namespace: str | None, limit: int) -> list[OutboxEvent]:
    """The next *limit* events that this consumer has not marked as processed, oldest first. Changes nothing."""
    store = engine.store
    store.changes.require("get_outbox_events")
    changes = store.changes.after(store.changes.cursor(consumer), namespace, limit)
    if not changes:
        return []
    rows = _rows_after(store, changes)
    return [_event(change, rows[change.sequence]) for change in changes]


def _rows_after(store: Store, changes: Sequence[Change]) -> dict[int, Row | None]:
    """Sequence → the row after that change."""
    records: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        records.setdefault((change.table_name, change.record_id), []).append(change)
    found: dict[int, Row | None] = {}
    for table in {table for table, _ in records}:
        ids = sorted(id for name, id in records if name == table)
        present = store.rows.get(table, ids)
        later = store.changes.of_records(table, ids, changes[-1].sequence)
        for id in ids:
            newest_first = [*later.get(id, ()), *reversed(records[table, id])]
            for change, _, after in unwound(present.get(id), newest_first):
                # What came after a removal is not of this row.
                found[change.sequence] = None if change.operation == "delete" else after
    return found


def _event(change: Change, row: Row | None) -> OutboxEvent:
    table = BY_NAME[change.table_name]
    is_removed = row is None or (change.operation == "update" and row.get("deleted_at") is not None)
    return OutboxEvent(
        sequence=change.sequence,
        revision=change.revision,
        namespace=change.namespace,
        table_name=change.table_name,
        record_id=change.record_id,
        operation="delete" if is_removed else change.operation,
        payload=_farewell(table, change, row) if is_removed or row is None else _told(table, row),
        cause=change.cause,
        created_at=change.created_at,
    )


def _told(table: LoggedTable, row: Row) -> dict[str, Any]:
    columns = {name: value for name, value in row.items() if name not in table.file_bound}
    for name in _JSON_COLUMNS:
        if columns.get(name) is not None:
            columns[name] = json.loads(columns[name])
    return columns


def _farewell(table: LoggedTable, change: Change, row: Row | None) -> dict[str, Any]:
    """What is told of a row that goes: its key, when it went, and whether it stays as a row marked as deleted."""
    known = row or change.before or {}
    told = {name: known[name] for name in table.key} | {"namespace": change.namespace}
    if row is None:
        return told | {"deleted_at": change.created_at, "tombstone": False}
    return told | {"deleted_at": row["deleted_at"], "updated_at": row["updated_at"], "tombstone": True}


def apply_events(engine: Engine, namespace: str, events: Iterable[OutboxEvent]) -> RowCounts:
    """Make the rows of *namespace* what the events say, all or nothing; the same events again change nothing.

    Gives how many rows were told of. Raises InvalidOption for events of several namespaces, NodeOwnershipConflict for
    an id that another namespace has.
    """
    given = sorted(events, key=lambda event: event.sequence)
    for event in given:
        _check(engine.store, event)
    if len({event.namespace for event in given}) > 1:
        raise InvalidOption("events", "events of one namespace", sorted({event.namespace for event in given}))
    with engine.store.atomic("import"):
        engine.store.namespaces.ensure(namespace)
        targets = _with_parents(engine.store, namespace, _targets(engine.store, namespace, given))
        engine.store.rows.set(namespace, targets)
    return counted({table: len(records) for table, records in targets.items()})


def _check(store: Store, event: OutboxEvent) -> None:
    """Raises InvalidOption for an event that no Lorelite made, or one with columns that this one does not know."""
    table = BY_NAME.get(event.table_name)
    if table is None:
        raise InvalidOption("events[].table_name", f"one of {', '.join(BY_NAME)}", event.table_name)
    wanted = {*table.key, *(("tombstone", "deleted_at") if event.operation == "delete" else ())}
    if event.payload.get("tombstone"):
        wanted.add("updated_at")
    missing = sorted(wanted - event.payload.keys())
    if missing:
        raise InvalidOption("events[].payload", f"the fields {', '.join(sorted(wanted))}", f"none of {missing}")
    unknown = set() if event.operation == "delete" else event.payload.keys() - store.rows.columns(table.name)
    if unknown - {"namespace"}:
        raise InvalidOption("events[].payload", f"columns of {table.name}", sorted(unknown))


def _targets(store: Store, namespace: str, events: Sequence[OutboxEvent]) -> dict[str, dict[str, Row | None]]:
    """What each record is in the end."""
    found: dict[str, dict[str, Row | None]] = {}
    for event in events:
        table, records = BY_NAME[event.table_name], found.setdefault(event.table_name, {})
        row = _stored(table, namespace, event.payload)
        id = _record_id(table, row)
        if event.operation != "delete":
            records[id] = row
        elif not event.payload["tombstone"]:
            records[id] = None
        else:
            known = records[id] if id in records else store.rows.get(table.name, [id]).get(id)
            if known is not None:
                records[id] = {**known, "deleted_at": row["deleted_at"], "updated_at": row["updated_at"]}
    return found


def _with_parents(store: Store, namespace: str, targets: dict[str, dict[str, Row | None]]) -> Targets:
    """The targets without rows of a document, node, edge or community that is not there: old events that are told once
    more may have outlived it, and what follows them deletes these rows again."""
    found: dict[str, Mapping[str, Row | None]] = dict(targets)
    for column, (parent, belonging) in _BELONGING.items():
        tables = [name for name in found if name in belonging]
        ids = sorted({str(row[column]) for name in tables for row in found[name].values() if row})
        records = {id: _record_id(BY_NAME[parent], {"id": id, "namespace": namespace}) for id in ids}
        present: Mapping[str, Row | None] = {**store.rows.get(parent, records.values()), **found.get(parent, {})}
        there = {id for id in ids if (row := present.get(records[id])) and row["namespace"] == namespace}
        for name in tables:
            found[name] = {id: row for id, row in found[name].items() if row is None or row[column] in there}
    return found


_BELONGING = {
    "document_id": ("document", {table.name for table in BY_NAME.values() if "document_id" in table.key}),
    "edge_id": ("edge", {"statement"}),
    "community_id": ("community", {"member"}),
    "node_id": ("node", {"alias", "support", "member"}),
}
"""Column → the table that it names a row of, and the tables whose rows go with that."""


def _stored(table: LoggedTable, namespace: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The row of a payload as this file has it."""
    row = {name: value for name, value in payload.items() if name not in ("tombstone", *table.file_bound)}
    for name in _JSON_COLUMNS:
        if row.get(name) is not None:
            separators = None if name == "tags" else (",", ":")
            row[name] = json.dumps(row[name], ensure_ascii=False, separators=separators)
    return row | ({"namespace": namespace} if not table.of_document else {})


def _record_id(table: LoggedTable, row: Row) -> str:
    values = [row[name] for name in table.key]
    return str(values[0]) if len(values) == 1 else json.dumps(values, ensure_ascii=False, separators=(",", ":"))
