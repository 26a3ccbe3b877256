"""`run_reembed`: vectors for what has none of the present embedder, or one of an older text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lorelite.engine import Engine
from lorelite.hooks import Caller
from lorelite.jobs.runner import JobRun, run_job
from lorelite.pipeline.file_knowledge import FileKnowledge
from lorelite.pipeline.metadata import vectors_were_made_anew
from lorelite.ports import OnProgress
from lorelite.records import Node
from lorelite.reports import ReembedReport
from lorelite.retrieve.ranker import vectors_stored
from lorelite.retrieve.semantic import BATCH, EMBEDDED_KINDS, embedded, keep, standing
from lorelite.store.vectors import Embeddable

_COUNTS = ("embedded", "skipped", "failed", "deferred", "permanently_failed", "dropped", "remaining")


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with one batch of nodes."""

    due: Sequence[Node]
    deferred: int
    """They failed lately and wait."""
    given_up: int


def plan(batch: Sequence[Embeddable], now: int, *, force: bool) -> Plan:
    """Which of the nodes are tried now. With *force*, all."""
    standings = ["due" if force else standing(each, now) for each in batch]
    return Plan(
        due=[each.node for each, state in zip(batch, standings, strict=True) if state == "due"],
        deferred=standings.count("waiting"),
        given_up=standings.count("given up"),
    )


async def run_reembed(
    engine: Engine,
    namespace: str,
    *,
    force: bool = False,
    skip_existing: bool = True,
    dry_run: bool = False,
    on_progress: OnProgress | None = None,
    caller: Caller = "call",
) -> ReembedReport:
    """Make the vectors of a namespace. Does nothing without an embedder.

    Every batch is one transaction and says how far it came, so that an interrupted run goes on behind its last batch.
    A batch that the embedder refuses is split until the text that it refuses stands alone. Errors of the file are
    raised and mark no node.
    """
    if engine.embedder is None:
        return ReembedReport(dry_run=dry_run)

    async def work(run: JobRun) -> ReembedReport:
        return await _reembed(engine, run, force=force, skip_existing=skip_existing)

    return await run_job(engine, namespace, "reembed", work, dry_run=dry_run, caller=caller, on_progress=on_progress)


def summed(reports: Iterable[ReembedReport], *, dry_run: bool) -> ReembedReport:
    """The reports of several namespaces as one."""
    total = ReembedReport(dry_run=dry_run)
    for report in reports:
        total = replace(total, **{name: getattr(total, name) + getattr(report, name) for name in _COUNTS})
    return total


async def _reembed(engine: Engine, run: JobRun, *, force: bool, skip_existing: bool) -> ReembedReport:
    assert engine.embedder is not None
    vectors, model_id = engine.store.vectors, engine.embedder.model_id
    everything = vectors.embeddable_count(run.namespace, EMBEDDED_KINDS)
    fresh = vectors.fresh_count(run.namespace, model_id, EMBEDDED_KINDS) if skip_existing else 0
    if run.dry_run:
        dropped = vectors.count_deleted(run.namespace)
    else:
        with engine.store.atomic():
            dropped = vectors.drop_deleted(run.namespace)
    report = ReembedReport(dry_run=run.dry_run, skipped=fresh, dropped=dropped)
    after, done = int(run.progress.get("after", 0)), 0
    while batch := vectors.embeddable(
        run.namespace, model_id, EMBEDDED_KINDS, after=after, limit=BATCH, missing_only=skip_existing
    ):
        after = batch[-1].key
        planned = plan(batch, engine.clock(), force=force)
        made, failed = ([], []) if run.dry_run else await embedded(engine, planned.due)
        if not run.dry_run:
            with engine.store.atomic():
                keep(engine, made, failed)
                run.save({"after": after})
            await vectors_stored(engine, made)
        report = replace(
            report,
            embedded=report.embedded + (len(planned.due) if run.dry_run else len(made)),
            failed=report.failed + len(failed),
            deferred=report.deferred + planned.deferred,
            permanently_failed=report.permanently_failed + planned.given_up,
        )
        if failed:
            reasons = {each.node.id: each.reason for each in failed}
            run.remark("embedding_failed", "vectors could not be made; run_reembed tries again", nodes=reasons)
        done += len(batch)
        run.tell(done, everything - fresh)
    report = replace(report, remaining=report.failed + report.deferred)
    if not (run.dry_run or report.remaining):
        await vectors_were_made_anew(FileKnowledge(engine, run.namespace), model_id)
    return report
