"""Recorded model calls: written as replies arrive, looked up before a model is asked."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lorelite.call_records import Call, CallKind, CallStatus, CallTotals, RecordedCall, digest
from lorelite.errors import StoreError
from lorelite.store.connection import EVERY, Database

_COLUMNS = """
    c.id, c.namespace, c.purpose, c.source_ref, c.status, c.error, c.finish, c.input_tokens, c.output_tokens,
    c.tokens_estimated, c.cost, c.duration_ms, c.created_at, c.is_copy, c.used, c.user, c.reply, f.kind, f.model,
    f.parameters, f.system, f.schema"""
_FROM = "from call c join call_frame f on f.id = c.frame_id"
_ANSWERS = "c.status <> 'error'"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFilter:
    """Which calls; None: any."""

    namespace: str | None = None
    purpose: str | None = None
    model: str | None = None
    status: CallStatus | None = None
    before: int | None = None
    """Recorded before this moment, in milliseconds."""

    def sql(self) -> tuple[str, dict[str, Any]]:
        """The condition on c and f, and its parameters."""
        columns = {"namespace": "c.namespace", "purpose": "c.purpose", "model": "f.model", "status": "c.status"}
        given = {name: getattr(self, name) for name in columns if getattr(self, name) is not None}
        conditions = [f"{columns[name]} = :{name}" for name in given]
        if self.before is not None:
            conditions.append("c.created_at < :before")
            given["before"] = self.before
        return " and ".join(conditions) or "true", given


class CallTable:
    """The calls of a file. Each is written in a transaction of its own, which no log of changes tells of.

    How often a call was used waits in memory for the next transaction that changes something.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._waiting: list[Call] = []
        """What could not be written while a transaction of another task was open."""
        self._used: Counter[int] = Counter()
        self._stored: Counter[int] = Counter()
        if not db.read_only:
            db.after_begin.append(self._store_uses)
            db.after_commit.append(self._committed)
            db.after_rollback.append(self._rolled_back)

    # -- writing ------------------------------------------------------------------------------------------------

    def record(self, call: Call) -> int | None:
        """Keep a call; gives its id, or None when it has to wait for a transaction to end. Raises StoreErrors."""
        if self._db.in_transaction:
            self._waiting.append(call)
            return None
        with self._db.aside(waits=False):
            return self._insert(call)

    def load(self, calls: Iterable[Call]) -> tuple[int, int]:
        """Take in calls from elsewhere, within the caller's transaction: (how many, how many were here already)."""
        taken = known = 0
        for call in calls:
            if self._is_known(call):
                known += 1
            else:
                self._insert(call)
                taken += 1
        return taken, known

    def note_use(self, id: int) -> None:
        """A call has answered another one."""
        if not self._db.read_only:
            self._used[id] += 1

    def judge(self, id: int, status: CallStatus) -> None:
        """Say what could be read of a reply; in a transaction that is kept or undone with it. Raises StoreErrors."""
        if not self._db.read_only:
            with self._db.aside():
                self._db.run("update call set status = ? where id = ?", (status, id))

    def write_uses(self) -> None:
        """Store what waits, as far as there is room for it."""
        if self._used and not self._db.in_transaction:
            with suppress(StoreError), self._db.aside():
                self._store_uses()

    def delete(self, which: CallFilter) -> int:
        """Delete calls; gives how many."""
        condition, given = which.sql()
        return self._delete(f"id in (select c.id {_FROM} where {condition})", given)

    def forget(self, namespace: str, source_refs: Iterable[str] = ()) -> int:
        """Delete the calls that quote these documents, and those that may: the namespace's that name none."""
        refs = json.dumps(["", *source_refs])
        condition = "namespace = :namespace and source_ref in (select value from json_each(:refs))"
        return self._delete(condition, {"namespace": namespace, "refs": refs})

    # -- finding ------------------------------------------------------------------------------------------------

    def answers(self, prompts: Iterable[str]) -> dict[str, list[RecordedCall]]:
        """Prompt → the calls that a model answered, the newest first."""
        rows = self._db.rows(
            f"""
            select {_COLUMNS}, c.prompt from json_each(?) k cross join call c on c.prompt = k.value
              join call_frame f on f.id = c.frame_id
             where {_ANSWERS} order by c.created_at desc, c.id desc""",
            (json.dumps(list(prompts)),),
        )
        found: dict[str, list[RecordedCall]] = {}
        for row in rows:
            found.setdefault(row["prompt"], []).append(self._call(row))
        return found

    def newest(self, kind: CallKind) -> tuple[str, Mapping[str, Any]] | None:
        """Model and parameters of the last call of this kind that was answered."""
        row = self._db.row(
            f"select f.model, f.parameters {_FROM} where f.kind = ? and {_ANSWERS} order by c.id desc limit 1", (kind,)
        )
        return None if row is None else (row["model"], json.loads(row["parameters"]))

    def alike(self, namespace: str, purpose: str, limit: int) -> list[RecordedCall]:
        """Answered calls of a purpose, the newest first: of the namespace, or where it has none of the whole file."""
        for condition in ("c.namespace = :namespace and c.purpose = :purpose", "c.purpose = :purpose"):
            rows = self._db.rows(
                f"select {_COLUMNS} {_FROM} where {condition} and {_ANSWERS} order by c.id desc limit :limit",
                {"namespace": namespace, "purpose": purpose, "limit": limit},
            )
            if rows:
                return [self._call(row) for row in rows]
        return []

    def get(self, id: int) -> RecordedCall | None:
        row = self._db.row(f"select {_COLUMNS} {_FROM} where c.id = ?", (id,))
        return None if row is None else self._call(row)

    def listed(self, which: CallFilter, limit: int = EVERY) -> list[RecordedCall]:
        """The newest first."""
        self.write_uses()
        condition, given = which.sql()
        rows = self._db.rows(
            f"select {_COLUMNS} {_FROM} where {condition} order by c.created_at desc, c.id desc limit :limit",
            {**given, "limit": limit},
        )
        return [self._call(row) for row in rows]

    def each(self, which: CallFilter) -> Iterator[RecordedCall]:
        """The oldest first, in an order that does not depend on the file they are in."""
        condition, given = which.sql()
        rows = self._db.each(
            f"""
            select {_COLUMNS} {_FROM} where {condition}
             order by c.created_at, c.namespace, c.prompt, f.hash, c.source_ref, c.purpose, c.reply""",
            given,
        )
        return map(self._call, rows)

    def totals(self, which: CallFilter) -> list[CallTotals]:
        """What calls came to, for each kind, purpose and model."""
        self.write_uses()
        condition, given = which.sql()
        rows = self._db.rows(
            f"""
            select f.kind, c.purpose, f.model, sum(not c.is_copy) as calls, sum(c.status = 'error') as failed,
                   sum(c.used) + sum(c.is_copy) as reused, sum(c.input_tokens) as input_tokens,
                   sum(c.output_tokens) as output_tokens, max(c.tokens_estimated) as tokens_estimated,
                   sum(c.duration_ms) as duration_ms,
                   case when sum(c.cost is null) then null else sum(c.cost) end as cost
              {_FROM} where {condition} group by f.kind, c.purpose, f.model order by f.kind, c.purpose, f.model""",
            given,
        )
        return [CallTotals(**{**dict(row), "tokens_estimated": bool(row["tokens_estimated"])}) for row in rows]

    def pairs(self, model_a: str, model_b: str, which: CallFilter) -> list[tuple[int, int]]:
        """The ids of the last answers of two models to each prompt that both answered, the oldest first."""
        condition, given = which.sql()
        rows = self._db.rows(
            f"""
            with answered as (select c.id, c.prompt, f.model {_FROM} where {condition} and {_ANSWERS}
                                 and f.kind = 'text' and f.model in (:a, :b))
            select max(a.id) as a, max(b.id) as b from answered a join answered b on b.prompt = a.prompt
             where a.model = :a and b.model = :b group by a.prompt order by a""",
            {**given, "a": model_a, "b": model_b},
        )
        return [(row["a"], row["b"]) for row in rows]

    def prompts_of(self, model: str, which: CallFilter) -> int:
        """How many prompts a model has answered."""
        condition, given = which.sql()
        found = self._db.value(
            f"""
            select count(distinct c.prompt) {_FROM}
             where {condition} and {_ANSWERS} and f.kind = 'text' and f.model = :of""",
            {**given, "of": model},
        )
        return int(found)

    # -- parts --------------------------------------------------------------------------------------------------

    def _insert(self, call: Call) -> int:
        parameters = json.dumps(dict(call.parameters), ensure_ascii=False, sort_keys=True, default=str)
        schema = None if call.schema is None else json.dumps(call.schema, ensure_ascii=False)
        frame = (_frame_hash(call), call.kind, call.model, parameters, call.system, schema)
        self._db.run(
            """
            insert into call_frame (hash, kind, model, parameters, system, schema) values (?, ?, ?, ?, ?, ?)
                on conflict (hash) do nothing""",
            frame,
        )
        row = self._db.row(
            """
            insert into call (prompt, frame_id, namespace, purpose, source_ref, status, error, finish, input_tokens,
                              output_tokens, tokens_estimated, cost, duration_ms, created_at, is_copy, used, user,
                              reply)
            values (?, (select id from call_frame where hash = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            returning id""",
            (
                call.prompt,
                frame[0],
                call.namespace,
                call.purpose,
                call.source_ref,
                call.status,
                call.error,
                call.finish,
                call.input_tokens,
                call.output_tokens,
                call.tokens_estimated,
                call.cost,
                call.duration_ms,
                call.created_at,
                call.is_copy,
                call.used if isinstance(call, RecordedCall) else 0,
                call.user,
                call.reply,
            ),
        )
        assert row is not None
        return int(row["id"])

    def _is_known(self, call: Call) -> bool:
        found = self._db.value(
            f"""
            select exists (select 1 {_FROM} where c.prompt = ? and f.hash = ? and c.namespace = ? and c.purpose = ?
                              and c.source_ref = ? and c.created_at = ? and c.reply = ?)""",
            (
                call.prompt,
                _frame_hash(call),
                call.namespace,
                call.purpose,
                call.source_ref,
                call.created_at,
                call.reply,
            ),
        )
        return bool(found)

    def _delete(self, condition: str, given: Mapping[str, Any]) -> int:
        with self._db.aside():
            count = self._db.run(f"delete from call where {condition}", given)
            if count:
                self._db.run(
                    "delete from call_frame where not exists (select 1 from call where frame_id = call_frame.id)"
                )
        return count

    def _call(self, row: sqlite3.Row) -> RecordedCall:
        return RecordedCall(
            id=row["id"],
            kind=row["kind"],
            namespace=row["namespace"],
            purpose=row["purpose"],
            source_ref=row["source_ref"],
            model=row["model"],
            parameters=json.loads(row["parameters"]),
            system=row["system"],
            user=row["user"],
            schema=None if row["schema"] is None else json.loads(row["schema"]),
            reply=row["reply"],
            status=row["status"],
            error=row["error"],
            finish=row["finish"],
            input_tokens=row["input_tokens"],
            output_tokens=row["output_tokens"],
            tokens_estimated=bool(row["tokens_estimated"]),
            cost=row["cost"],
            duration_ms=row["duration_ms"],
            created_at=row["created_at"],
            is_copy=bool(row["is_copy"]),
            used=row["used"] + self._used[row["id"]],
        )

    # -- what waits ---------------------------------------------------------------------------------------------

    def _store_uses(self) -> None:
        if self._used:
            counted = [(count, id) for id, count in self._used.items()]
            self._db.run_many("update call set used = used + ? where id = ?", counted)
            self._stored, self._used = self._used, Counter()

    def _committed(self) -> None:
        self._stored = Counter()
        self._write_waiting()

    def _rolled_back(self) -> None:
        # Undoing an inner block leaves what the outermost one stored.
        if self._db.in_transaction:
            return
        self._used += self._stored
        self._stored = Counter()
        self._write_waiting()

    def _write_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            # The transaction that was waited for is not to fail for them.
            with suppress(StoreError), self._db.aside():
                for call in waiting:
                    self._insert(call)


def _frame_hash(call: Call) -> str:
    return digest(call.kind, call.model, call.parameters, call.system, call.schema)
