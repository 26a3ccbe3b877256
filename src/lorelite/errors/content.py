"""What cannot be taken in, owned, superseded or typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lorelite.errors.base import LoreliteError, shown


class DocumentError(LoreliteError):
    """A document cannot be taken in; nothing was written."""


class UnreadableDocument(DocumentError):
    """The document is empty, binary or in an unknown encoding."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"document {shown(name)} cannot be read: {reason}", name=name, reason=reason)


class DocumentTooLarge(DocumentError):
    """The document is longer than `WikiConfig.max_document_chars`."""

    def __init__(self, name: str, found: int, limit: int) -> None:
        super().__init__(
            f"document {shown(name)} has {found:,} characters, more than the limit of {limit:,}; "
            "split it, or raise WikiConfig.max_document_chars",
            name=name,
            found=found,
            limit=limit,
        )


class IngestFailed(DocumentError):
    """No chunk of a document gave anything: every reply failed or cannot be read. Earlier versions stand.

    The text is kept and can be searched; the next call asks again. `data["failures"]` holds a ChunkFailure each.
    """

    def __init__(self, source_ref: str, failures: Sequence[Any]) -> None:
        reasons = "; ".join(f"chunk {failure.index}: {failure.reason}" for failure in failures[:3])
        more = f"; and {len(failures) - 3} more" if len(failures) > 3 else ""
        super().__init__(
            f"document {shown(source_ref)}: none of its {len(failures)} chunks could be read by the model: "
            f"{reasons}{more}; call ingest_document again to retry, or choose another model or prompt",
            source_ref=source_ref,
            failures=tuple(failures),
        )


class DumpError(DocumentError):
    """A dump cannot be read: damaged, cut off, changed, or something else. Nothing was written."""

    def __init__(self, name: str, reason: str, line: int | None = None) -> None:
        where = "" if line is None else f", line {line:,}"
        super().__init__(
            f"dump {shown(name)}{where}: {reason}; nothing was written, take another copy or export it again",
            name=name,
            reason=reason,
            line=line,
        )


class OwnershipError(LoreliteError):
    """Two sources claim the same thing; nothing was written."""


class SourceHashCollision(OwnershipError):
    """The source hash already belongs to another live source_ref of the namespace."""

    def __init__(self, namespace: str, source_hash: str, existing: str, attempted: str) -> None:
        super().__init__(
            f"source hash {source_hash} of namespace {shown(namespace)} belongs to source_ref {shown(existing)} "
            f"and cannot be given to {shown(attempted)}; forget the first, or pass the true hash of the second",
            namespace=namespace,
            source_hash=source_hash,
            existing_source_ref=existing,
            attempted_source_ref=attempted,
        )


class NodeOwnershipConflict(OwnershipError):
    """A node, edge or task id is already taken. The message deliberately does not say by whom."""

    def __init__(self, kind: str, id: str) -> None:
        super().__init__(
            f"{kind} id {shown(id)} is not available in this namespace; ids are unique in a file, "
            "so qualify them (for example repo:app/main.ts#run)",
            kind=kind,
            id=id,
        )


class ImmutableFact(OwnershipError):
    """A fact that a document states is changed by `forget` or by taking the document in again, and no other way."""

    def __init__(self, node_id: str, source_ref: str | None) -> None:
        origin = "a document" if source_ref is None else f"document {shown(source_ref)}"
        super().__init__(
            f"fact {shown(node_id)} comes from {origin} and keeps what it says; "
            "forget it, or take a changed document in under the same source_ref",
            node_id=node_id,
            source_ref=source_ref,
        )


class SupersedeError(LoreliteError):
    """One fact cannot take the place of another; nothing was written. `data["reason"]` is a word for programs."""

    def __init__(self, reason: str, node_id: str, explanation: str) -> None:
        super().__init__(
            f"fact {shown(node_id)} cannot be superseded: {explanation}",
            reason=reason,
            node_id=node_id,
        )

    @property
    def reason(self) -> str:
        """not_found, cross_namespace, already_superseded, immutable_target or cycle."""
        return str(self.data["reason"])


class OntologyError(LoreliteError):
    """Types of nodes and edges do not fit; nothing was written."""


class InvalidManifest(OntologyError, ValueError):
    """A manifest does not hold together. `data["place"]` says where, e.g. "edge_types[3].target_type"."""

    def __init__(self, place: str, expected: str, found: object, remedy: str) -> None:
        super().__init__(
            f"{place}: expected {expected}, found {shown(found)}; {remedy}",
            place=place,
            expected=expected,
            found=found,
        )


class StrictOntologyViolation(OntologyError):
    """A node type, or an edge between two types, that the strict manifest of the namespace does not permit."""

    def __init__(self, namespace: str, kind: str, type: str, id: str, reason: str) -> None:
        super().__init__(
            f"{kind} {shown(id)} of type {shown(type)} does not fit the strict ontology of namespace "
            f"{shown(namespace)}: {reason}; correct it, or add the type with set_ontology",
            namespace=namespace,
            kind=kind,
            type=type,
            id=id,
            reason=reason,
        )
