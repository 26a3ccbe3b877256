"""Rows of any logged table as plain mappings: read, put back and taken out, with the keyword index kept in step."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from lorelite.errors import NodeOwnershipConflict
from lorelite.store.changes import Row
from lorelite.store.connection import Database
from lorelite.store.keyword import KeywordStore, indexed_text
from lorelite.store.logged import BY_NAME, LOGGED, LoggedTable

Targets = Mapping[str, Mapping[str, Row | None]]
"""Table → record id → the row it shall be, or None for none."""


class RowTable:
    def __init__(self, db: Database, keyword: KeywordStore) -> None:
        self._db = db
        self._keyword = keyword

    def get(self, table: str, record_ids: Iterable[str]) -> dict[str, Row]:
        """Record id → the row as stored, all columns; those that are not there are left out."""
        logged = BY_NAME[table]
        if len(logged.key) == 1:
            found = f't."{logged.key[0]}" = k.value'
        else:
            found = " and ".join(
                f"t.\"{name}\" = json_extract(k.value, '$[{place}]')" for place, name in enumerate(logged.key)
            )
        rows = self._db.rows(
            f"select k.value as record_id, t.* from json_each(?) k cross join {table} t on {found}",
            (json.dumps(list(record_ids)),),
        )
        return {row["record_id"]: {name: row[name] for name in row.keys()[1:]} for row in rows}

    def columns(self, table: str) -> set[str]:
        """The names of the table's columns."""
        return {row["name"] for row in self._db.rows("select name from pragma_table_info(?)", (table,))}

    def with_window_between(self, table: str, namespace: str, after: int, until: int) -> dict[str, Row]:
        """Nodes or edges whose window opens or closes after the first moment, until the second; by id."""
        rows = self._db.rows(
            f"""
            select * from {table} where namespace = :namespace
               and ((valid_from > :after and valid_from <= :until) or (valid_to > :after and valid_to <= :until))""",
            {"namespace": namespace, "after": after, "until": until},
        )
        return {row["id"]: dict(row) for row in rows}

    def edges_of(self, namespace: str, node_ids: Sequence[str]) -> dict[str, Row]:
        """All edges that begin or end at one of these nodes, by id."""
        found: dict[str, Row] = {}
        for index, end in (("edge_out", "source_id"), ("edge_in", "target_id")):
            rows = self._db.rows(
                f"""
                select e.* from json_each(:ids) k
                  cross join edge e indexed by {index} on e.namespace = :namespace and e.{end} = k.value""",
                {"ids": json.dumps(list(node_ids)), "namespace": namespace},
            )
            found.update({row["id"]: dict(row) for row in rows})
        return found

    def set(self, namespace: str, targets: Targets) -> None:
        """Make every record what *targets* says, in this namespace, all or nothing; the keyword index follows.

        Raises NodeOwnershipConflict when an id is taken by another namespace.
        """
        with self._db.atomic():
            # Rows go and come in an order of their own; what they refer to has to be there in the end.
            self._db.run("pragma defer_foreign_keys = on")
            with self._indexed(namespace, list(targets.get("node", {}))):
                for logged in reversed(LOGGED):
                    gone = [id for id, row in targets.get(logged.name, {}).items() if row is None]
                    self._remove(logged, gone)
                for logged in LOGGED:
                    self._put(logged, namespace, [row for row in targets.get(logged.name, {}).values() if row])

    def _remove(self, logged: LoggedTable, record_ids: Sequence[str]) -> None:
        if not record_ids:
            return
        columns = ", ".join(f'"{name}"' for name in logged.key)
        keys = "value"
        if len(logged.key) > 1:
            keys = ", ".join(f"json_extract(value, '$[{place}]')" for place in range(len(logged.key)))
        self._db.run(
            f"delete from {logged.name} where ({columns}) in (select {keys} from json_each(?))",
            (json.dumps(list(record_ids)),),
        )

    def _put(self, logged: LoggedTable, namespace: str, rows: Sequence[Row]) -> None:
        shapes: dict[tuple[str, ...], list[Row]] = {}
        for row in rows:
            shapes.setdefault(tuple(name for name in row if name != "key"), []).append(row)
        for columns, alike in shapes.items():
            if "namespace" in columns and "id" in columns:
                self._check_owner(logged.name, namespace, [row["id"] for row in alike])
            key = ", ".join(f'"{name}"' for name in logged.key)
            changes = ", ".join(f'"{name}" = excluded."{name}"' for name in columns if name not in logged.key)
            then = f"on conflict ({key}) " + (f"do update set {changes}" if changes else "do nothing")
            values = ({**row, "namespace": namespace} for row in alike)
            self._db.insert(logged.name, columns, ([row[name] for name in columns] for row in values), then)

    def _check_owner(self, table: str, namespace: str, ids: Sequence[str]) -> None:
        foreign = self._db.value(
            f"select id from {table} where id in (select value from json_each(?)) and +namespace <> ? limit 1",
            (json.dumps(list(ids)), namespace),
        )
        if foreign is not None:
            raise NodeOwnershipConflict(table, foreign)

    @contextmanager
    def _indexed(self, namespace: str, node_ids: Sequence[str]) -> Iterator[None]:
        """Whatever happens to these nodes inside happens to the keyword index too."""
        before = self._texts(node_ids)
        yield
        after = self._texts(node_ids)
        gone = [text for key, text in before.items() if after.get(key) != text]
        come = [text for key, text in after.items() if before.get(key) != text]
        if gone or come:
            self._keyword.replace(namespace, gone, come)

    def _texts(self, node_ids: Sequence[str]) -> dict[int, Any]:
        rows = self._db.rows(
            """
            select n.key, kind, title, body, tags from json_each(?) k cross join node n on n.id = k.value
             where n.deleted_at is null""",
            (json.dumps(list(node_ids)),),
        )
        return {row["key"]: indexed_text(row) for row in rows}
