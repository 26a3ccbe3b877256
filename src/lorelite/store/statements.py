"""What each chunk says of a relation: the edge's weight and description are worked out from all that is said of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from lorelite.graph.weighted import summed
from lorelite.records import Edge
from lorelite.store.connection import Database
from lorelite.store.edges import EdgeTable

ChunkKey = tuple[str, int]
"""(document id, ordinal) of a chunk."""


@dataclass(frozen=True, slots=True)
class Statement:
    edge_id: str
    document_id: str
    ordinal: int
    """-1: what the edge said before there were statements of it."""
    weight: float
    description: str


class StatementTable:
    def __init__(self, db: Database, edges: EdgeTable) -> None:
        self._db = db
        self._edges = edges

    def put(self, edges: Sequence[Edge], statements: Sequence[Statement]) -> list[Edge]:
        """Store what is said of these edges, each of which belongs to the document of its statements; what the same
        chunk said of an edge before is replaced. The edges' own weights and descriptions count for nothing.

        Gives the edges that are new.
        """
        if not edges:
            return []
        self._edges.check_ids(edges)
        ids = [edge.id for edge in edges]
        known = {edge.id: edge for edge in self._edges.by_ids(edges[0].namespace, ids)}
        bare = set(known) - set(self._of_edges(list(known)))
        said = [
            Statement(each.edge_id, each.document_id, -1, known[each.edge_id].weight, known[each.edge_id].description)
            for each in statements
            if each.edge_id in bare
        ]
        of_new = {id: list(each) for id, each in groupby(sorted(statements, key=_place), lambda s: s.edge_id)}
        new = [_worked_out(edge, of_new[edge.id]) for edge in edges if edge.id not in known]
        self._edges.add_new(new)
        self._db.insert(
            "statement",
            ("edge_id", "document_id", "ordinal", "weight", "description"),
            ((s.edge_id, s.document_id, s.ordinal, s.weight, s.description) for s in [*said, *statements]),
            """
            on conflict (edge_id, document_id, ordinal) do update set
                weight = excluded.weight, description = excluded.description""",
        )
        self._refresh(known.values(), edges[0].updated_at)
        return new

    def retract(self, namespace: str, chunks: Sequence[ChunkKey], now: int) -> list[Edge]:
        """Take away what these chunks say of edges, and the edges, with their citations, of which nobody says more.
        Gives the latter."""
        keys = json.dumps(list(chunks))
        rows = self._db.rows(
            f"select distinct s.edge_id from {_OF_CHUNKS} order by s.edge_id",
            (keys,),
        )
        ids = [row["edge_id"] for row in rows]
        if not ids:
            return []
        self._db.run(
            f"""
            delete from statement where (edge_id, document_id, ordinal) in (
                select s.edge_id, s.document_id, s.ordinal from {_OF_CHUNKS})""",
            (keys,),
        )
        said = self._of_edges(ids)
        removed = self._edges.by_ids(namespace, [id for id in ids if id not in said])
        gone = json.dumps([edge.id for edge in removed])
        self._db.run("delete from citation where owner_id in (select value from json_each(?))", (gone,))
        self._db.run(
            "delete from edge where id in (select value from json_each(?)) and +namespace = ?", (gone, namespace)
        )
        self._refresh(self._edges.by_ids(namespace, list(said)), now)
        return removed

    def work_out(self, namespace: str, edge_ids: Sequence[str], now: int) -> None:
        """Work out anew those of these edges of which something is said."""
        said = self._of_edges(list(edge_ids))
        self._refresh(self._edges.by_ids(namespace, list(said)), now)

    def stated_edges(self, edge_ids: Sequence[str]) -> set[str]:
        """Those of these edges of which something is said."""
        return set(self._of_edges(list(edge_ids)))

    def _refresh(self, edges: Iterable[Edge], now: int) -> None:
        """Work out weight and description anew; an edge that stays as it was is not written."""
        before = {edge.id: edge for edge in edges}
        said = self._of_edges(list(before))
        changed = []
        for id, edge in before.items():
            after = _worked_out(edge, said[id])
            if after is not edge:
                changed.append(after)
        self._db.run_many(
            "update edge set weight = ?, description = ?, updated_at = ? where id = ?",
            ((edge.weight, edge.description, now, edge.id) for edge in changed),
        )

    def _of_edges(self, ids: Sequence[str]) -> Mapping[str, Sequence[Statement]]:
        """Edge → what is said of it, in the order of the chunks."""
        rows = self._db.rows(
            """
            select s.edge_id, s.document_id, s.ordinal, s.weight, s.description
              from json_each(?) k cross join statement s on s.edge_id = k.value
             order by s.edge_id, s.document_id, s.ordinal""",
            (json.dumps(list(ids)),),
        )
        return {id: list(each) for id, each in groupby((Statement(*row) for row in rows), lambda s: s.edge_id)}


def _worked_out(edge: Edge, said: Sequence[Statement]) -> Edge:
    lines = dict.fromkeys(line for each in said for line in each.description.split("\n") if line)
    weight, description = summed([each.weight for each in said]), "\n".join(lines)
    is_same = (weight, description) == (edge.weight, edge.description)
    return edge if is_same else replace(edge, weight=weight, description=description)


def _place(said: Statement) -> tuple[str, str, int]:
    return said.edge_id, said.document_id, said.ordinal


_OF_CHUNKS = """json_each(?) k cross join statement s indexed by statement_chunk
                  on s.document_id = json_extract(k.value, '$[0]') and s.ordinal = json_extract(k.value, '$[1]')"""
