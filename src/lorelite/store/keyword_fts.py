"""A namespace's FTS5 index. Terms are made by our own tokeniser, so no user text ever reaches MATCH syntax."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from lorelite.errors import NotADatabase
from lorelite.search.bm25 import COLUMN_BITS, OFFSET_BITS, best, in_a_row, numbers, numpy_for, varints, varints_of
from lorelite.search.query_plan import Clause
from lorelite.store.connection import Database
from lorelite.store.keyword_parts import Part

# Our tokens hold no separators and no controls: with every other category allowed, FTS5 leaves each one whole.
_TOKENIZER = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co Cn Cf'"


COLUMN_WEIGHTS = (2.0, 1.0, 1.0)
"""Title, body, tags."""
_RANK = f"bm25({', '.join(map(str, COLUMN_WEIGHTS))})"
_PLACE = f"(((doc << {COLUMN_BITS}) + (col <> 'title') + (col = 'tags')) << {OFFSET_BITS}) + offset"
_MOST_PLACES = 2_000_000
"""What is held of them in memory at once; beyond that FTS5 does the scoring, which holds less and takes longer."""


class FtsIndex:
    """The contentless table keyword_<number> of the passages, keyword_<number>_names of the names and so on: columns
    title, body, tags; rowid = node.key."""

    def __init__(self, db: Database, number: int, part: Part = "passages") -> None:
        self._db = db
        name = _name(number, part)
        self._table = f"keyword_{name}"
        self._vocabulary = f"temp.vocabulary_{name}"
        self._occurrences = f"temp.occurrences_{name}"
        self._is_open = False

    @staticmethod
    def exists(db: Database, number: int, part: Part) -> bool:
        name = f"keyword_{_name(number, part)}"
        # The list of all tables grows with the namespaces of the file.
        return bool(db.value("select 1 from pragma_table_info(?)", (name,)))

    @staticmethod
    def drop(db: Database, number: int, part: Part) -> None:
        """Take the table away, if it is there."""
        name = _name(number, part)
        for table in (f"temp.vocabulary_{name}", f"temp.occurrences_{name}", f"keyword_{name}"):
            db.run(f"drop table if exists {table}")

    @classmethod
    def create(cls, db: Database, number: int, part: Part = "passages") -> None:
        """Make the table, empty, in place of one that may be there."""
        cls.drop(db, number, part)
        name = _name(number, part)
        db.run(
            f"""
            create virtual table keyword_{name} using fts5(
                title, body, tags, content='', tokenize="{_TOKENIZER}")"""
        )

    def add(self, key: int, columns: tuple[Sequence[str], ...]) -> None:
        self.add_all([(key, columns)])

    def add_all(self, texts: Iterable[tuple[int, tuple[Sequence[str], ...]]]) -> int:
        """Add the columns of each key; gives how many."""
        return self._db.run_many(
            f"insert into {self._table}(rowid, title, body, tags) values (?, ?, ?, ?)",
            ((key, *map(" ".join, columns)) for key, columns in texts),
        )

    def remove(self, key: int, columns: tuple[Sequence[str], ...]) -> None:
        self.remove_all([(key, columns)])

    def remove_all(self, texts: Iterable[tuple[int, tuple[Sequence[str], ...]]]) -> None:
        # A contentless table forgets a row when told exactly what it held.
        self._db.run_many(
            f"insert into {self._table}({self._table}, rowid, title, body, tags) values ('delete', ?, ?, ?, ?)",
            ((key, *map(" ".join, columns)) for key, columns in texts),
        )

    def compact(self) -> None:
        """Merge the index into one piece, which leaves out what was removed."""
        self._db.run(f"insert into {self._table}({self._table}) values ('optimize')")

    def __len__(self) -> int:
        return self._totals()[0]

    def frequencies(self, tokens: Iterable[str]) -> dict[str, int]:
        self._open_vocabulary()
        asked = list(tokens)
        rows = self._db.rows(
            f"select (select doc from {self._vocabulary} where term = k.value) as doc from json_each(?) k",
            (json.dumps(asked),),
        )
        return {token: row["doc"] for token, row in zip(asked, rows, strict=True) if row["doc"]}

    def starting_with(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        self._open_vocabulary()
        rows = self._db.rows(
            f"select term, doc from {self._vocabulary} where term >= ? and term < ? order by term limit ?",
            (prefix, prefix + "\U0010ffff", limit),
        )
        return [(row["term"], row["doc"]) for row in rows]

    def holds_phrase(self, phrase: Clause) -> bool:
        sql = f"select 1 from {self._table} where {self._table} match ? limit 1"
        return self._db.value(sql, (_quoted(phrase),)) is not None

    def match(self, clauses: Sequence[Clause], limit: int) -> list[tuple[int, float]]:
        if not clauses or limit < 1:
            return []
        nodes, tokens = self._totals()
        numpy = numpy_for(nodes)
        places = None if numpy is None else self._places(numpy, clauses)
        if places is None:
            return self._ranked(clauses, limit)
        return best(numpy, places, COLUMN_WEIGHTS, nodes, tokens, lambda keys: self._lengths(numpy, keys), limit)

    def _ranked(self, clauses: Sequence[Clause], limit: int) -> list[tuple[int, float]]:
        rows = self._db.rows(
            f"""
            select rowid as key, -rank as score from {self._table}
             where {self._table} match ? and rank match '{_RANK}'
             order by rank limit ?""",
            (" OR ".join(map(_quoted, clauses)), limit),
        )
        return [(row["key"], row["score"]) for row in rows]

    def _places(self, numpy: Any, clauses: Sequence[Clause]) -> list[Any] | None:
        """Where each clause stands, ascending; None where that is more than should be held."""
        self._db.run(
            f"create virtual table if not exists {self._occurrences} using fts5vocab(main, '{self._table}', 'instance')"
        )
        tokens = list(dict.fromkeys(token for clause in clauses for token in clause))
        rows = self._db.each(
            f"""
            select (select group_concat({_PLACE}) from {self._occurrences} where term = k.value)
              from json_each(?) k""",
            (json.dumps(tokens),),
        )
        found: dict[str, Any] = {}
        held = 0
        for token, row in zip(tokens, rows, strict=True):
            found[token] = numbers(numpy, row[0])
            held += len(found[token])
            if held > _MOST_PLACES:
                return None
        return [in_a_row(numpy, [found[token] for token in clause]) for clause in clauses]

    def _totals(self) -> tuple[int, int]:
        """How many nodes there are, and how many tokens in them."""
        if self._db.in_transaction:
            # FTS5 keeps back what was written, the totals too, until somebody asks for a term.
            self.starting_with("", 1)
        record = self._db.value(f"select block from {self._table}_data where id = 1")
        nodes, *tokens = varints(record) or [0]
        return nodes, sum(tokens)

    def _lengths(self, numpy: Any, keys: Any) -> Any:
        """How many tokens each node has; the keys ascend."""
        row = self._db.row(
            f"""
            select cast(group_concat(d.sz, '') as blob) as sizes, count(*) as nodes
              from json_each(?) k cross join {self._table}_docsize d on d.id = k.value""",
            (json.dumps(keys.tolist()),),
        )
        assert row is not None
        if row["nodes"] != len(keys):
            raise NotADatabase(self._db.path, f"{self._table} does not know how long some of its rows are")
        columns = varints_of(numpy, row["sizes"]).reshape(len(keys), len(COLUMN_WEIGHTS))
        return columns.sum(axis=1)

    def _open_vocabulary(self) -> None:
        if not self._is_open:
            self._db.run(
                f"create virtual table if not exists {self._vocabulary} using fts5vocab(main, '{self._table}', 'row')"
            )
            self._is_open = True


def _name(number: int, part: Part) -> str:
    return str(int(number)) if part == "passages" else f"{int(number)}_{part}"


def _quoted(clause: Clause) -> str:
    return '"' + " ".join(clause).replace('"', '""') + '"'
