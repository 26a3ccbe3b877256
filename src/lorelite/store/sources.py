"""Questions about what sources hold, and what has become of them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from lorelite.records import Node
from lorelite.store.connection import Database
from lorelite.store.nodes import NODE_COLUMNS, node_from


class SourceTable:
    def __init__(self, db: Database) -> None:
        self._db = db

    def facts_titled(self, namespace: str, source_ref: str, source_hash: str, keys: Iterable[str]) -> dict[str, Node]:
        """Title key → the first fact of that title which this version of the source states."""
        rows = self._db.rows(
            f"""
            select {NODE_COLUMNS}, n.title_key as found_key from json_each(:keys) k
              cross join node n on n.namespace = :namespace and n.title_key = k.value and n.kind = 'fact'
             where n.source_ref = :ref and n.source_hash = :hash and n.deleted_at is null
             order by n.created_at desc, n.key desc""",
            {"keys": json.dumps(list(keys)), "namespace": namespace, "ref": source_ref, "hash": source_hash},
        )
        return {row["found_key"]: node_from(row) for row in rows}

    def yields_anything(self, namespace: str, source_ref: str, source_hash: str) -> bool:
        """Whether this version of the source states anything beside its own text."""
        found = self._db.value(
            """
            select exists (select 1 from node where namespace = :namespace and source_ref = :ref
                              and source_hash = :hash and kind <> 'chunk' and deleted_at is null)
                or exists (select 1 from document d join support s on s.document_id = d.id
                            where d.namespace = :namespace and d.source_ref = :ref and d.source_hash = :hash)""",
            {"namespace": namespace, "ref": source_ref, "hash": source_hash},
        )
        return bool(found)

    def named_titles(self, namespace: str, most: int) -> tuple[int, int]:
        """Of the titles of the newest passages, at most so many: how many there are, and how many of them are names
        that another passage mentions."""
        row = self._db.row(
            """
            select count(*) as titles, coalesce(sum(exists (
                       select 1 from node e indexed by node_title
                         join edge x on x.namespace = :namespace and x.target_id = e.id and x.source_id <> c.id
                        where e.namespace = :namespace and e.title_key = c.title_key and e.kind = 'entity'
                          and e.deleted_at is null and x.edge_type in ('mentions', 'about'))), 0) as named
              from (select title_key, min(id) as id from (
                        select title_key, id from node indexed by node_recent
                         where namespace = :namespace and kind = 'chunk' and deleted_at is null
                         order by updated_at desc limit :most)
                     group by title_key) c""",
            {"namespace": namespace, "most": most},
        )
        return (int(row["titles"]), int(row["named"])) if row is not None else (0, 0)

    def known(self, namespace: str, names: Iterable[str]) -> set[str]:
        """Those of the names that are a document's, a source's, or the id of a node that is not deleted."""
        rows = self._db.rows(
            """
            select k.value as name from json_each(:names) k
             where exists (select 1 from document d where d.namespace = :namespace and d.source_ref = k.value)
                or exists (select 1 from node n where n.namespace = :namespace and n.source_ref = k.value
                              and n.deleted_at is null)
                or exists (select 1 from node n where n.id = k.value and n.namespace = :namespace
                              and n.deleted_at is null)""",
            {"names": json.dumps(list(names)), "namespace": namespace},
        )
        return {str(row["name"]) for row in rows}
