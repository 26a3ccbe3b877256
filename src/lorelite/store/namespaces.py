"""Namespaces: isolated brains inside the file."""

from __future__ import annotations

from dataclasses import dataclass

from lorelite.ports import Clock
from lorelite.store.connection import Database


@dataclass(frozen=True, slots=True)
class NamespaceRow:
    name: str
    number: int
    tokenizer_version: int | None


class NamespaceTable:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    def get(self, name: str) -> NamespaceRow | None:
        row = self._db.row("select name, number, tokenizer_version from namespace where name = ?", (name,))
        return None if row is None else NamespaceRow(row["name"], row["number"], row["tokenizer_version"])

    def ensure(self, name: str) -> NamespaceRow:
        """The namespace, made when it is not there yet."""
        row = self.get(name)
        if row is not None:
            return row
        self._db.run(
            """
            insert into namespace (name, number, created_at)
            values (:name, (select coalesce(max(number), 0) + 1 from namespace), :now)""",
            {"name": name, "now": self._clock()},
        )
        found = self.get(name)
        assert found is not None
        return found

    def names(self) -> list[str]:
        return [row["name"] for row in self._db.rows("select name from namespace order by name")]

    def set_tokenizer_version(self, name: str, version: int | None) -> None:
        self._db.run("update namespace set tokenizer_version = ? where name = ?", (version, name))
