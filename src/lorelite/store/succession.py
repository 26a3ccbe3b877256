"""Which fact took the place of which."""

from __future__ import annotations

from lorelite.records import Node
from lorelite.store.connection import Database
from lorelite.store.nodes import NODE_COLUMNS, node_from


class SuccessionTable:
    def __init__(self, db: Database) -> None:
        self._db = db

    def chain(self, namespace: str, id: str) -> list[Node]:
        """What superseded what, from the node both ways, itself included; deleted nodes are passed through unseen."""
        rows = self._db.rows(
            f"""
            with recursive linked (id) as (
              values (:id)
              union
              select n.superseded_by from linked l cross join node n on n.id = l.id
               where n.namespace = :namespace and n.superseded_by is not null
              union
              select n.id from linked l cross join node n indexed by node_superseded on n.superseded_by = l.id
               where n.namespace = :namespace and n.superseded_by is not null)
            select {NODE_COLUMNS} from linked l cross join node n on n.id = l.id
             where n.namespace = :namespace and n.deleted_at is null
             order by coalesce(n.valid_from, n.created_at), n.created_at, n.id""",
            {"namespace": namespace, "id": id},
        )
        return list(map(node_from, rows))

    def leads_to(self, namespace: str, id: str, wanted: str) -> bool:
        """Whether *id* was superseded by *wanted*, or by what was."""
        found = self._db.value(
            """
            with recursive later (id) as (
              values (:id)
              union
              select n.superseded_by from later l cross join node n on n.id = l.id
               where n.namespace = :namespace and n.superseded_by is not null)
            select 1 from later where id = :wanted""",
            {"namespace": namespace, "id": id, "wanted": wanted},
        )
        return found is not None

    def is_elsewhere(self, namespace: str, id: str) -> bool:
        """Whether the id is a live node of another namespace."""
        found = self._db.value(
            "select 1 from node where id = ? and +namespace <> ? and deleted_at is null", (id, namespace)
        )
        return found is not None
