"""`ingest_document`: from a text to chunks, facts, entities and edges with citations.

With a model the document goes in chunk by chunk, one transaction each, so an interrupted call resumes where it
stopped. Without one it goes in whole, in one transaction.
"""

from __future__ import annotations

from lorelite.engine import Engine
from lorelite.errors import SourceHashCollision
from lorelite.ingest.by_model import ingest_by_model
from lorelite.ingest.ownership import remove_document
from lorelite.ingest.source import Manner, Source
from lorelite.ingest.versions import add_version, finish_version, new_version, report_of
from lorelite.ingest.write import write_extraction
from lorelite.ports import OnProgress
from lorelite.records import IngestReport, Origin, Progress
from lorelite.retrieve.semantic import embed_missing
from lorelite.store.documents import Document
from lorelite.text.heuristic import extract_without_model

WHOLE_DOCUMENT = -1


async def ingest_document(engine: Engine, source: Source, manner: Manner) -> IngestReport:
    """Take *source* in; the same (source_ref, source_hash) again is a free no-op, a new hash replaces the old share."""
    store = engine.store
    document = store.documents.find(source.namespace, source.source_ref, source.source_hash)
    if document is not None and document.status == "complete":
        removed = None
        if len(store.documents.versions(source.namespace, source.source_ref)) > 1:
            # Another version was begun, and this one is the source's text again.
            with store.atomic(cause="ingest"):
                removed = finish_version(engine, document)
        await _embed(engine, source.namespace, manner.tell)
        done = len(store.documents.chunks(document.id))
        return report_of(document, "unchanged", chunks=done, resumed=done, removed=removed)
    duplicate = _duplicate(engine, source)
    if duplicate is not None and manner.on_duplicate == "throw":
        raise SourceHashCollision(source.namespace, source.source_hash, duplicate.source_ref, source.source_ref)
    # A source that has an earlier version is taken in all the same: skipping it would keep what it no longer says.
    has_version = bool(store.documents.versions(source.namespace, source.source_ref))
    if duplicate is not None and manner.on_duplicate == "skip" and not has_version:
        origin: Origin = "heuristic" if engine.model is None else "model"
        return report_of(new_version(engine, source, origin), "duplicate", of=duplicate.source_ref)
    if document is not None and not _can_resume(engine, document, source):
        with store.atomic(cause="ingest"):
            remove_document(engine, document)
        document = None
    if engine.model is None:
        report = _ingest_whole(engine, source, manner)
    else:
        report = await ingest_by_model(engine, source, manner, document)
    await _embed(engine, source.namespace, manner.tell)
    return report


async def _embed(engine: Engine, namespace: str, tell: OnProgress) -> None:
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


def _ingest_whole(engine: Engine, source: Source, manner: Manner) -> IngestReport:
    document = new_version(engine, source, "heuristic")
    spans = manner.spans(source.text)
    manner.tell(Progress("extract", 0, len(spans)))
    extraction = extract_without_model(source.text, source_ref=source.source_ref, chunks=spans)
    manner.tell(Progress("write", 0, len(spans)))
    with engine.store.atomic(cause="ingest"):
        chunks = add_version(engine, source, document, spans)
        written = write_extraction(engine, document, chunks, extraction, WHOLE_DOCUMENT, "heuristic")
        for chunk in chunks:
            engine.store.documents.mark_chunk(document.id, chunk.ordinal, "done")
        removed = finish_version(engine, document)
    manner.tell(Progress("write", len(spans), len(spans)))
    return report_of(document, "ingested", written, chunks=len(spans), removed=removed)
