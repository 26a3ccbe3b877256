"""What jobs report: frozen records, beside those of records.py.

Every report of a job says whether it was a rehearsal (`dry_run`), what is left to do (`remaining`), and what the model
cost (`usage`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lorelite.hooks import Caller
from lorelite.records import DocumentInfo, Origin, Usage

JobState = Literal["queued", "running", "interrupted", "failed", "done"]
"""interrupted: its process ended, or the call was cancelled; the next run of its kind goes on from there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReport:
    """What every job reports."""

    dry_run: bool = False
    """True when nothing was written."""
    remaining: int = 0
    """How much of the work is left for another run."""
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStatus:
    """One job of a namespace: under way, waiting for its turn, or interrupted."""

    id: str
    kind: str
    """For example "librarian", "heal", "prune", "reembed" or "ontology_backfill"."""
    namespace: str
    state: JobState
    caller: Caller = "call"
    since: int = 0
    """When it came into this state; of a job in another process, when it was last heard of."""
    done: int = 0
    total: int = 0
    detail: str = ""
    progress: Mapping[str, Any] = field(default_factory=dict)
    """What it has stored for going on later; its keys are the job's own."""
    lease_until: int | None = None
    """A job that runs says again and again that it does; None while it waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """What is going on in a namespace."""

    namespace: str
    ingesting: bool = False
    jobs: tuple[JobStatus, ...] = ()
    """The running one first, then those that wait, in the order of their turns."""

    def is_running(self, kind: str) -> bool:
        """Is a job of this kind under way or waiting?"""
        return any(job.kind == kind and job.state in ("running", "queued") for job in self.jobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class SupersedeReport:
    """What one `supersede` call did: from `valid_from` on the fact `new_id` holds in the place of `old_id`."""

    old_id: str
    new_id: str
    valid_from: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OntologyReport:
    """What one `set_ontologies` call did, by namespace."""

    written: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    """With if_absent: those that have an ontology of their own already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillReport(JobReport):
    """What one `run_ontology_backfill` call did. `remaining` counts the untyped facts that were not looked at."""

    scanned: int = 0
    """Untyped facts it looked at."""
    typed: int = 0
    failed_validation: int = 0
    """Answers that were not used: a type that is not in the manifest, an id that was not asked for, or asked twice."""
    edges_added: int = 0
    types_added: int = 0
    """Node types that the manifest gained, in emergent mode."""
    deferred: int = 0
    """Looked at and left untyped: they are tried again a week later."""
    skipped: int = 0
    """Facts the model could not be asked about."""
    classifier: str = "rules"
    """What it went by: "model", "classify" or "rules"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneReport(JobReport):
    """What one `run_prune` call removed for good."""

    nodes: int = 0
    """Nodes that were deleted longer ago than they are kept."""
    edges: int = 0
    """Edges that had one of them at an end."""
    tasks: int = 0
    events: int = 0
    unread_events: int = 0
    """Events old enough to go that stay, since the librarian has not read them yet."""
    changes: int = 0
    """Entries of the log of changes, which is one for the whole file."""
    freed_bytes: int = 0
    """What the file lost by vacuum=True."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportReport:
    """What one `export_dump` call wrote to a file."""

    path: str
    namespaces: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    """Rows by table."""
    size_bytes: int = 0


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A row of a dump that was not taken in, and why."""

    table: str
    id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What one `import_dump` or `import_llm_wiki` call did."""

    namespaces: tuple[str, ...] = ()
    """The namespaces that were written to."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Rows written, by table."""
    kept: int = 0
    """With merge: rows that were left as they are here, since they are as new or newer."""
    skipped: tuple[SkippedRow, ...] = ()
    """Rows that were not taken in: the first 1,000 of them."""
    skipped_count: int = 0
    problems: tuple[str, ...] = ()
    """What was read otherwise than it stands, and what the namespaces now hold that looks wrong: the first 1,000."""
    dry_run: bool = False
    """True when nothing was written."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Facts that may say the same: the first is the one to keep."""

    ids: tuple[str, ...]
    reason: Literal["same_words", "same_title", "alike", "near_vector", "model"]
    merged: bool = False
    """The others, all inferred, were superseded by the first."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two facts that cannot both be true, as the model says."""

    ids: tuple[str, str]
    kept: str | None = None
    """The one that stands now; the other, which was inferred, is superseded by it."""
    draft_id: str | None = None
    """The draft that cites both, made where one of them is a document's."""


@dataclass(frozen=True, slots=True)
class HealChange:
    """What heal did to one fact, or leaves to the caller ("suggest_delete"), and on whose word."""

    action: Literal["set_aside", "downgrade", "delete", "suggest_delete", "add"]
    node_id: str
    by: Literal["age", "model"]


@dataclass(frozen=True, slots=True)
class HealSkip:
    """A fact the model could not be asked about; after "call_error" it comes up again in the next run."""

    id: str
    reason: Literal["non_convergent", "call_error"]


@dataclass(frozen=True, slots=True)
class HealDegraded:
    """A fact the model could only be asked about with less around it."""

    id: str
    level: int
    """1 without tasks, 2 without events too, 3 with a shortened body."""
    body_chars: int
    shown_chars: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HealReport(JobReport):
    """What one `run_heal` call did. `remaining` counts the facts that wait for another run."""

    scanned: int = 0
    """Facts whose turn it was: live, stated by no document, not looked at for a week."""
    downgraded: int = 0
    """Facts made tentative, for age or by the model."""
    deleted: int = 0
    """Inferred facts deleted, for age or by the model; `undo` and `restore` bring them back until they are pruned."""
    orphaned: int = 0
    """Those of `deleted` that were old, never read, and nothing rested on."""
    superseded: int = 0
    """Inferred facts that ended: another tells the same, or stands where both cannot be true."""
    added: int = 0
    """New facts that the model concluded."""
    deferred: int = 0
    """Facts that were looked at within the last week."""
    changes: tuple[HealChange, ...] = ()
    """The first thousand changes, one by one."""
    contradictions: tuple[Contradiction, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()
    overdue: tuple[str, ...] = ()
    """Facts past their `stale_after`, longest first, at most a hundred."""
    skipped: tuple[HealSkip, ...] = ()
    degraded: tuple[HealDegraded, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReembedReport(JobReport):
    """What one `run_reembed` call did. `remaining` counts the vectors that another run will try to make."""

    embedded: int = 0
    """Vectors made; in a dry run those that would be tried."""
    skipped: int = 0
    """Nodes whose vector is of their present text already."""
    failed: int = 0
    deferred: int = 0
    """They failed lately: the next try is due a minute after the first failure, and twice as long after each other."""
    permanently_failed: int = 0
    """Not tried again but with `force`: they failed five times, or cannot be a vector."""
    dropped: int = 0
    """Vectors of deleted nodes that were deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrarianReport(JobReport):
    """What one `run_librarian` call did."""

    events_read: int = 0
    added: int = 0
    """Facts that say something new."""
    updated: int = 0
    """Inferred facts that say more than before."""
    superseded: int = 0
    """Facts whose place another took; they stay as what was held before."""
    noops: int = 0
    """Facts that were known already."""
    drafts: int = 0
    """Facts kept as drafts: they contradict a document, or something a caller stated later, or prove nothing."""
    rejected: int = 0
    """Members of replies that could not be used."""
    tasks_added: int = 0
    tasks_closed: int = 0
    tasks_deduplicated: int = 0
    edges_added: int = 0
    watermark: int = 0
    """The sequence of the last event read: the next run begins behind it."""
    origin: Origin = "model"
    """"heuristic" when there was no model: events were then remembered as they were told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingMaintenance:
    """What waits to be done in a namespace."""

    namespace: str
    pending_events: int = 0
    """Events that the librarian has not read."""
    tokens_estimate: int = 0
    """Of those events, at four characters a token: what reading them costs at least."""
    librarian_due: bool = False
    heal_due: bool = False
    reembed_pending: int = 0
    """Nodes without a vector of the present embedder, or with one of an older text."""
    interrupted: tuple[JobStatus, ...] = ()
    """Jobs that were begun and did not end."""

    @property
    def is_due(self) -> bool:
        """Would run_pending_maintenance do anything?"""
        return self.librarian_due or self.heal_due or self.reembed_pending > 0 or bool(self.interrupted)


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceRun:
    """One job that run_pending_maintenance ran: its report, or the error it ended with."""

    namespace: str
    kind: str
    report: JobReport | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What a namespace holds, what is going on in it, and the file it lives in."""

    namespace: str
    path: str
    read_only: bool
    keyword_index: Literal["fts5", "memory"]
    embedder: str | None
    documents: tuple[DocumentInfo, ...] = ()
    chunks: int = 0
    facts: int = 0
    entities: int = 0
    edges: int = 0
    communities: int = 0
    """On all levels."""
    community_levels: int = 0
    reports: int = 0
    """On communities, as far as they are written."""
    tasks: int = 0
    events: int = 0
    vectors: int = 0
    """Nodes with a vector of the present embedder."""
    size_bytes: int = 0
    unflushed: bool = False
    """True when committed data still waits to reach the browser's storage."""
    ingesting: bool = False
    """True while a document is being taken in."""
    jobs: tuple[JobStatus, ...] = ()
    """Jobs that run, wait for their turn, or were interrupted."""
