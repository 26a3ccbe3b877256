"""`run_prune`: what was deleted long ago goes for good, and so do old events and the old part of the log.

A vector ranker is told of each node before it is removed; where telling fails the pass stops, so that a ranker that is
gone is not waited for a thousand times. What it was told of is removed. The next pass begins with the node that failed,
and goes on when it fails again, so that one bad node never keeps the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from lorelite.engine import Engine
from lorelite.errors import LoreliteError, PrunePartialFailure, RankerFailed, TransactionError
from lorelite.jobs.runner import JobRun, run_job
from lorelite.ports import OnProgress
from lorelite.reports import PruneReport
from lorelite.retrieve.ranker import persisted
from lorelite.settings import WikiConfig
from lorelite.temporal import DAY_MS

T = TypeVar("T")
BATCH = 500
_EVERYTHING = 1 << 62


@dataclass(frozen=True, slots=True)
class Cutoffs:
    """The last moment of what goes, in milliseconds; None: nothing goes."""

    deleted: int | None
    events: int | None
    changes: int | None


@dataclass(frozen=True, slots=True)
class PrunePlan:
    """What goes. Nodes by (key, id), in the order in which they are tried."""

    nodes: tuple[tuple[int, str], ...] = ()
    tasks: tuple[str, ...] = ()
    events: tuple[int, ...] = ()
    unread_events: int = 0
    """Old events that stay because the librarian has not read them."""


def cutoffs(
    config: WikiConfig, now: int, deleted_days: float | None, event_days: float | None, change_days: float | None
) -> Cutoffs:
    """The moments that retention in days stands for; None takes the config's, infinity keeps for ever."""

    def cutoff(days: float | None, configured: float | None) -> int | None:
        kept = configured if days is None else days
        if kept is None or math.isinf(kept) or kept * DAY_MS > now:
            return None
        return int(now - kept * DAY_MS)

    return Cutoffs(
        cutoff(deleted_days, config.prune_deleted_after_days),
        cutoff(event_days, config.prune_events_after_days),
        cutoff(change_days, config.prune_changes_after_days),
    )


def plan(
    nodes: Sequence[tuple[int, str]],
    tasks: Sequence[str],
    events: Sequence[int],
    *,
    read_up_to: int | None,
    failed_last_time: int,
) -> PrunePlan:
    """What goes of the rows that are old enough.

    read_up_to: the sequence of the last event the librarian has read; None: nobody is going to read them.
    failed_last_time: the key of the node that the last pass stopped at; this one begins with it. 0: none.
    """
    later = [node for node in nodes if node[0] >= failed_last_time]
    earlier = [node for node in nodes if node[0] < failed_last_time]
    read = [event for event in events if read_up_to is None or event <= read_up_to]
    return PrunePlan((*later, *earlier), tuple(tasks), tuple(read), len(events) - len(read))


async def run_prune(
    engine: Engine,
    namespace: str,
    *,
    retain_deleted_for: float | None = None,
    retain_events_for: float | None = None,
    retain_changes_for: float | None = None,
    vacuum: bool = False,
    dry_run: bool = False,
    on_progress: OnProgress | None = None,
) -> PruneReport:
    """Remove what is older than the retention in days. Raises PrunePartialFailure when the vector ranker fails."""
    limits = cutoffs(engine.config, engine.clock(), retain_deleted_for, retain_events_for, retain_changes_for)
    if vacuum and engine.store.db.in_transaction:
        raise TransactionError("run_prune(vacuum=True) cannot run inside transaction(); call it before or after")

    async def work(run: JobRun) -> PruneReport:
        due = _gathered(engine, namespace, limits, run.watermark)
        if run.dry_run:
            counts = engine.store.rehearsed(lambda: _remove_everything(engine, namespace, due, limits))
            return replace(counts, dry_run=True)
        report, failure = await _remove_told(engine, run, due, limits)
        report = _remove_rest(engine, due, limits, report)
        if failure is not None:
            raise PrunePartialFailure(
                deleted=report.nodes,
                failed=failure.node_id,
                remaining=failure.untried,
                report=report,
                cause=failure.error,
            ) from failure.error
        if vacuum:
            engine.store.keyword.compact(namespace)
            report = replace(report, freed_bytes=engine.store.pruning.compact())
        return report

    return await run_job(engine, namespace, "prune", work, dry_run=dry_run, on_progress=on_progress)


@dataclass(frozen=True, slots=True)
class _Failure:
    key: int
    node_id: str
    error: LoreliteError
    untried: int = 0
    """Nodes behind it, where the pass stopped."""


def _gathered(engine: Engine, namespace: str, limits: Cutoffs, failed_last_time: int) -> PrunePlan:
    table = engine.store.pruning
    read_up_to = engine.store.jobs.watermark(namespace, "librarian")
    # Without a model and without a librarian that ever ran, nobody is going to read them.
    has_reader = engine.model is not None or read_up_to > 0
    return plan(
        [] if limits.deleted is None else table.deleted_nodes(namespace, limits.deleted),
        [] if limits.deleted is None else table.deleted_tasks(namespace, limits.deleted),
        [] if limits.events is None else table.old_events(namespace, limits.events),
        read_up_to=read_up_to if has_reader else None,
        failed_last_time=failed_last_time,
    )


async def _remove_told(
    engine: Engine, run: JobRun, due: PrunePlan, limits: Cutoffs
) -> tuple[PruneReport, _Failure | None]:
    """Remove the nodes batch by batch, one transaction each, after the ranker was told of them."""
    report, failure = PruneReport(), None
    told: list[str] = []
    for place, (key, node_id) in enumerate(due.nodes, 1):
        error = await _told(engine, run.namespace, node_id)
        if error is None:
            told.append(node_id)
        else:
            failure = _Failure(key, node_id, error)
        stops = error is not None and key != run.watermark
        if stops or len(told) == BATCH or place == len(due.nodes):
            with engine.store.atomic("prune"):
                report = _remove_nodes(engine, run.namespace, told, limits, report)
                run.save({}, watermark=failure.key if failure else 0)
            told.clear()
            run.tell(place, len(due.nodes), "nodes")
        if stops and failure is not None:
            return report, replace(failure, untried=len(due.nodes) - place)
    return report, failure


async def _told(engine: Engine, namespace: str, node_id: str) -> LoreliteError | None:
    """Tell the ranker that a node must go; gives why it could not be told."""
    try:
        await persisted(engine, namespace, [node_id])
    except RankerFailed as error:
        return error
    return None


def _remove_everything(engine: Engine, namespace: str, due: PrunePlan, limits: Cutoffs) -> PruneReport:
    """All that is due, without asking the ranker: what a rehearsal does and undoes."""
    report = PruneReport()
    for batch in _batches(due.nodes):
        report = _remove_nodes(engine, namespace, [id for _, id in batch], limits, report)
    return _remove_rest(engine, due, limits, report)


def _remove_nodes(
    engine: Engine, namespace: str, ids: Sequence[str], limits: Cutoffs, report: PruneReport
) -> PruneReport:
    pruned = engine.store.pruning.remove_nodes(namespace, ids, limits.deleted or 0)
    return replace(report, nodes=report.nodes + pruned.nodes, edges=report.edges + pruned.edges)


def _remove_rest(engine: Engine, due: PrunePlan, limits: Cutoffs, report: PruneReport) -> PruneReport:
    """Remove tasks, events and the old part of the log."""
    table = engine.store.pruning
    tasks = _removed(engine, due.tasks, lambda some: table.remove_tasks(some, limits.deleted or 0))
    events = _removed(engine, due.events, table.remove_events)
    changes = 0
    if limits.changes is not None:
        # Last, since all that was removed is in the log by now; where nothing is kept it must go as well.
        before = limits.changes + 1 if limits.changes < engine.clock() else _EVERYTHING
        with engine.store.atomic("prune"):
            changes = engine.store.changes.prune(before)
    return replace(report, tasks=tasks, events=events, unread_events=due.unread_events, changes=changes)


def _removed(engine: Engine, items: Sequence[T], remove: Callable[[Sequence[T]], int]) -> int:
    """Remove the items in batches, one transaction each; gives how many went."""
    count = 0
    for batch in _batches(items):
        with engine.store.atomic("prune"):
            count += remove(batch)
    return count


def _batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for begin in range(0, len(items), BATCH):
        yield items[begin : begin + BATCH]
