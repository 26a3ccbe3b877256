"""One SQLite connection: opening, transactions that nest, and errors in our own words."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from lorelite.errors import (
    CannotOpen,
    ClosedError,
    NotADatabase,
    ReadOnly,
    StorageFull,
    StoreError,
    TransactionError,
    WriterLocked,
)
from lorelite.store.lock import WriterLock

Params = Mapping[str, Any] | Sequence[Any]
IN_BROWSER = sys.platform == "emscripten"
_OTHER_WRITER = "by another wiki of this tab that was not closed" if IN_BROWSER else "by another program"
_PATIENCE = 0 if IN_BROWSER else 5
"""Seconds to wait for another program's lock; in a tab nobody could let go of it meanwhile."""
_ROWS_PER_STATEMENT = 64
EVERY = 1 << 31
"""As a limit: all of them."""
_HEADER = b"SQLite format 3\0"
_SETTINGS = ("pragma foreign_keys = on", "pragma recursive_triggers = on", "pragma temp_store = memory")
# The browser's storage writes whole generations: a rollback journal in the mount would be saved too.
_WRITER_SETTINGS = (
    (
        "pragma locking_mode = exclusive",
        "pragma page_size = 4096",
        "pragma journal_mode = memory",
        "pragma synchronous = off",
    )
    if IN_BROWSER
    else ()
)


class Database:
    """An open file. Every statement goes through `run`, `rows`, `row` or `value`, which speak in LoreliteErrors."""

    def __init__(self, path: str, *, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self.cause: str | None = None
        """Why the present transaction writes, as far as somebody said."""
        self.before_begin: list[Callable[[], None]] = []
        """Called before an outermost transaction begins."""
        self.after_begin: list[Callable[[], None]] = []
        """Called inside an outermost transaction, before anything else."""
        self.after_commit: list[Callable[[], None]] = []
        self.after_rollback: list[Callable[[], None]] = []
        self.changes_aside = 0
        """Rows changed by `aside`, of those that SQLite counts."""
        self._syncs = False
        """Does each commit wait for the disk?"""
        self._depth = 0
        self._lock: WriterLock | None = None
        self._connection: sqlite3.Connection | None = None
        check_path(path, read_only)
        if not read_only and path != ":memory:" and not IN_BROWSER:
            self._lock = WriterLock(path)
        try:
            self._connect(_SETTINGS if read_only or path == ":memory:" else [*_WRITER_SETTINGS, *_SETTINGS])
        except BaseException:
            self.close()
            raise

    def begin_writing(self, durability: Literal["full", "normal"]) -> None:
        """Choose how commits reach the disk. This writes to the file, so it comes after the file was recognised."""
        if self.read_only or self.path == ":memory:" or IN_BROWSER:
            return
        self._syncs = durability == "full"
        self.run(f"pragma synchronous = {durability}")
        self.rows("pragma journal_mode = wal")

    def _connect(self, settings: Sequence[str]) -> None:
        try:
            self._connection = _open(self.path, self.read_only)
            self._connection.row_factory = sqlite3.Row
            for pragma in settings:
                self._connection.execute(pragma)
            self._connection.execute("select count(*) from sqlite_schema").fetchone()
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise WriterLocked(self.path, _OTHER_WRITER) from error
            if _is_full(error):
                raise StorageFull(self.path, str(error)) from error
            hint = "" if self.read_only else "; if its folder is read-only, open it with read_only=True"
            raise CannotOpen(self.path, f"{error}{hint}") from error
        except _REFUSALS as error:
            raise NotADatabase(self.path, str(error)) from error

    @property
    def connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise ClosedError(self.path)
        return self._connection

    @property
    def in_transaction(self) -> bool:
        return self._depth > 0

    def close(self) -> None:
        """Close the connection and release the writer's lock. Closing twice is fine."""
        if self._depth:
            raise TransactionError(f"cannot close {self.path!r} inside a transaction; leave the transaction first")
        if self._connection is not None:
            if not self.read_only and not IN_BROWSER:
                # Keeps the promise of one file: the write-ahead log is folded in and removed.
                with_errors_ignored(self._connection, "pragma wal_checkpoint(truncate)")
            self._connection.close()
            self._connection = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    # -- statements ---------------------------------------------------------------------------------------------

    def run(self, sql: str, params: Params = ()) -> int:
        """Execute a statement that returns no rows; gives the number of rows changed."""
        try:
            return self.connection.execute(sql, params).rowcount
        except _REFUSALS as error:
            raise self._translated(error) from error

    def run_many(self, sql: str, params: Iterable[Params]) -> int:
        """Execute one statement for each element; gives the number of rows changed."""
        try:
            return self.connection.executemany(sql, params).rowcount
        except _REFUSALS as error:
            raise self._translated(error) from error

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], then: str = "") -> int:
        """Insert rows, many by one statement; *then* is an `on conflict` clause. Gives the number of rows changed.

        A statement that fires triggers keeps a journal of its own, which costs more than a row.
        """
        names = ", ".join(f'"{name}"' for name in columns)
        marks = f"({', '.join('?' * len(columns))})"
        values = list(rows)
        changed = start = 0
        size = _ROWS_PER_STATEMENT
        while start < len(values):
            while size > len(values) - start:
                size //= 2
            batch = values[start : start + size]
            sql = f"insert into {table} ({names}) values {', '.join([marks] * size)} {then}"
            changed += self.run(sql, list(chain.from_iterable(batch)))
            start += size
        return changed

    def rows(self, sql: str, params: Params = ()) -> list[sqlite3.Row]:
        try:
            return self.connection.execute(sql, params).fetchall()
        except _REFUSALS as error:
            raise self._translated(error) from error

    def each(self, sql: str, params: Params = ()) -> Iterator[sqlite3.Row]:
        """The rows one at a time, for results that need not fit into memory."""
        try:
            yield from self.connection.execute(sql, params)
        except _REFUSALS as error:
            raise self._translated(error) from error

    def row(self, sql: str, params: Params = ()) -> sqlite3.Row | None:
        found = self.rows(sql, params)
        return found[0] if found else None

    def value(self, sql: str, params: Params = ()) -> Any:
        """The first column of the first row, or None."""
        row = self.row(sql, params)
        return None if row is None else row[0]

    # -- transactions -------------------------------------------------------------------------------------------

    @contextmanager
    def atomic(self, cause: str | None = None, *, is_change: bool = True) -> Iterator[None]:
        """All or nothing. Nests: an inner block that fails undoes only itself.

        cause: what the log calls the changes; where blocks nest, the outermost that names one is right. is_change:
        False for what changes nothing that is logged, which then spares the log its preparations.
        """
        if self.read_only:
            raise ReadOnly(self.path)
        level, outer_cause = self._depth, self.cause
        if level == 0 and is_change:
            for hook in self.before_begin:
                hook()
        self.run("begin immediate" if level == 0 else f"savepoint level_{level}")
        self._depth += 1
        try:
            self.cause = outer_cause or cause
            if level == 0 and is_change:
                for hook in self.after_begin:
                    hook()
            yield
            # Inside the try: a commit that fails (disk full) must be undone as well.
            self._depth -= 1
            self.run("commit" if level == 0 else f"release level_{level}")
        except BaseException:
            self._depth = level
            self._undo(level)
            raise
        finally:
            self.cause = outer_cause
        if level == 0:
            for hook in self.after_commit:
                hook()

    @contextmanager
    def aside(self, *, waits: bool = True) -> Iterator[None]:
        """As `atomic`, for rows that nothing kept in memory is worked out from: recorded calls.

        waits: False does not wait for the disk. A killed process loses nothing then, a power cut what came since the
        last commit that waited.
        """
        before = self.connection.total_changes
        is_quick = self._syncs and not waits and self._depth == 0
        if is_quick:
            self.run("pragma synchronous = normal")
        try:
            with self.atomic(is_change=False):
                yield
        finally:
            if is_quick:
                self.run("pragma synchronous = full")
        self.changes_aside += self.connection.total_changes - before

    @property
    def changes(self) -> int:
        """Grows with every row that is changed but by `aside`."""
        return self.connection.total_changes - self.changes_aside

    def _undo(self, level: int) -> None:
        connection = self.connection
        # After some failures SQLite has rolled back by itself.
        if connection.in_transaction:
            if level == 0:
                with_errors_ignored(connection, "rollback")
            else:
                with_errors_ignored(connection, f"rollback to level_{level}")
                with_errors_ignored(connection, f"release level_{level}")
        for hook in self.after_rollback:
            hook()

    def _translated(self, error: Exception) -> BaseException:
        text = str(error)
        if "user-defined function raised" in text:
            # The log's functions raise nothing of their own: Ctrl-C fell into one, and SQLite tells no more of it.
            return KeyboardInterrupt()
        if _is_full(error):
            return StorageFull(self.path, text)
        if "readonly database" in text:
            return ReadOnly(self.path)
        if "locked" in text or "busy" in text:
            return WriterLocked(self.path, _OTHER_WRITER)
        if any(sign in text for sign in _SIGNS_OF_CORRUPTION):
            return NotADatabase(self.path, text)
        return StoreError(f"{self.path!r} could not be read or written: {text}; committed data is safe")


_REFUSALS = (sqlite3.Error, sqlite3.Warning, OverflowError, UnicodeError)
"""What SQLite raises, and what its Python side raises for a number or a text that SQLite cannot hold."""
_SIGNS_OF_CORRUPTION = ("malformed", "not a database", "Could not decode to UTF-8", "vtable constructor failed")


def with_errors_ignored(connection: sqlite3.Connection, sql: str) -> None:
    """Run a clean-up statement whose failure must not hide the error that led to it."""
    try:
        connection.execute(sql).fetchall()
    except _REFUSALS:
        return


def _is_full(error: Exception) -> bool:
    return "disk is full" in str(error)


def check_path(path: str, read_only: bool) -> None:
    """Raises CannotOpen or NotADatabase when there can be no wiki at *path*."""
    if path == ":memory:":
        return
    if not path or "\0" in path or has_surrogates(path):
        raise CannotOpen(path, "expected a file path or ':memory:'")
    file = Path(path)
    try:
        if file.is_dir():
            raise CannotOpen(path, "it is a folder, expected a file")
        if not file.parent.is_dir():
            raise CannotOpen(path, f"the folder {str(file.parent)!r} does not exist; create it first")
        if not file.exists():
            if read_only:
                raise CannotOpen(path, "the file does not exist; open it for writing to create it")
            return
        if not file.is_file():
            raise CannotOpen(path, "it is not a regular file")
        with file.open("rb") as stream:
            head = stream.read(16)
    except OSError as error:
        raise CannotOpen(path, error.strerror or str(error)) from error
    if head and head != _HEADER:
        raise NotADatabase(path, f"it does not begin like an SQLite file (found {head[:16]!r})")


def has_surrogates(text: str) -> bool:
    """Whether UTF-8, and so SQLite, cannot hold the text."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def _open(path: str, read_only: bool) -> sqlite3.Connection:
    # Autocommit: transactions are ours alone. Threads are kept apart by the blocking face's lock.
    if not read_only:
        return sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=_PATIENCE)
    uri = Path(path).absolute().as_uri()
    # In a folder that cannot be written, a file in WAL mode opens only as immutable; that is right when no
    # write-ahead log is there, since then nobody is writing.
    for query in ("?mode=ro", "?immutable=1"):
        connection = sqlite3.connect(
            uri + query, uri=True, isolation_level=None, check_same_thread=False, timeout=_PATIENCE
        )
        try:
            connection.execute("select count(*) from sqlite_schema").fetchone()
            return connection
        except sqlite3.OperationalError:
            connection.close()
            if query != "?mode=ro" or Path(path + "-wal").exists():
                raise
    raise AssertionError("unreachable")
