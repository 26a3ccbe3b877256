"""The keyword index beside the nodes: FTS5 where it exists, else in memory, behind one interface."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from lorelite.errors import InvalidOption
from lorelite.records import Kind
from lorelite.search.inverted import InvertedIndex
from lorelite.store.connection import Database
from lorelite.store.keyword_fts import COLUMN_WEIGHTS, FtsIndex
from lorelite.store.keyword_parts import ALWAYS, PARTS, KeywordIndex, Part, PartedIndex, part_of
from lorelite.store.namespaces import NamespaceRow, NamespaceTable
from lorelite.text.tokens import TOKENIZER_VERSION, index_tokens


@dataclass(frozen=True, slots=True)
class IndexedText:
    """What the index holds of one live node."""

    key: int
    part: Part
    title: str
    body: str
    tags: str
    """The JSON array as stored."""

    def columns(self) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
        tags = index_tokens(" ".join(json.loads(self.tags))) if self.tags != "[]" else []
        return _tokens(self.title), _tokens(self.body), tags


@lru_cache(maxsize=1024)
def _tokens(text: str) -> tuple[str, ...]:
    """Remembered, since what an index is told to forget is mostly what it was told a moment ago."""
    return tuple(index_tokens(text))


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
        self._in_memory: dict[tuple[str, Part], InvertedIndex] = {}
        self._seen_version: int | None = None
        db.after_rollback.append(self._in_memory.clear)

    def index(self, namespace: str, kinds: Sequence[str] | None = None) -> KeywordIndex | None:
        """The index of a namespace, built first where it has to be; None for an unknown namespace, or no kinds.

        kinds: the parts with nodes of these kinds alone; None: all.
        """
        row = self._namespaces.get(namespace)
        wanted = PARTS if kinds is None else [part for part in PARTS if part in set(map(part_of, kinds))]
        if row is None or not wanted:
            return None
        first, *others = self._parts(row, wanted)
        filled = [first, *(part for part in others if len(part))]
        return first if len(filled) == 1 else PartedIndex(filled)

    def _parts(self, row: NamespaceRow, wanted: Sequence[Part]) -> Sequence[KeywordIndex]:
        if self.kind == "fts5":
            is_stored = row.tokenizer_version == TOKENIZER_VERSION
            if not is_stored and not self._db.read_only:
                self.rebuild(row.name)
                is_stored = True
            if is_stored:
                return [self._stored(row, part) for part in wanted]
        self._forget_what_others_changed()
        for part in wanted:
            if (row.name, part) not in self._in_memory:
                self._in_memory[row.name, part] = self._built(row.name, part)
        return [self._in_memory[row.name, part] for part in wanted]

    def _stored(self, row: NamespaceRow, part: Part) -> KeywordIndex:
        """An empty one where the file has none, since there was nothing to put into it."""
        is_there = part in ALWAYS or FtsIndex.exists(self._db, row.number, part)
        return FtsIndex(self._db, row.number, part) if is_there else InvertedIndex(COLUMN_WEIGHTS)

    def replace(self, namespace: str, old: Iterable[IndexedText], new: Iterable[IndexedText]) -> None:
        """Keep the index in step with a write: *old* texts go, *new* ones come. Within the write's transaction."""
        row = self._namespaces.ensure(namespace)
        if self.kind == "fts5":
            # An index made now starts from the nodes that are stored already, the new ones included.
            if row.tokenizer_version != TOKENIZER_VERSION:
                self.rebuild(namespace)
                return
            gone, come = list(old), list(new)
            for part in {text.part: None for text in (*gone, *come)}:
                if part not in ALWAYS and not FtsIndex.exists(self._db, row.number, part):
                    FtsIndex.create(self._db, row.number, part)
                index = FtsIndex(self._db, row.number, part)
                index.remove_all((text.key, text.columns()) for text in gone if text.part == part)
                index.add_all((text.key, text.columns()) for text in come if text.part == part)
            return
        if row.tokenizer_version is not None:
            self._namespaces.set_tokenizer_version(namespace, None)
        for text in old:
            if (namespace, text.part) in self._in_memory:
                self._in_memory[namespace, text.part].remove(text.key, text.columns())
        for text in new:
            if (namespace, text.part) in self._in_memory:
                self._in_memory[namespace, text.part].add(text.key, text.columns())

    def rebuild(self, namespace: str) -> int:
        """Build the index anew from the stored nodes; gives their number."""
        if self.kind == "memory":
            for part in PARTS:
                self._in_memory[namespace, part] = self._built(namespace, part)
            return sum(len(self._in_memory[namespace, part]) for part in PARTS)
        with self._db.atomic():
            row = self._namespaces.ensure(namespace)
            count = 0
            for part in PARTS:
                FtsIndex.drop(self._db, row.number, part)
                if part not in ALWAYS and next(self._live_texts(namespace, part), None) is None:
                    continue
                FtsIndex.create(self._db, row.number, part)
                texts = ((text.key, text.columns()) for text in self._live_texts(namespace, part))
                count += FtsIndex(self._db, row.number, part).add_all(texts)
            self._namespaces.set_tokenizer_version(namespace, TOKENIZER_VERSION)
        return count

    def compact(self, namespace: str) -> None:
        """Drop what the stored index still holds of removed texts."""
        row = self._namespaces.get(namespace)
        if self.kind == "fts5" and row is not None and row.tokenizer_version == TOKENIZER_VERSION:
            for part in PARTS:
                index = self._stored(row, part)
                if isinstance(index, FtsIndex):
                    index.compact()

    def _forget_what_others_changed(self) -> None:
        """A commit of another connection does not pass through `replace`."""
        version = self._db.value("pragma data_version")
        if version != self._seen_version:
            self._in_memory.clear()
            self._seen_version = version

    def _built(self, namespace: str, part: Part) -> InvertedIndex:
        index = InvertedIndex(COLUMN_WEIGHTS)
        for text in self._live_texts(namespace, part):
            index.add(text.key, text.columns())
        return index

    def _live_texts(self, namespace: str, part: Part) -> Iterator[IndexedText]:
        last, batch = 0, 500
        kinds = json.dumps([kind for kind in get_args(Kind) if part_of(kind) == part])
        while True:
            rows = self._db.rows(
                """
                select key, kind, title, body, tags from node
                 where namespace = :namespace and deleted_at is null and key > :last
                   and kind in (select value from json_each(:kinds))
                 order by key limit :batch""",
                {"namespace": namespace, "last": last, "batch": batch, "kinds": kinds},
            )
            yield from map(indexed_text, rows)
            if len(rows) < batch:
                return
            last = rows[-1]["key"]


def indexed_text(row: sqlite3.Row) -> IndexedText:
    """Of a row with key, kind, title, body and tags."""
    return IndexedText(row["key"], part_of(row["kind"]), row["title"], row["body"], row["tags"])
