"""The log: every change of a logged row, in order, with the row as it was before."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from lorelite.errors import NoHistory
from lorelite.ports import Clock
from lorelite.store.connection import Database
from lorelite.store.logged import BY_NAME, LOGGED, triggers

T = TypeVar("T")
Row = Mapping[str, Any]
"""A row of any logged table, column by column."""
_BEGINS = "log_begins"
"""Key in `meta`: "sequence at" from which on the log is complete; absent when it is not."""


@dataclass(frozen=True, slots=True)
class Change:
    sequence: int
    revision: int
    namespace: str
    table_name: str
    record_id: str
    operation: Literal["insert", "update", "delete"]
    before: Row | None
    """The row as it was; the image of an update leaves out a long column that it did not touch. None for an insert."""
    cause: str
    created_at: int


def unwound(row: Row | None, changes: Iterable[Change]) -> Iterator[tuple[Change, Row | None, Row | None]]:
    """(change, row before, row after) of one record's changes, newest first; *row* is the record as it is now."""
    for change in changes:
        before = None if change.before is None else {**(row or {}), **change.before}
        yield change, before, row
        row = before


class ChangeLog:
    """Writes and reads the log. While it is recording, triggers write a row for each change within its transaction."""

    def __init__(self, db: Database, clock: Clock, *, recording: bool = True) -> None:
        self._db = db
        self._clock = clock
        self.recording = recording
        self._revision = 0
        self._now = 0
        self._is_listening = False
        self._kept: dict[object, object] = {}
        db.before_begin.append(self._listen)
        db.after_begin.append(self._begin)
        db.after_commit.append(self._kept.clear)
        db.after_rollback.append(self._kept.clear)

    # -- writing ------------------------------------------------------------------------------------------------

    def _listen(self) -> None:
        """Make the triggers, once: before the transaction, whose failure would take them along."""
        if self._is_listening or not self.recording:
            return
        connection = self._db.connection
        connection.create_function("lorelite_revision", 0, lambda: self._revision)
        connection.create_function("lorelite_cause", 0, lambda: self._db.cause or "write")
        connection.create_function("lorelite_time", 0, lambda: self._now)
        for table in LOGGED:
            columns = self._db.rows("select name, type from pragma_table_info(?)", (table.name,))
            for statement in triggers(table, [(row["name"], row["type"]) for row in columns]):
                self._db.run(statement)
        self._is_listening = True

    def _begin(self) -> None:
        if not self.recording:
            # What is written now is not logged: the past cannot be told across it.
            self._db.run("delete from meta where key = ?", (_BEGINS,))
            return
        row = self._db.row(
            """
            select coalesce((select seq from sqlite_sequence where name = 'change'), 0) as last,
                   coalesce((select created_at from change order by sequence desc limit 1), 0) as stamp,
                   (select value from meta where key = ?) as begins""",
            (_BEGINS,),
        )
        assert row is not None
        self._revision = row["last"] + 1
        # A clock that was set back must not put later changes before earlier ones.
        self._now = max(self._clock(), row["stamp"])
        if row["begins"] is None:
            is_new = not self._db.value("select exists (select 1 from namespace)")
            self._set_begin(row["last"], 0 if is_new else self._now)

    def _set_begin(self, sequence: int, at: int) -> None:
        self._db.run("insert or replace into meta (key, value) values (?, ?)", (_BEGINS, f"{sequence} {at}"))

    def prune(self, before_ms: int) -> int:
        """Delete what was logged before this moment, but nothing that a registered consumer has not read.

        Gives the number of changes deleted. Whole revisions only, and always the oldest.
        """
        with self._db.atomic():
            read = self._db.value("select min(sequence) from consumer")
            last = self._db.row(
                """
                select sequence, created_at from change c
                 where created_at < :before and sequence <= coalesce(:read, sequence)
                   and not exists (select 1 from change n where n.sequence = c.sequence + 1 and n.revision = c.revision)
                 order by sequence desc limit 1""",
                {"before": before_ms, "read": read},
            )
            if last is None:
                return 0
            self._set_begin(last["sequence"], last["created_at"])
            return self._db.run("delete from change where sequence <= ?", (last["sequence"],))

    # -- reading ------------------------------------------------------------------------------------------------

    def _begin_of_log(self) -> tuple[int, int] | None:
        """(sequence, moment) after which the log is complete; None when it is not."""
        value = self._db.value("select value from meta where key = ?", (_BEGINS,))
        if value is None:
            return None
        sequence, at = map(int, value.split())
        return sequence, at

    def require(self, what: str, *, moment: int | None = None, sequence: int | None = None) -> None:
        """Raises NoHistory unless the log is kept and reaches back to this moment, or holds this change and all since.

        A file in which nothing was written yet has a log, an empty one.
        """
        begins = self._begin_of_log()
        if begins is None and not self._db.value("select exists (select 1 from namespace)"):
            begins = (0, 0)
        if not self.recording or begins is None:
            raise NoHistory(what, self._db.path, None, moment)
        if (moment is not None and moment < begins[1]) or (sequence is not None and sequence <= begins[0]):
            raise NoHistory(what, self._db.path, begins[1], moment)

    def with_images(self, namespace: str, after: int) -> list[Change]:
        """Updates and deletes of the namespace that were made after this moment, newest first."""
        rows = self._db.rows(
            f"""
            select {_COLUMNS} from change indexed by change_past
             where namespace = ? and created_at > ? and before is not null
             order by created_at desc, sequence desc""",
            (namespace, after),
        )
        return list(map(_change, rows))

    def since(self, namespace: str, after: int) -> list[Change]:
        """All changes of the namespace that were made after this moment, newest first."""
        found: list[Change] = []
        below, batch = 1 << 62, 1_000
        while True:
            rows = self._db.rows(
                f"""
                select {_COLUMNS} from change indexed by change_namespace
                 where namespace = ? and sequence < ? order by sequence desc limit ?""",
                (namespace, below, batch),
            )
            found += (_change(row) for row in rows if row["created_at"] > after)
            if len(rows) < batch or rows[-1]["created_at"] <= after:
                return found
            below = rows[-1]["sequence"]

    def last_revision(self, namespace: str) -> list[Change]:
        """The changes of the namespace's last transaction, newest first."""
        revision = self._db.value(
            "select revision from change where namespace = ? order by sequence desc limit 1", (namespace,)
        )
        rows = self._db.rows(
            f"select {_COLUMNS} from change where namespace = ? and sequence >= ? order by sequence desc",
            (namespace, revision),
        )
        return list(map(_change, rows))

    def cause_before(self, namespace: str, revision: int) -> str | None:
        """Why the namespace's last revision before this one was made."""
        cause = self._db.value(
            "select cause from change where namespace = ? and sequence < ? order by sequence desc limit 1",
            (namespace, revision),
        )
        return None if cause is None else str(cause)

    def inserted(self, namespace: str, table: str, after: int) -> dict[str, int]:
        """The records of a table that were inserted after this moment, each with the sequence of the first time."""
        rows = self._db.rows(
            """
            select record_id, min(sequence) as first from change indexed by change_namespace
             where namespace = :namespace and table_name = :table and operation = 'insert'
               and sequence > coalesce((
                 select sequence from change indexed by change_namespace
                  where namespace = :namespace and created_at <= :after order by sequence desc limit 1), 0)
             group by record_id""",
            {"namespace": namespace, "table": table, "after": after},
        )
        return {row["record_id"]: row["first"] for row in rows}

    def inserted_by(self, namespace: str, causes: Sequence[str], after: int) -> dict[tuple[str, str], list[int]]:
        """(table, record) → the sequences, above this one, at which one of these causes inserted it."""
        rows = self._db.rows(
            """
            select table_name, record_id, sequence from change indexed by change_namespace
             where namespace = ? and sequence > ? and operation = 'insert'
               and cause in (select value from json_each(?))""",
            (namespace, after, json.dumps(list(causes))),
        )
        found: dict[tuple[str, str], list[int]] = {}
        for row in rows:
            found.setdefault((row["table_name"], row["record_id"]), []).append(row["sequence"])
        return found

    def after(self, sequence: int, namespace: str | None, limit: int) -> list[Change]:
        """The changes that follow this one, oldest first, of one namespace or of all."""
        condition = "" if namespace is None else "and namespace = :namespace"
        rows = self._db.rows(
            f"select {_COLUMNS} from change where sequence > :after {condition} order by sequence limit :limit",
            {"after": sequence, "namespace": namespace, "limit": limit},
        )
        return list(map(_change, rows))

    def of_records(self, table: str, record_ids: Sequence[str], after: int) -> dict[str, list[Change]]:
        """Record → its updates and deletes that follow this sequence, newest first."""
        rows = self._db.rows(
            f"""
            select {_COLUMNS} from json_each(:ids) k cross join change indexed by change_record
                on table_name = :table and record_id = k.value and sequence > :after
             where before is not null order by sequence desc""",
            {"ids": json.dumps(list(record_ids)), "table": table, "after": after},
        )
        found: dict[str, list[Change]] = {}
        for change in map(_change, rows):
            found.setdefault(change.record_id, []).append(change)
        return found

    def last_sequence(self) -> int:
        return int(self._db.value("select seq from sqlite_sequence where name = 'change'") or 0)

    def kept(self, key: object, make: Callable[[], T]) -> T:
        """What *make* gives, kept until something is committed; the last few keys only."""
        if self._db.in_transaction:
            return make()
        versioned = (key, self._db.value("pragma data_version"))
        if versioned not in self._kept:
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            self._kept[versioned] = make()
        return self._kept[versioned]  # type: ignore[return-value]

    # -- consumers ----------------------------------------------------------------------------------------------

    def cursor(self, consumer: str) -> int:
        """The sequence up to which this reader has read; 0 for one that is not known."""
        return int(self._db.value("select sequence from consumer where name = ?", (consumer,)) or 0)

    def advance(self, consumer: str, sequence: int) -> None:
        """Remember how far a reader has read; never backwards, never beyond what was logged."""
        with self._db.atomic():
            self._db.run(
                """
                insert into consumer (name, sequence, updated_at) values (:name, :sequence, :now)
                on conflict (name) do update set sequence = excluded.sequence, updated_at = excluded.updated_at
                 where excluded.sequence > sequence""",
                {"name": consumer, "sequence": min(sequence, self.last_sequence()), "now": self._clock()},
            )


_KEPT = 8
_COLUMNS = "sequence, revision, namespace, table_name, record_id, operation, before, cause, created_at"


def _change(row: sqlite3.Row) -> Change:
    before: Row | None = None if row["before"] is None else json.loads(row["before"])
    if before == {}:
        # All that the row held is its key.
        before = dict(zip(BY_NAME[row["table_name"]].key, json.loads(row["record_id"]), strict=True))
    columns: dict[str, Any] = dict(zip(row.keys(), row, strict=True))
    return Change(**columns | {"before": before})
