"""Jobs: one row per run, from which an interrupted run goes on and a reader sees what is under way.

The newest run is the one that was begun last, whatever the clock said: one that was set back must not make an old
watermark count again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from lorelite.hooks import Caller
from lorelite.ids import random_id
from lorelite.ports import Clock
from lorelite.reports import JobStatus
from lorelite.store.connection import Database

LEASE_MS = 600_000
"""How long a running job is believed to run without a sign of life."""
KEPT_ROWS = 20
"""Finished runs that are kept for each kind of job in a namespace."""


class JobTable:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._owner = random_id("open")

    # -- reading ------------------------------------------------------------------------------------------------

    def watermark(self, namespace: str, kind: str) -> int:
        """How far runs of this kind have read; 0 before the first."""
        return int(self._newest(namespace, kind, "watermark") or 0)

    def interrupted(self, namespace: str, kind: str) -> sqlite3.Row | None:
        """The run of this kind that was begun and did not end. Ask only while none is under way."""
        return self._db.row(
            """
            select id, watermark, progress from job where namespace = ? and kind = ? and state = 'running'
             order by rowid desc limit 1""",
            (namespace, kind),
        )

    def begun(self, namespace: str) -> list[JobStatus]:
        """The runs that have not ended, oldest first: "running" while the lease holds, else "interrupted"."""
        rows = self._db.rows("select * from job where namespace = ? and state = 'running' order by rowid", (namespace,))
        now = self._clock()
        return [
            JobStatus(
                id=row["id"],
                kind=row["kind"],
                namespace=namespace,
                state="running" if (row["lease_until"] or 0) > now else "interrupted",
                caller=row["caller"],
                since=row["updated_at"],
                progress=json.loads(row["progress"]),
                lease_until=row["lease_until"],
            )
            for row in rows
        ]

    def failures(self, namespace: str, kind: str) -> tuple[int, int]:
        """(how many runs failed since the last that did not, when the latest of them failed)."""
        rows = self._db.rows(
            """
            select state, updated_at from job where namespace = ? and kind = ?
             order by rowid desc limit ?""",
            (namespace, kind, KEPT_ROWS),
        )
        count = next((index for index, row in enumerate(rows) if row["state"] != "failed"), len(rows))
        return count, rows[0]["updated_at"] if count else 0

    def failed(self, namespace: str, kind: str) -> dict[str, Any]:
        """What the newest run of this kind had saved, if it failed; else nothing."""
        row = self._db.row(
            "select state, progress from job where namespace = ? and kind = ? order by rowid desc limit 1",
            (namespace, kind),
        )
        return json.loads(row["progress"]) if row is not None and row["state"] == "failed" else {}

    def latest(self, namespace: str, kind: str) -> int:
        """When there was last something of a run of this kind; 0 before the first."""
        return int(self._newest(namespace, kind, "updated_at") or 0)

    def _newest(self, namespace: str, kind: str, column: str) -> Any:
        return self._db.value(
            f"select {column} from job where namespace = ? and kind = ? order by rowid desc limit 1",
            (namespace, kind),
        )

    # -- writing ------------------------------------------------------------------------------------------------

    def begin(self, namespace: str, kind: str, caller: Caller) -> tuple[str, int, dict[str, Any]]:
        """Start a run, or take up the one that was interrupted; gives (id, watermark, its progress)."""
        now = self._clock()
        row = self.interrupted(namespace, kind)
        if row is not None:
            self._db.run(
                "update job set caller = ?, owner = ?, lease_until = ?, updated_at = ?, error = null where id = ?",
                (caller, self._owner, now + LEASE_MS, now, row["id"]),
            )
            return row["id"], row["watermark"], json.loads(row["progress"])
        id, watermark = random_id("job"), self.watermark(namespace, kind)
        self._db.run(
            """
            insert into job (id, namespace, kind, caller, state, watermark, owner, lease_until, created_at, updated_at)
            values (?, ?, ?, ?, 'running', ?, ?, ?, ?, ?)""",
            (id, namespace, kind, caller, watermark, self._owner, now + LEASE_MS, now, now),
        )
        return id, watermark, {}

    def save(self, id: str, progress: Mapping[str, Any], watermark: int | None) -> None:
        """Store how far a run has come, and renew its lease."""
        now = self._clock()
        self._db.run(
            """
            update job set progress = ?, watermark = coalesce(?, watermark), lease_until = ?, updated_at = ?
             where id = ?""",
            (json.dumps(progress, ensure_ascii=False), watermark, now + LEASE_MS, now, id),
        )

    def finish(self, id: str, report: Mapping[str, Any]) -> None:
        self._end(id, "done", json.dumps(report, ensure_ascii=False, default=str), None)
        self._db.run(
            """
            delete from job where rowid in (
              select old.rowid from job this join job old on old.namespace = this.namespace and old.kind = this.kind
               where this.id = ? and old.state in ('done', 'failed')
               order by old.rowid desc limit -1 offset ?)""",
            (id, KEPT_ROWS),
        )

    def fail(self, id: str, error: str) -> None:
        """The run ended with an error; the next one starts anew, from the watermark."""
        self._end(id, "failed", None, error)

    def reset(self, namespace: str) -> None:
        """Every kind of job begins anew: what it had read is gone."""
        self._db.run("update job set watermark = 0, progress = '{}' where namespace = ?", (namespace,))

    def interrupt(self, id: str) -> None:
        """Nobody runs it any more; the next run of its kind goes on from its progress."""
        self._db.run("update job set owner = null, lease_until = 0, updated_at = ? where id = ?", (self._clock(), id))

    def _end(self, id: str, state: str, report: str | None, error: str | None) -> None:
        self._db.run(
            """
            update job set state = ?, report = ?, error = ?, owner = null, lease_until = null, updated_at = ?
             where id = ?""",
            (state, report, error, self._clock(), id),
        )
