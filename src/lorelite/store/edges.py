"""Edges: typed relations, and the two index searches every walk is made of."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from lorelite.errors import NodeOwnershipConflict
from lorelite.graph.walk import Step
from lorelite.ports import Clock
from lorelite.records import CONFIDENCE_RANK, Edge, Origin
from lorelite.store.connection import Database
from lorelite.store.nodes import in_window


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkFilter:
    """Which edges a walk may use and which nodes it may enter."""

    edge_types: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None
    confidences: tuple[str, ...] = ("tentative", "inferred", "certain")
    exclude_source_types: tuple[str, ...] = ()
    exclude_drafts: bool = False
    as_of: int | None = None
    ends: tuple[str, ...] = ()
    """Ids of nodes that pass whatever they are, unless they are deleted."""
    max_degree: int | None = None
    """Nodes with more edges of these types than this lead nowhere that way."""


class Link(NamedTuple):
    """One edge crossed, and what is needed of the node it leads to."""

    origin: str
    id: str
    edge_type: str
    weight: float
    kind: str
    title_key: str
    title: str
    made_by: Origin


_EDGE_FIELDS = tuple(field.name for field in fields(Edge) if field.name != "citations")
EDGE_COLUMNS = ", ".join(f"e.{name}" for name in _EDGE_FIELDS)


class EdgeTable:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    # -- reading ------------------------------------------------------------------------------------------------

    def steps(self, namespace: str, frontier: Sequence[str], outbound: bool, where: WalkFilter) -> list[Step]:
        """The steps that lead from *frontier* over live edges to live nodes which pass the filter."""
        columns = "n.id, n.updated_at, e.weight, e.id as edge_id, e.edge_type"
        return list(map(Step._make, self._crossed(namespace, frontier, outbound, where, columns)))

    def links(self, namespace: str, frontier: Sequence[str], outbound: bool, where: WalkFilter) -> list[Link]:
        """As `steps`, with the kinds, titles and makers of the nodes."""
        columns = "n.id, e.edge_type, e.weight, n.kind, n.title_key, n.title, n.origin as made_by"
        return list(map(Link._make, self._crossed(namespace, frontier, outbound, where, columns)))

    def _crossed(
        self, namespace: str, frontier: Sequence[str], outbound: bool, where: WalkFilter, columns: str
    ) -> list[sqlite3.Row]:
        near, far = ("source_id", "target_id") if outbound else ("target_id", "source_id")
        index = "edge_out" if outbound else "edge_in"
        types = (
            "and {0}.edge_type in (select value from json_each(:edge_types))" if where.edge_types is not None else ""
        )
        leaving = (
            f"from edge x indexed by {index} where x.namespace = :namespace and x.{near} = f.value {types.format('x')}"
        )
        conditions = [
            f"n.namespace = :namespace and n.deleted_at is null and {in_window('e', where.as_of)} {types.format('e')}",
            # Counted no further than it matters: a hub is not read to learn that it is one.
            *([f"(select count(*) from (select 1 {leaving} limit :most + 1)) <= :most"] if where.max_degree else []),
            _may_be_entered(where),
        ]
        # cross join fixes the order: frontier, then the edge index, then the node by id, whatever the planner thinks.
        return self._db.rows(
            f"""
            select e.{near} as origin, {columns}
              from json_each(:frontier) f
              cross join edge e indexed by {index} on e.namespace = :namespace and e.{near} = f.value
              cross join node n on n.id = e.{far}
             where {" and ".join(conditions)}""",
            {
                "frontier": json.dumps(frontier),
                "namespace": namespace,
                "edge_types": json.dumps(where.edge_types),
                "kinds": json.dumps(where.kinds),
                "confidences": json.dumps(where.confidences),
                "excluded": json.dumps(where.exclude_source_types),
                "ends": json.dumps(where.ends),
                "most": where.max_degree,
                "now": self._clock(),
                "as_of": where.as_of,
            },
        )

    def among(self, namespace: str, ids: Sequence[str], as_of: int | None = None) -> list[Edge]:
        """The live edges whose two ends are both in *ids*, ordered by source, type, target, id."""
        rows = self._db.rows(
            f"""
            select {EDGE_COLUMNS} from json_each(:ids) f
              cross join edge e indexed by edge_out on e.namespace = :namespace and e.source_id = f.value
             where e.target_id in (select value from json_each(:ids)) and {in_window("e", as_of)}
             order by e.source_id, e.edge_type, e.target_id, e.id""",
            {"ids": json.dumps(list(ids)), "namespace": namespace, "now": self._clock(), "as_of": as_of},
        )
        return [edge_from(row) for row in rows]

    def between(
        self, namespace: str, near: Sequence[str], outbound: bool, far: Sequence[str], as_of: int | None = None
    ) -> list[Edge]:
        """The live edges that lead from one of *near* (or, not outbound, to it) to one of *far*, node by node."""
        here, there = ("source_id", "target_id") if outbound else ("target_id", "source_id")
        rows = self._db.rows(
            f"""
            select {EDGE_COLUMNS} from json_each(:near) f
              cross join edge e indexed by {"edge_out" if outbound else "edge_in"}
                on e.namespace = :namespace and e.{here} = f.value
             where e.{there} in (select value from json_each(:far)) and {in_window("e", as_of)}""",
            {
                "near": json.dumps(list(near)),
                "far": json.dumps(list(far)),
                "namespace": namespace,
                "now": self._clock(),
                "as_of": as_of,
            },
        )
        return [edge_from(row) for row in rows]

    def by_ids(self, namespace: str, ids: Iterable[str]) -> list[Edge]:
        rows = self._db.rows(
            f"""
            select {EDGE_COLUMNS} from edge e where id in (select value from json_each(?)) and +namespace = ?
             order by source_id, edge_type, target_id, id""",
            (json.dumps(list(ids)), namespace),
        )
        return [edge_from(row) for row in rows]

    def count(self, namespace: str) -> int:
        """Edges whose two nodes are there."""
        sql = """
            select count(*) from edge e
              cross join node s on s.id = e.source_id cross join node t on t.id = e.target_id
             where e.namespace = ? and s.deleted_at is null and t.deleted_at is null"""
        return int(self._db.value(sql, (namespace,)))

    # -- writing ------------------------------------------------------------------------------------------------

    def check_ids(self, edges: Sequence[Edge]) -> None:
        """Raises NodeOwnershipConflict when an id is taken by an edge of another namespace, type or other ends."""
        wanted = {edge.id: edge for edge in edges}
        rows = self._db.rows(
            "select * from edge where id in (select value from json_each(?))", (json.dumps(list(wanted)),)
        )
        for row in rows:
            edge = wanted[row["id"]]
            if (row["namespace"], row["source_id"], row["edge_type"], row["target_id"]) != _tuple(edge):
                raise NodeOwnershipConflict("edge", edge.id)

    def add(self, edges: Sequence[Edge]) -> int:
        """Insert edges; one that the same source already states is left as it is. Gives how many are new."""
        self.check_ids(edges)
        known = self._stated(edges)
        new: dict[tuple[Any, ...], Edge] = {}
        for edge in edges:
            if _statement(edge) not in known:
                new.setdefault(_statement(edge), edge)
        return self._insert(new.values(), "on conflict (id) do nothing")

    def strengthen(self, edges: Sequence[Edge]) -> int:
        """Insert edges whose ids name their content; one that is there gains weight and description. Gives new ones."""
        self.check_ids(edges)
        known = {edge.id for edge in self.by_ids(edges[0].namespace, [edge.id for edge in edges])} if edges else set()
        self._insert(edges, _STRENGTHEN)
        return len({edge.id for edge in edges} - known)

    def add_new(self, edges: Sequence[Edge]) -> None:
        """Insert edges that are not there."""
        self._insert(edges, "")

    def raise_to(self, edges: Sequence[Edge]) -> int:
        """Insert edges whose ids name their content; of one that is there the larger weight stays. Gives new ones."""
        if not edges:
            return 0
        known = {edge.id for edge in self.by_ids(edges[0].namespace, [edge.id for edge in edges])}
        self._insert(edges, _RAISE)
        return len({edge.id for edge in edges} - known)

    def _insert(self, edges: Iterable[Edge], then: str) -> int:
        with self._db.atomic():
            return self._db.insert(
                "edge", _INSERTED, ([getattr(edge, name) for name in _INSERTED] for edge in edges), then
            )

    def _stated(self, edges: Sequence[Edge]) -> set[tuple[Any, ...]]:
        """Those of these statements that are made already."""
        rows = self._db.rows(
            """
            select e.namespace, e.source_id, e.edge_type, e.target_id, e.source_ref, e.source_hash
              from json_each(:edges) k cross join edge e indexed by edge_out
                on e.namespace = json_extract(k.value, '$[0]') and e.source_id = json_extract(k.value, '$[1]')
               and e.edge_type = json_extract(k.value, '$[2]') and e.target_id = json_extract(k.value, '$[3]')""",
            {"edges": json.dumps([_tuple(edge) for edge in edges])},
        )
        return {tuple(row) for row in rows}

    def delete_of_source(self, namespace: str, source_ref: str, source_hash: str | None = None) -> int:
        return self._db.run(
            """
            delete from edge where namespace = :namespace and source_ref = :ref
               and (:hash is null or source_hash = :hash)""",
            {"namespace": namespace, "ref": source_ref, "hash": source_hash},
        )

    def delete_all(self, namespace: str) -> int:
        return self._db.run("delete from edge where namespace = ?", (namespace,))


def _may_be_entered(where: WalkFilter) -> str:
    """The condition on the nodes of a walk; what keeps nobody out is not asked, since it is asked of every edge."""
    asked = [
        (where.kinds is not None, "n.kind in (select value from json_each(:kinds))"),
        (len(where.confidences) < len(CONFIDENCE_RANK), "n.confidence in (select value from json_each(:confidences))"),
        (where.exclude_source_types, "n.source_type not in (select value from json_each(:excluded))"),
        (where.exclude_drafts, "n.lifecycle <> 'draft'"),
    ]
    passes = " and ".join([in_window("n", where.as_of), *(condition for is_asked, condition in asked if is_asked)])
    return f"({passes} or n.id in (select value from json_each(:ends)))" if where.ends else passes


_INSERTED = (
    "id", "namespace", "source_id", "edge_type", "target_id", "weight", "description", "confidence", "origin",
    "source_ref", "source_hash", "created_at", "updated_at", "valid_from", "valid_to",
)  # fmt: skip
_RAISE = """
    on conflict (id) do update set weight = excluded.weight, updated_at = excluded.updated_at
     where excluded.weight > weight"""
_STRENGTHEN = """
    on conflict (id) do update set
        weight = weight + excluded.weight, updated_at = excluded.updated_at,
        description = case when excluded.description = '' or instr(description, excluded.description) then description
                           when description = '' then excluded.description
                           else description || char(10) || excluded.description end"""


def _tuple(edge: Edge) -> tuple[str, str, str, str]:
    return edge.namespace, edge.source_id, edge.edge_type, edge.target_id


def _statement(edge: Edge) -> tuple[Any, ...]:
    """What the edge says, and who says it."""
    return *_tuple(edge), edge.source_ref, edge.source_hash


def edge_of(columns: Mapping[str, Any]) -> Edge:
    """An edge from its columns by name."""
    return Edge(**{name: columns[name] for name in _EDGE_FIELDS})


def edge_from(row: sqlite3.Row) -> Edge:
    return Edge(**dict(zip(_EDGE_FIELDS, row, strict=True)))
