"""The whole file: opens it, brings its schema up to date, and holds one table object per kind of row."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, TypeVar

from lorelite.errors import CannotOpen, NewerSchema, NotADatabase, StorageFull
from lorelite.ports import Clock
from lorelite.store.access import AccessCounts
from lorelite.store.board import Board
from lorelite.store.calls import CallTable
from lorelite.store.changes import ChangeLog
from lorelite.store.chunks import ChunkTable
from lorelite.store.communities import CommunityTable
from lorelite.store.connection import IN_BROWSER, Database, check_path
from lorelite.store.documents import DocumentTable
from lorelite.store.dump import DumpTable
from lorelite.store.edges import EdgeTable
from lorelite.store.entity_graph import EntityGraph
from lorelite.store.health import HealthTable
from lorelite.store.jobs import JobTable
from lorelite.store.journal import JournalTable
from lorelite.store.keyword import KeywordStore
from lorelite.store.lock import NO_ROOM, WriterLock
from lorelite.store.memos import MemoTable
from lorelite.store.merge_shares import MergeShareTable
from lorelite.store.merges import MergeTable
from lorelite.store.migrate import check_recognised, migrate
from lorelite.store.namespaces import NamespaceTable
from lorelite.store.nodes import NodeTable
from lorelite.store.ontology import OntologyTable
from lorelite.store.pruning import PruneTable
from lorelite.store.remembered import Remembered
from lorelite.store.review import ReviewTable
from lorelite.store.rows import RowTable
from lorelite.store.sources import SourceTable
from lorelite.store.statements import StatementTable
from lorelite.store.succession import SuccessionTable
from lorelite.store.vectors import VectorTable
from lorelite.temporal import now_ms

T = TypeVar("T")


class _Rehearsal(Exception):
    """Unwinds a dry run."""


class Store:
    """An open Lorelite file. Opening costs the same whatever the file holds."""

    def __init__(
        self,
        path: str,
        *,
        read_only: bool = False,
        keyword_index: Literal["auto", "fts5", "memory"] = "auto",
        durability: Literal["full", "normal"] = "full",
        clock: Clock = now_ms,
        record_changes: bool = True,
    ) -> None:
        self.path = path
        self.read_only = read_only
        self.clock = clock
        self.owner: object = None
        """Marks the task that holds the present transaction; see transaction.py."""
        self.db = Database(path, read_only=read_only)
        try:
            check_recognised(self.db)
            self.db.begin_writing(durability)
            migrate(self.db)
            self.namespaces = NamespaceTable(self.db, clock)
            self.keyword = KeywordStore(self.db, self.namespaces, keyword_index)
        except BaseException:
            self.db.close()
            raise
        self.changes = ChangeLog(self.db, clock, recording=record_changes)
        self.nodes = NodeTable(self.db, self.keyword, clock)
        self.succession = SuccessionTable(self.db)
        self.edges = EdgeTable(self.db, clock)
        self.documents = DocumentTable(self.db, clock)
        self.statements = StatementTable(self.db, self.edges)
        self.chunks = ChunkTable(self.db, clock)
        self.entities = EntityGraph(self.db, clock)
        self.communities = CommunityTable(self.db)
        self.memos = MemoTable(self.db)
        self.merges = MergeTable(self.db)
        self.merge_shares = MergeShareTable(self.db)
        self.rows = RowTable(self.db, self.keyword)
        self.sources = SourceTable(self.db)
        self.review = ReviewTable(self.db)
        self.journal = JournalTable(self.db)
        self.vectors = VectorTable(self.db)
        self.access = AccessCounts(self.db)
        self.ontology = OntologyTable(self.db, clock)
        self.pruning = PruneTable(self.db)
        self.health = HealthTable(self.db, clock)
        self.jobs = JobTable(self.db, clock)
        self.dump = DumpTable(self.db)
        self.calls = CallTable(self.db)
        self.board = Board()
        self.remembered = Remembered(self.db)

    @contextmanager
    def atomic(self, cause: str | None = None) -> Iterator[None]:
        """All or nothing; nests. *cause* is what the log calls the changes: the outermost that is named."""
        with self.db.atomic(cause):
            yield

    def rehearsed(self, act: Callable[[], T]) -> T:
        """What *act* gives: everything is done, counted and undone."""
        given: list[T] = []
        with suppress(_Rehearsal), self.atomic():
            given.append(act())
            raise _Rehearsal
        return given[0]

    def size_bytes(self) -> int:
        return int(self.db.value("pragma page_count")) * int(self.db.value("pragma page_size"))

    def to_bytes(self, *, calls: bool = True) -> bytes:
        """The file's committed content as one SQLite database that opens anywhere; without *calls* no model's calls."""
        data = bytearray(self.db.connection.serialize() if calls else self._without_calls())
        # Bytes 18 and 19 say "write-ahead log"; all of it is folded in here, and not every reader knows the mode.
        data[18:20] = b"\x01\x01"
        return bytes(data)

    def _without_calls(self) -> bytes:
        copy = Database(":memory:")
        try:
            self.db.connection.backup(copy.connection)
            copy.run("delete from call")
            copy.run("delete from call_frame")
            # Or the pages would still hold what was deleted.
            copy.run("vacuum")
            return copy.connection.serialize()
        finally:
            copy.close()

    def close(self) -> None:
        self.db.close()


_IMPORTED = "the data to import"


def check_bytes(data: bytes) -> None:
    """Raises NotADatabase or NewerSchema unless *data* is a file that this Lorelite can open."""
    if not data:
        raise NotADatabase(_IMPORTED, "it is empty")
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "imported.db"
            path.write_bytes(data)
            Store(str(path), read_only=True).close()
    except NotADatabase as error:
        raise NotADatabase(_IMPORTED, error.data["reason"]) from error
    except NewerSchema as error:
        raise NewerSchema(_IMPORTED, error.data["found"], error.data["known"]) from error
    except OSError as error:
        raise StorageFull(tempfile.gettempdir(), f"the import could not be checked there: {error}") from error


def replace_file(path: str, data: bytes) -> None:
    """Put *data* at *path*, whole or not at all. Raises WriterLocked while somebody has the file open for writing."""
    check_path(path, read_only=False)
    lock = None if IN_BROWSER else WriterLock(path)
    partial = Path(f"{path}.partial")
    try:
        partial.write_bytes(data)
        # Leftovers of a crashed writer belong to the old content and would be played into the new one.
        for suffix in ("-wal", "-shm", "-journal"):
            Path(path + suffix).unlink(missing_ok=True)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        if error.errno in NO_ROOM:
            raise StorageFull(path, str(error)) from error
        raise CannotOpen(path, f"it cannot be replaced: {error.strerror or error}") from error
    finally:
        if lock is not None:
            lock.release()
