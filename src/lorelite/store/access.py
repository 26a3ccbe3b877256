"""How often nodes are read, counted beside the reads and stored with the next write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress

from lorelite.errors import StoreError
from lorelite.store.connection import Database


class AccessCounts:
    """Counts that wait in memory until a transaction takes them along: a read never writes."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._counts: Counter[str] = Counter()
        self._last: dict[str, int] = {}
        self._is_stored = False
        if not db.read_only:
            db.after_begin.append(self._store)
            db.after_commit.append(self._forget)
            db.after_rollback.append(self._keep)

    def note(self, ids: Iterable[str], now: int) -> None:
        """Nodes that were read now. A file that is open for reading alone counts nothing."""
        if self._db.read_only:
            return
        for id in ids:
            self._counts[id] += 1
            self._last[id] = now

    def write(self) -> None:
        """Store what waits, unless a transaction is open, which has taken it along already or brings it back.

        Where there is no room it goes on waiting: it is worth no error, least of all when a wiki is closed.
        """
        if self._counts and not self._db.in_transaction:
            with suppress(StoreError), self._db.atomic(is_change=False):
                self._store()

    def _store(self) -> None:
        if not self._counts:
            return
        self._db.run_many(
            """
            update node set access_count = access_count + ?, last_accessed_at = ?
             where id = ? and deleted_at is null""",
            [(count, self._last[id], id) for id, count in self._counts.items()],
        )
        self._is_stored = True

    def _forget(self) -> None:
        if self._is_stored:
            self._counts.clear()
            self._last.clear()
            self._is_stored = False

    def _keep(self) -> None:
        # Undoing an inner block leaves what the outermost one stored.
        if not self._db.in_transaction:
            self._is_stored = False
