"""What heal looks at: facts that age, facts whose turn has come, and when each was looked at last."""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from lorelite.ports import Clock
from lorelite.records import Node
from lorelite.store.connection import Database
from lorelite.store.nodes import NODE_COLUMNS, liveness, node_from


@dataclass(frozen=True, slots=True, kw_only=True)
class AgingFact:
    """What the policies of age go by."""

    id: str
    source_type: str
    confidence: str
    created_at: int
    last_accessed_at: int | None
    access_count: int
    is_verified: bool
    is_used: bool
    """Something rests on it: a citation, an edge to a live node, a fact that it took the place of, a task, an event."""


class HealthTable:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    def aging(self, namespace: str, cutoff: int) -> list[AgingFact]:
        """The live facts made at *cutoff* or before that no document states, oldest first."""
        rows = self._db.rows(
            f"""
            select n.id, n.source_type, n.confidence, n.created_at, n.last_accessed_at, n.access_count,
                   n.verified <> '[]' as is_verified,
                   exists (select 1 from citation c where c.owner_id = n.id)
                   or exists (select 1 from edge e indexed by edge_out cross join node o on o.id = e.target_id
                               where e.namespace = n.namespace and e.source_id = n.id and o.deleted_at is null)
                   or exists (select 1 from edge e indexed by edge_in cross join node o on o.id = e.source_id
                               where e.namespace = n.namespace and e.target_id = n.id and o.deleted_at is null)
                   or exists (select 1 from node p where p.superseded_by = n.id and p.deleted_at is null)
                   or n.id in (select related_node_id from task where namespace = :namespace and deleted_at is null)
                   or n.id in (select related_node_id from event where namespace = :namespace) as is_used
              from node n indexed by node_recent
             where {_OURS} and n.created_at <= :cutoff order by n.created_at, n.id""",
            {"namespace": namespace, "cutoff": cutoff, "now": self._clock()},
        )
        return [
            AgingFact(
                id=row["id"],
                source_type=row["source_type"],
                confidence=row["confidence"],
                created_at=row["created_at"],
                last_accessed_at=row["last_accessed_at"],
                access_count=row["access_count"],
                is_verified=bool(row["is_verified"]),
                is_used=bool(row["is_used"]),  # null, where a list holds nulls, is no
            )
            for row in rows
        ]

    def due(self, namespace: str, healed_before: int, limit: int) -> list[Node]:
        """The live facts that no document states, not looked at after *healed_before*; longest unchanged first.

        Drafts wait for a person, not for heal.
        """
        rows = self._db.rows(
            f"""
            select {NODE_COLUMNS} from node n indexed by node_recent
             where {_OURS} and n.lifecycle <> 'draft' and not ({_RESTS})
             order by n.updated_at, n.id limit :limit""",
            {"namespace": namespace, "now": self._clock(), "healed": healed_before, "limit": limit},
        )
        return list(map(node_from, rows))

    def count(self, namespace: str, healed_before: int, *, leave_out: Collection[str] = ()) -> tuple[int, int]:
        """(live facts that no document states and that are due, those that were looked at since)."""
        row = self._db.row(
            f"""
            select count(*) as every, count(*) filter (where {_RESTS}) as resting
              from node n indexed by node_recent
             where {_OURS} and n.lifecycle <> 'draft' and n.id not in (select value from json_each(:out))""",
            {
                "namespace": namespace,
                "now": self._clock(),
                "healed": healed_before,
                "out": json.dumps(list(leave_out)),
            },
        )
        assert row is not None
        return row["every"] - row["resting"], row["resting"]

    def overdue(self, namespace: str, limit: int) -> list[str]:
        """Live facts that should be checked again since their `stale_after`, longest overdue first."""
        rows = self._db.rows(
            f"""
            select n.id from node n indexed by node_recent
             where n.namespace = :namespace and n.kind = 'fact' and {liveness("n", None)} and n.stale_after <= :now
             order by n.stale_after, n.id limit :limit""",
            {"namespace": namespace, "now": self._clock(), "limit": limit},
        )
        return [row["id"] for row in rows]

    def vectors(self, ids: Sequence[str], model_id: str) -> dict[str, array[float]]:
        """The stored vectors of these nodes' present texts, by id."""
        rows = self._db.rows(
            """
            select v.node_id, v.data from json_each(?) k
              cross join vector v on v.node_id = k.value and v.model_id = ?
              cross join node n on n.id = v.node_id and n.content_hash = v.content_hash""",
            (json.dumps(list(ids)), model_id),
        )
        return {row["node_id"]: array("f", row["data"]) for row in rows}

    def ever(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that are taken, by deleted nodes too."""
        rows = self._db.rows(
            "select id from node where id in (select value from json_each(?))", (json.dumps(list(ids)),)
        )
        return {row["id"] for row in rows}

    def notes_on(self, namespace: str, ids: Sequence[str]) -> list[str]:
        """The drafts that do nothing but name a contradiction with one of these nodes."""
        rows = self._db.rows(
            """
            select distinct d.id from json_each(:ids) k
              cross join edge e indexed by edge_in
                on e.namespace = :namespace and e.target_id = k.value and e.edge_type = 'contradicts'
              cross join node d on d.id = e.source_id
             where d.lifecycle = 'draft' and d.deleted_at is null and d.sources like '[{"resource":"node:%'
             order by d.id""",
            {"ids": json.dumps(list(ids)), "namespace": namespace},
        )
        return [row["id"] for row in rows]

    def last_event(self, namespace: str) -> int:
        """The sequence of the namespace's newest event; 0 without any."""
        return int(self._db.value("select max(sequence) from event where namespace = ?", (namespace,)) or 0)

    # -- writing ------------------------------------------------------------------------------------------------

    def make_tentative(self, namespace: str, ids: Sequence[str]) -> int:
        """Lower the confidence of these nodes; gives how many had a higher one."""
        return self._db.run(
            """
            update node set confidence = 'tentative', updated_at = :now
             where id in (select value from json_each(:ids)) and +namespace = :namespace
               and deleted_at is null and confidence <> 'tentative'""",
            {"ids": json.dumps(list(ids)), "namespace": namespace, "now": self._clock()},
        )

    def mark_healed(self, namespace: str, ids: Sequence[str]) -> None:
        """Note that these nodes were looked at now. That is no change of theirs."""
        self._db.run(
            """
            update node set healed_at = :now
             where id in (select value from json_each(:ids)) and +namespace = :namespace""",
            {"ids": json.dumps(list(ids)), "namespace": namespace, "now": self._clock()},
        )


_OURS = f"""n.namespace = :namespace and n.kind = 'fact' and n.source_type <> 'immutable_document'
               and {liveness("n", None)}"""
_RESTS = "coalesce(n.healed_at > :healed and n.healed_at <= :now, false)"
"""Looked at within the week; one that was looked at in the future was so by a clock that was wrong."""
