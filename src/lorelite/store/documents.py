"""Documents, their chunks, and what they support: the share of the graph that goes when a document goes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from lorelite.ports import Clock
from lorelite.records import Citation, DocumentInfo, Origin
from lorelite.store.connection import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document as stored, without its text."""

    id: str
    namespace: str
    source_ref: str
    source_hash: str
    origin: Origin
    status: Literal["partial", "complete"]
    created_at: int


@dataclass(frozen=True, slots=True)
class Chunk:
    ordinal: int
    node_id: str
    start: int
    end: int
    state: Literal["pending", "done", "failed"]


class Support(NamedTuple):
    """What one chunk of one document says of a node."""

    node_id: str
    document_id: str
    ordinal: int
    title: str
    node_type: str | None
    body: str


class DocumentTable:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    # -- documents ----------------------------------------------------------------------------------------------

    def find(self, namespace: str, source_ref: str, source_hash: str) -> Document | None:
        row = self._db.row(
            "select * from document where namespace = ? and source_ref = ? and source_hash = ?",
            (namespace, source_ref, source_hash),
        )
        return None if row is None else document_from(row)

    def versions(self, namespace: str, source_ref: str) -> list[Document]:
        """All stored versions of a source, oldest first: usually one, two while a new one is being taken in."""
        rows = self._db.rows(
            "select * from document where namespace = ? and source_ref = ? order by created_at, rowid",
            (namespace, source_ref),
        )
        return [document_from(row) for row in rows]

    def current(self, namespace: str, source_ref: str) -> Document | None:
        """The version that stands: the newest complete one; while there is none, the newest."""
        versions = self.versions(namespace, source_ref)
        complete = [version for version in versions if version.status == "complete"]
        return next(reversed(complete or versions), None)

    def with_hash(self, namespace: str, source_hash: str) -> list[Document]:
        rows = self._db.rows(
            "select * from document where namespace = ? and source_hash = ? order by created_at, rowid",
            (namespace, source_hash),
        )
        return [document_from(row) for row in rows]

    def every(self, namespace: str) -> list[Document]:
        rows = self._db.rows("select * from document where namespace = ? order by created_at, rowid", (namespace,))
        return [document_from(row) for row in rows]

    def infos(self, namespace: str) -> list[DocumentInfo]:
        rows = self._db.rows(
            """
            select d.id, source_ref, source_hash, length(text) as characters, d.status, created_at, updated_at,
                   (select count(*) from chunk c where c.document_id = d.id) as chunks,
                   (select count(*) from node n where n.namespace = d.namespace and n.source_ref = d.source_ref
                       and n.source_hash = d.source_hash and n.kind = 'fact' and n.deleted_at is null) as facts
              from document d where namespace = ? order by source_ref, created_at""",
            (namespace,),
        )
        return [DocumentInfo(**dict(row)) for row in rows]

    def add(self, document: Document, text: str, metadata: Mapping[str, Any] | None = None) -> None:
        """metadata: what the caller says of it, as JSON can hold it."""
        self._db.run(
            """
            insert into document (
                id, namespace, source_ref, source_hash, text, origin, status, created_at, updated_at, metadata)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                document.id,
                document.namespace,
                document.source_ref,
                document.source_hash,
                text,
                document.origin,
                document.status,
                document.created_at,
                document.created_at,
                json.dumps(dict(metadata or {}), ensure_ascii=False, separators=(",", ":")),
            ),
        )

    def complete(self, document_id: str) -> None:
        self._db.run(
            "update document set status = 'complete', updated_at = ? where id = ?", (self._clock(), document_id)
        )

    def reopen(self, document_id: str) -> None:
        """Release the claim: the source counts as never taken in, and taking it in again starts from nothing."""
        self._db.run("update document set status = 'partial' where id = ?", (document_id,))
        self._db.run("delete from chunk where document_id = ?", (document_id,))

    def delete(self, document_id: str) -> None:
        """Delete the row, and with it its chunks' records, citations, aliases and support."""
        with self._db.atomic():
            # Before the row itself, through which the log finds their namespace: a cascade would come too late.
            for table in ("citation", "support", "statement", "alias", "waiting_edge", "chunk"):
                self._db.run(f"delete from {table} where document_id = ?", (document_id,))
            self._db.run("delete from document where id = ?", (document_id,))

    def text(self, document_id: str) -> str:
        return str(self._db.value("select text from document where id = ?", (document_id,)) or "")

    # -- chunks -------------------------------------------------------------------------------------------------

    def add_chunks(self, document_id: str, chunks: Iterable[Chunk]) -> None:
        self._db.insert(
            "chunk",
            ("document_id", "ordinal", "node_id", "start", "end", "state"),
            ((document_id, c.ordinal, c.node_id, c.start, c.end, c.state) for c in chunks),
        )

    def chunks(self, document_id: str) -> list[Chunk]:
        rows = self._db.rows(
            'select ordinal, node_id, start, "end", state from chunk where document_id = ? order by ordinal',
            (document_id,),
        )
        return [Chunk(*row) for row in rows]

    def mark_chunk(self, document_id: str, ordinal: int, state: str, failure: str | None = None) -> bool:
        """Record how extraction ended; False, and nothing is changed, when the chunk is done already or gone."""
        marked = self._db.run(
            "update chunk set state = ?, failure = ? where document_id = ? and ordinal = ? and state <> 'done'",
            (state, failure, document_id, ordinal),
        )
        return marked > 0

    # -- support ------------------------------------------------------------------------------------------------

    def add_support(self, rows: Iterable[Support]) -> None:
        self._db.insert(
            "support",
            ("node_id", "document_id", "ordinal", "title", "node_type", "body"),
            ((s.node_id, s.document_id, s.ordinal, s.title, s.node_type, s.body) for s in rows),
            """
            on conflict (node_id, document_id, ordinal) do update set
                title = excluded.title, node_type = excluded.node_type, body = excluded.body""",
        )

    def support(self, node_ids: Sequence[str]) -> list[Support]:
        """What documents say of these nodes, in the order in which it was said."""
        rows = self._db.rows(
            """
            select s.node_id, s.document_id, s.ordinal, s.title, s.node_type, s.body
              from support s join document d on d.id = s.document_id
             where s.node_id in (select value from json_each(?))
             order by s.node_id, d.created_at, d.rowid, s.ordinal""",
            (json.dumps(list(node_ids)),),
        )
        return list(map(Support._make, rows))

    def supported_by(self, document_id: str) -> list[str]:
        rows = self._db.rows(
            "select distinct node_id from support where document_id = ? order by node_id", (document_id,)
        )
        return [row["node_id"] for row in rows]

    def add_aliases(self, namespace: str, aliases: Iterable[tuple[str, str, str]]) -> None:
        """(alias key, node id, document id) each."""
        self._db.insert(
            "alias",
            ("namespace", "alias_key", "node_id", "document_id"),
            ((namespace, *alias) for alias in aliases),
            "on conflict do nothing",
        )

    # -- citations ----------------------------------------------------------------------------------------------

    def add_citations(self, rows: Iterable[tuple[str, str, int, int]]) -> None:
        """(node or edge id, document id, start, end) each."""
        self._db.insert("citation", ("owner_id", "document_id", "start", "end"), rows, "on conflict do nothing")

    def copy_citations(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Give the first of each pair, a node or an edge, what the second cites as well."""
        self._db.run(
            """
            insert into citation (owner_id, document_id, start, "end")
            select json_extract(k.value, '$[0]'), document_id, start, "end" from json_each(?) k
              cross join citation c on c.owner_id = json_extract(k.value, '$[1]') where true on conflict do nothing""",
            (json.dumps(list(pairs)),),
        )

    def citations(self, owner_ids: Sequence[str], per_owner: int = 20) -> dict[str, tuple[Citation, ...]]:
        """Node or edge id → its first citations in document order, at most *per_owner*, quotes from the documents."""
        rows = self._db.rows(
            """
            select owner_id, document_id, source_ref, start, "end" from (
                select c.*, d.source_ref, row_number() over (
                           partition by c.owner_id order by d.created_at, d.source_ref, c.start, c."end") as place
                  from json_each(?) k cross join citation c on c.owner_id = k.value
                  join document d on d.id = c.document_id)
             where place <= ? order by owner_id, place""",
            (json.dumps(list(owner_ids)), per_owner),
        )
        texts = {document_id: self.text(document_id) for document_id in {row["document_id"] for row in rows}}
        found: dict[str, list[Citation]] = {}
        for row in rows:
            quote = texts[row["document_id"]][row["start"] : row["end"]]
            citation = Citation(row["document_id"], row["source_ref"], row["start"], row["end"], quote)
            found.setdefault(row["owner_id"], []).append(citation)
        return {owner_id: tuple(citations) for owner_id, citations in found.items()}

    def cited_entities(self, document_id: str, start: int, end: int) -> list[tuple[str, int]]:
        """(entity id, start) of every mention of a live entity that begins in this span, in order."""
        rows = self._db.rows(
            """
            select c.owner_id, c.start from citation c cross join node n on n.id = c.owner_id
             where c.document_id = ? and c.start >= ? and c.start < ? and n.kind = 'entity' and n.deleted_at is null
             order by c.start, c.owner_id""",
            (document_id, start, end),
        )
        return [(row["owner_id"], row["start"]) for row in rows]


def document_from(row: sqlite3.Row) -> Document:
    return Document(
        id=row["id"],
        namespace=row["namespace"],
        source_ref=row["source_ref"],
        source_hash=row["source_hash"],
        origin=row["origin"],
        status=row["status"],
        created_at=row["created_at"],
    )
