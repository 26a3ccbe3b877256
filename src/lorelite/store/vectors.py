"""Vectors: one per node and embedding model, stale as soon as the node's text changes."""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lorelite.records import Node
from lorelite.search.matrix import Nearby
from lorelite.search.vectors import VectorBlock
from lorelite.store.connection import Database
from lorelite.store.nodes import NODE_COLUMNS, content_hash, node_from
from lorelite.store.resident_vectors import ResidentVectors, Space


@dataclass(frozen=True, slots=True)
class Embeddable:
    """A node, and what is known of its vector of one model."""

    node: Node
    key: int
    is_fresh: bool
    """The vector is of the node's present text."""
    attempts: int | None
    """How often it could not be made since it last was; None: never tried in vain."""
    failed_at: int | None
    reason: str | None


class VectorTable:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._told: set[tuple[str, str]] = set()
        self.resident = ResidentVectors(db)

    def put(self, model_id: str, vectors: Iterable[tuple[Node, Sequence[float]]], now: int) -> None:
        """Store vectors of the nodes' present text, and forget that they could not be made before."""
        made = list(vectors)
        self._db.run_many(
            """
            insert or replace into vector (node_id, model_id, content_hash, dimensions, data, created_at)
            values (?, ?, ?, ?, ?, ?)""",
            ((node.id, model_id, content_hash(node), len(vector), packed(vector), now) for node, vector in made),
        )
        self._db.run(
            "delete from vector_failure where model_id = ? and node_id in (select value from json_each(?))",
            (model_id, json.dumps([node.id for node, _ in made])),
        )

    def mark_failed(self, model_id: str, failures: Iterable[tuple[str, str]], now: int) -> None:
        """Note (node id, reason) of vectors that could not be made; counts how often."""
        self._db.run_many(
            """
            insert into vector_failure (node_id, model_id, reason, attempts, failed_at)
            select id, ?2, ?3, 1, ?4 from node where id = ?1
            on conflict (node_id, model_id) do update set
                reason = excluded.reason, attempts = attempts + 1, failed_at = excluded.failed_at""",
            ((node_id, model_id, reason, now) for node_id, reason in failures),
        )

    def embeddable(
        self, namespace: str, model_id: str, kinds: Sequence[str], *, after: int, limit: int, missing_only: bool = False
    ) -> list[Embeddable]:
        """Live nodes in the order of their keys, from the first beyond *after*, with what is known of their vectors.

        missing_only: those without a vector of their present text.
        """
        marks = ", ".join("?" * len(kinds))
        rows = self._db.rows(
            f"""
            select {NODE_COLUMNS}, n.key, v.content_hash is n.content_hash as is_fresh,
                   f.attempts, f.failed_at, f.reason
              from node n left join vector v on v.node_id = n.id and v.model_id = ?
              left join vector_failure f on f.node_id = n.id and f.model_id = ?
             where n.namespace = ? and n.key > ? and n.deleted_at is null and n.kind in ({marks})
               and (not ? or v.content_hash is not n.content_hash)
             order by n.key limit ?""",
            (model_id, model_id, namespace, after, *kinds, missing_only, limit),
        )
        return [
            Embeddable(
                node_from(row), row["key"], bool(row["is_fresh"]), row["attempts"], row["failed_at"], row["reason"]
            )
            for row in rows
        ]

    def embeddable_count(self, namespace: str, kinds: Sequence[str]) -> int:
        marks = ", ".join("?" * len(kinds))
        sql = f"select count(*) from node where namespace = ? and deleted_at is null and kind in ({marks})"
        return int(self._db.value(sql, (namespace, *kinds)))

    def missing_count(self, namespace: str, model_id: str, kinds: Sequence[str]) -> int:
        """Live nodes without a vector of this model of their present text."""
        return self.embeddable_count(namespace, kinds) - self.fresh_count(namespace, model_id, kinds)

    def fresh_count(self, namespace: str, model_id: str, kinds: Sequence[str]) -> int:
        """Live nodes whose vector of this model is of their present text."""
        marks = ", ".join("?" * len(kinds))
        return int(
            self._db.value(
                f"""
                select count(*) from node n cross join vector v on v.node_id = n.id and v.model_id = ?
                 where n.namespace = ? and n.deleted_at is null and n.kind in ({marks})
                   and v.content_hash = n.content_hash""",
                (model_id, namespace, *kinds),
            )
        )

    def drop_deleted(self, namespace: str) -> int:
        """Delete the vectors of nodes that are deleted; gives how many."""
        return self._db.run(
            """
            delete from vector where node_id in (
                select id from node where namespace = ? and deleted_at is not null)""",
            (namespace,),
        )

    def count_deleted(self, namespace: str) -> int:
        """How many `drop_deleted` would delete."""
        return int(
            self._db.value(
                """
                select count(*) from node n cross join vector v on v.node_id = n.id
                 where n.namespace = ? and n.deleted_at is not null""",
                (namespace,),
            )
        )

    def block(self, namespace: str, model_id: str, kinds: Sequence[str], dimensions: int) -> Nearby:
        """The vectors of this model that fit their live nodes' text, by node key; good until the next write.

        They stay in memory and are kept up to date. Vectors of another length, made before the model was changed under
        its name, are left out.
        """
        return self.resident.of_kinds(Space(namespace, model_id, dimensions), kinds)

    def of(self, ids: Sequence[str], model_id: str, dimensions: int) -> VectorBlock[str]:
        """The vectors of these nodes that fit, as `block` has them, by node id."""
        rows = self._db.rows(
            """
            select v.node_id, v.data from json_each(:ids) k
              cross join vector v on v.node_id = k.value and v.model_id = :model
              cross join node n on n.id = v.node_id and n.content_hash = v.content_hash
             where v.dimensions = :dimensions""",
            {"ids": json.dumps(list(ids)), "model": model_id, "dimensions": dimensions},
        )
        return VectorBlock([row["node_id"] for row in rows], [row["data"] for row in rows])

    def packed(self, ids: Sequence[str], model_id: str) -> dict[str, bytes]:
        """Node id → the numbers of its vector, where it has one of this model of its present text."""
        rows = self._db.rows(
            """
            select v.node_id, v.data from json_each(:ids) k
              cross join vector v on v.node_id = k.value and v.model_id = :model
              cross join node n on n.id = v.node_id and n.content_hash = v.content_hash""",
            {"ids": json.dumps(list(ids)), "model": model_id},
        )
        return {row["node_id"]: row["data"] for row in rows}

    def fitting(self, namespace: str, model_id: str, ids: Sequence[str] | None = None) -> Iterator[tuple[str, bytes]]:
        """(node id, vector) of the live nodes, all or these, that have one of their present text; row by row."""
        chosen = "node n" if ids is None else "json_each(:ids) k cross join node n on n.id = k.value"
        rows = self._db.each(
            f"""
            select v.node_id, v.data from {chosen} cross join vector v on v.node_id = n.id and v.model_id = :model
             where n.namespace = :namespace and n.deleted_at is null and n.content_hash = v.content_hash""",
            {"ids": json.dumps(ids), "model": model_id, "namespace": namespace},
        )
        return ((row["node_id"], row["data"]) for row in rows)

    def any(self, namespace: str, model_id: str, *, not_of_length: int | None = None) -> bool:
        """Whether there is a vector of this model at all, or one of another length: cheaper than counting."""

        def find() -> bool:
            return bool(
                self._db.value(
                    """
                    select exists (
                        select 1 from node n cross join vector v on v.node_id = n.id and v.model_id = :model
                         where n.namespace = :namespace and n.deleted_at is null
                           and (:length is null or v.dimensions <> :length))""",
                    {"model": model_id, "namespace": namespace, "length": not_of_length},
                )
            )

        return self.resident.answer(namespace, (model_id, not_of_length), find)

    def switched_from(self, namespace: str, model_id: str) -> str | None:
        """Another model whose vectors the namespace has; asked once, later None."""
        if (namespace, model_id) in self._told:
            return None
        self._told.add((namespace, model_id))
        found: str | None = self._db.value(
            """
            select v.model_id from node n cross join vector v on v.node_id = n.id and v.model_id <> ?
             where n.namespace = ? and n.deleted_at is null limit 1""",
            (model_id, namespace),
        )
        return found

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
