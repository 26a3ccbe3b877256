"""Nodes: facts, entities, chunks, questions and reports, one row each, kept in step with the keyword index."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from lorelite.errors import NodeOwnershipConflict
from lorelite.ports import Clock
from lorelite.records import Kind, Node
from lorelite.store.connection import Database
from lorelite.store.keyword import KeywordStore, indexed_text
from lorelite.store.trust import trust_fields, trust_values
from lorelite.text.title_key import title_key


def liveness(alias: str, as_of: int | None) -> str:
    """The condition that a node is held true, now (:now) or at :as_of. Parameters are the caller's."""
    return f"{alias}.deleted_at is null and {in_window(alias, as_of)}"


def in_window(alias: str, as_of: int | None) -> str:
    """The condition on the window alone. In the past a row without a beginning was held true since it was made."""
    if as_of is None:
        begun, moment = f"({alias}.valid_from is null or {alias}.valid_from <= :now)", ":now"
    else:
        begun, moment = f"coalesce({alias}.valid_from, {alias}.created_at) <= :as_of", ":as_of"
    return f"{begun} and ({alias}.valid_to is null or {alias}.valid_to > {moment})"


_NODE_FIELDS = tuple(field.name for field in fields(Node) if field.name != "citations")
NODE_COLUMNS = ", ".join(f"n.{name}" for name in _NODE_FIELDS)
"""What a query selects first, in this order, for `node_from`."""


@dataclass(frozen=True, slots=True)
class Head:
    """What places a node in a result, without what it says."""

    key: int
    id: str
    namespace: str
    kind: Kind
    node_type: str | None
    updated_at: int


class NodeTable:
    def __init__(self, db: Database, keyword: KeywordStore, clock: Clock) -> None:
        self._db = db
        self._keyword = keyword
        self._clock = clock

    # -- reading ------------------------------------------------------------------------------------------------

    def get(self, namespace: str, id: str) -> Node | None:
        """The node if it is not deleted, whatever its validity window."""
        row = self._db.row(
            f"select {NODE_COLUMNS} from node n where id = ? and namespace = ? and deleted_at is null", (id, namespace)
        )
        return None if row is None else node_from(row)

    def by_ids(self, namespace: str, ids: Sequence[str]) -> dict[str, Node]:
        # cross join: id by id through the unique index, never a scan of the namespace.
        rows = self._db.rows(
            f"""
            select {NODE_COLUMNS} from json_each(:ids) k cross join node n on n.id = k.value
             where n.namespace = :namespace and n.deleted_at is null""",
            {"ids": json.dumps(list(ids)), "namespace": namespace},
        )
        return {row["id"]: node_from(row) for row in rows}

    def by_keys(
        self,
        keys: Sequence[int],
        *,
        kinds: Sequence[str],
        exclude_drafts: bool = False,
        as_of: int | None = None,
    ) -> dict[int, Node]:
        """The nodes with these keyword-index keys that are live and pass the filters."""
        rows = self._db.rows(
            f"""
            select {NODE_COLUMNS}, n.key from json_each(:keys) k cross join node n on n.key = k.value
             where n.kind in (select value from json_each(:kinds)) and {liveness("n", as_of)}
               and (:drafts or n.lifecycle <> 'draft')""",
            self._filters(kinds, exclude_drafts, as_of) | {"keys": json.dumps(list(keys))},
        )
        return {row["key"]: node_from(row) for row in rows}

    def keys(self, namespace: str, ids: Sequence[str]) -> dict[str, int]:
        """The keyword-index keys of those of these nodes that are not deleted."""
        rows = self._db.rows(
            """
            select n.id, n.key from json_each(:ids) k cross join node n on n.id = k.value
             where n.namespace = :namespace and n.deleted_at is null""",
            {"ids": json.dumps(list(ids)), "namespace": namespace},
        )
        return {row["id"]: row["key"] for row in rows}

    def heads(
        self, keys: Sequence[int], *, kinds: Sequence[str], exclude_drafts: bool = False, as_of: int | None = None
    ) -> dict[int, Head]:
        """As `by_keys`: of each node its head alone."""
        rows = self._db.rows(
            f"""
            select n.key, n.id, n.namespace, n.kind, n.node_type, n.updated_at
              from json_each(:keys) k cross join node n on n.key = k.value
             where n.kind in (select value from json_each(:kinds)) and {liveness("n", as_of)}
               and (:drafts or n.lifecycle <> 'draft')""",
            self._filters(kinds, exclude_drafts, as_of) | {"keys": json.dumps(list(keys))},
        )
        return {row[0]: Head(*row) for row in rows}

    def recent(
        self,
        namespace: str,
        *,
        kinds: Sequence[str],
        limit: int,
        exclude_drafts: bool = False,
        as_of: int | None = None,
    ) -> list[Node]:
        """The live nodes changed last, newest first, ties by id."""
        found: list[Node] = []
        for kind in kinds:
            # One index search a kind; merged below.
            rows = self._db.rows(
                f"""
                select {NODE_COLUMNS} from node n where n.namespace = :namespace and n.kind = :kind
                   and {liveness("n", as_of)} and (:drafts or n.lifecycle <> 'draft')
                 order by n.updated_at desc, n.id limit :limit""",
                self._filters(kinds, exclude_drafts, as_of) | {"namespace": namespace, "kind": kind, "limit": limit},
            )
            found += map(node_from, rows)
        return sorted(found, key=lambda node: (-node.updated_at, node.id))[:limit]

    def _filters(self, kinds: Sequence[str], exclude_drafts: bool, as_of: int | None) -> dict[str, Any]:
        return {
            "kinds": json.dumps(list(kinds)),
            "drafts": not exclude_drafts,
            "now": self._clock(),
            "as_of": as_of,
        }

    def titled(
        self,
        namespace: str,
        keys: Iterable[str],
        *,
        kinds: Sequence[str],
        most: int,
        exclude_drafts: bool = False,
        as_of: int | None = None,
    ) -> dict[str, list[tuple[str, str]]]:
        """Title key → (id, title key) of live nodes so titled, a trailing "(…)" of theirs aside; for each key at most
        *most* without and *most* with one, the oldest."""
        # Limited for each key, so that a title that thousands bear costs no more than another.
        searched = f"""
            select k.value as found_key, n.id, n.title_key from json_each(:keys) k cross join node n on n.key in (
                select n.key from node n indexed by node_title
                 where n.namespace = :namespace and n.kind in (select value from json_each(:kinds))
                   and {liveness("n", as_of)} and (:drafts or n.lifecycle <> 'draft')"""
        rows = self._db.rows(
            f"""{searched} and n.title_key = k.value limit :most)
            union all {searched} and n.title_key >= k.value || ' (' and n.title_key < k.value || ' )' limit :most)
             order by 1, 3, 2""",
            self._filters(kinds, exclude_drafts, as_of)
            | {"namespace": namespace, "keys": json.dumps(sorted(set(keys))), "most": most},
        )
        found: dict[str, list[tuple[str, str]]] = {}
        for row in rows:
            found.setdefault(row["found_key"], []).append((row["id"], row["title_key"]))
        return found

    def find_titled(
        self, namespace: str, keys: Iterable[str], *, sources: Sequence[tuple[str, str]] = ()
    ) -> dict[str, list[Node]]:
        """Title key → what the name may stand for: titles before aliases, entities first, oldest first.

        Entities, and facts that a caller stated. A fact that was read in a document says something about what its
        title names, and is not that thing.
        For a reader of these (source_ref, source_hash): other versions of the sources, which it replaces, do not count.
        """
        refs, hashes = (json.dumps([source[place] for source in sources]) for place in (0, 1))
        may_be_named = """n.deleted_at is null and (n.kind = 'entity' or (n.kind = 'fact' and n.origin = 'stated'))
               and (n.source_ref is null or n.source_ref not in (select value from json_each(:refs))
                    or n.source_hash in (select value from json_each(:hashes)))"""
        rows = self._db.rows(
            f"""
            select {NODE_COLUMNS}, title_key as found_key, 0 as by_alias from json_each(:keys) k
              cross join node n on n.namespace = :namespace and n.title_key = k.value
             where {may_be_named}
            union all
            select {NODE_COLUMNS}, used.alias_key, 1 from (
                -- A name that a thousand documents use is a thousand rows, and one node.
                select distinct alias_key, node_id from json_each(:keys) k
                  cross join alias a on a.namespace = :namespace and a.alias_key = k.value
                 where document_id not in (
                   select id from document
                    where namespace = :namespace and source_ref in (select value from json_each(:refs))
                      and source_hash not in (select value from json_each(:hashes)))
              ) used cross join node n on n.id = used.node_id
             where {may_be_named}""",
            {"keys": json.dumps(sorted(set(keys))), "namespace": namespace, "refs": refs, "hashes": hashes},
        )
        found: dict[str, list[Node]] = {}
        ordered = sorted(rows, key=lambda row: (row["by_alias"], row["kind"] != "entity", row["created_at"], row["id"]))
        for row in ordered:
            found.setdefault(row["found_key"], []).append(node_from(row))
        return found

    def named(self, namespace: str, keys: Iterable[str], *, kinds: Sequence[str], limit: int) -> dict[str, list[Node]]:
        """Title key → the *limit* newest nodes of that title that are held true now."""
        found: dict[str, list[Node]] = {}
        for key in sorted(set(keys)):
            rows = self._db.rows(
                f"""
                select {NODE_COLUMNS} from node n where n.namespace = :namespace and n.title_key = :key
                   and n.kind in (select value from json_each(:kinds)) and {liveness("n", None)}
                 order by n.updated_at desc, n.id limit :limit""",
                self._filters(kinds, False, None) | {"namespace": namespace, "key": key, "limit": limit},
            )
            found[key] = list(map(node_from, rows))
        return found

    def count(self, namespace: str) -> dict[str, int]:
        """Live nodes by kind."""
        rows = self._db.rows(
            "select kind, count(*) as n from node where namespace = ? and deleted_at is null group by kind",
            (namespace,),
        )
        return {row["kind"]: row["n"] for row in rows}

    # -- writing ------------------------------------------------------------------------------------------------

    def put(self, nodes: Sequence[Node], *, whole: bool = False) -> None:
        """Insert the nodes, or replace the content of those that exist (a deleted one returns).

        Of an existing node lifecycle, trust and, unless it was forgotten, `created_at` are kept, and its access count
        starts anew; with *whole* every field becomes what the record says. Raises NodeOwnershipConflict, before
        anything is written, when an id belongs to another namespace.
        """
        if not nodes:
            return
        namespace = nodes[0].namespace
        nodes = list({node.id: node for node in nodes}.values())
        ids = json.dumps([node.id for node in nodes])
        self.check_owner(namespace, [node.id for node in nodes])
        with self._db.atomic():
            old = self._db.rows(
                """
                select n.key, kind, title, body, tags from json_each(?) k cross join node n on n.id = k.value
                 where deleted_at is null""",
                (ids,),
            )
            values = [_values(node) for node in nodes]
            then = _REPLACE if whole else _UPDATE
            self._db.insert("node", list(values[0]), (list(row.values()) for row in values), then)
            new = self._db.rows(
                "select n.key, kind, title, body, tags from json_each(?) k cross join node n on n.id = k.value", (ids,)
            )
            before = {row["key"]: tuple(row) for row in old}
            changed = [row for row in new if before.get(row["key"]) != tuple(row)]
            keys = {row["key"] for row in changed}
            self._keyword.replace(
                namespace,
                [indexed_text(row) for row in old if row["key"] in keys],
                [indexed_text(row) for row in changed],
            )

    def check_owner(self, namespace: str, ids: Sequence[str]) -> None:
        foreign = self._db.value(
            "select id from node where id in (select value from json_each(?)) and +namespace <> ? order by id limit 1",
            (json.dumps(list(ids)), namespace),
        )
        if foreign is not None:
            raise NodeOwnershipConflict("node", foreign)

    def delete(self, namespace: str, ids: Sequence[str]) -> int:
        """Mark nodes as deleted and take them out of the keyword index; gives how many were live."""
        # +namespace: found by id through the unique index, whatever the planner thinks of the namespace.
        params = {"ids": json.dumps(list(ids)), "namespace": namespace, "now": self._clock()}
        with self._db.atomic():
            old = self._db.rows(
                """
                select key, kind, title, body, tags from node
                 where id in (select value from json_each(:ids)) and +namespace = :namespace and deleted_at is null""",
                params,
            )
            if old:
                self._keyword.replace(namespace, map(indexed_text, old), [])
                self._db.run(
                    """
                    update node set deleted_at = :now, updated_at = :now
                     where id in (select value from json_each(:ids)) and +namespace = :namespace
                       and deleted_at is null""",
                    params,
                )
        return len(old)

    def ids_of_source(self, namespace: str, source_ref: str, source_hash: str | None = None) -> list[str]:
        rows = self._db.rows(
            """
            select id from node where namespace = :namespace and source_ref = :ref
               and (:hash is null or source_hash = :hash) and deleted_at is null order by key""",
            {"namespace": namespace, "ref": source_ref, "hash": source_hash},
        )
        return [row["id"] for row in rows]

    def all_ids(self, namespace: str) -> list[str]:
        live = "select id from node where namespace = ? and deleted_at is null order by key"
        return [row["id"] for row in self._db.rows(live, (namespace,))]


_UPDATE = """
    on conflict (id) do update set
        kind = excluded.kind, title = excluded.title, title_key = excluded.title_key, body = excluded.body,
        node_type = excluded.node_type, tags = excluded.tags, confidence = excluded.confidence,
        source_type = excluded.source_type, origin = excluded.origin, source_ref = excluded.source_ref,
        source_hash = excluded.source_hash, content_hash = excluded.content_hash, updated_at = excluded.updated_at,
        valid_from = excluded.valid_from, valid_to = excluded.valid_to, superseded_by = excluded.superseded_by,
        superseded_at = excluded.superseded_at, access_count = 0,
        created_at = case when deleted_at is not null and 'forget' = (
            select cause from change indexed by change_record
             where table_name = 'node' and record_id = node.id and before is not null
             order by sequence desc limit 1) then excluded.created_at else created_at end,
        deleted_at = null"""
# Of two assignments to one column SQLite takes the later.
_REPLACE = f"""{_UPDATE},
        created_at = excluded.created_at, lifecycle = excluded.lifecycle, stale_after = excluded.stale_after,
        generated_by = excluded.generated_by, verified = excluded.verified,
        last_verified_at = excluded.last_verified_at, sources = excluded.sources,
        usage_window = excluded.usage_window, extra = excluded.extra,
        last_accessed_at = excluded.last_accessed_at, access_count = excluded.access_count"""


def embedded_text(node: Node) -> str:
    """What is embedded of a node."""
    return _embedded(node.title, node.body, node.tags)


def content_hash(node: Node) -> str:
    return hash_of(node.title, node.body, node.tags)


def hash_of(title: str, body: str, tags: Sequence[str]) -> str:
    """The content hash of a node with these."""
    return hashlib.sha256(_embedded(title, body, tags).encode()).hexdigest()


def _embedded(title: str, body: str, tags: Sequence[str]) -> str:
    return "\n".join(part for part in (title, body, " ".join(tags)) if part)


def _values(node: Node) -> dict[str, Any]:
    return {
        "id": node.id,
        "namespace": node.namespace,
        "kind": node.kind,
        "title": node.title,
        "title_key": title_key(node.title),
        "body": node.body,
        "node_type": node.node_type,
        "tags": json.dumps(node.tags, ensure_ascii=False) if node.tags else "[]",
        "confidence": node.confidence,
        "source_type": node.source_type,
        "origin": node.origin,
        "lifecycle": node.lifecycle,
        "source_ref": node.source_ref,
        "source_hash": node.source_hash,
        "content_hash": content_hash(node),
        "created_at": node.created_at,
        "updated_at": node.updated_at,
        "valid_from": node.valid_from,
        "valid_to": node.valid_to,
        "superseded_by": node.superseded_by,
        "superseded_at": node.superseded_at,
        "last_accessed_at": node.last_accessed_at,
        "access_count": node.access_count,
        **trust_values(node),
    }


def node_fields_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """A whole row, column by column, as keyword arguments of Node."""
    found = {name: row[name] for name in _NODE_FIELDS}
    return found | trust_fields(found) | {"tags": tuple(json.loads(found["tags"]))}


def node_from(row: sqlite3.Row) -> Node:
    """The node of a row that begins with NODE_COLUMNS: by place, which is faster than by name."""
    found: dict[str, Any] = dict(zip(_NODE_FIELDS, row, strict=False))
    found["tags"] = tuple(json.loads(found["tags"])) if found["tags"] != "[]" else ()
    return Node(**found | trust_fields(found))
