"""What is said of one entity told of another in its place, row by row, and taken back from it: pure.

A move is a row of an entity that is merged away, and the row that the survivor had where it goes to. Both together make
the survivor's new row, so the two can be told apart again exactly.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lorelite.ids import edge_id
from lorelite.store.changes import Row
from lorelite.store.logged import BY_NAME
from lorelite.store.merge_shares import Share

MOVED = ("support", "alias", "citation", "statement", "edge")
"""Tables whose rows go with an entity."""
Rest = tuple[str, Row]
"""(table, row) of what joins the two themselves."""
_BOOKKEEPING = ("updated_at", "rowid", "title")
"""Columns that may differ in rows which say the same; a title follows the survivor's."""


@dataclass(frozen=True, slots=True)
class Move:
    """A row of the entity that is merged away."""

    table: str
    own: Row
    there: Row | None
    """What the survivor had in its place."""
    is_made: bool = False
    """It stands for a field of the entity itself: there is no such row to go back to."""
    also: Row | None = None
    """What fields of the entity say in the same place as a row."""

    def as_json(self) -> dict[str, Any]:
        value = {"table": self.table, "own": self.own, "there": self.there, "made": self.is_made}
        return value if self.also is None else value | {"also": self.also}

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Move:
        return cls(value["table"], value["own"], value["there"], value["made"], value.get("also"))


@dataclass(frozen=True, slots=True)
class Place:
    """From whom to whom rows go, and under which name the survivor is told of."""

    namespace: str
    """That of now: rows that were kept may come from a dump of another one."""
    from_id: str
    into_id: str
    title: str = ""

    def edge_id(self, edge: Row) -> str:
        """The id of an edge once it is the survivor's: ids that name the ends name the new ones."""
        source, target = self._end(edge["source_id"]), self._end(edge["target_id"])
        is_named = edge["id"] == _edge_id(edge, edge["source_id"], edge["target_id"])
        return _edge_id(edge, source, target) if is_named else str(edge["id"])

    def moved(self, table: str, own: Row, edge_ids: Mapping[str, str]) -> dict[str, Any]:
        """The row where it goes to. edge_ids: old → new of the edges that go along."""
        row = dict(own)
        if "namespace" in row:
            row["namespace"] = self.namespace
        if table == "support":
            row |= {"node_id": self.into_id, "title": self.title}
        elif table == "alias":
            row["node_id"] = self.into_id
        elif table == "citation":
            row["owner_id"] = edge_ids.get(own["owner_id"], self.into_id)
        elif table == "statement":
            row["edge_id"] = edge_ids.get(own["edge_id"], own["edge_id"])
        else:
            row |= {
                "id": edge_ids[own["id"]],
                "source_id": self._end(own["source_id"]),
                "target_id": self._end(own["target_id"]),
            }
        return row

    def made_of(self, move: Move, edge_ids: Mapping[str, str]) -> dict[str, Any]:
        """What the survivor's row says after a move."""
        after = self.moved(move.table, move.own, edge_ids)
        if move.also is not None:
            after = united(move.table, after, self.moved(move.table, move.also, edge_ids))
        return united(move.table, after, move.there)

    def _end(self, id: str) -> str:
        return self.into_id if id == self.from_id else id


def united(table: str, moved: dict[str, Any], there: Row | None) -> dict[str, Any]:
    """What the survivor's row says when both are told of it."""
    if there is None:
        return moved
    if table == "support":
        return {
            **there,
            "node_type": there["node_type"] or moved["node_type"],
            "body": _lines(there["body"], moved["body"]),
        }
    if table in ("edge", "statement"):
        return {
            **there,
            "weight": there["weight"] + moved["weight"],
            "description": _lines(there["description"], moved["description"]),
        }
    return dict(there)


def record_id(table: str, row: Row) -> str:
    """What names a row in its table."""
    key = [row[name] for name in BY_NAME[table].key]
    return str(key[0]) if len(key) == 1 else json.dumps(key, ensure_ascii=False, separators=(",", ":"))


def says_the_same(one: Row | None, other: Row) -> bool:
    if one is None:
        return False
    return all(one.get(name) == value for name, value in other.items() if name not in _BOOKKEEPING)


def combined(shares: Iterable[Share]) -> list[Move]:
    """All moves of some shares; a row that is in several is named once."""
    found: dict[tuple[str, str], Move] = {}
    for share in shares:
        for value in share["moves"]:
            move = Move.of(value)
            found.setdefault((move.table, record_id(move.table, move.own)), move)
    return list(found.values())


def added(before: Share | None, moves: Sequence[Move], rests: Sequence[Rest], node: Row | None) -> Share:
    """A share with more in it. Of what was there already the new row counts; where that meets what it brought itself,
    the survivor has there what it had before."""
    known = {} if before is None else {_key(value["table"], value["own"]): value for value in before["moves"]}
    for move in moves:
        key = _key(move.table, move.own)
        met = known[key]["there"] if key in known else move.there
        known[key] = replace(move, there=met).as_json()
    resting = {} if before is None else {_key(value["table"], value["own"]): value for value in before["rests"]}
    resting |= {_key(table, row): {"table": table, "own": row} for table, row in rests}
    share: dict[str, Any] = {"moves": list(known.values()), "rests": list(resting.values())}
    stated = node if node is not None else (before or {}).get("node")
    return share if stated is None else share | {"node": stated}


def _key(table: str, row: Row) -> tuple[str, str]:
    return table, record_id(table, row)


def _edge_id(edge: Row, source: str, target: str) -> str:
    return edge_id(edge["namespace"], edge["source_ref"], edge["source_hash"], source, edge["edge_type"], target)


def _lines(*texts: str) -> str:
    return "\n".join(dict.fromkeys(line for text in texts for line in text.split("\n") if line))
