"""Every error Lorelite raises on purpose, as one tree.

LoreliteError                   catch this to catch all of them
├── InvalidOption               an argument or option is out of its range
├── NotFound                    something asked for by id or name is absent
├── ClosedError                 the wiki was closed
├── NoHistory                   the log of changes does not reach back that far
├── TransactionError            a transaction was used in a way that cannot be kept atomic
├── JobBusy                     a job was called from within a job of the same namespace
├── PrunePartialFailure         prune stopped at a node whose removal the vector ranker did not take
├── DocumentError               a document cannot be taken in
│   ├── UnreadableDocument      binary, wrong encoding, empty
│   ├── DocumentTooLarge        longer than the limit
│   ├── IngestFailed            a model was asked, and nothing that it replied can be used
│   └── DumpError               a dump is damaged, cut off, or something else
├── OwnershipError              two sources claim the same thing
│   ├── SourceHashCollision     the hash already belongs to another source_ref
│   ├── NodeOwnershipConflict   the node, edge or task id is taken
│   └── ImmutableFact           a fact of a document was to be changed by other means than its document
├── SupersedeError              a fact cannot take the place of another
├── OntologyError               types of nodes and edges
│   ├── InvalidManifest         a manifest does not hold together
│   └── StrictOntologyViolation a type or an edge that a strict manifest does not permit
├── ModelError                  the language model or embedder failed
│   ├── ModelUnreachable        no connection, timeout
│   ├── ModelRefused            the endpoint answered with an error status
│   ├── BadReply                the reply cannot be understood
│   ├── RankerFailed            the vector ranker failed
│   └── AsyncOnlyModel          a model that must be awaited was given to the blocking face
└── StoreError                  the file
    ├── CannotOpen              missing, unreadable or read-only path
    ├── NotADatabase            corrupt, or some other kind of file
    ├── NewerSchema             written by a newer Lorelite
    ├── WriterLocked            another process or tab is writing
    ├── ReadOnly                opened for reading only
    ├── StorageFull             disk full, browser quota
    └── StorageUnavailable      the browser offers no persistent storage
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class LoreliteError(Exception):
    """Base of every error raised on purpose. `data` holds the particulars, by name."""

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.data: dict[str, Any] = data


class InvalidOption(LoreliteError, ValueError):
    """An argument is out of its range or of the wrong kind."""

    def __init__(self, field: str, expected: str, found: object) -> None:
        super().__init__(
            f"{field}: expected {expected}, found {_shown(found)}",
            field=field,
            expected=expected,
            found=found,
        )


class NotFound(LoreliteError, LookupError):
    """Something asked for by id or name is not there."""

    def __init__(self, kind: str, name: str, hint: str = "") -> None:
        super().__init__(f"{kind} {_shown(name)} was not found{'; ' + hint if hint else ''}", kind=kind, name=name)


class ClosedError(LoreliteError):
    """The wiki was closed; open it again to go on."""

    def __init__(self, path: str) -> None:
        super().__init__(f"the wiki {_shown(path)} is closed; open it again with Wiki.open(path)", path=path)


class NoHistory(LoreliteError):
    """What was asked rests on the log of changes, which is not kept or begins later.

    `data["earliest"]` is the first moment that it reaches back to, None when there is none.
    """

    def __init__(self, what: str, path: str, earliest: int | None, moment: int | None) -> None:
        if earliest is None:
            found = "this wiki keeps none (WikiConfig.record_changes is False), or writes went past it"
            remedy = "open it with record_changes=True; history begins with the next write"
        else:
            found = f"it begins at {earliest}" + ("" if moment is None else f", later than {moment}")
            remedy = f"ask for {earliest} or later; WikiConfig.prune_changes_after_days says how long changes are kept"
        super().__init__(
            f"{what} of {_shown(path)} needs the log of changes, but {found}; {remedy}",
            what=what,
            path=path,
            earliest=earliest,
            moment=moment,
        )


class TransactionError(LoreliteError):
    """A transaction was used in a way that cannot be kept all-or-nothing."""


class JobBusy(LoreliteError):
    """A job was called from within a job of the same namespace (a model, a hook): it would wait for itself."""

    def __init__(self, kind: str, namespace: str) -> None:
        super().__init__(
            f"{kind} on namespace {_shown(namespace)} was called from within a job of that namespace, which would wait "
            "for itself; call it when that job has ended",
            kind=kind,
            namespace=namespace,
        )


class PrunePartialFailure(LoreliteError):
    """The vector ranker could not be told that a node is gone; what it was told of is removed, the rest stays deleted.

    `data`: deleted and remaining count nodes, failed is the id of the one it stopped at, report what else was done.
    """

    def __init__(self, *, deleted: int, failed: str, remaining: int, report: Any, cause: Exception) -> None:
        super().__init__(
            f"prune removed {deleted:,} deleted nodes and stopped at {_shown(failed)}, {remaining:,} were not tried: "
            f"{cause}; call run_prune again when the vector ranker answers",
            deleted=deleted,
            failed=failed,
            remaining=remaining,
            report=report,
            cause=cause,
        )


class DocumentError(LoreliteError):
    """A document cannot be taken in; nothing was written."""


class UnreadableDocument(DocumentError):
    """The document is empty, binary or in an unknown encoding."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"document {_shown(name)} cannot be read: {reason}", name=name, reason=reason)


class DocumentTooLarge(DocumentError):
    """The document is longer than `WikiConfig.max_document_chars`."""

    def __init__(self, name: str, found: int, limit: int) -> None:
        super().__init__(
            f"document {_shown(name)} has {found:,} characters, more than the limit of {limit:,}; "
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
            f"document {_shown(source_ref)}: none of its {len(failures)} chunks could be read by the model: "
            f"{reasons}{more}; call ingest_document again to retry, or choose another model or prompt",
            source_ref=source_ref,
            failures=tuple(failures),
        )


class DumpError(DocumentError):
    """A dump cannot be read: damaged, cut off, changed, or something else. Nothing was written."""

    def __init__(self, name: str, reason: str, line: int | None = None) -> None:
        where = "" if line is None else f", line {line:,}"
        super().__init__(
            f"dump {_shown(name)}{where}: {reason}; nothing was written, take another copy or export it again",
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
            f"source hash {source_hash} of namespace {_shown(namespace)} belongs to source_ref {_shown(existing)} "
            f"and cannot be given to {_shown(attempted)}; forget the first, or pass the true hash of the second",
            namespace=namespace,
            source_hash=source_hash,
            existing_source_ref=existing,
            attempted_source_ref=attempted,
        )


class NodeOwnershipConflict(OwnershipError):
    """A node, edge or task id is already taken. The message deliberately does not say by whom."""

    def __init__(self, kind: str, id: str) -> None:
        super().__init__(
            f"{kind} id {_shown(id)} is not available in this namespace; ids are unique in a file, "
            "so qualify them (for example repo:app/main.ts#run)",
            kind=kind,
            id=id,
        )


class ImmutableFact(OwnershipError):
    """A fact that a document states is changed by `forget` or by taking the document in again, and no other way."""

    def __init__(self, node_id: str, source_ref: str | None) -> None:
        origin = "a document" if source_ref is None else f"document {_shown(source_ref)}"
        super().__init__(
            f"fact {_shown(node_id)} comes from {origin} and keeps what it says; "
            "forget it, or take a changed document in under the same source_ref",
            node_id=node_id,
            source_ref=source_ref,
        )


class SupersedeError(LoreliteError):
    """One fact cannot take the place of another; nothing was written. `data["reason"]` is a word for programs."""

    def __init__(self, reason: str, node_id: str, explanation: str) -> None:
        super().__init__(
            f"fact {_shown(node_id)} cannot be superseded: {explanation}",
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
            f"{place}: expected {expected}, found {_shown(found)}; {remedy}",
            place=place,
            expected=expected,
            found=found,
        )


class StrictOntologyViolation(OntologyError):
    """A node type, or an edge between two types, that the strict manifest of the namespace does not permit."""

    def __init__(self, namespace: str, kind: str, type: str, id: str, reason: str) -> None:
        super().__init__(
            f"{kind} {_shown(id)} of type {_shown(type)} does not fit the strict ontology of namespace "
            f"{_shown(namespace)}: {reason}; correct it, or add the type with set_ontology",
            namespace=namespace,
            kind=kind,
            type=type,
            id=id,
            reason=reason,
        )


class ModelError(LoreliteError):
    """The language model or the embedder failed."""


class ModelUnreachable(ModelError):
    """No connection to the endpoint, or no answer in time."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(
            f"the model endpoint {url} cannot be reached: {reason}; "
            "check that it runs, the address, and (in a browser) that it allows this page's origin",
            url=url,
            reason=reason,
        )


class ModelRefused(ModelError):
    """The endpoint answered with an error status."""

    def __init__(self, url: str, status: int, detail: str) -> None:
        hint = {
            401: "check the API key",
            403: "check the API key and the allowed origins",
            404: "check the address and the model's name",
            429: "wait, or lower the request rate",
        }.get(status, "see the endpoint's log")
        super().__init__(
            f"the model endpoint {url} answered with status {status}: {_shown(detail, 300)}; {hint}",
            url=url,
            status=status,
            detail=detail,
        )


class BadReply(ModelError):
    """The reply cannot be understood. `data["reply"]` holds its text.

    `data["empty"]` is True when it is sound JSON that holds none of what was asked for, such as {"answer": "sorry"}.
    """

    def __init__(self, expected: str, reply: str, *, empty: bool = False) -> None:
        super().__init__(
            f"the model's reply cannot be used: expected {expected}, found {_shown(reply, 200)}",
            expected=expected,
            reply=reply,
            empty=empty,
        )


class RankerFailed(ModelError):
    """The vector ranker failed. Its own message is withheld unless `WikiConfig.sanitize_ranker_errors` is off."""

    def __init__(self, name: str, error: str, detail: str | None = None) -> None:
        reason = "its message is withheld, since it may hold keys or addresses; see WikiConfig.sanitize_ranker_errors"
        super().__init__(f"vector ranker {name} failed with {error}: {detail or reason}", name=name, error=error)


class AsyncOnlyModel(ModelError, TypeError):
    """A model, embedder or vector ranker that must be awaited was given to the blocking `Wiki`."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} must be awaited and cannot serve the blocking Wiki; use AsyncWiki", name=name)


class StoreError(LoreliteError):
    """The file behind the wiki cannot be used as asked. What was committed before is kept."""


class CannotOpen(StoreError):
    """The path is missing, a folder, not readable, or not writable."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"cannot open {_shown(path)}: {reason}", path=path, reason=reason)


class NotADatabase(StoreError):
    """The file is corrupt, or is not a Lorelite file. It was not changed."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{_shown(path)} cannot be used as a Lorelite file: {reason}; the file was left as it is, "
            "restore it from a copy or choose another path",
            path=path,
            reason=reason,
        )


class NewerSchema(StoreError):
    """The file was written by a newer Lorelite."""

    def __init__(self, path: str, found: int, known: int) -> None:
        super().__init__(
            f"{_shown(path)} has schema version {found}, but this Lorelite knows versions up to {known}; "
            "upgrade Lorelite to open it",
            path=path,
            found=found,
            known=known,
        )


class WriterLocked(StoreError):
    """Another process, tab or Wiki object has the file open for writing."""

    def __init__(self, path: str, owner: str) -> None:
        super().__init__(
            f"{_shown(path)} is already open for writing ({owner}); close it there, "
            "or open it for reading with read_only=True",
            path=path,
            owner=owner,
        )


class ReadOnly(StoreError):
    """A write was tried on a wiki that was opened for reading."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{_shown(path)} was opened for reading only; open it without read_only=True to write")


class StorageFull(StoreError):
    """The disk or the browser's quota is full. Nothing of the failed call was kept; earlier data is safe."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"no room to write {_shown(path)}: {reason}; make room and call again, earlier data is safe",
            path=path,
            reason=reason,
        )


class StorageUnavailable(StoreError):
    """The browser offers no persistent storage here."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(
            f"browser storage {_shown(name)} is not available: {reason}; "
            "open a wiki in memory with AsyncWiki.open(':memory:') and export it to keep it",
            name=name,
            reason=reason,
        )


def _shown(value: object, limit: int = 80) -> str:
    """repr() of *value*, short enough for a message."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
