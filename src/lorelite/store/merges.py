"""Entities that were made one: which, what each had of its own, and which pairs are to stay two."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lorelite.store.changes import Row
from lorelite.store.connection import Database
from lorelite.store.entity_graph import STRUCTURAL, is_entity
from lorelite.store.nodes import liveness

_LAST = "\U0010ffff"
REJECTED = "merge rejected "
"""How the memo of a pair that stays two begins."""


class MergeRow(NamedTuple):
    """One entity that is part of another."""

    from_id: str
    into_id: str
    reason: str
    merged_at: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is asked of an entity before it is compared."""

    id: str
    title: str
    node_type: str | None
    is_stated: bool
    created_at: int
    documents: int
    """How many tell of it."""


class MergeTable:
    def __init__(self, db: Database) -> None:
        self._db = db

    # -- merges -------------------------------------------------------------------------------------------------

    def are_any(self, namespace: str) -> bool:
        return bool(self._db.value("select exists (select 1 from merge where namespace = ?)", (namespace,)))

    def all(self, namespace: str) -> list[MergeRow]:
        """In the order in which they were made."""
        rows = self._db.rows(
            f"select {_COLUMNS} from merge where namespace = ? order by merged_at, from_id", (namespace,)
        )
        return list(map(MergeRow._make, rows))

    def of(self, namespace: str, ids: Iterable[str]) -> list[MergeRow]:
        """The merges of those of these nodes that are part of another, in the order in which they were made."""
        rows = self._db.rows(
            f"""
            select {_COLUMNS} from json_each(?) k cross join merge m on m.namespace = ? and m.from_id = k.value
             order by merged_at, from_id""",
            (json.dumps(sorted(set(ids))), namespace),
        )
        return list(map(MergeRow._make, rows))

    def within(self, namespace: str, id: str) -> set[str]:
        """What is part of a node, and of its parts."""
        rows = self._db.rows(
            """
            with recursive part (id) as (
                select from_id from merge indexed by merge_into where namespace = :namespace and into_id = :id
                union
                select m.from_id from part cross join merge m indexed by merge_into
                    on m.namespace = :namespace and m.into_id = part.id)
            select id from part""",
            {"namespace": namespace, "id": id},
        )
        return {row["id"] for row in rows}

    def unsettled(self, namespace: str) -> list[str]:
        """The entities that are part of others, and of which something is said all the same."""
        rows = self._db.rows(
            """
            select from_id from merge m where namespace = ?
               and (exists (select 1 from node n where n.id = m.from_id and n.deleted_at is null)
                    or exists (select 1 from support s where s.node_id = m.from_id)
                    or exists (select 1 from alias a where a.node_id = m.from_id))
             order by merged_at, from_id""",
            (namespace,),
        )
        return [row["from_id"] for row in rows]

    def names(self, namespace: str, into_ids: Iterable[str]) -> dict[str, dict[str, str]]:
        """Node → title key → the entity within it that bore this name alone."""
        rows = self._db.rows(
            """
            select m.into_id, m.from_id, json_extract(m.undo, '$.names') as names
              from json_each(?) k cross join merge m indexed by merge_into
                on m.namespace = ? and m.into_id = k.value order by m.merged_at, m.from_id""",
            (json.dumps(sorted(set(into_ids))), namespace),
        )
        found: dict[str, dict[str, str]] = {}
        for row in rows:
            named = found.setdefault(row["into_id"], {})
            for key in json.loads(row["names"] or "[]"):
                named.setdefault(key, row["from_id"])
        return found

    def titled_within(self, namespace: str, names: Mapping[str, str]) -> dict[str, str]:
        """Of these title keys, each with a node: those that are the title of a part of the node, or of a part of its
        parts, each with that."""
        rows = self._db.rows(
            """
            with recursive part (key, id) as (
                select k.key, m.from_id from json_each(:names) k
                  cross join merge m indexed by merge_into on m.namespace = :namespace and m.into_id = k.value
                union
                select part.key, m.from_id from part
                  cross join merge m indexed by merge_into on m.namespace = :namespace and m.into_id = part.id)
            select part.key, part.id from part
              cross join merge m on m.namespace = :namespace and m.from_id = part.id
             where part.key = json_extract(m.undo, '$.node.title_key')
               and exists (select 1 from json_each(m.undo, '$.names') n where n.value = part.key)
             order by m.merged_at desc, part.id""",
            {"names": json.dumps(dict(names)), "namespace": namespace},
        )
        return {row["key"]: row["id"] for row in rows}

    def titles(self, namespace: str, ids: Iterable[str]) -> dict[str, str]:
        """Entity that is part of another, or has been made of others → what it was called at its merge."""
        found: dict[str, str] = {}
        for name, owner in (("into", "into_id"), ("node", "from_id")):
            index = "indexed by merge_into" if owner == "into_id" else ""
            rows = self._db.rows(
                f"""
                select m.{owner}, json_extract(m.undo, '$.{name}.title') from json_each(?) k
                  cross join merge m {index} on m.namespace = ? and m.{owner} = k.value""",
                (json.dumps(sorted(set(ids))), namespace),
            )
            found |= {row[0]: row[1] for row in rows if row[1] is not None}
        return found

    def names_of(self, namespace: str, ids: Iterable[str]) -> dict[str, str]:
        """Title key → the first of these entities, parts of others, that bore this name alone."""
        rows = self._db.rows(
            """
            select m.from_id, json_extract(m.undo, '$.names') as names from json_each(?) k
              cross join merge m on m.namespace = ? and m.from_id = k.value order by m.merged_at, m.from_id""",
            (json.dumps(sorted(set(ids))), namespace),
        )
        found: dict[str, str] = {}
        for row in rows:
            for key in json.loads(row["names"] or "[]"):
                found.setdefault(key, row["from_id"])
        return found

    def add_names(self, namespace: str, from_id: str, keys: Iterable[str]) -> None:
        """The entity, which is part of another, bears these names too."""
        undo = self.undo(namespace, from_id)
        names = sorted({*undo.get("names", ()), *keys})
        if names != undo.get("names"):
            self._db.run(
                "update merge set undo = ? where namespace = ? and from_id = ?",
                (_json(undo | {"names": names}), namespace, from_id),
            )

    def undo(self, namespace: str, from_id: str) -> dict[str, Any]:
        """What is needed to take the merge back, beside the entity's shares."""
        value = self._db.value("select undo from merge where namespace = ? and from_id = ?", (namespace, from_id))
        return dict(json.loads(value)) if value else {}

    def last_moment(self, namespace: str) -> int:
        """When the last merge was made; 0: none was."""
        return int(self._db.value("select max(merged_at) from merge where namespace = ?", (namespace,)) or 0)

    def put(self, namespace: str, row: MergeRow, undo: Mapping[str, Any]) -> None:
        self._db.run(
            "insert into merge (namespace, from_id, into_id, reason, merged_at, undo) values (?, ?, ?, ?, ?, ?)",
            (namespace, *row, _json(undo)),
        )

    def delete(self, namespace: str, from_id: str) -> None:
        self._db.run("delete from merge where namespace = ? and from_id = ?", (namespace, from_id))

    def delete_all(self, namespace: str) -> None:
        self._db.run("delete from merge where namespace = ?", (namespace,))

    # -- pairs that stay two ------------------------------------------------------------------------------------

    def reject(self, namespace: str, pair: tuple[str, str]) -> None:
        self._db.run(
            "insert into memo (namespace, name, value) values (?, ?, 'true') on conflict do nothing",
            (namespace, _rejection(pair)),
        )

    def allow(self, namespace: str, pair: tuple[str, str]) -> None:
        """Take a rejection back."""
        self._db.run("delete from memo where namespace = ? and name = ?", (namespace, _rejection(pair)))

    def rejected(self, namespace: str) -> set[tuple[str, str]]:
        """The pairs, each sorted."""
        rows = self._db.rows(
            "select name from memo where namespace = ? and name >= ? and name < ?",
            (namespace, REJECTED, REJECTED + _LAST),
        )
        return {tuple(json.loads(row["name"][len(REJECTED) :])) for row in rows}

    # -- rows of an entity --------------------------------------------------------------------------------------

    def rows_of(self, namespace: str, id: str) -> dict[str, list[Row]]:
        """All that is said of a node, row by row: support, aliases, citations, its edges, and what these rest on."""
        found = {
            table: self._rows(f"select * from {table} where {owner} = ? order by 1, 2, 3, 4", (id,))
            for table, owner in (("support", "node_id"), ("alias", "node_id"), ("citation", "owner_id"))
        }
        found["edge"] = self._rows(
            """
            select rowid as rowid, * from edge where rowid in (
                select rowid from edge indexed by edge_out where namespace = :namespace and source_id = :id
                union select rowid from edge indexed by edge_in where namespace = :namespace and target_id = :id)
             order by rowid""",
            {"namespace": namespace, "id": id},
        )
        edges = json.dumps([row["id"] for row in found["edge"]])
        found["statement"] = self._rows(
            """
            select s.* from json_each(?) k cross join statement s on s.edge_id = k.value
             order by s.edge_id, s.document_id, s.ordinal""",
            (edges,),
        )
        found["citation"] += self._rows(
            """
            select c.* from json_each(?) k cross join citation c on c.owner_id = k.value
             order by c.owner_id, c.document_id, c.start, c."end" """,
            (edges,),
        )
        return found

    def chunk_places(self, ids: Iterable[str]) -> dict[str, tuple[str, int]]:
        """Chunk → its document and ordinal."""
        rows = self._db.rows(
            """
            select c.node_id, c.document_id, c.ordinal from json_each(?) k
              cross join chunk c indexed by chunk_node on c.node_id = k.value""",
            (json.dumps(sorted(set(ids))),),
        )
        return {row[0]: (row[1], row[2]) for row in rows}

    def ordinals_at(self, spans: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """(document, start) → the last of its chunks that begins there or before; without those where none does."""
        rows = self._db.rows(
            """
            select json_extract(k.value, '$[0]') as document, json_extract(k.value, '$[1]') as start,
                   (select max(ordinal) from chunk c where c.document_id = json_extract(k.value, '$[0]')
                       and c.start <= json_extract(k.value, '$[1]')) as ordinal
              from json_each(?) k""",
            (json.dumps(sorted(set(spans))),),
        )
        return {(row["document"], row["start"]): row["ordinal"] for row in rows if row["ordinal"] is not None}

    def ordinals_within(self, document_id: str, start: int, end: int) -> list[int]:
        """The chunks of a document that share text with this span."""
        rows = self._db.rows(
            'select ordinal from chunk where document_id = ? and start < ? and "end" > ?', (document_id, end, start)
        )
        return [row["ordinal"] for row in rows]

    def edges(self, ids: Iterable[str]) -> dict[str, Row]:
        """Edges by id, with their rowids."""
        rows = self._rows(
            "select e.rowid as rowid, e.* from json_each(?) k cross join edge e on e.id = k.value",
            (json.dumps(sorted(set(ids))),),
        )
        return {row["id"]: row for row in rows}

    def replace_edges(self, namespace: str, gone: Iterable[str], come: Sequence[Row]) -> None:
        """Delete edges and put others, at their old places in the order of edges where these are free."""
        self._db.run(
            "delete from edge where id in (select value from json_each(?)) and +namespace = ?",
            (json.dumps(sorted(set(gone))), namespace),
        )
        wanted = json.dumps([row["rowid"] for row in come if row.get("rowid")])
        taken = {
            row["rowid"]
            for row in self._db.rows(
                "select rowid as rowid from edge where rowid in (select value from json_each(?))", (wanted,)
            )
        }
        free = {row["rowid"]: row["id"] for row in come if row.get("rowid") and row["rowid"] not in taken}
        # Those that have a place of their own first: the next free one may be theirs.
        for row in sorted(come, key=lambda row: free.get(row.get("rowid")) != row["id"]):
            columns = [name for name in row if name != "rowid" or free.get(row["rowid"]) == row["id"]]
            changes = ", ".join(f'"{name}" = excluded."{name}"' for name in row if name not in ("rowid", "id"))
            values = {**row, "namespace": namespace}
            then = f"on conflict (id) do update set {changes} where namespace = excluded.namespace"
            self._db.insert("edge", columns, [[values[name] for name in columns]], then)

    def relate(self, namespace: str, old: str, new: str, ids: Mapping[str, Sequence[str]] | None = None) -> Row:
        """Let tasks and events, all or these, be related to another node; gives their ids by table."""
        found: dict[str, list[str]] = {}
        for table in ("task", "event"):
            among = "" if ids is None else "and id in (select value from json_each(:ids))"
            params = {"namespace": namespace, "old": old, "new": new, "ids": json.dumps((ids or {}).get(table, []))}
            chosen = f"where namespace = :namespace and related_node_id = :old {among}"
            found[table] = [row["id"] for row in self._db.rows(f"select id from {table} {chosen} order by id", params)]
            if found[table]:
                self._db.run(f"update {table} set related_node_id = :new {chosen}", params)
        return found

    # -- what is compared ---------------------------------------------------------------------------------------

    def candidates(self, namespace: str, now: int) -> list[Candidate]:
        """All live entities, by id."""
        rows = self._db.rows(
            f"""
            select n.id, n.title, n.node_type, n.source_ref is not null as is_stated, n.created_at,
                   (select count(distinct document_id) from support s where s.node_id = n.id) as documents
              from node n where n.namespace = :namespace and n.kind in ('entity', 'fact') and {is_entity("n")}
               and {liveness("n", None)} order by n.id""",
            {"namespace": namespace, "now": now},
        )
        return [Candidate(row[0], row[1], row[2], bool(row[3]), row[4], row[5]) for row in rows]

    def relation_types(self, namespace: str, ids: Sequence[str]) -> dict[tuple[str, str], list[str]]:
        """Sorted pair of these nodes → the types of the relations between them."""
        rows = self._db.rows(
            f"""
            select distinct e.source_id, e.target_id, e.edge_type from json_each(:ids) k
              cross join edge e indexed by edge_out on e.namespace = :namespace and e.source_id = k.value
             where e.edge_type not in ({", ".join(repr(name) for name in STRUCTURAL)}) and e.source_id <> e.target_id
             order by e.source_id, e.target_id, e.edge_type""",
            {"ids": json.dumps(list(ids)), "namespace": namespace},
        )
        wanted = set(ids)
        found: dict[tuple[str, str], list[str]] = {}
        for source, target, edge_type in rows:
            if target in wanted:
                found.setdefault((min(source, target), max(source, target)), []).append(edge_type)
        return found

    def spans(self, ids: Sequence[str]) -> dict[str, list[tuple[str, int, int]]]:
        """Node → (document, start, end) of where it is named, in order."""
        rows = self._db.rows(
            """
            select c.owner_id, c.document_id, c.start, c."end" from json_each(?) k
              cross join citation c on c.owner_id = k.value order by c.owner_id, c.document_id, c.start, c."end" """,
            (json.dumps(list(ids)),),
        )
        found: dict[str, list[tuple[str, int, int]]] = {}
        for owner, document, start, end in rows:
            found.setdefault(owner, []).append((document, start, end))
        return found

    def vectors(self, ids: Sequence[str], model_id: str | None) -> dict[str, bytes]:
        """Node → its vector of this model, or of the one that made most, where it is of what the node says now."""
        chosen = model_id or self._db.value(
            """
            select v.model_id from json_each(?) k cross join vector v on v.node_id = k.value
             group by v.model_id order by count(*) desc, v.model_id limit 1""",
            (json.dumps(list(ids)),),
        )
        rows = self._db.rows(
            """
            select v.node_id, v.data from json_each(?) k cross join vector v on v.node_id = k.value and v.model_id = ?
              cross join node n on n.id = v.node_id where n.content_hash = v.content_hash""",
            (json.dumps(list(ids)), chosen),
        )
        return {row[0]: row[1] for row in rows}

    def _rows(self, sql: str, params: Any) -> list[Row]:
        return [dict(row) for row in self._db.rows(sql, params)]


_COLUMNS = "from_id, into_id, reason, merged_at"


def _rejection(pair: tuple[str, str]) -> str:
    return REJECTED + json.dumps(sorted(pair))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
