"""`ingest_document`: from a text to chunks, facts, entities and edges with citations.

With a model the document goes in chunk by chunk, one transaction each, so an interrupted call resumes where it
stopped. Without one it goes in whole, in one transaction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import (
    BadReply,
    DocumentError,
    DocumentTooLarge,
    ModelError,
    SourceHashCollision,
    UnreadableDocument,
)
from lorelite.ids import content_id, text_hash
from lorelite.ingest.ownership import Removed, remove_document
from lorelite.ingest.write import Written, write_extraction
from lorelite.ports import ModelReply, OnProgress
from lorelite.prompts import extract
from lorelite.prompts.extract import ExtractReply
from lorelite.records import ChunkFailure, IngestReport, Node, Origin, Progress, Usage
from lorelite.retrieve.semantic import embed_missing
from lorelite.store.documents import Chunk, Document
from lorelite.text import characters
from lorelite.text.chunking import ChunkSpan, chunk_spans
from lorelite.text.clean import clean_text, looks_binary
from lorelite.text.heuristic import extract_without_model

OnDuplicate = Literal["skip", "throw", "ingest"]
WHOLE_DOCUMENT = -1
_VISIBLE = re.compile(f"[^\\s{characters.IGNORABLE}]")


@dataclass(frozen=True, slots=True)
class Source:
    """A checked request: what is to be taken in."""

    namespace: str
    source_ref: str
    source_hash: str
    text: str


def checked_source(engine: Engine, namespace: str, source_ref: str, text: str, source_hash: str | None) -> Source:
    """The request with its hash and storable text. Raises InvalidOption, UnreadableDocument, DocumentTooLarge."""
    namespace = options.namespace(namespace)
    source_ref = options.source_ref(source_ref)
    raw = options.text("text", text)
    digest = text_hash(raw) if source_hash is None else options.source_hash(source_hash)
    if len(raw) > engine.config.max_document_chars:
        raise DocumentTooLarge(source_ref, len(raw), engine.config.max_document_chars)
    if not _VISIBLE.search(raw):
        raise UnreadableDocument(source_ref, "it is empty; pass some text")
    if looks_binary(raw):
        raise UnreadableDocument(source_ref, "it looks like binary data, not text; convert it to text first")
    return Source(namespace, source_ref, digest, clean_text(raw))


async def ingest_document(
    engine: Engine, source: Source, *, on_duplicate: OnDuplicate = "skip", on_progress: OnProgress | None = None
) -> IngestReport:
    """Take *source* in; the same (source_ref, source_hash) again is a free no-op, a new hash replaces the old share."""
    store = engine.store
    tell = on_progress or (lambda progress: None)
    origin: Origin = "heuristic" if engine.model is None else "model"
    document = store.documents.find(source.namespace, source.source_ref, source.source_hash)
    if document is not None and document.status == "complete":
        await _embed(engine, source.namespace, tell)
        return _report(document, "unchanged", Written(), Usage())
    duplicate = _duplicate(engine, source)
    if duplicate is not None and on_duplicate == "throw":
        raise SourceHashCollision(source.namespace, source.source_hash, duplicate.source_ref, source.source_ref)
    # A source that has an earlier version is taken in all the same: skipping it would keep what it no longer says.
    has_version = bool(store.documents.versions(source.namespace, source.source_ref))
    if duplicate is not None and on_duplicate == "skip" and not has_version:
        return _report(_document(engine, source, origin), "duplicate", Written(), Usage(), of=duplicate.source_ref)
    if document is not None and not _can_resume(engine, document, source):
        remove_document(engine, document)
        document = None
    if engine.model is None:
        report = _ingest_whole(engine, source, tell)
    else:
        report = await _Ingest(engine, source, tell).run(document)
    await _embed(engine, source.namespace, tell)
    return report


async def _embed(engine: Engine, namespace: str, tell: OnProgress) -> None:
    # An embedder may not be asked inside a transaction; the next call outside of it catches up.
    if not engine.store.db.in_transaction:
        await embed_missing(engine, namespace, lambda done: tell(Progress("embed", done, done)))


def _can_resume(engine: Engine, document: Document, source: Source) -> bool:
    """Was the document begun with a model, and is it the same text that a model is to go on with?"""
    documents = engine.store.documents
    is_by_model = document.origin == "model" and engine.model is not None
    return is_by_model and bool(documents.chunks(document.id)) and documents.text(document.id) == source.text


def _duplicate(engine: Engine, source: Source) -> Document | None:
    """The complete document of another source_ref with the same hash."""
    found = engine.store.documents.with_hash(source.namespace, source.source_hash)
    others = (document for document in found if document.source_ref != source.source_ref)
    return next((document for document in others if document.status == "complete"), None)


def _document(engine: Engine, source: Source, origin: Origin) -> Document:
    return Document(
        id=content_id("doc", source.namespace, source.source_ref, source.source_hash),
        namespace=source.namespace,
        source_ref=source.source_ref,
        source_hash=source.source_hash,
        origin=origin,
        status="partial",
        created_at=engine.clock(),
    )


def _add_document(engine: Engine, source: Source, document: Document, spans: Sequence[ChunkSpan]) -> list[Chunk]:
    """Store the document and its chunks; from here on they can be searched."""
    chunks = [
        Chunk(ordinal, content_id("chunk", document.id, str(ordinal)), span.start, span.end, "pending")
        for ordinal, span in enumerate(spans)
    ]
    nodes = [
        Node(
            id=chunk.node_id,
            namespace=document.namespace,
            kind="chunk",
            title=span.heading or document.source_ref,
            body=source.text[span.start : span.end],
            confidence="certain",
            source_type="immutable_document",
            origin="structure",
            source_ref=document.source_ref,
            source_hash=document.source_hash,
            created_at=document.created_at,
            updated_at=document.created_at,
        )
        for chunk, span in zip(chunks, spans, strict=True)
    ]
    store = engine.store
    store.documents.add(document, source.text)
    store.documents.add_chunks(document.id, chunks)
    store.nodes.put(nodes)
    store.documents.add_citations((chunk.node_id, document.id, chunk.start, chunk.end) for chunk in chunks)
    return chunks


def _finish(engine: Engine, document: Document) -> Removed:
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


def _spans(engine: Engine, source: Source) -> list[ChunkSpan]:
    return chunk_spans(source.text, engine.config.chunk_chars, engine.config.chunk_overlap)


def _ingest_whole(engine: Engine, source: Source, tell: OnProgress) -> IngestReport:
    document = _document(engine, source, "heuristic")
    spans = _spans(engine, source)
    tell(Progress("extract", 0, len(spans)))
    extraction = extract_without_model(source.text, source_ref=source.source_ref, chunks=spans)
    tell(Progress("write", 0, len(spans)))
    with engine.store.atomic():
        chunks = _add_document(engine, source, document, spans)
        written = write_extraction(engine, document, chunks, extraction, WHOLE_DOCUMENT, "heuristic")
        for chunk in chunks:
            engine.store.documents.mark_chunk(document.id, chunk.ordinal, "done")
        removed = _finish(engine, document)
    tell(Progress("write", len(spans), len(spans)))
    return _report(document, "ingested", written, Usage(), chunks=len(spans), removed=removed)


class _Ingest:
    """One run with a model: the counts as they grow, chunk by chunk."""

    def __init__(self, engine: Engine, source: Source, tell: OnProgress) -> None:
        self._engine = engine
        self._source = source
        self._tell: Callable[[Progress], None] = tell
        self._written = Written()
        self._usage = Usage()
        self._failures: list[ChunkFailure] = []
        self._cut = 0

    async def run(self, document: Document | None) -> IngestReport:
        engine, store = self._engine, self._engine.store
        if document is None:
            document = _document(engine, self._source, "model")
            spans = _spans(engine, self._source)
            with store.atomic():
                _add_document(engine, self._source, document, spans)
        chunks = store.documents.chunks(document.id)
        titles = {
            id: node.title for id, node in store.nodes.by_ids(document.namespace, [c.node_id for c in chunks]).items()
        }
        waiting = [chunk for chunk in chunks if chunk.state != "done"]
        resumed = len(chunks) - len(waiting)
        self._tell(Progress("extract", resumed, len(chunks)))
        for begin in range(0, len(waiting), engine.config.model_batch):
            batch = waiting[begin : begin + engine.config.model_batch]
            requests = [
                extract.build(
                    self._source.text[chunk.start : chunk.end],
                    heading=titles.get(chunk.node_id, ""),
                    source_ref=document.source_ref,
                )
                for chunk in batch
            ]
            replies = await engine.complete(requests)
            self._take(document, chunks, batch, replies)
            self._tell(Progress("extract", resumed + begin + len(batch), len(chunks)))
        removed = Removed()
        if not self._failures:
            with store.atomic():
                removed = _finish(engine, document)
        return _report(
            document,
            "partial" if self._failures else "ingested",
            self._written,
            self._usage,
            chunks=len(chunks),
            resumed=resumed,
            removed=removed,
            failures=tuple(self._failures),
            cut=self._cut,
        )

    def _take(
        self, document: Document, chunks: Sequence[Chunk], batch: Sequence[Chunk], replies: Sequence[ModelReply]
    ) -> None:
        """Store what each reply holds, one transaction a chunk.

        When no call of the batch was answered the model is not there: that error is raised, and the chunks wait.
        """
        unanswered = [reply.error for reply in replies if reply.error and not isinstance(reply.error, BadReply)]
        if len(unanswered) == len(batch):
            error = unanswered[0]
            raise error if isinstance(error, ModelError) else ModelError(f"the model failed: {error}") from error
        store = self._engine.store
        for chunk, reply in zip(batch, replies, strict=True):
            self._usage += reply.usage
            read = self._read(chunk, reply)
            if isinstance(read, str):
                store.documents.mark_chunk(document.id, chunk.ordinal, "failed", read)
                self._failures.append(ChunkFailure(index=chunk.ordinal, start=chunk.start, end=chunk.end, reason=read))
                continue
            self._cut += not read.complete
            with store.atomic():
                # Another task may have taken the chunk, or the document away, while the model worked.
                if store.documents.mark_chunk(document.id, chunk.ordinal, "done"):
                    self._written += write_extraction(
                        self._engine, document, chunks, read.extraction, chunk.ordinal, "model"
                    )

    def _read(self, chunk: Chunk, reply: ModelReply) -> ExtractReply | str:
        """What the reply holds, or why it holds nothing."""
        if reply.error is not None:
            return str(reply.error)
        try:
            return extract.read_reply(
                reply.text, chunk_start=chunk.start, chunk_end=chunk.end, document_text=self._source.text
            )
        except BadReply as error:
            return str(error)


def _report(
    document: Document,
    status: Literal["ingested", "unchanged", "partial", "duplicate"],
    written: Written,
    usage: Usage,
    *,
    chunks: int = 0,
    resumed: int = 0,
    removed: Removed | None = None,
    failures: tuple[ChunkFailure, ...] = (),
    cut: int = 0,
    of: str | None = None,
) -> IngestReport:
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
        replaced=removed.nodes + removed.edges if removed else 0,
        duplicate_of=of,
        failures=failures,
        cut_replies=cut,
        usage=usage,
    )
