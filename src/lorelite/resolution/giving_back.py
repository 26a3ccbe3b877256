"""Rows that a merge moved, given back to the entity they are of, and to the survivor what it had in their place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from lorelite.engine import Engine
from lorelite.resolution.shares import Move, Place, combined, record_id, says_the_same
from lorelite.store.changes import Row
from lorelite.store.merge_shares import Share, ShareKey
from lorelite.store.merges import MergeRow

_TINY = 1e-9
"""A weight that is rounding error."""


def hand_back(engine: Engine, namespace: str, document_id: str, parts: Collection[str] | None = None) -> list[str]:
    """Make what a document, or these parts of it, say of entities that are part of others theirs again, so that it can
    be written or taken away as if nothing were merged. Gives their ids: `settle` on these hands it over again."""
    shares = engine.store.merge_shares.of_document(namespace, document_id, parts)
    of_each: defaultdict[str, dict[ShareKey, Share]] = defaultdict(dict)
    for key, share in shares.items():
        of_each[key.from_id][key] = share
    # The last merge first: it moved what earlier ones had made.
    for made in reversed(engine.store.merges.of(namespace, of_each)):
        lent = of_each[made.from_id]
        _stand_in(engine, namespace, made.from_id)
        return_rests(engine, namespace, lent.values(), is_untouched=False)
        kept = GivingBack(engine, namespace, made, lent.values(), is_untouched=False).run()
        engine.store.merge_shares.set(namespace, {key: _of(share, kept) for key, share in lent.items()})
        engine.store.merge_shares.changed(namespace, [made.from_id])
    return list(of_each)


def _stand_in(engine: Engine, namespace: str, id: str) -> None:
    """Rows may refer to an entity that is part of another, also after it was pruned."""
    if id not in engine.store.rows.get("node", [id]):
        row = engine.store.merges.undo(namespace, id)["node"]
        engine.store.rows.set(namespace, {"node": {id: {**row, "deleted_at": engine.clock()}}})


def _of(share: Share, kept: Sequence[Move]) -> Share | None:
    """The share with these of its moves alone."""
    moves = [move.as_json() for move in kept if move.as_json() in share["moves"]]
    return {"moves": moves, "rests": []} if moves else None


def return_rests(engine: Engine, namespace: str, shares: Collection[Share], *, is_untouched: bool) -> None:
    """Put back what joined the two themselves. is_untouched: nothing was said since of what the merge moved."""
    rows: defaultdict[str, dict[str, Row]] = defaultdict(dict)
    for share in shares:
        for rest in share["rests"]:
            rows[rest["table"]].setdefault(record_id(rest["table"], rest["own"]), rest["own"])
    edges = rows.pop("edge", {})
    there = engine.store.merges.edges(edges)
    engine.store.merges.replace_edges(namespace, [], [row for id, row in edges.items() if id not in there])
    engine.store.rows.set(namespace, rows)
    if not is_untouched:
        engine.store.statements.work_out(namespace, list(edges), engine.clock())


class GivingBack:
    """The rows of some shares of one merge, on their way back. What is no longer there as the merge left it is not."""

    def __init__(
        self, engine: Engine, namespace: str, made: MergeRow, shares: Collection[Share], *, is_untouched: bool
    ) -> None:
        """is_untouched: nothing was said since the merge of what it moved."""
        self._store = engine.store
        self._now_ms = engine.clock()
        self._namespace = namespace
        self._made = made
        into = self._store.rows.get("node", [made.into_id]).get(made.into_id)
        self._place = Place(namespace, made.from_id, made.into_id, into["title"] if into else "")
        self._moves = combined(shares)
        self._edge_ids = {move.own["id"]: self._place.edge_id(move.own) for move in self._moves if move.table == "edge"}
        self._read: dict[str, Mapping[str, Row]] = {}
        self.standing = [move for move in self._moves if self._stands(move)]
        self.is_untouched = is_untouched and len(self.standing) == len(self._moves)

    def run(self) -> list[Move]:
        """Give everything back. Gives the moves that stay as they are: what edges cite that are not given back."""
        edges = [move for move in self.standing if move.table == "edge"]
        ids = {move.own["id"] for move in edges} | {self._made.from_id}
        staying = [move for move in self.standing if move.table == "citation" and move.own["owner_id"] not in ids]
        rows = [move for move in self.standing if move.table != "edge" and move not in staying]
        gone: defaultdict[str, dict[str, Row | None]] = defaultdict(dict)
        come: defaultdict[str, dict[str, Row | None]] = defaultdict(dict)
        for move in rows:
            gone[move.table][record_id(move.table, self._after(move))] = None
            for row in (move.there, None if move.is_made else move.own):
                if row is not None:
                    come[move.table][record_id(move.table, row)] = row
        self._store.rows.set(self._namespace, gone)
        self._give_edges(edges, rows)
        self._store.rows.set(self._namespace, come)
        if not self.is_untouched:
            both = [id for move in edges for id in (move.own["id"], self._after(move)["id"])]
            self._store.statements.work_out(self._namespace, both, self._now_ms)
        return staying

    def _after(self, move: Move) -> dict[str, Any]:
        return self._place.moved(move.table, move.own, self._edge_ids)

    def _stands(self, move: Move) -> bool:
        """Is what the merge made of a row there as it was?"""
        now = self._now(move.table).get(record_id(move.table, self._after(move)))
        if move.table in ("alias", "citation", "edge"):
            # Of an edge more may be said since, and its share can be taken out all the same.
            return now is not None
        return says_the_same(now, self._place.made_of(move, self._edge_ids))

    def _now(self, table: str) -> Mapping[str, Row]:
        if table not in self._read:
            ids = [record_id(table, self._after(move)) for move in self._moves if move.table == table]
            if table == "edge":
                self._read[table] = self._store.merges.edges(ids)
            else:
                self._read[table] = self._store.rows.get(table, ids)
        return self._read[table]

    def _give_edges(self, edges: Sequence[Move], rows: Sequence[Move]) -> None:
        """The edges themselves, once what rests on them is taken out and before it is put back."""
        said = [move for move in rows if move.table == "statement"]
        stating = {move.own["edge_id"] for move in said if not move.is_made}
        # One that has statements only as long as it is one with another.
        bare_there = {self._after(move)["edge_id"] for move in said if move.is_made or move.also is not None}
        after_ids = [self._after(move)["id"] for move in edges]
        still_said = self._store.statements.stated_edges(after_ids)
        still_said |= {self._after(move)["edge_id"] for move in said if move.there is not None}
        gone: list[str] = []
        come: list[Row] = []
        for move in edges:
            after = self._after(move)
            now = self._now("edge")[after["id"]]
            left = move.there
            is_as_left = says_the_same(now, self._place.made_of(move, self._edge_ids))
            if after["id"] in still_said:
                left = now
            elif move.own["id"] in stating:
                left = left if after["id"] in bare_there else None
            elif after["id"] != move.own["id"] and not is_as_left:
                # An edge whose id does not name its ends goes back itself.
                weight = now["weight"] - move.own["weight"]
                left = {**now, "weight": weight} if move.there is not None or weight > _TINY else None
            if self.is_untouched and is_as_left:
                left = move.there
            come.append(move.own)
            if left is None:
                gone.append(after["id"])
            elif left["id"] != move.own["id"]:
                come.append(left)
        self._store.merges.replace_edges(self._namespace, gone, come)
