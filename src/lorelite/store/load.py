"""Rows of a dump written in bulk, each kind by one statement, with the keyword index kept in step."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

from lorelite.ids import random_id
from lorelite.ports import Clock
from lorelite.store.connection import Database
from lorelite.store.keyword import KeywordStore, indexed_text
from lorelite.store.nodes import hash_of
from lorelite.text.title_key import title_key

WITH_IDS = ("document", "node", "edge", "task", "event")
"""Tables whose rows have an id of their own; rows of the others belong to these."""
_KEYS: Mapping[str, Sequence[str]] = {
    "chunk": ("document_id", "ordinal"),
    "alias": ("namespace", "alias_key", "node_id", "document_id"),
    "support": ("node_id", "document_id", "ordinal"),
    "statement": ("edge_id", "document_id", "ordinal"),
    "citation": ("owner_id", "document_id", "start", "end"),
    "vector": ("node_id", "model_id"),
    "ontology": ("namespace",),
    "community": ("namespace", "id"),
    "member": ("namespace", "community_id", "node_id"),
    "memo": ("namespace", "name"),
    "merge": ("namespace", "from_id"),
} | dict.fromkeys(WITH_IDS, ("id",))
_PARENTS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "chunk": {"document_id": ("document",)},
    "alias": {"document_id": ("document",), "node_id": ("node",)},
    "support": {"document_id": ("document",), "node_id": ("node",)},
    "citation": {"document_id": ("document",), "owner_id": ("node", "edge")},
    "vector": {"node_id": ("node",)},
    "statement": {"document_id": ("document",), "edge_id": ("edge",)},
    "member": {"node_id": ("node",), "community_id": ("community",)},
}
"""Table → column → where the row that it names must stand, in the same namespace."""
_CHILDREN = ("chunk", "support", "statement", "citation")
_NAMESPACED = {*WITH_IDS, "alias", "ontology", "community", "member", "memo", "merge"}
_OVERWRITTEN = {"ontology", "vector", "community", "memo", *WITH_IDS}
_TRUST = ("verified", "sources", "usage_window", "extra")
_JSON_COLUMNS = {
    "document": ("metadata",),
    "node": ("tags", *_TRUST),
    "chunk": ("finished",),
    "task": _TRUST,
    "ontology": ("manifest",),
}


class Loader:
    """Writes rows into one namespace, inside of the caller's transaction."""

    def __init__(self, db: Database, keyword: KeywordStore, clock: Clock, namespace: str) -> None:
        self._db = db
        self._keyword = keyword
        self.namespace = namespace
        self._now = clock()
        self._was_empty = not db.value("select exists (select 1 from node where namespace = ?)", (namespace,))

    # -- reading ------------------------------------------------------------------------------------------------

    def known(self, table: str, ids: Sequence[str]) -> dict[str, sqlite3.Row]:
        """Id → namespace, updated_at and, of edges, the two ends and the type, whichever namespace it belongs to."""
        columns = {"event": "t.created_at as updated_at", "edge": "t.updated_at, source_id, edge_type, target_id"}
        rows = self._db.rows(
            f"""
            select t.id, t.namespace, {columns.get(table, "t.updated_at")}
              from json_each(?) k cross join {table} t on t.id = k.value""",
            (json.dumps(list(ids)),),
        )
        return {row["id"]: row for row in rows}

    def documents_like(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        """Id of a document → id of the one that is here already, of the same source and text, under another id."""
        found = self._db.rows(
            """
            select json_extract(k.value, '$[0]') as given, d.id from json_each(?) k
              cross join document d on d.namespace = ? and d.source_ref = json_extract(k.value, '$[1]')
               and d.source_hash = json_extract(k.value, '$[2]')
             where d.id <> json_extract(k.value, '$[0]')""",
            (json.dumps([[row["id"], row["source_ref"], row["source_hash"]] for row in rows]), self.namespace),
        )
        return {row["given"]: row["id"] for row in found}

    def stated_already(self, edges: Sequence[Mapping[str, Any]]) -> set[str]:
        """Ids of the edges that the same source states here already, under another id."""
        rows = self._db.rows(
            """
            select json_extract(k.value, '$[0]') as given from json_each(?) k
              cross join edge e indexed by edge_out on e.namespace = ? and e.source_id = json_extract(k.value, '$[1]')
               and e.edge_type = json_extract(k.value, '$[2]') and e.target_id = json_extract(k.value, '$[3]')
             where e.source_ref is json_extract(k.value, '$[4]') and e.source_hash is json_extract(k.value, '$[5]')
               and e.id <> json_extract(k.value, '$[0]')""",
            (
                json.dumps(
                    [
                        [e["id"], e["source_id"], e["edge_type"], e["target_id"], e["source_ref"], e["source_hash"]]
                        for e in edges
                    ]
                ),
                self.namespace,
            ),
        )
        return {row["given"] for row in rows}

    def told(self, pairs: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        """Those of these pairs of an entity and a document of which the document says something of the entity."""
        rows = self._db.rows(
            """
            select json_extract(k.value, '$[0]') as node, json_extract(k.value, '$[1]') as document from json_each(?) k
             where exists (select 1 from support s where s.node_id = json_extract(k.value, '$[0]')
                              and s.document_id = json_extract(k.value, '$[1]'))""",
            (json.dumps(sorted(set(pairs))),),
        )
        return {(row["node"], row["document"]) for row in rows}

    def loose_ends(self) -> int:
        """How many edges lead from or to something that is no node or task of the namespace."""
        ends = " or ".join(
            f"""not exists (select 1 from node where id = e.{end} and namespace = e.namespace)
                and not exists (select 1 from task where id = e.{end} and namespace = e.namespace)"""
            for end in ("source_id", "target_id")
        )
        return int(self._db.value(f"select count(*) from edge e where namespace = ? and ({ends})", (self.namespace,)))

    # -- writing ------------------------------------------------------------------------------------------------

    def describe(self, created_at: int | None, summary: str | None) -> None:
        """What is known of the namespace itself; None leaves it as it is."""
        if created_at is not None:
            self._db.run(
                "update namespace set created_at = ? where name = ? and created_at <> ?",
                (created_at, self.namespace, created_at),
            )
        key = f"summary:{self.namespace}"
        if summary:
            self._db.run("insert or replace into meta (key, value) values (?, ?)", (key, summary))
        elif summary is not None:
            self._db.run("delete from meta where key = ?", (key,))

    def write(self, table: str, rows: Sequence[Mapping[str, Any]]) -> int:
        """Insert the rows, or make those with ids that are there what these say; gives how many were written.

        A row that names a document, node or edge which is not in the namespace is left out. Rows that belong to
        others are left as they are where they are there already.
        """
        if not rows:
            return 0
        values = [self._values(table, row) for row in rows]
        if table == "node":
            return self._write_nodes(values)
        if table == "document" and not self._was_empty:
            ids = json.dumps([row["id"] for row in rows])
            for child in ("alias", *_CHILDREN):
                self._db.run(f"delete from {child} where document_id in (select value from json_each(?))", (ids,))
        return self._insert(table, values)

    def _write_nodes(self, values: Sequence[dict[str, Any]]) -> int:
        ids = json.dumps([value["id"] for value in values])
        if self._was_empty:
            return self._insert("node", values)
        select = "select n.key, kind, title, body, tags from json_each(?) k cross join node n on n.id = k.value"
        old = self._db.rows(f"{select} where deleted_at is null", (ids,))
        count = self._insert("node", values)
        new = self._db.rows(f"{select} where deleted_at is null", (ids,))
        self._keyword.replace(self.namespace, map(indexed_text, old), map(indexed_text, new))
        return count

    def _insert(self, table: str, values: Sequence[Mapping[str, Any]]) -> int:
        values = self._with_parents(table, values)
        if not values:
            return 0
        # By position, and without what is the default of every row: each value that is bound costs time.
        columns = tuple(values[0])
        empty = dict.fromkeys(_JSON_COLUMNS.get(table, ()), (None, "[]", "{}"))
        given = tuple(
            name
            for name in columns
            if (name != "namespace" or table in _NAMESPACED)
            and any(value[name] not in empty.get(name, (None,)) for value in values)
        )
        return self._db.insert(table, given, map(itemgetter(*given), values), _then(table, columns))

    def _with_parents(self, table: str, values: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """The rows of which all that they name is in the namespace."""
        for column, places in _PARENTS.get(table, {}).items():
            ids = json.dumps(list({value[column] for value in values}))
            there: dict[str, str | None] = {}
            for place in places:
                # A vector of an older text would only have to be made again.
                hashed = "content_hash" if table == "vector" else "null"
                rows = self._db.rows(
                    f"""
                    select t.id, {hashed} from json_each(?) k cross join {place} t on t.id = k.value
                     where t.namespace = ?""",
                    (ids, self.namespace),
                )
                there.update(map(tuple, rows))
            values = [
                value
                for value in values
                if value[column] in there and (table != "vector" or there[value[column]] == value["content_hash"])
            ]
        return values

    def _values(self, table: str, row: Mapping[str, Any]) -> dict[str, Any]:
        values = {**row, "namespace": self.namespace}
        for name in _JSON_COLUMNS.get(table, ()):
            if row[name]:
                values[name] = json.dumps(row[name], ensure_ascii=False, separators=(",", ":"))
            elif row[name] is not None:
                values[name] = "[]" if isinstance(row[name], list) else "{}"
        if table == "node":
            values["title_key"] = title_key(row["title"])
            values["content_hash"] = hash_of(row["title"], row["body"], row["tags"])
            values["last_verified_at"] = max((item["at"] for item in row["verified"]), default=None)
        elif table == "vector":
            values["dimensions"] = len(row["data"]) // 4
        return values

    def mark_read(self, kind: str, events_read: int) -> None:
        """A job of this kind has read the oldest *events_read* events of the namespace."""
        sequence = self._db.value(
            "select max(sequence) from (select sequence from event where namespace = ? order by sequence limit ?)",
            (self.namespace, events_read),
        )
        self._db.run(
            """
            insert into job (id, namespace, kind, caller, state, watermark, created_at, updated_at)
            values (?, ?, ?, 'call', 'done', ?, ?, ?)""",
            (random_id("job"), self.namespace, kind, sequence or 0, self._now, self._now),
        )

    # -- the rest of what was there -----------------------------------------------------------------------------

    def begin_replacing(self) -> None:
        """What belongs to rows is deleted now; the rows themselves are overwritten, or deleted by `end_replacing`."""
        self._db.run("create temp table if not exists loaded (table_name text, id text, primary key (table_name, id))")
        self._db.run("delete from loaded")
        for table in _CHILDREN:
            self._db.run(
                f"delete from {table} where document_id in (select id from document where namespace = ?)",
                (self.namespace,),
            )
        for table in ("alias", "member", "community", "memo", "merge", "ontology"):
            self._db.run(f"delete from {table} where namespace = ?", (self.namespace,))

    def remember(self, table: str, ids: Iterable[str]) -> None:
        """These rows are part of what replaces the namespace."""
        self._db.insert("loaded", ("table_name", "id"), ((table, id) for id in ids), "on conflict do nothing")

    def left_over(self, table: str) -> list[str]:
        """The live rows that were there before and are not part of what replaces them."""
        condition = "and deleted_at is null" if table in ("node", "task") else ""
        rows = self._db.rows(
            f"""
            select id from {table} t where namespace = ? {condition}
               and not exists (select 1 from loaded l where l.table_name = ? and l.id = t.id) order by rowid""",
            (self.namespace, table),
        )
        return [row["id"] for row in rows]

    def delete(self, table: str, ids: Sequence[str]) -> None:
        """Delete rows; a task stays as deleted until prune, as elsewhere."""
        chosen = "id in (select value from json_each(:ids)) and +namespace = :namespace"
        params = {"ids": json.dumps(list(ids)), "namespace": self.namespace, "now": self._now}
        if table == "task":
            self._db.run(f"update task set deleted_at = :now where {chosen}", params)
        else:
            self._db.run(f"delete from {table} where {chosen}", params)

    def finish(self) -> None:
        """Build the keyword index, where it could not be kept in step row by row."""
        if self._was_empty:
            self._keyword.rebuild(self.namespace)


@cache
def _then(table: str, columns: Sequence[str]) -> str:
    """What becomes of a row that is there already; *columns* are those that it is given."""
    then = "do nothing"
    if table in _OVERWRITTEN:
        changes = [name for name in columns if name not in ("namespace", *_KEYS[table])]
        then = "do update set " + ", ".join(f'"{name}" = excluded."{name}"' for name in changes)
    if table == "ontology":
        then += " where excluded.updated_at > updated_at"
    elif table == "vector":
        then += " where data is not excluded.data or content_hash is not excluded.content_hash"
    return f"on conflict ({_quoted(_KEYS[table])}) {then}"


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
