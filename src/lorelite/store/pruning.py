"""Removal for good: tombstones with all that refers to them, old events. Nothing here can be brought back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from lorelite.store.connection import Database
from lorelite.store.merge_shares import MergeShareTable


@dataclass(frozen=True, slots=True)
class Pruned:
    """Rows removed."""

    nodes: int = 0
    edges: int = 0

    def __add__(self, other: Pruned) -> Pruned:
        return Pruned(self.nodes + other.nodes, self.edges + other.edges)


class PruneTable:
    def __init__(self, db: Database) -> None:
        self._db = db

    # -- what is due --------------------------------------------------------------------------------------------

    def deleted_nodes(self, namespace: str, cutoff: int) -> list[tuple[int, str]]:
        """(key, id) of the nodes deleted at *cutoff* or before, by key."""
        rows = self._db.rows(
            """
            select key, id from node indexed by node_deleted
             where namespace = ? and deleted_at is not null and deleted_at <= ? order by key""",
            (namespace, cutoff),
        )
        return [(row["key"], row["id"]) for row in rows]

    def deleted_ids(
        self,
        namespace: str,
        *,
        node_id: str | None = None,
        source_ref: str | None = None,
        source_hash: str | None = None,
    ) -> list[str]:
        """The deleted nodes that meet the conditions given; None: any."""
        rows = self._db.rows(
            """
            select id from node indexed by node_deleted
             where namespace = :namespace and deleted_at is not null and (:id is null or id = :id)
               and (:ref is null or source_ref = :ref) and (:hash is null or source_hash = :hash) order by key""",
            {"namespace": namespace, "id": node_id, "ref": source_ref, "hash": source_hash},
        )
        return [row["id"] for row in rows]

    def forget_deleted(self, table: str, namespace: str, ids: Sequence[str], now: int) -> int:
        """Log that deleted nodes or tasks were forgotten, where something else deleted them; gives how many."""
        return self._db.run(
            f"""
            update {table} set deleted_at = max(:now, deleted_at + 1)
             where id in (select value from json_each(:ids)) and +namespace = :namespace and deleted_at is not null
               and 'forget' <> (select cause from change indexed by change_record
                                 where table_name = '{table}' and record_id = {table}.id and before is not null
                                 order by sequence desc limit 1)""",
            {"ids": json.dumps(list(ids)), "namespace": namespace, "now": now},
        )

    def edges_of(self, namespace: str, ids: Sequence[str]) -> list[str]:
        """The edges that have one of these nodes at an end."""
        rows = self._db.rows(
            """
            select e.id from json_each(:ids) k
              cross join edge e indexed by edge_out on e.namespace = :namespace and e.source_id = k.value
            union
            select e.id from json_each(:ids) k
              cross join edge e indexed by edge_in on e.namespace = :namespace and e.target_id = k.value""",
            {"ids": json.dumps(list(ids)), "namespace": namespace},
        )
        return [row["id"] for row in rows]

    def deleted_tasks(self, namespace: str, cutoff: int) -> list[str]:
        """The tasks deleted at *cutoff* or before."""
        rows = self._db.rows(
            "select id from task where namespace = ? and deleted_at is not null and deleted_at <= ? order by rowid",
            (namespace, cutoff),
        )
        return [row["id"] for row in rows]

    def old_events(self, namespace: str, cutoff: int) -> list[int]:
        """The sequence numbers of the events that happened at *cutoff* or before, in order."""
        rows = self._db.rows(
            "select sequence from event where namespace = ? and created_at <= ? order by sequence", (namespace, cutoff)
        )
        return [row["sequence"] for row in rows]

    # -- removing, each within the caller's transaction ----------------------------------------------------------

    def remove_nodes(self, namespace: str, ids: Sequence[str], cutoff: int) -> Pruned:
        """Remove those of the nodes that are still deleted since *cutoff* or before, and whatever refers to them.

        Their vectors, aliases, support and community rows go with them (foreign keys).
        """
        rows = self._db.rows(
            """
            select id from node
             where id in (select value from json_each(?)) and +namespace = ? and deleted_at <= ?""",
            (json.dumps(list(ids)), namespace, cutoff),
        )
        gone = [row["id"] for row in rows]
        edges = self.edges_of(namespace, gone)
        named = {"ids": json.dumps(gone), "namespace": namespace}
        self._db.run("delete from citation where owner_id in (select value from json_each(?))", (json.dumps(edges),))
        self._db.run("delete from edge where id in (select value from json_each(?))", (json.dumps(edges),))
        for statement in _REFERENCES:
            self._db.run(statement, named)
        # A name goes on standing for the whole that it became part of, until that is gone.
        ended = self._db.rows(
            """
            delete from merge where namespace = :namespace and into_id in (select value from json_each(:ids))
               and not exists (select 1 from merge w where w.namespace = :namespace and w.from_id = merge.into_id)
            returning from_id""",
            named,
        )
        MergeShareTable(self._db).delete(namespace, [row["from_id"] for row in ended])
        self._db.run("delete from node where id in (select value from json_each(:ids))", {"ids": named["ids"]})
        return Pruned(len(gone), len(edges))

    def remove_tasks(self, ids: Sequence[str], cutoff: int) -> int:
        return self._db.run(
            "delete from task where id in (select value from json_each(?)) and deleted_at <= ?",
            (json.dumps(list(ids)), cutoff),
        )

    def remove_events(self, sequences: Sequence[int]) -> int:
        return self._db.run(
            "delete from event where sequence in (select value from json_each(?))", (json.dumps(list(sequences)),)
        )

    def compact(self) -> int:
        """Give the room of what was removed back to the disk; gives the bytes won. Not inside a transaction."""
        before = self._bytes()
        # Folded in first, since the write-ahead log holds pages of before.
        self._db.rows("pragma wal_checkpoint(truncate)")
        self._db.run("vacuum")
        self._db.rows("pragma wal_checkpoint(truncate)")
        return max(0, before - self._bytes())

    def _bytes(self) -> int:
        return int(self._db.value("pragma page_count")) * int(self._db.value("pragma page_size"))


_REFERENCES = (
    "delete from citation where owner_id in (select value from json_each(:ids))",
    "delete from chunk where node_id in (select value from json_each(:ids))",
    """
    update node set superseded_by = null
     where superseded_by in (select value from json_each(:ids)) and +namespace = :namespace""",
    """
    update task set related_node_id = null
     where namespace = :namespace and related_node_id in (select value from json_each(:ids))""",
    """
    update event set related_node_id = null
     where namespace = :namespace and related_node_id in (select value from json_each(:ids))""",
)
"""What names a node without a foreign key."""
