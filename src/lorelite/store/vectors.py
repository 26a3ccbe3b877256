"""Vectors: one per node and embedding model, stale as soon as the node's text changes."""

from __future__ import annotations

import sqlite3
import sys
from array import array
from collections.abc import Iterable, Sequence

from lorelite.records import Node
from lorelite.search.vectors import VectorBlock
from lorelite.store.connection import Database
from lorelite.store.nodes import NODE_COLUMNS, content_hash


class VectorTable:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._blocks: dict[tuple[object, ...], VectorBlock] = {}
        db.after_commit.append(self._blocks.clear)
        db.after_rollback.append(self._blocks.clear)

    def put(self, model_id: str, vectors: Iterable[tuple[Node, Sequence[float]]], now: int) -> None:
        self._db.run_many(
            """
            insert or replace into vector (node_id, model_id, content_hash, dimensions, data, created_at)
            values (?, ?, ?, ?, ?, ?)""",
            ((node.id, model_id, content_hash(node), len(vector), packed(vector), now) for node, vector in vectors),
        )

    def missing(
        self, namespace: str, model_id: str, kinds: Sequence[str], *, after: int, limit: int
    ) -> list[sqlite3.Row]:
        """Rows for `node_from`, and `key`, of live nodes whose vector of this model is missing or of an older text.

        In the order of their keys, from the first beyond *after*.
        """
        marks = ", ".join("?" * len(kinds))
        return self._db.rows(
            f"""
            select {NODE_COLUMNS}, n.key from node n left join vector v on v.node_id = n.id and v.model_id = ?
             where n.namespace = ? and n.key > ? and n.deleted_at is null and n.kind in ({marks})
               and v.content_hash is not n.content_hash
             order by n.key limit ?""",
            (model_id, namespace, after, *kinds, limit),
        )

    def block(self, namespace: str, model_id: str, kinds: Sequence[str], dimensions: int) -> VectorBlock:
        """The vectors of this model that fit their live nodes' text, by node key; kept in memory until a commit.

        Vectors of another length, made before the model was changed under its name, are left out.
        """
        key = (namespace, model_id, tuple(kinds), dimensions, self._db.value("pragma data_version"))
        if key not in self._blocks:
            self._blocks.clear()
            rows = self._rows(namespace, model_id, kinds, dimensions)
            self._blocks[key] = VectorBlock([row["key"] for row in rows], [row["data"] for row in rows])
        return self._blocks[key]

    def _rows(self, namespace: str, model_id: str, kinds: Sequence[str], dimensions: int) -> list[sqlite3.Row]:
        marks = ", ".join("?" * len(kinds))
        return self._db.rows(
            f"""
            select n.key, v.data from node n cross join vector v on v.node_id = n.id and v.model_id = ?
             where n.namespace = ? and n.deleted_at is null and n.kind in ({marks})
               and v.content_hash = n.content_hash and v.dimensions = ?
             order by n.key""",
            (model_id, namespace, *kinds, dimensions),
        )

    def any(self, namespace: str, model_id: str) -> bool:
        """Whether there is a vector of this model at all: cheaper than counting."""
        return bool(
            self._db.value(
                """
                select exists (
                    select 1 from node n cross join vector v on v.node_id = n.id and v.model_id = ?
                     where n.namespace = ? and n.deleted_at is null)""",
                (model_id, namespace),
            )
        )

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
