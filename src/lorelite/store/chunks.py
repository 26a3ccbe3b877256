"""Chunks as a graph is built of them: where each stands, who has finished with it, and what it tells of."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lorelite.ports import Clock
from lorelite.records import Node
from lorelite.store.connection import Database
from lorelite.store.documents import Chunk, Document, document_from
from lorelite.store.entity_graph import ASKS_ABOUT, MENTIONS, SIMILAR_TO, is_entity
from lorelite.store.nodes import NODE_COLUMNS, liveness, node_from
from lorelite.store.statements import ChunkKey

EXTRACTION = "chunkEntityGeneration"
"""The processor whose end is a chunk's state; the others are in its list."""


@dataclass(frozen=True, slots=True)
class PlacedChunk:
    """A live chunk and its document."""

    node: Node
    document: Document
    chunk: Chunk


class ChunkTable:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    # -- chunks -------------------------------------------------------------------------------------------------

    def ids(self, namespace: str) -> list[str]:
        """All live chunks in the order of insertion."""
        return self._listed(namespace, "true")

    def of_sources(self, namespace: str, source_refs: Sequence[str]) -> list[str]:
        """Those of the documents with these source_refs, in the order of insertion."""
        listed = "d.source_ref in (select value from json_each(:source_refs))"
        return self._listed(namespace, listed, source_refs=json.dumps(list(source_refs)))

    def unfinished(self, namespace: str, processor: str) -> list[str]:
        """Those that the processor has not finished, in the order of insertion."""
        finished = "c.state = 'done'" if processor == EXTRACTION else f"exists ({_IN_LIST})"
        return self._listed(namespace, f"not {finished}", processor=processor)

    def _listed(self, namespace: str, condition: str, **values: str) -> list[str]:
        rows = self._db.rows(
            f"""
            select c.node_id from document d cross join chunk c on c.document_id = d.id
              cross join node n on n.id = c.node_id
             where d.namespace = :namespace and {liveness("n", None)} and {condition}
             order by d.created_at, d.rowid, c.ordinal""",
            {"namespace": namespace, "now": self._clock(), **values},
        )
        return [row[0] for row in rows]

    def placed(self, namespace: str, ids: Sequence[str]) -> dict[str, PlacedChunk]:
        """Chunk → where it stands, of those that are live."""
        rows = self._db.rows(
            f"""
            select {NODE_COLUMNS}, c.ordinal, c.start, c."end", c.state, d.id as document_id, d.origin as written_by,
                   d.status, d.created_at as begun_at
              from json_each(:ids) k cross join chunk c indexed by chunk_node on c.node_id = k.value
              cross join document d on d.id = c.document_id cross join node n on n.id = c.node_id
             where d.namespace = :namespace and {liveness("n", None)}""",
            {"namespace": namespace, "ids": json.dumps(list(ids)), "now": self._clock()},
        )
        found = {}
        for row in rows:
            node = node_from(row)
            document = Document(
                id=row["document_id"],
                namespace=namespace,
                source_ref=row["source_ref"],
                source_hash=row["source_hash"],
                origin=row["written_by"],
                status=row["status"],
                created_at=row["begun_at"],
            )
            chunk = Chunk(row["ordinal"], node.id, row["start"], row["end"], row["state"])
            found[node.id] = PlacedChunk(node, document, chunk)
        return found

    def mark_finished(self, namespace: str, processor: str, ids: Sequence[str]) -> None:
        chosen = """
             where (document_id, ordinal) in (
                select h.document_id, h.ordinal from json_each(:ids) k
                  cross join chunk h indexed by chunk_node on h.node_id = k.value
                  cross join document d on d.id = h.document_id where d.namespace = :namespace)"""
        if processor == EXTRACTION:
            change = f"update chunk set state = 'done', failure = null {chosen} and state <> 'done'"
        else:
            change = f"""
                update chunk as c set finished = json_insert(finished, '$[#]', :processor) {chosen}
                   and not exists ({_IN_LIST})"""
        self._db.run(change, {"namespace": namespace, "processor": processor, "ids": json.dumps(list(ids))})

    def versions(self, namespace: str, source_refs: Iterable[str]) -> dict[str, list[Document]]:
        """source_ref → its stored versions, oldest first; without those of which there is none."""
        rows = self._db.rows(
            """
            select d.id, d.namespace, d.source_ref, d.source_hash, d.origin, d.status, d.created_at
              from json_each(?) k cross join document d on d.namespace = ? and d.source_ref = k.value
             order by d.created_at, d.rowid""",
            (json.dumps(sorted(set(source_refs))), namespace),
        )
        found: dict[str, list[Document]] = {}
        for row in rows:
            found.setdefault(row["source_ref"], []).append(document_from(row))
        return found

    def kinds(self, ids: Sequence[str]) -> dict[str, int]:
        """How many of these nodes, deleted or not, are of each kind."""
        rows = self._db.rows(
            "select n.kind, count(*) from json_each(?) k cross join node n on n.id = k.value group by n.kind",
            (json.dumps(list(ids)),),
        )
        return {row[0]: row[1] for row in rows}

    # -- what they tell of --------------------------------------------------------------------------------------

    def told_by(self, namespace: str, chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        """Chunk → (entity, how often it tells of it), strongest first, then by id."""
        rows = self._db.rows(
            f"""
            select chunk_id, node_id, max(weight) from (
                select k.value as chunk_id, e.target_id as node_id, e.weight from json_each(:ids) k
                  cross join edge e indexed by edge_out
                    on e.namespace = :namespace and e.source_id = k.value and e.edge_type = '{MENTIONS}'
                union all
                select k.value, s.node_id, 1.0 from json_each(:ids) k
                  cross join chunk c indexed by chunk_node on c.node_id = k.value
                  cross join support s indexed by support_chunk
                    on s.document_id = c.document_id and s.ordinal = c.ordinal
              ) told cross join node n on n.id = told.node_id
             where n.namespace = :namespace and {liveness("n", None)} and {is_entity("n")}
             group by chunk_id, node_id order by chunk_id, 3 desc, node_id""",
            {"namespace": namespace, "ids": json.dumps(list(chunk_ids)), "now": self._clock()},
        )
        found: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
        for chunk_id, node_id, weight in rows:
            found[chunk_id].append((node_id, weight))
        return dict(found)

    def telling_of(self, namespace: str, entity_ids: Sequence[str]) -> list[tuple[str, str]]:
        """(entity, chunk that tells of it), the chunks in the order of insertion."""
        rows = self._db.rows(
            f"""
            select told.node_id, c.node_id from (
                select k.value as node_id, e.source_id as chunk_id from json_each(:ids) k
                  cross join edge e indexed by edge_in
                    on e.namespace = :namespace and e.target_id = k.value and e.edge_type = '{MENTIONS}'
                union
                select k.value, c.node_id from json_each(:ids) k cross join support s on s.node_id = k.value
                  cross join chunk c on c.document_id = s.document_id and c.ordinal = s.ordinal
              ) told cross join chunk c indexed by chunk_node on c.node_id = told.chunk_id
              cross join document d on d.id = c.document_id cross join node n on n.id = c.node_id
             where d.namespace = :namespace and {liveness("n", None)}
             order by d.created_at, d.rowid, c.ordinal""",
            {"namespace": namespace, "ids": json.dumps(list(entity_ids)), "now": self._clock()},
        )
        return [(row[0], row[1]) for row in rows]

    def similar(self, namespace: str, ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        """Chunk → (chunk like it, weight), strongest first, then by id."""
        directions = " union all ".join(
            f"""
            select k.value as chunk_id, e.{far} as other_id, e.weight from json_each(:ids) k
              cross join edge e indexed by {index}
                on e.namespace = :namespace and e.{near} = k.value and e.edge_type = '{SIMILAR_TO}'"""
            for near, far, index in (("source_id", "target_id", "edge_out"), ("target_id", "source_id", "edge_in"))
        )
        rows = self._db.rows(
            f"""
            select chunk_id, other_id, weight from ({directions}) cross join node n on n.id = other_id
             where {liveness("n", None)} order by chunk_id, weight desc, other_id""",
            {"namespace": namespace, "ids": json.dumps(list(ids)), "now": self._clock()},
        )
        found: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
        for chunk_id, other_id, weight in rows:
            found[chunk_id].append((other_id, weight))
        return dict(found)

    def drop_similar(self, namespace: str, ids: Sequence[str]) -> int:
        """Delete what joins these nodes to chunks like them; gives how many edges."""
        return self._db.run(
            f"""
            delete from edge where id in (
                select e.id from json_each(:ids) k cross join edge e indexed by edge_out
                    on e.namespace = :namespace and e.source_id = k.value and e.edge_type = '{SIMILAR_TO}'
                union
                select e.id from json_each(:ids) k cross join edge e indexed by edge_in
                    on e.namespace = :namespace and e.target_id = k.value and e.edge_type = '{SIMILAR_TO}')""",
            {"namespace": namespace, "ids": json.dumps(list(ids))},
        )

    def drop_mentions(self, namespace: str, ids: Sequence[str]) -> None:
        """Delete what joins these chunks to the entities that they tell of."""
        self._db.run(
            f"""
            delete from edge where id in (
                select e.id from json_each(:ids) k cross join edge e indexed by edge_out
                    on e.namespace = :namespace and e.source_id = k.value and e.edge_type = '{MENTIONS}')""",
            {"namespace": namespace, "ids": json.dumps(list(ids))},
        )

    def drop_support(self, chunks: Iterable[ChunkKey]) -> list[str]:
        """Delete what these chunks say of nodes, and the citations of a document that says nothing more of them; gives
        the nodes."""
        keys = json.dumps(list(chunks))
        rows = self._db.rows(f"select distinct s.node_id, s.document_id from {_SUPPORTING} order by s.node_id", (keys,))
        self._db.run(
            f"""
            delete from support where (node_id, document_id, ordinal) in (
                select s.node_id, s.document_id, s.ordinal from {_SUPPORTING})""",
            (keys,),
        )
        pairs = json.dumps([tuple(row) for row in rows])
        for table, owner in (("citation", "owner_id"), ("alias", "node_id")):
            self._db.run(
                f"""
                delete from {table} where ({owner}, document_id) in (
                    select json_extract(k.value, '$[0]'), json_extract(k.value, '$[1]') from json_each(?) k
                     where not exists (select 1 from support s where s.node_id = json_extract(k.value, '$[0]')
                                          and s.document_id = json_extract(k.value, '$[1]')))""",
                (pairs,),
            )
        return list(dict.fromkeys(row["node_id"] for row in rows))

    # -- questions ----------------------------------------------------------------------------------------------

    def questions(self, namespace: str, ids: Sequence[str] | None) -> list[tuple[str, str, str]]:
        """(id, question, chunk) by id; all, or those asked for."""
        chosen = "node n" if ids is None else "json_each(:ids) k cross join node n on n.id = k.value"
        rows = self._db.rows(
            f"""
            select n.id, n.title, e.target_id from {chosen}
              cross join edge e indexed by edge_out
                on e.namespace = :namespace and e.source_id = n.id and e.edge_type = '{ASKS_ABOUT}'
             where n.namespace = :namespace and n.kind = 'question' and {liveness("n", None)} order by n.id""",
            {"namespace": namespace, "ids": json.dumps(ids), "now": self._clock()},
        )
        return [(row[0], row[1], row[2]) for row in rows]

    def reports(self, namespace: str) -> list[Node]:
        """The live reports by id."""
        rows = self._db.rows(
            f"""
            select {NODE_COLUMNS} from node n
             where n.namespace = :namespace and n.kind = 'report' and {liveness("n", None)} order by n.id""",
            {"namespace": namespace, "now": self._clock()},
        )
        return list(map(node_from, rows))

    def counts(self, namespace: str) -> tuple[int, int, int]:
        """How many documents, chunks and similar pairs."""
        row = self._db.row(
            f"""
            select (select count(distinct source_ref) from document d where namespace = :namespace
                       and exists (select 1 from chunk c where c.document_id = d.id)),
                   (select count(*) from document d cross join chunk c on c.document_id = d.id
                      cross join node n on n.id = c.node_id
                     where d.namespace = :namespace and {liveness("n", None)}),
                   (select count(*) from node n cross join edge e indexed by edge_out
                        on e.namespace = :namespace and e.source_id = n.id and e.edge_type = '{SIMILAR_TO}'
                      cross join node o on o.id = e.target_id
                     where n.namespace = :namespace and n.kind = 'chunk' and {liveness("n", None)}
                       and {liveness("o", None)})""",
            {"namespace": namespace, "now": self._clock()},
        )
        return (0, 0, 0) if row is None else (row[0], row[1], row[2])


_IN_LIST = "select 1 from json_each(c.finished) where value = :processor"
_SUPPORTING = """json_each(?) k cross join support s indexed by support_chunk
                  on s.document_id = json_extract(k.value, '$[0]') and s.ordinal = json_extract(k.value, '$[1]')"""
