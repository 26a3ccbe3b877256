"""What may want a look: drafts, and what `lint` finds. Reads only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from lorelite.findings import Finding
from lorelite.records import Node
from lorelite.store.connection import Database
from lorelite.store.nodes import NODE_COLUMNS, liveness, node_from

_SAMPLE = 20
_FACT = f"from node n where n.namespace = :namespace and n.kind = 'fact' and {liveness('n', None)}"
_EDGE = """from edge e where e.namespace = :namespace and (e.valid_to is null or e.valid_to > :now)"""
_ENDS = """from edge e join node s on s.id = e.source_id join node t on t.id = e.target_id
           where e.namespace = :namespace and (e.valid_to is null or e.valid_to > :now)
             and s.deleted_at is null and t.deleted_at is null"""
_ABSENT = "not exists (select 1 from node n where n.id = {end} and n.namespace = e.namespace)"

EdgeKinds = tuple[str, str | None, str | None]
"""Edge type, type of the source, type of the target."""


class ReviewTable:
    def __init__(self, db: Database) -> None:
        self._db = db

    def drafts(self, namespace: str, limit: int, before: tuple[int, str] | None) -> list[Node]:
        """Drafts by (created_at, id), newest first, from those *before* on."""
        rows = self._db.rows(
            f"""
            select {NODE_COLUMNS} from node n indexed by node_draft
             where n.namespace = :namespace and n.lifecycle = 'draft' and n.deleted_at is null
               and (:at is null or n.created_at < :at or (n.created_at = :at and n.id > :id))
             order by n.created_at desc, n.id limit :limit""",
            {
                "namespace": namespace,
                "limit": limit,
                "at": None if before is None else before[0],
                "id": None if before is None else before[1],
            },
        )
        return list(map(node_from, rows))

    # -- lint ---------------------------------------------------------------------------------------------------

    def dangling_edges(self, namespace: str, now: int) -> Finding:
        absent = " or ".join(_ABSENT.format(end=end) for end in ("e.source_id", "e.target_id"))
        return self._found("e.id", f"{_EDGE} and ({absent})", namespace, now)

    def edge_kinds(self, namespace: str, now: int) -> list[EdgeKinds]:
        """Every combination of types that a live edge of the namespace has."""
        rows = self._db.rows(
            f"select distinct e.edge_type, s.node_type, t.node_type {_ENDS}", {"namespace": namespace, "now": now}
        )
        return [(row[0], row[1], row[2]) for row in rows]

    def edges_of_kinds(self, namespace: str, now: int, kinds: Iterable[EdgeKinds]) -> Finding:
        """The live edges whose combination of types is one of *kinds*."""
        rows = f"""from (
            with wanted (kind, source, target) as materialized (
                select value ->> 0, value ->> 1, value ->> 2 from json_each(:kinds))
            select e.id {_ENDS} and exists (
                select 1 from wanted w
                 where w.kind = e.edge_type and w.source is s.node_type and w.target is t.node_type))"""
        return self._found("id", rows, namespace, now, kinds=json.dumps([list(kind) for kind in kinds]))

    def untyped_facts(self, namespace: str, now: int) -> Finding:
        return self._found("n.id", f"{_FACT} and n.node_type is null", namespace, now)

    def draft_facts(self, namespace: str, now: int) -> Finding:
        return self._found("n.id", f"{_FACT} and n.lifecycle = 'draft'", namespace, now)

    def unverified_inferred(self, namespace: str, now: int) -> Finding:
        condition = "n.source_type = 'librarian_inferred' and n.verified = '[]'"
        return self._found("n.id", f"{_FACT} and {condition}", namespace, now)

    def stale(self, namespace: str, now: int) -> Finding:
        rows = f"from node n where n.namespace = :namespace and n.stale_after <= :now and {liveness('n', None)}"
        return self._found("n.id", rows, namespace, now)

    def duplicate_titles(self, namespace: str, now: int) -> Finding:
        numbered = f"""select n.id, row_number() over (partition by n.title_key order by n.created_at, n.key) as place
                       {_FACT} and n.title_key <> ''"""
        return self._found("id", f"from ({numbered}) where place > 1", namespace, now)

    def partial_documents(self, namespace: str) -> Finding:
        rows = "from document d where d.namespace = :namespace and d.status = 'partial'"
        return self._found("d.source_ref", rows, namespace, 0)

    def _found(self, id: str, rows: str, namespace: str, now: int, **more: Any) -> Finding:
        given: Mapping[str, Any] = {"namespace": namespace, "now": now, **more}
        count = int(self._db.value(f"select count(*) {rows}", given))
        if not count:
            return Finding()
        sample = self._db.rows(f"select {id} {rows} order by {id} limit {_SAMPLE}", given)
        return Finding(count, tuple(row[0] for row in sample))
