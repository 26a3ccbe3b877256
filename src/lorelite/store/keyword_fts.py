"""A namespace's FTS5 index. Terms are made by our own tokeniser, so no user text ever reaches MATCH syntax."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lorelite.search.query_plan import Clause
from lorelite.store.connection import Database

# Our tokens hold no separators and no controls: with every other category allowed, FTS5 leaves each one whole.
_TOKENIZER = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co Cn Cf'"


COLUMN_WEIGHTS = (2.0, 1.0, 1.0)
"""Title, body, tags."""
_RANK = f"bm25({', '.join(map(str, COLUMN_WEIGHTS))})"


class FtsIndex:
    """The contentless table keyword_<number>: columns title, body, tags; rowid = node.key."""

    def __init__(self, db: Database, number: int) -> None:
        self._db = db
        self._table = f"keyword_{int(number)}"
        self._vocabulary = f"temp.vocabulary_{int(number)}"

    @classmethod
    def create(cls, db: Database, number: int) -> None:
        """Make the table, empty, in place of one that may be there."""
        cls.drop(db, number)
        db.run(
            f"""
            create virtual table keyword_{int(number)} using fts5(
                title, body, tags, content='', tokenize="{_TOKENIZER}")"""
        )

    @staticmethod
    def drop(db: Database, number: int) -> None:
        db.run(f"drop table if exists temp.vocabulary_{int(number)}")
        db.run(f"drop table if exists keyword_{int(number)}")

    def add(self, key: int, columns: tuple[Sequence[str], ...]) -> None:
        self.add_all([(key, columns)])

    def add_all(self, texts: Iterable[tuple[int, tuple[Sequence[str], ...]]]) -> int:
        """Add the columns of each key; gives how many."""
        return self._db.run_many(
            f"insert into {self._table}(rowid, title, body, tags) values (?, ?, ?, ?)",
            ((key, *map(" ".join, columns)) for key, columns in texts),
        )

    def remove(self, key: int, columns: tuple[Sequence[str], ...]) -> None:
        title, body, tags = map(" ".join, columns)
        # A contentless table forgets a row when told exactly what it held.
        self._db.run(
            f"insert into {self._table}({self._table}, rowid, title, body, tags) values ('delete', ?, ?, ?, ?)",
            (key, title, body, tags),
        )

    def compact(self) -> None:
        """Merge the index into one piece, which leaves out what was removed."""
        self._db.run(f"insert into {self._table}({self._table}) values ('optimize')")

    def frequencies(self, tokens: Iterable[str]) -> dict[str, int]:
        self._open_vocabulary()
        found = {}
        for token in tokens:
            count = self._db.value(f"select doc from {self._vocabulary} where term = ?", (token,))
            if count:
                found[token] = int(count)
        return found

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
        if not clauses:
            return []
        rows = self._db.rows(
            f"""
            select rowid as key, -rank as score from {self._table}
             where {self._table} match ? and rank match '{_RANK}'
             order by rank limit ?""",
            (" OR ".join(map(_quoted, clauses)), limit),
        )
        return [(row["key"], row["score"]) for row in rows]

    def _open_vocabulary(self) -> None:
        self._db.run(
            f"create virtual table if not exists {self._vocabulary} using fts5vocab(main, '{self._table}', 'row')"
        )


def _quoted(clause: Clause) -> str:
    return '"' + " ".join(clause).replace('"', '""') + '"'
