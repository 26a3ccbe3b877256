"""The versions of a source in the store: beginning one, finishing it, and what is reported of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lorelite.engine import Engine
from lorelite.errors import DocumentError
from lorelite.ids import content_id
from lorelite.ingest.ownership import Removed, remove_document
from lorelite.ingest.source import Source
from lorelite.ingest.write import Written
from lorelite.records import ChunkFailure, IngestReport, Node, Origin, Usage
from lorelite.store.documents import Chunk, Document
from lorelite.text.chunking import ChunkSpan


def new_version(engine: Engine, source: Source, origin: Origin) -> Document:
    """The row of a version that nothing is stored of yet."""
    return Document(
        id=content_id("doc", source.namespace, source.source_ref, source.source_hash),
        namespace=source.namespace,
        source_ref=source.source_ref,
        source_hash=source.source_hash,
        origin=origin,
        status="partial",
        created_at=engine.clock(),
    )


@dataclass(frozen=True, slots=True)
class Begun:
    """A version that is to be stored, and the chunks that it is cut into."""

    source: Source
    document: Document
    spans: Sequence[ChunkSpan]
    metadata: Mapping[str, Any] | None = None

    def chunks(self) -> list[Chunk]:
        """Those of its spans, not read yet."""
        return [
            Chunk(ordinal, content_id("chunk", self.document.id, str(ordinal)), span.start, span.end, "pending")
            for ordinal, span in enumerate(self.spans)
        ]


def add_version(engine: Engine, source: Source, document: Document, spans: Sequence[ChunkSpan]) -> list[Chunk]:
    """Store the document and its chunks; from here on they can be searched."""
    return add_versions(engine, [Begun(source, document, spans)])[0]


def add_versions(engine: Engine, begun: Sequence[Begun]) -> list[list[Chunk]]:
    """`add_version` of many, in a few statements: the chunks of each."""
    store = engine.store
    chunks = [each.chunks() for each in begun]
    for version, its in zip(begun, chunks, strict=True):
        store.documents.add(version.document, version.source.text, version.metadata)
        store.documents.add_chunks(version.document.id, its)
    store.nodes.put([node for version, its in zip(begun, chunks, strict=True) for node in _nodes(version, its)])
    store.documents.add_citations(
        (chunk.node_id, version.document.id, chunk.start, chunk.end)
        for version, its in zip(begun, chunks, strict=True)
        for chunk in its
    )
    return chunks


def _nodes(version: Begun, chunks: Sequence[Chunk]) -> list[Node]:
    document, text = version.document, version.source.text
    return [
        Node(
            id=chunk.node_id,
            namespace=document.namespace,
            kind="chunk",
            title=span.heading or document.source_ref,
            body=text[span.start : span.end],
            confidence="certain",
            source_type="immutable_document",
            origin="structure",
            source_ref=document.source_ref,
            source_hash=document.source_hash,
            created_at=document.created_at,
            updated_at=document.created_at,
        )
        for chunk, span in zip(chunks, version.spans, strict=True)
    ]


def finish_version(engine: Engine, document: Document) -> Removed:
    """Mark the document as complete and take its earlier versions away.

    Raises DocumentError when it was forgotten, or replaced by another version, while the model worked.
    """
    if engine.store.documents.find(document.namespace, document.source_ref, document.source_hash) is None:
        raise DocumentError(
            f"document {document.source_ref!r} was forgotten or replaced while it was taken in; "
            "call ingest_document again to take it in anew",
            source_ref=document.source_ref,
        )
    removed = Removed()
    for version in engine.store.documents.versions(document.namespace, document.source_ref):
        if version.id != document.id:
            removed += remove_document(engine, version)
    engine.store.documents.complete(document.id)
    return removed


def would_empty(engine: Engine, document: Document) -> bool:
    """Does an earlier version state something, and this one, which is there, nothing at all?"""
    store = engine.store
    if store.documents.find(document.namespace, document.source_ref, document.source_hash) is None:
        return False
    if store.sources.yields_anything(document.namespace, document.source_ref, document.source_hash):
        return False
    return any(
        version.status == "complete"
        and store.sources.yields_anything(version.namespace, version.source_ref, version.source_hash)
        for version in store.documents.versions(document.namespace, document.source_ref)
    )


def report_of(
    document: Document,
    status: Literal["ingested", "unchanged", "partial", "duplicate", "empty"],
    written: Written | None = None,
    usage: Usage | None = None,
    *,
    chunks: int = 0,
    resumed: int = 0,
    removed: Removed | None = None,
    failures: tuple[ChunkFailure, ...] = (),
    cut: int = 0,
    drafts: int = 0,
    left_out: int = 0,
    of: str | None = None,
) -> IngestReport:
    written = written or Written()
    return IngestReport(
        document_id=document.id,
        source_ref=document.source_ref,
        source_hash=document.source_hash,
        status=status,
        origin=document.origin,
        chunks=chunks,
        resumed=resumed,
        facts=written.facts,
        entities=written.entities,
        edges=written.edges,
        drafts=drafts,
        facts_left_out=left_out,
        edges_left_out=len(written.dropped),
        replaced=removed.nodes + removed.edges if removed else 0,
        duplicate_of=of,
        failures=failures,
        cut_replies=cut,
        usage=usage or Usage(),
    )
