"""`restore` and `undo`: a namespace back to what it was, as one more revision that can be undone in turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext

from lorelite.engine import Engine
from lorelite.errors import NotFound
from lorelite.revisions import RestoreReport, RowCounts, UndoReport
from lorelite.store.changes import Change, Row, unwound
from lorelite.store.rows import Targets
from lorelite.store.store import Store

_COUNTED = {"node": "nodes", "edge": "edges", "task": "tasks", "event": "events", "document": "documents"}


def restore(engine: Engine, namespace: str, as_of: int, *, dry_run: bool = False) -> RestoreReport:
    """Make every row of the namespace what it was at *as_of*. Raises NoHistory when the log begins later."""
    store = engine.store
    store.changes.require("restore", moment=as_of)
    with nullcontext() if dry_run else store.atomic("restore"):
        targets, written, removed = _differences(store, store.changes.since(namespace, as_of))
        if not dry_run:
            store.rows.set(namespace, targets)
    return RestoreReport(namespace=namespace, as_of=as_of, written=written, removed=removed, dry_run=dry_run)


def undo(engine: Engine, namespace: str, *, dry_run: bool = False) -> UndoReport:
    """Take back the namespace's last revision. Raises NoHistory without a log, NotFound when nothing is logged."""
    store = engine.store
    store.changes.require("undo")
    changes = store.changes.last_revision(namespace)
    if not changes:
        raise NotFound("change of namespace", namespace, "nothing that could be undone is logged")
    last = changes[0]
    store.changes.require("undo", sequence=last.sequence)
    with nullcontext() if dry_run else store.atomic(_cause_of_undoing(store, last)):
        targets, written, removed = _differences(store, changes)
        if not dry_run:
            store.rows.set(namespace, targets)
    return UndoReport(
        namespace=namespace,
        revision=last.revision,
        cause=last.cause,
        made_at=last.created_at,
        written=written,
        removed=removed,
        dry_run=dry_run,
    )


def _cause_of_undoing(store: Store, last: Change) -> str:
    """Taking an undo back does what was done at first: what was forgotten is forgotten again."""
    cause = store.changes.cause_before(last.namespace, last.revision) if last.cause == "undo" else None
    return cause or "undo"


def rows_before(store: Store, changes: Iterable[Change]) -> tuple[Targets, Targets]:
    """(the rows as they were before these changes, as they are now), table by table.

    *changes* are the newest of their records, newest first.
    """
    found: dict[str, dict[str, list[Change]]] = {}
    for change in changes:
        found.setdefault(change.table_name, {}).setdefault(change.record_id, []).append(change)
    then: dict[str, dict[str, Row | None]] = {}
    now: dict[str, dict[str, Row | None]] = {}
    for table, records in found.items():
        present = store.rows.get(table, records)
        now[table] = {id: present.get(id) for id in records}
        then[table] = {id: _unwound(present.get(id), each) for id, each in records.items()}
    return then, now


def _unwound(row: Row | None, changes: Iterable[Change]) -> Row | None:
    for _, before, _ in unwound(row, changes):
        row = before
    return row


def _differences(store: Store, changes: Sequence[Change]) -> tuple[Targets, RowCounts, RowCounts]:
    """(rows to be set, counts of those that are written, of those that are removed)."""
    then, now = rows_before(store, changes)
    # From the last to the first: rows come back in the order in which they went.
    targets = {
        table: {id: row for id, row in reversed(list(records.items())) if row != now[table][id]}
        for table, records in then.items()
    }
    written = {table: sum(row is not None for row in records.values()) for table, records in targets.items()}
    removed = {table: sum(row is None for row in records.values()) for table, records in targets.items()}
    return targets, counted(written), counted(removed)


def counted(rows: Mapping[str, int]) -> RowCounts:
    """Numbers of rows by table, as they are told."""
    counts = Counter[str]()
    for table, number in rows.items():
        counts[_COUNTED.get(table, "other")] += number
    return RowCounts(**counts)
