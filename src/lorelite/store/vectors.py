"""Vectors: one per node and embedding model, stale as soon as the node's text changes."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Sequence

from lorelite.records import Node
from lorelite.store.connection import Database
from lorelite.store.nodes import content_hash, node_from


class VectorTable:
    def __init__(self, db: Database) -> None:
        self._db = db

    def put(self, model_id: str, vectors: Iterable[tuple[Node, Sequence[float]]], now: int) -> None:
        self._db.run_many(
            """
            insert or replace into vector (node_id, model_id, content_hash, dimensions, data, created_at)
            values (?, ?, ?, ?, ?, ?)""",
            ((node.id, model_id, content_hash(node), len(vector), packed(vector), now) for node, vector in vectors),
        )

    def missing(self, namespace: str, model_id: str, kinds: Sequence[str], limit: int) -> list[Node]:
        """Live nodes without a vector of this model, or with one of an older text."""
        marks = ", ".join("?" * len(kinds))
        rows = self._db.rows(
            f"""
            select n.* from node n left join vector v on v.node_id = n.id and v.model_id = ?
             where n.namespace = ? and n.deleted_at is null and n.kind in ({marks})
               and v.content_hash is not n.content_hash
             order by n.key limit ?""",
            (model_id, namespace, *kinds, limit),
        )
        return [node_from(row) for row in rows]

    def all(self, namespace: str, model_id: str, kinds: Sequence[str]) -> list[tuple[int, bytes]]:
        """(node key, packed vector) of every live node with a vector of this model that fits its text."""
        marks = ", ".join("?" * len(kinds))
        rows = self._db.rows(
            f"""
            select n.key, v.data from node n cross join vector v on v.node_id = n.id and v.model_id = ?
             where n.namespace = ? and n.deleted_at is null and n.kind in ({marks})
               and v.content_hash = n.content_hash
             order by n.key""",
            (model_id, namespace, *kinds),
        )
        return [(row["key"], row["data"]) for row in rows]

    def count(self, namespace: str, model_id: str) -> int:
        return int(
            self._db.value(
                """
                select count(*) from node n cross join vector v on v.node_id = n.id and v.model_id = ?
                 where n.namespace = ? and n.deleted_at is null""",
                (model_id, namespace),
            )
        )


def packed(vector: Sequence[float]) -> bytes:
    """float32, little endian."""
    numbers = array("f", vector)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def unpacked(data: bytes) -> array[float]:
    numbers = array("f")
    numbers.frombytes(data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
