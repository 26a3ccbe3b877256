"""Documents: taken in, listed, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.conformance.session import Session


def _source_refs(session: Session, namespace: str) -> Any:
    # The reference counts a source's facts, which our listing of documents does not say.
    return [
        {"sourceRef": document.source_ref, "sourceHash": document.source_hash}
        for document in session.wiki.list_source_refs(namespace)
    ]


def _namespaces(session: Session) -> Any:
    return session.wiki.list_namespaces()


CALLS = {"listSourceRefs": _source_refs, "listEntityIds": _namespaces}
CONFIG = {"grounding": lambda given: {"grounding": given["mode"]}}
READS_ONLY = {"hasChanged", "listSourceRefs", "listEntityIds", "lint"}
