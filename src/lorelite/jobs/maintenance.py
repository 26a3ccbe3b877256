"""What is due, and running it: after a write, or when a caller asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from lorelite.engine import Engine
from lorelite.errors import JobBusy
from lorelite.hooks import Diagnostic
from lorelite.jobs.heal import run_heal
from lorelite.jobs.librarian import run_librarian
from lorelite.jobs.ontology_backfill import run_ontology_backfill
from lorelite.jobs.reembed import run_reembed
from lorelite.ports import OnProgress
from lorelite.reports import JobReport, MaintenanceRun, PendingMaintenance
from lorelite.retrieve.semantic import EMBEDDED_KINDS
from lorelite.retrieve.status import jobs_of
from lorelite.text.budget import CHARS_PER_TOKEN

_FIRST_WAIT_MS, _LONGEST_WAIT_MS = 60_000, 3_600_000
_HEAL_REST_MS = 60_000

_JOBS: Mapping[str, Callable[..., Awaitable[JobReport]]] = {
    "librarian": run_librarian,
    "heal": run_heal,
    "reembed": run_reembed,
    "ontology_backfill": run_ontology_backfill,
}
"""In the order in which they run: the librarian's facts are what the others look after."""


def pending(engine: Engine, namespace: str) -> PendingMaintenance:
    """What waits in a namespace."""
    store = engine.store
    events, characters = store.journal.waiting_events(namespace, store.jobs.watermark(namespace, "librarian"))
    return PendingMaintenance(
        namespace=namespace,
        pending_events=events,
        tokens_estimate=-(-characters // CHARS_PER_TOKEN),
        librarian_due=_librarian_is_due(engine, namespace),
        heal_due=_heal_is_due(engine, namespace),
        reembed_pending=_missing_vectors(engine, namespace),
        interrupted=tuple(job for job in jobs_of(engine, namespace) if job.state == "interrupted"),
    )


async def run_pending(
    engine: Engine, namespaces: Sequence[str], *, only_due: bool, on_progress: OnProgress | None
) -> tuple[MaintenanceRun, ...]:
    """Run what is due in each namespace; a job that fails keeps none of the others from running."""
    runs: list[MaintenanceRun] = []
    for namespace in namespaces:
        waiting = pending(engine, namespace)
        wanted = {job.kind for job in waiting.interrupted}
        wanted |= {"librarian"} if waiting.librarian_due or (waiting.pending_events and not only_due) else set()
        wanted |= {"heal"} if waiting.heal_due else set()
        wanted |= {"reembed"} if waiting.reembed_pending else set()
        runs += [await _tried(engine, namespace, kind, on_progress) for kind in _JOBS if kind in wanted]
    return tuple(runs)


async def after_write(engine: Engine, namespace: str) -> None:
    """After an event was stored: run what has become due, where the settings want that. Never raises a job's error."""
    if engine.config.maintenance != "auto" or engine.store.db.in_transaction:
        return
    activity = engine.store.board.activity(namespace)
    if not activity.is_running("librarian"):
        # Twice at most: what was told while the first run worked found it running.
        for _ in range(2):
            if _librarian_is_due(engine, namespace):
                await _tried(engine, namespace, "librarian", None)
    if not activity.is_running("heal") and _heal_is_due(engine, namespace) and not _heal_rests(engine, namespace):
        await _tried(engine, namespace, "heal", None)


async def _tried(engine: Engine, namespace: str, kind: str, on_progress: OnProgress | None) -> MaintenanceRun:
    try:
        report = await _JOBS[kind](engine, namespace, on_progress=on_progress, caller="auto")
    except JobBusy as error:
        # The event was written by a job's own model or hook: what is due is so still when that job has ended.
        return MaintenanceRun(namespace=namespace, kind=kind, error=str(error))
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        engine.tell(
            Diagnostic(
                code="background_job_failed",
                severity="error",
                operation=kind,
                namespace=namespace,
                message=f"{kind} was due and failed; it is tried again later, and what was written stays",
                detail={"error": type(error).__name__},
                caller="auto",
                at=engine.clock(),
            )
        )
        return MaintenanceRun(namespace=namespace, kind=kind, error=message)
    return MaintenanceRun(namespace=namespace, kind=kind, report=report)


def _librarian_is_due(engine: Engine, namespace: str) -> bool:
    """Without a model the events wait for one: read without it they would be read for ever."""
    return engine.model is not None and _is_due(engine, namespace, "librarian", engine.config.auto_librarian_threshold)


def _heal_is_due(engine: Engine, namespace: str) -> bool:
    return _is_due(engine, namespace, "heal", engine.config.auto_heal_threshold)


def _heal_rests(engine: Engine, namespace: str) -> bool:
    """A run of heal looks at some facts, and stays due while there are more: not every write is to wait for one."""
    return _is_within(engine.clock(), engine.store.jobs.latest(namespace, "heal"), _HEAL_REST_MS)


def _is_due(engine: Engine, namespace: str, kind: str, threshold: int | None) -> bool:
    if threshold is None:
        return False
    jobs = engine.store.jobs
    waiting, _ = engine.store.journal.waiting_events(namespace, jobs.watermark(namespace, kind), threshold)
    if waiting < threshold:
        return False
    failures, latest = jobs.failures(namespace, kind)
    wait = min(_FIRST_WAIT_MS << (failures - 1), _LONGEST_WAIT_MS) if failures else 0
    return not _is_within(engine.clock(), latest, wait)


def _is_within(now: int, moment: int, wait: int) -> bool:
    """Is it less than *wait* since the moment? One that is still to come was noted by a clock that was wrong."""
    return moment <= now < moment + wait


def _missing_vectors(engine: Engine, namespace: str) -> int:
    if engine.embedder is None:
        return 0
    return engine.store.vectors.missing_count(namespace, engine.embedder.model_id, EMBEDDED_KINDS)
