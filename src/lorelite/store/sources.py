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

    def joins_passages(self, namespace: str) -> bool:
        """Whether anything mentions an entity: of the first 200 entities, so that it costs the same everywhere."""
        found = self._db.value(
            """
            select exists (
                select 1 from (select id from node where namespace = :namespace and kind = 'entity'
                                  and deleted_at is null limit 200) n
                  join edge e on e.namespace = :namespace and e.target_id = n.id
                 where e.edge_type in ('mentions', 'about'))""",
            {"namespace": namespace},
        )
        return bool(found)

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
