"""What a look at a namespace gives: pending sources, drafts, prompts in force, what may want attention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lorelite.records import Node

SourceStatus = Literal["new", "changed", "partial", "current"]
"""new: nothing of the source is there; changed: another version of it is; partial: this version was begun and is not
complete; current: this version is complete, and ingest_document would do nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingSource:
    """What a source would need to be taken in."""

    source_ref: str
    source_hash: str
    status: SourceStatus
    duplicate_of: str | None = None
    """Another source_ref whose complete version has the same hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """The prompts in force in a namespace, with what they say about its ontology. Variables are not filled in."""

    ingest: str
    librarian: str
    heal: str
    ontology_backfill: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftPage:
    """Drafts, newest first. `cursor` gives the next page; None: this was the last."""

    drafts: tuple[Node, ...] = ()
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """How often something was found, and the ids of the first twenty."""

    count: int = 0
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LintReport:
    """What may want attention in a namespace. Nothing is wrong with a namespace because something is found."""

    dangling_edges: Finding = Finding()
    """Edges an end of which is deleted: walks do not show them, and they return with the node."""
    manifest_violations: Finding = Finding()
    """Edges that the ontology does not permit."""
    untyped_facts: Finding = Finding()
    drafts: Finding = Finding()
    """Facts that wait for promote_draft."""
    unverified_inferred: Finding = Finding()
    """Facts that the librarian inferred and nobody vouched for."""
    stale: Finding = Finding()
    """Facts and entities whose stale_after has come."""
    missing_vectors: Finding = Finding()
    """Nodes that the embedder has no vector of, or an outdated one; none without an embedder."""
    duplicate_titles: Finding = Finding()
    """Facts whose title an older fact of the namespace has, too."""
    partial_documents: Finding = Finding()
    """Documents of which chunks failed, or that an interrupted call left unfinished, by source_ref."""
