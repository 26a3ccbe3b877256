"""An entity taken out of the one that it was made part of, with all that is its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lorelite.engine import Engine
from lorelite.ids import text_hash
from lorelite.ingest.entities import is_shared, merged_entity, refresh_entities, said_lines, summary_of
from lorelite.ingest.ownership import remove_nodes
from lorelite.records import Node
from lorelite.resolution.shares import Move, Place, latest, record_id, says_the_same, united
from lorelite.store.changes import Row
from lorelite.store.entity_graph import MENTIONS
from lorelite.store.merges import MergeRow
from lorelite.store.nodes import node_fields_of


def support_hash(engine: Engine, id: str) -> str:
    """Of all that is said of a node."""
    return text_hash(repr([tuple(row) for row in engine.store.documents.support([id])]))


_WATCHED = (
    "title", "body", "node_type", "extra", "tags", "deleted_at", "source_ref", "source_hash", "lifecycle", "verified",
    "valid_to",
)  # fmt: skip
"""Columns of a survivor that tell whether it is what the merge left."""
_TINY = 1e-9
"""A weight that is rounding error."""


def part(engine: Engine, namespace: str, made: MergeRow) -> None:
    """Take one merge back: rows that still are what the merge made of them are told apart as they were. What has gone
    since, because its document did or says something else by now, does not return."""
    parting = _Parting(engine, namespace, made)
    parting.run()


class _Parting:
    def __init__(self, engine: Engine, namespace: str, made: MergeRow) -> None:
        self._engine = engine
        self._store = engine.store
        self._namespace = namespace
        self._made = made
        self._shares = self._store.merges.shares(namespace, made.from_id)
        into = self._store.rows.get("node", [made.into_id]).get(made.into_id)
        self._place = Place(made.from_id, made.into_id, into["title"] if into else "")
        self._moves = latest(self._shares)
        self._edge_ids = {move.own["id"]: self._place.edge_id(move.own) for move in self._moves if move.table == "edge"}
        self._is_untouched = into is not None and len(self._shares) == 1
        self._read: dict[str, Mapping[str, Row]] = {}
        self._was_there = made.from_id in self._store.rows.get("node", [made.from_id])

    def run(self) -> None:
        store, made = self._store, self._made
        moves = self._standing()
        self._is_untouched = self._is_untouched and len(moves) == len(self._moves)
        self._give_back(moves)
        self._return_rests()
        for share in self._shares:
            if related := share.get("related"):
                store.merges.relate(self._namespace, made.into_id, made.from_id, related)
        store.merges.delete(self._namespace, made.from_id)
        self._settle_survivor()

    # -- rows ---------------------------------------------------------------------------------------------------

    def _after(self, move: Move) -> dict[str, Any]:
        return self._place.moved(move.table, move.own, self._edge_ids)

    def _standing(self) -> list[Move]:
        """The moves that can be taken back: what became of them is there, and the chunk still says it."""
        support = [move for move in self._moves if move.table == "support"]
        stale = {_chunk(move) for move in support if not self._stands(move)}
        lost = {document for document, _ in stale} - {
            move.own["document_id"] for move in support if _chunk(move) not in stale
        }
        mentions = [move.own["source_id"] for move in self._moves if move.own.get("edge_type") == MENTIONS]
        chunks = self._store.merges.chunk_places(mentions)

        def is_lost(move: Move) -> bool:
            if move.table == "support":
                return _chunk(move) in stale
            if move.table == "edge":
                return move.own["edge_type"] == MENTIONS and chunks.get(move.own["source_id"]) in stale
            is_of_node = move.table == "alias" or move.own.get("owner_id") == self._made.from_id
            return is_of_node and move.own["document_id"] in lost

        return [move for move in self._moves if not is_lost(move) and self._stands(move)]

    def _stands(self, move: Move) -> bool:
        """Is what the merge made of a row there as it was?"""
        now = self._now(move.table).get(record_id(move.table, self._after(move)))
        if move.table in ("alias", "citation") or (move.table == "edge" and move.own["edge_type"] != MENTIONS):
            # Of an edge more may be said since, and its share can be taken out all the same.
            return now is not None
        return says_the_same(now, united(move.table, self._after(move), move.there))

    def _now(self, table: str) -> Mapping[str, Row]:
        if table not in self._read:
            ids = [record_id(table, self._after(move)) for move in self._moves if move.table == table]
            if table == "edge":
                self._read[table] = self._store.merges.edges(ids)
            else:
                self._read[table] = self._store.rows.get(table, ids)
        return self._read[table]

    def _give_back(self, moves: Sequence[Move]) -> None:
        """Every row of the entity's own as it was, and the survivor's as they would be without."""
        store, namespace = self._store, self._namespace
        stating = {move.own["edge_id"] for move in self._moves if move.table == "statement"}
        still_stated = {move.own["edge_id"] for move in moves if move.table == "statement"}
        # An edge of which chunks said something, and none does any more, is no edge.
        moves = [
            move
            for move in moves
            if move.table != "edge" or move.own["id"] not in stating or move.own["id"] in still_stated
        ]
        edges = [move for move in moves if move.table == "edge"]
        own_edges = {move.own["id"] for move in edges}
        gone: dict[str, dict[str, Row | None]] = {}
        come: dict[str, dict[str, Row | None]] = {"node": self._own_node(moves)}
        for move in moves:
            if move.table == "edge":
                continue
            if move.table == "citation" and move.own["owner_id"] not in own_edges | {self._made.from_id}:
                continue
            gone.setdefault(move.table, {})[record_id(move.table, self._after(move))] = None
            for row in (move.there, None if move.is_made else move.own):
                if row is not None:
                    come.setdefault(move.table, {})[record_id(move.table, row)] = row
        for move in self._lost_names(moves):
            gone.setdefault("alias", {})[record_id("alias", self._after(move))] = None
        store.rows.set(namespace, gone)
        self._give_edges_back(edges, moves, stating)
        store.rows.set(namespace, come)
        ids = [id for move in edges for id in (move.own["id"], record_id("edge", self._after(move)))]
        if not self._is_untouched:
            store.statements.work_out(namespace, ids, self._engine.clock())

    def _lost_names(self, standing: Sequence[Move]) -> list[Move]:
        """Names that only the entity bore, in documents that no longer name it so: they are not the survivor's."""
        names = set(self._shares[0].get("names", ()))
        kept = {record_id(move.table, move.own) for move in standing if move.table == "alias"}
        return [
            move
            for move in self._moves
            if move.table == "alias"
            and move.there is None
            and move.own["alias_key"] in names
            and record_id("alias", move.own) not in kept
        ]

    def _give_edges_back(self, edges: Sequence[Move], moves: Sequence[Move], stating: set[str]) -> None:
        gone: list[str] = []
        come: list[Row] = []
        said = self._store.statements.stated_edges([self._after(move)["id"] for move in edges])
        said |= {self._after(move)["edge_id"] for move in moves if move.table == "statement" and move.there is not None}
        for move in edges:
            after = self._after(move)
            now = self._now("edge")[after["id"]]
            left = move.there
            is_as_left = says_the_same(now, united("edge", after, move.there))
            # An edge whose id does not name its ends goes back itself.
            if after["id"] != move.own["id"] and not (is_as_left and self._is_untouched):
                weight = now["weight"] - move.own["weight"]
                if move.own["id"] in stating:
                    # Its weight is worked out of what is said of it.
                    left = now if after["id"] in said else None
                elif not is_as_left:
                    left = {**now, "weight": weight} if move.there is not None or weight > _TINY else None
            come.append(move.own)
            if left is None:
                gone.append(after["id"])
            else:
                come.append(left)
        self._store.merges.replace_edges(gone, come)

    def _return_rests(self) -> None:
        """What joined the two: it rests in the file beside the node that is gone, unless it was pruned or carried to
        another file without."""
        if self._was_there:
            return
        come: dict[str, dict[str, Row | None]] = {}
        edges = {}
        for share in self._shares:
            for rest in share["rests"]:
                if rest["table"] == "edge":
                    edges[rest["own"]["id"]] = rest["own"]
                else:
                    come.setdefault(rest["table"], {})[record_id(rest["table"], rest["own"])] = rest["own"]
        documents = self._store.documents
        standing = {
            id: row
            for id, row in edges.items()
            if row["source_ref"] is None
            or documents.find(self._namespace, row["source_ref"], row["source_hash"]) is not None
        }
        self._store.merges.replace_edges([], list(standing.values()))
        for table, rows in come.items():
            owner = "edge_id" if table == "statement" else "owner_id"
            come[table] = {id: row for id, row in rows.items() if row is not None and row[owner] in standing}
        self._store.rows.set(self._namespace, come)

    # -- nodes --------------------------------------------------------------------------------------------------

    def _own_node(self, moves: Sequence[Move]) -> dict[str, Row | None]:
        """The entity as it was; none when nothing is left of it."""
        id = self._made.from_id
        rows = [share["node"] for share in self._shares if "node" in share]
        row = next((row for row in reversed(rows) if self._is_stated(row)), rows[0])
        node = Node(**node_fields_of(row))
        is_supported = any(move.table == "support" and not move.is_made for move in moves)
        if node.source_ref is not None and not self._is_stated(row) and is_supported:
            row = {**row, "kind": "entity", "source_ref": None, "source_hash": None}
            row |= {"confidence": "inferred", "source_type": "immutable_document"}
            return {id: row}
        is_left = is_supported if node.source_ref is not None or is_shared(node) else True
        if is_left or self._is_stated(row):
            return {id: row}
        # Gone all the same, but rows may refer to it.
        return {id: {**row, "deleted_at": self._engine.clock()}}

    def _is_stated(self, row: Row) -> bool:
        ref, hash = row["source_ref"], row["source_hash"]
        return ref is not None and self._store.documents.find(self._namespace, ref, hash) is not None

    def _settle_survivor(self) -> None:
        store, namespace, made = self._store, self._namespace, self._made
        now = self._engine.clock()
        nodes = store.nodes.by_ids(namespace, [made.into_id])
        share = self._shares[0]
        is_as_before = share["support"] == support_hash(self._engine, made.into_id)
        if self._is_untouched and is_as_before and self._stands_as_left(share["left"]):
            store.rows.set(namespace, {"node": {made.into_id: share["into"]}})
            return
        said = store.documents.support([made.into_id])
        into = nodes.get(made.into_id)
        if into is not None and is_shared(into):
            if not said:
                remove_nodes(self._engine, namespace, [made.into_id])
            else:
                before, lines = Node(**node_fields_of(share["into"])), said_lines(said)
                if summary_of(into, lines) is None and summary_of(before, lines) is not None:
                    told = replace(into, extra=before.extra, updated_at=now)
                    store.nodes.put([merged_entity(told, said)], whole=True)
        refresh_entities(self._engine, namespace, [made.into_id, made.from_id], now)

    def _stands_as_left(self, left: Row) -> bool:
        now = self._store.rows.get("node", [self._made.into_id]).get(self._made.into_id)
        return now is not None and all(now[name] == left[name] for name in _WATCHED)


def _chunk(move: Move) -> tuple[str, int]:
    return move.own["document_id"], move.own["ordinal"]
