"""The keyword index beside the nodes: FTS5 where it exists, else in memory, behind one interface."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from lorelite.errors import InvalidOption
from lorelite.search.inverted import InvertedIndex
from lorelite.search.query_plan import Clause, Vocabulary
from lorelite.store.connection import Database
from lorelite.store.keyword_fts import COLUMN_WEIGHTS, FtsIndex
from lorelite.store.namespaces import NamespaceTable
from lorelite.text.tokens import TOKENIZER_VERSION, index_tokens


@dataclass(frozen=True, slots=True)
class IndexedText:
    """What the index holds of one live node."""

    key: int
    title: str
    body: str
    tags: str
    """The JSON array as stored."""

    def columns(self) -> tuple[list[str], list[str], list[str]]:
        tags = [] if self.tags == "[]" else index_tokens(" ".join(json.loads(self.tags)))
        return index_tokens(self.title), index_tokens(self.body), tags


class KeywordIndex(Vocabulary, Protocol):
    """One namespace's index."""

    def __len__(self) -> int:
        """How many nodes it holds."""
        ...

    def add(self, key: int, columns: tuple[Sequence[str], ...]) -> None: ...

    def remove(self, key: int, columns: tuple[Sequence[str], ...]) -> None: ...

    def match(self, clauses: Sequence[Clause], limit: int) -> list[tuple[int, float]]:
        """(node key, score) of the best *limit* nodes that hold any clause; higher is better."""
        ...


class KeywordStore:
    """Finds, builds and keeps up the index of each namespace.

    The FTS5 table mirrors the live nodes within the same transaction. Where it cannot (no FTS5, or `keyword_index=
    "memory"`), it is marked as out of step and rebuilt by the next writer that can.
    """

    def __init__(self, db: Database, namespaces: NamespaceTable, choice: Literal["auto", "fts5", "memory"]) -> None:
        self._db = db
        self._namespaces = namespaces
        has_fts5 = bool(db.value("select 1 from pragma_module_list where name = 'fts5'"))
        if choice == "fts5" and not has_fts5:
            raise InvalidOption("WikiConfig.keyword_index", "'auto' or 'memory' (this SQLite has no FTS5)", choice)
        self.kind: Literal["fts5", "memory"] = "fts5" if has_fts5 and choice != "memory" else "memory"
        self._in_memory: dict[str, InvertedIndex] = {}
        self._seen_version: int | None = None
        db.after_rollback.append(self._in_memory.clear)

    def index(self, namespace: str) -> KeywordIndex | None:
        """The index of a namespace, built first where it has to be; None for an unknown namespace."""
        row = self._namespaces.get(namespace)
        if row is None:
            return None
        if self.kind == "fts5":
            if row.tokenizer_version == TOKENIZER_VERSION:
                return FtsIndex(self._db, row.number)
            if not self._db.read_only:
                self.rebuild(namespace)
                return FtsIndex(self._db, row.number)
        self._forget_what_others_changed()
        if namespace not in self._in_memory:
            self._in_memory[namespace] = self._built(namespace)
        return self._in_memory[namespace]

    def replace(self, namespace: str, old: Iterable[IndexedText], new: Iterable[IndexedText]) -> None:
        """Keep the index in step with a write: *old* texts go, *new* ones come. Within the write's transaction."""
        row = self._namespaces.ensure(namespace)
        index: KeywordIndex | None
        if self.kind == "fts5":
            # An index made now starts from the nodes that are stored already, the new ones included.
            if row.tokenizer_version != TOKENIZER_VERSION:
                self.rebuild(namespace)
                return
            index = FtsIndex(self._db, row.number)
        else:
            if row.tokenizer_version is not None:
                self._namespaces.set_tokenizer_version(namespace, None)
            index = self._in_memory.get(namespace)
            if index is None:
                return
        for text in old:
            index.remove(text.key, text.columns())
        for text in new:
            index.add(text.key, text.columns())

    def rebuild(self, namespace: str) -> int:
        """Build the index anew from the stored nodes; gives their number."""
        self._in_memory.pop(namespace, None)
        if self.kind == "memory":
            self._in_memory[namespace] = index = self._built(namespace)
            return len(index)
        with self._db.atomic():
            row = self._namespaces.ensure(namespace)
            FtsIndex.create(self._db, row.number)
            self._namespaces.set_tokenizer_version(namespace, TOKENIZER_VERSION)
            return FtsIndex(self._db, row.number).add_all(
                (text.key, text.columns()) for text in self._live_texts(namespace)
            )

    def compact(self, namespace: str) -> None:
        """Drop what the stored index still holds of removed texts."""
        row = self._namespaces.get(namespace)
        if self.kind == "fts5" and row is not None and row.tokenizer_version == TOKENIZER_VERSION:
            FtsIndex(self._db, row.number).compact()

    def _forget_what_others_changed(self) -> None:
        """A commit of another connection does not pass through `replace`."""
        version = self._db.value("pragma data_version")
        if version != self._seen_version:
            self._in_memory.clear()
            self._seen_version = version

    def _built(self, namespace: str) -> InvertedIndex:
        index = InvertedIndex(COLUMN_WEIGHTS)
        for text in self._live_texts(namespace):
            index.add(text.key, text.columns())
        return index

    def _live_texts(self, namespace: str) -> Iterator[IndexedText]:
        last, batch = 0, 500
        while True:
            rows = self._db.rows(
                """
                select key, title, body, tags from node
                 where namespace = :namespace and deleted_at is null and key > :last
                 order by key limit :batch""",
                {"namespace": namespace, "last": last, "batch": batch},
            )
            yield from map(indexed_text, rows)
            if len(rows) < batch:
                return
            last = rows[-1]["key"]


def indexed_text(row: sqlite3.Row) -> IndexedText:
    return IndexedText(row["key"], row["title"], row["body"], row["tags"])
