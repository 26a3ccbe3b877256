"""What jobs report: frozen records, beside those of records.py.

Every report of a job says whether it was a rehearsal (`dry_run`), what is left to do (`remaining`), and what the model
cost (`usage`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lorelite.hooks import Caller
from lorelite.records import Usage

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
    """"librarian", "heal", "prune", "reembed", "ontology_backfill" …"""
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
