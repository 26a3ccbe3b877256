"""Which of a caller's sources are still to be taken in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import InvalidOption
from lorelite.findings import PendingSource, SourceStatus


def pending_sources(engine: Engine, namespace: str, sources: object) -> tuple[PendingSource, ...]:
    """See AsyncWiki.pending_sources. Raises InvalidOption."""
    if isinstance(sources, str | bytes | Mapping) or not isinstance(sources, Iterable):
        raise InvalidOption("sources", "a list of (source_ref, source_hash)", sources)
    wanted = [_checked(source) for source in sources]
    return tuple(
        PendingSource(
            source_ref=source_ref,
            source_hash=source_hash,
            status=status_of(engine, namespace, source_ref, source_hash),
            duplicate_of=_duplicate_of(engine, namespace, source_ref, source_hash),
        )
        for source_ref, source_hash in wanted
    )


def status_of(engine: Engine, namespace: str, source_ref: str, source_hash: str) -> SourceStatus:
    """What ingest_document would have to do with this version of a source."""
    versions = engine.store.documents.versions(namespace, source_ref)
    this = next((version for version in versions if version.source_hash == source_hash), None)
    if this is not None:
        return "current" if this.status == "complete" else "partial"
    return "changed" if versions else "new"


def _duplicate_of(engine: Engine, namespace: str, source_ref: str, source_hash: str) -> str | None:
    documents = engine.store.documents.with_hash(namespace, source_hash)
    others = (document.source_ref for document in documents if document.status == "complete")
    return next((other for other in others if other != source_ref), None)


def _checked(source: object) -> tuple[str, str]:
    if isinstance(source, Mapping):
        pair: Sequence[object] = (source.get("source_ref"), source.get("source_hash"))
    elif isinstance(source, list | tuple) and len(source) == 2:
        pair = source
    else:
        raise InvalidOption("sources[]", "a mapping with source_ref and source_hash, or a pair of both", source)
    return options.source_ref(pair[0]), options.source_hash(pair[1])
