"""Documents: taken in, listed, checked; drafts and lint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bench.conformance.values import at, renamed
from lorelite import ChunkFailure, IngestFailed, IngestReport, InvalidOption, ModelError, UnreadableDocument, chunk_text

if TYPE_CHECKING:
    from bench.conformance.session import Session

_INGEST = {
    "documentChunk": "text",
    "maxChunkLength": "chunk_chars",
    "promptOverride": "prompt",
    "onDuplicateHash": "on_duplicate",
}
_NO_CHUNKS = {"truncated": False, "chunks": 0, "ingestedChunks": 0, "failedChunks": 0}


def _ingest(session: Session, namespace: str, params: Mapping[str, Any], options: Any = None) -> Any:
    given = renamed({**params, **(options or {})}, _INGEST)
    given.pop("chunk_concurrency", None)  # our transport decides
    # With a duplicate the reference's default, "ingest", pays the model and always ends in an error: our "throw".
    given["on_duplicate"] = {"skip": "skip"}.get(given.get("on_duplicate", ""), "throw")
    try:
        report = session.call("ingest_document", namespace, **given)
    except UnreadableDocument:
        if str(given["text"]).strip():
            raise
        return _NO_CHUNKS  # ours names the empty document, the reference passes over it
    except ModelError as error:
        # Ours hands on the model's own error when no call was answered at all.
        raise IngestFailed(given["source_ref"], ()) from error
    done = 0 if report.status == "empty" else report.chunks - len(report.failures)
    return {
        "truncated": bool(report.chunks) and _is_truncated(given),
        "chunks": report.chunks,
        "ingestedChunks": done,
        "failedChunks": report.chunks - done,
        **({"parseFailures": [_failure(report, each) for each in report.failures]} if report.failures else {}),
        **({"duplicateOf": report.duplicate_of} if report.duplicate_of else {}),
    }


def _is_truncated(given: Mapping[str, Any]) -> bool:
    """Whether the text has a word longer than a chunk, as the reference cuts it."""
    size = given.get("chunk_chars", 12_000)
    return chunk_text(given["text"], size, min(given.get("chunk_overlap", 0), size - 1)).truncated


def _failure(report: IngestReport, failure: ChunkFailure) -> dict[str, Any]:
    told = {"chunkIndex": failure.index, "sourceRef": report.source_ref, "position": None}
    if failure.cause == "call":
        return {**told, "source": "llm", "message": failure.reason}
    is_no_json = "expected JSON," in failure.reason
    return {
        **told,
        "source": "parse",
        "tier": "strict" if is_no_json else "repair",
        "message": "No JSON object/array found in LLM response" if is_no_json else failure.reason,
    }


def _has_changed(session: Session, namespace: str, source: Any, source_hash: str | None = None) -> Any:
    if isinstance(source, str):
        return session.call("has_changed", namespace, source_ref=source, source_hash=source_hash)
    return [
        {
            "sourceRef": pending.source_ref,
            "changed": pending.status != "current",
            **({"duplicateOf": pending.duplicate_of} if pending.duplicate_of else {}),
        }
        for pending in _pending(session, namespace, source)
    ]


def _pending_sources(session: Session, namespace: str, sources: Any) -> Any:
    return [
        {"sourceRef": pending.source_ref, "status": pending.status} for pending in _pending(session, namespace, sources)
    ]


def _pending(session: Session, namespace: str, sources: Any) -> Any:
    if not isinstance(sources, list):
        raise InvalidOption("sources", "a list", sources)
    return session.call("pending_sources", namespace, sources=list(map(renamed, sources)))


def _source_refs(session: Session, namespace: str) -> Any:
    return [
        {
            "sourceRef": document.source_ref,
            "sourceHash": document.source_hash,
            "factCount": document.facts,
            "lastIngestedAt": document.updated_at,
        }
        for document in session.call("list_source_refs", namespace)
    ]


def _refs_by_hash(session: Session, namespace: str, source_hash: str) -> Any:
    return session.call("find_source_refs_by_hash", namespace, source_hash=source_hash)


def _namespaces(session: Session, options: Any = None) -> Any:
    return session.call("list_namespaces", **renamed(options))


def _lint(session: Session, namespace: str) -> Any:
    report = session.call("lint", namespace)
    return {
        "danglingEdges": report.dangling_edges.count,
        "manifestViolations": report.manifest_violations.count,
        "untypedFacts": report.untyped_facts.count,
        "drafts": report.drafts.count,
        "unverifiedInferred": report.unverified_inferred.count,
        "sample": {
            "danglingEdgeIds": list(report.dangling_edges.ids),
            "manifestViolationEdgeIds": list(report.manifest_violations.ids),
        },
    }


def _chunk_text(session: Session, *arguments: Any) -> Any:
    found = chunk_text(*arguments)
    return {"chunks": found.chunks, "truncated": found.truncated}


def _instructions(session: Session, namespace: str) -> Any:
    found = session.call("get_instructions", namespace)
    return {
        "ingest": found.ingest,
        "librarian": found.librarian,
        "heal": found.heal,
        "ontologyBackfill": found.ontology_backfill,
    }


def _drafts(session: Session, namespace: str, options: Any = None) -> Any:
    page = session.call("list_drafts", namespace, **renamed(options))
    return {"drafts": page.drafts, "nextCursor": page.cursor}


def _promote(session: Session, *arguments: Any) -> Any:
    node_id, namespace = arguments[:2]
    session.call("promote_draft", namespace, node_id=node_id, **renamed(at(arguments, 2)))


CALLS = {
    "ingestDocument": _ingest,
    "hasChanged": _has_changed,
    "pendingSources": _pending_sources,
    "listSourceRefs": _source_refs,
    "findSourceRefsByHash": _refs_by_hash,
    "listEntityIds": _namespaces,
    "lint": _lint,
    "getInstructions": _instructions,
    "listDrafts": _drafts,
    "promoteDraft": _promote,
}
FUNCTIONS = {"chunkText": _chunk_text}
CONFIG = {
    "grounding": lambda given: {
        "grounding": given["mode"],
        **({"grounding_writers": given["writers"]} if "writers" in given else {}),
    },
    "maxChunkLength": "chunk_chars",
    "chunkConcurrency": None,
}
ERRORS = {
    "WikiIngestEmptyError": "IngestFailed",
    "WikiDuplicateHashError": "SourceHashCollision",
    "WikiDraftNotFound": "NotFound",
}
JUDGED = {
    "ingest": ("llmCalls", "diagnostics"),
    "llm-json": ("llmCalls", "diagnostics"),
    "grounding": ("llmCalls", "diagnostics"),
}
READS_ONLY = {
    "hasChanged",
    "pendingSources",
    "listSourceRefs",
    "findSourceRefsByHash",
    "listEntityIds",
    "lint",
    "getInstructions",
    "listDrafts",
}
