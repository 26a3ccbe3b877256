"""The graph of entities: what counts as one, and what joins two of them, whoever stated it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from lorelite.ports import Clock
from lorelite.store.connection import Database
from lorelite.store.nodes import in_window, liveness

MENTIONS = "mentions"
STATES = "states"
ABOUT = "about"
SIMILAR_TO = "similar_to"
ASKS_ABOUT = "asks_about"
STRUCTURAL = (MENTIONS, STATES, ABOUT, SIMILAR_TO, ASKS_ABOUT)
"""Edges that join what the engine made of documents; all others are relations."""

_IS_RELATION = f"e.edge_type not in ({', '.join(repr(name) for name in STRUCTURAL)}) and {in_window('e', None)}"


def is_entity(alias: str) -> str:
    """The condition that a node is an entity: one by kind, a node that upsert_graph stated, or a stated fact whose
    title documents name."""
    return (
        f"({alias}.kind = 'entity' or ({alias}.kind = 'fact' and {alias}.origin = 'stated' and "
        f"({alias}.source_type = 'immutable_document' or exists (select 1 from support where node_id = {alias}.id))))"
    )


_STATED_ENTITY = f"""node n indexed by node_stated
             where n.namespace = :namespace and n.kind = 'fact' and n.origin = 'stated' and n.deleted_at is null
               and {is_entity("n")} and {in_window("n", None)}"""


class RelationRow(NamedTuple):
    """A relation's edge, with the names at its ends."""

    id: str
    source_id: str
    target_id: str
    source: str
    target: str
    edge_type: str
    weight: float
    description: str
    begun_at: int
    document: int
    """With `begun_at` the place of its document in the order of insertion; -1: it has none."""


class StatedRow(NamedTuple):
    """What a chunk says of an edge."""

    edge_id: str
    chunk_id: str | None
    """None where none was named."""
    ordinal: int
    weight: float
    description: str


class EntityGraph:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    def ids(self, namespace: str) -> list[str]:
        """All live entities, sorted."""
        rows = self._db.rows(
            f"""
            select id from node n where n.namespace = :namespace and n.kind = 'entity' and {liveness("n", None)}
            union all
            select id from {_STATED_ENTITY}
             order by 1""",
            self._now(namespace),
        )
        return [row[0] for row in rows]

    def has_stated(self, namespace: str) -> bool:
        """Are some entities facts by kind?"""
        return bool(self._db.value(f"select exists (select 1 from {_STATED_ENTITY})", self._now(namespace)))

    def among(self, namespace: str, ids: Sequence[str]) -> set[str]:
        """Those of these nodes that are live entities."""
        rows = self._db.rows(
            f"""
            select n.id from json_each(:ids) k cross join node n on n.id = k.value
             where n.namespace = :namespace and {liveness("n", None)} and {is_entity("n")}""",
            self._now(namespace, ids),
        )
        return {row[0] for row in rows}

    def aliases(self, ids: Sequence[str]) -> dict[str, list[str]]:
        """Entity → the keys of all names that documents use for it, sorted."""
        rows = self._db.rows(
            """
            select distinct a.node_id, a.alias_key from json_each(?) k
              cross join alias a indexed by alias_node on a.node_id = k.value order by a.node_id, a.alias_key""",
            (json.dumps(list(ids)),),
        )
        found: dict[str, list[str]] = {}
        for node_id, key in rows:
            found.setdefault(node_id, []).append(key)
        return found

    def degrees(self, namespace: str, ids: Sequence[str]) -> dict[str, int]:
        """Entity → how many others it is related to; without those that are related to none."""
        directions = " union ".join(
            f"""
            select k.value as id, e.{far} as other from json_each(:ids) k
              cross join edge e indexed by {index} on e.namespace = :namespace and e.{near} = k.value
              cross join node n on n.id = e.{far}
             where {_IS_RELATION} and e.source_id <> e.target_id and {liveness("n", None)} and {is_entity("n")}"""
            for near, far, index in _DIRECTIONS
        )
        rows = self._db.rows(
            f"select id, count(*) from ({directions}) group by id",
            self._now(namespace, ids),
        )
        return {row[0]: row[1] for row in rows}

    def neighbours(self, namespace: str, ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        """Entity → (one that it is related to, sum of the weights), strongest first, then by id."""
        directions = " union all ".join(
            f"""
            select k.value as id, e.{far} as other, e.weight as weight from json_each(:ids) k
              cross join edge e indexed by {index} on e.namespace = :namespace and e.{near} = k.value
             where {_IS_RELATION} and e.source_id <> e.target_id"""
            for near, far, index in _DIRECTIONS
        )
        rows = self._db.rows(
            f"""
            select e.id, e.other, e.weight from (
                select id, other, sum(weight) as weight from ({directions}) group by id, other) e
              cross join node n on n.id = e.other where {liveness("n", None)} and {is_entity("n")}
             order by e.id, e.weight desc, e.other""",
            self._now(namespace, list(dict.fromkeys(ids))),
        )
        found: dict[str, list[tuple[str, float]]] = {}
        for id, other, weight in rows:
            found.setdefault(id, []).append((other, weight))
        return found

    def relations(self, namespace: str, ids: Sequence[str], among: Sequence[str] | None = None) -> list[RelationRow]:
        """The edges that join one of these entities to an entity, in the order in which they were stored.

        among: to one of these, or another of *ids*.
        """
        is_among = "" if among is None else "and e.{far} in (select value from json_each(:among))"
        given = None if among is None else json.dumps([*ids, *among])
        directions = " union ".join(
            f"""
            select e.rowid as place, e.*
              from json_each(:ids) k
              cross join edge e indexed by {index} on e.namespace = :namespace and e.{near} = k.value
             where {_IS_RELATION} and e.source_id <> e.target_id {is_among.format(far=far)}"""
            for near, far, index in _DIRECTIONS
        )
        rows = self._db.rows(
            f"""
            select x.id, x.source_id, x.target_id, s.title, t.title, x.edge_type, x.weight, x.description,
                   coalesce(d.created_at, -1), coalesce(d.rowid, -1)
              from ({directions}) x cross join node s on s.id = x.source_id cross join node t on t.id = x.target_id
              left join document d on d.namespace = :namespace and d.source_ref = x.source_ref
               and d.source_hash = x.source_hash
             where {liveness("s", None)} and {liveness("t", None)} and {is_entity("s")} and {is_entity("t")}
             order by x.place""",
            {**self._now(namespace, ids), "among": given},
        )
        return list(map(RelationRow._make, rows))

    def stated(self, edge_ids: Sequence[str]) -> list[StatedRow]:
        """What chunks say of these edges; of an edge of which none says anything nothing."""
        rows = self._db.rows(
            """
            select s.edge_id, c.node_id, s.ordinal, s.weight, s.description
              from json_each(:ids) k cross join statement s on s.edge_id = k.value
              left join chunk c on c.document_id = s.document_id and c.ordinal = s.ordinal""",
            {"ids": json.dumps(list(edge_ids))},
        )
        return list(map(StatedRow._make, rows))

    def cited(self, edge_ids: Sequence[str]) -> dict[str, list[str]]:
        """Edge → the chunks in which its citations begin, in the order of insertion."""
        # The last chunk that begins before the citation: a search in the chunks of the document, from the end.
        rows = self._db.rows(
            """
            select distinct edge_id, chunk_id from (
                select c.owner_id as edge_id, d.created_at, d.rowid as place, c.start,
                       (select h.node_id from chunk h where h.document_id = c.document_id and h.start <= c.start
                         order by h.ordinal desc limit 1) as chunk_id
                  from json_each(:ids) k cross join citation c on c.owner_id = k.value
                  cross join document d on d.id = c.document_id)
             where chunk_id is not null order by created_at, place, start""",
            {"ids": json.dumps(list(edge_ids))},
        )
        found: dict[str, list[str]] = {}
        for edge_id, chunk_id in rows:
            found.setdefault(edge_id, []).append(chunk_id)
        return found

    def weights(self, namespace: str) -> Iterator[tuple[str, str, float]]:
        """(source, target, weight) of every relation that is not of a thing to itself, whatever its ends are."""
        # +: the whole namespace is read, in the order of the index whose columns say most of what is asked.
        rows = self._db.each(
            f"""
            select e.source_id, e.target_id, e.weight from edge e indexed by edge_out
             where e.namespace = :namespace and {_IS_RELATION} and e.source_id <> e.target_id
             order by e.source_id, e.edge_type, e.target_id""",
            self._now(namespace),
        )
        return ((row[0], row[1], row[2]) for row in rows)

    def related(
        self, namespace: str, pairs: Iterable[tuple[str, str]], but: Sequence[str] = ()
    ) -> set[tuple[str, str]]:
        """Those of these sorted pairs that an edge relates, those edges of which the ids are given aside."""
        wanted = set(pairs)
        params = {
            **self._now(namespace, sorted({pair[0] for pair in wanted})),
            "far": json.dumps(sorted({pair[1] for pair in wanted})),
            "but": json.dumps(list(but)),
        }
        # Of each first end all at once, since an end that many share would be read once for each of its pairs.
        directions = " union ".join(
            f"""
            select k.value, e.{far} from json_each(:ids) k
              cross join edge e indexed by {index} on e.namespace = :namespace and e.{near} = k.value
             where e.{far} in (select value from json_each(:far)) and {_IS_RELATION}
               and e.id not in (select value from json_each(:but))"""
            for near, far, index in _DIRECTIONS
        )
        return {(row[0], row[1]) for row in self._db.rows(directions, params)} & wanted

    def pairs_of_source(self, namespace: str, source_ref: str, source_hash: str) -> set[tuple[str, str]]:
        """The pairs of nodes, sorted, that a source relates."""
        rows = self._db.rows(
            f"""
            select min(e.source_id, e.target_id), max(e.source_id, e.target_id) from edge e indexed by edge_source
             where e.namespace = :namespace and e.source_ref = :ref and e.source_hash = :hash and {_IS_RELATION}
               and e.source_id <> e.target_id""",
            {**self._now(namespace), "ref": source_ref, "hash": source_hash},
        )
        return {(row[0], row[1]) for row in rows}

    def _now(self, namespace: str, ids: Sequence[str] | None = None) -> dict[str, object]:
        given: dict[str, object] = {"namespace": namespace, "now": self._clock()}
        return given if ids is None else given | {"ids": json.dumps(list(ids))}


_DIRECTIONS = (("source_id", "target_id", "edge_out"), ("target_id", "source_id", "edge_in"))
