"""The edges of a graph store as rows of the file's edges, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorelite.graph.weighted import summed
from lorelite.ids import content_id
from lorelite.records import Edge
from lorelite.store.connection import Database
from lorelite.store.edges import EDGE_COLUMNS, edge_of

_COLUMNS = (
    "id", "namespace", "source_id", "target_id", "edge_type", "weight", "description", "confidence", "origin",
    "source_ref", "source_hash", "created_at", "updated_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FoundEdge:
    """All rows of one unordered pair and one type: one of a graph store, and any number that a wiki wrote."""

    edges: tuple[Edge, ...]
    given: Mapping[str, Any] | None
    """What a graph store was given for it."""

    @property
    def source_id(self) -> str:
        return self.edges[0].source_id

    @property
    def target_id(self) -> str:
        return self.edges[0].target_id

    @property
    def type(self) -> str:
        return self.edges[0].edge_type

    @property
    def pair(self) -> tuple[str, str]:
        return min(self.source_id, self.target_id), max(self.source_id, self.target_id)

    def other(self, node_id: str) -> str:
        return self.target_id if node_id == self.source_id else self.source_id

    def data(self) -> dict[str, Any]:
        if self.given is not None:
            return dict(self.given)
        lines = dict.fromkeys(edge.description for edge in self.edges if edge.description)
        weight = summed([edge.weight for edge in self.edges])
        return {"type": self.type, "weight": weight, "description": "\n".join(lines)}


class GraphEdges:
    """Rows of `edge` and `graph_edge` in one namespace."""

    def __init__(self, db: Database, namespace: str) -> None:
        self._db = db
        self._namespace = namespace

    def touching(self, node_ids: Sequence[str], type: str | None = None) -> list[FoundEdge]:
        """The edges between live nodes that touch one of these; each once, ordered by pair and type."""
        ids = {"ids": json.dumps(list(node_ids))}
        outbound = self._rows(
            "json_each(:ids) k cross join edge e indexed by edge_out on e.source_id = k.value", type, ids
        )
        inbound = self._rows(
            "json_each(:ids) k cross join edge e indexed by edge_in on e.target_id = k.value", type, ids
        )
        return _grouped(outbound | inbound)

    def shown(self, node_ids: Sequence[str], type: str | None = None) -> list[tuple[str, str, str, dict[str, Any]]]:
        """(source, target, type, data) of what `touching` gives of live nodes, without the rows, which take longer."""
        rows: dict[str, tuple[Any, ...]] = {}
        for end, other in (("source", "target"), ("target", "source")):
            index = "edge_out" if end == "source" else "edge_in"
            found = self._db.rows(
                f"""
                select e.id, e.source_id, e.target_id, e.edge_type, e.weight, e.description, g.data
                  from json_each(:ids) k
                  cross join edge e indexed by {index} on e.{end}_id = k.value
                  cross join node n on n.id = e.{other}_id
                  left join graph_edge g on g.edge_id = e.id
                 where e.namespace = :namespace and n.deleted_at is null
                   {"" if type is None else "and e.edge_type = :type"}""",
                {"ids": json.dumps(list(node_ids)), "namespace": self._namespace, "type": type},
            )
            rows |= {row[0]: tuple(row) for row in found}
        grouped: dict[tuple[str, str, str], list[tuple[Any, ...]]] = {}
        for id in sorted(rows):
            _, source, target, kind, *_ = row = rows[id]
            key = (source, target, kind) if source < target else (target, source, kind)
            grouped.setdefault(key, []).append(row)
        return [_shown(grouped[key]) for key in sorted(grouped)]

    def between(self, pairs: Iterable[tuple[str, str]], type: str | None = None) -> list[FoundEdge]:
        """As `touching`: the edges of these pairs of nodes, in either direction."""
        both = [way for one, other in pairs for way in ((one, other), (other, one))]
        near = """
            json_each(:ids) k cross join edge e indexed by edge_out
              on e.source_id = json_extract(k.value, '$[0]') and e.target_id = json_extract(k.value, '$[1]')"""
        return _grouped(self._rows(near, type, {"ids": json.dumps(both)}))

    def every(self, type: str | None = None) -> list[FoundEdge]:
        """As `touching`: all of them."""
        return _grouped(self._rows("edge e", type, {}))

    def _rows(self, near: str, type: str | None, params: Mapping[str, Any]) -> dict[str, tuple[Edge, str | None]]:
        of_type = "" if type is None else "and e.edge_type = :type"
        rows = self._db.rows(
            f"""
            select {EDGE_COLUMNS}, g.data as graph_data from {near}
              cross join node s on s.id = e.source_id
              cross join node t on t.id = e.target_id
              left join graph_edge g on g.edge_id = e.id
             where e.namespace = :namespace and s.deleted_at is null and t.deleted_at is null {of_type}""",
            {"namespace": self._namespace, "type": type, **params},
        )
        return {row["id"]: (edge_of(dict(row)), row["graph_data"]) for row in rows}

    def given(self, ids: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Edge id → what a graph store was given for it."""
        rows = self._db.rows(
            "select edge_id, data from graph_edge where edge_id in (select value from json_each(?))",
            (json.dumps(list(ids)),),
        )
        return {row["edge_id"]: json.loads(row["data"]) for row in rows}

    def put(self, edges: Mapping[str, tuple[Edge, Mapping[str, Any]]]) -> None:
        """Add or replace, by id, edges and what was given for them."""
        self._db.insert(
            "edge",
            _COLUMNS,
            ([getattr(edge, name) for name in _COLUMNS] for edge, _ in edges.values()),
            """
            on conflict (id) do update set
                source_id = excluded.source_id, target_id = excluded.target_id, weight = excluded.weight,
                description = excluded.description, updated_at = excluded.updated_at
             where (source_id, weight, description)
                   is not (excluded.source_id, excluded.weight, excluded.description)""",
        )
        self._db.insert(
            "graph_edge",
            ("edge_id", "data"),
            ((id, json.dumps(data)) for id, (_, data) in edges.items()),
            "on conflict (edge_id) do update set data = excluded.data",
        )

    def delete(self, edges: Iterable[Edge]) -> None:
        """Take rows away, with their citations."""
        ids = json.dumps([edge.id for edge in edges])
        self._db.run("delete from citation where owner_id in (select value from json_each(?))", (ids,))
        self._db.run("delete from edge where id in (select value from json_each(?))", (ids,))


def edge_row_id(namespace: str, one: str, other: str, type: str) -> str:
    """The id of a graph store's row for two nodes of the file and a type."""
    return content_id("edge", "graph store", namespace, *sorted((one, other)), type)


def _grouped(rows: Mapping[str, tuple[Edge, str | None]]) -> list[FoundEdge]:
    grouped: dict[tuple[str, str, str], list[tuple[Edge, str | None]]] = {}
    for id in sorted(rows):
        edge = rows[id][0]
        first, second = sorted((edge.source_id, edge.target_id))
        grouped.setdefault((first, second, edge.edge_type), []).append(rows[id])
    return [_found(grouped[key]) for key in sorted(grouped)]


def _shown(rows: Sequence[tuple[Any, ...]]) -> tuple[str, str, str, dict[str, Any]]:
    _, source, target, kind, _, _, given = first = min(rows, key=lambda row: row[6] is None)
    if given is not None:
        return source, target, kind, json.loads(given)
    lines = dict.fromkeys(row[5] for row in rows if row[5])
    weight = first[4] if len(rows) == 1 else summed([row[4] for row in rows])
    return source, target, kind, {"type": kind, "weight": weight, "description": "\n".join(lines)}


def _found(rows: Sequence[tuple[Edge, str | None]]) -> FoundEdge:
    # A graph store's row comes first: it says which way the edge goes.
    ordered = sorted(rows, key=lambda row: row[1] is None)
    data = ordered[0][1]
    return FoundEdge(tuple(edge for edge, _ in ordered), None if data is None else json.loads(data))
