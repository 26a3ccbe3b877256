"""What every job gets from the runner: a turn, a row, progress that outlives it, and an end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from lorelite import Diagnostic, Hooks, JobBusy, JobReport, Wiki
from lorelite.jobs.runner import JobRun, run_job

NS = "class"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted(JobReport):
    counted: int = 0


def engine_of(wiki: Wiki) -> Any:
    return wiki._wiki._engine


def rows(wiki: Wiki) -> list[tuple[Any, ...]]:
    sql = "select kind, state, watermark, progress, error from job order by created_at, rowid"
    return [tuple(row) for row in engine_of(wiki).store.db.rows(sql)]


def run(wiki: Wiki, work: Callable[[JobRun], Any], *, kind: str = "count", **options: Any) -> Any:
    return wiki._run(run_job(engine_of(wiki), NS, kind, work, **options))


def counting(
    job: JobRun, wiki: Wiki, to: int, *, stop_at: int | None = None, error: BaseException | None = None
) -> int:
    """Count on from where the last run stopped, storing each step."""
    first = job.progress.get("at", job.watermark)
    for number in range(first + 1, to + 1):
        if number == stop_at and error is not None:
            raise error
        with engine_of(wiki).store.atomic():
            job.save({"at": number}, watermark=number)
        job.tell(number, to)
    return to - first


def test_a_job_leaves_its_report_and_its_watermark(wiki):
    async def work(job):
        return Counted(counted=counting(job, wiki, 3))

    assert run(wiki, work) == Counted(counted=3)
    assert rows(wiki) == [("count", "done", 3, '{"at": 3}', None)]


def test_the_next_run_is_given_the_watermark_and_no_progress(wiki):
    seen = []

    async def work(job):
        seen.append((job.watermark, dict(job.progress)))
        return Counted(counted=counting(job, wiki, 3))

    run(wiki, work)
    assert run(wiki, work) == Counted(counted=0)
    assert seen == [(0, {}), (3, {})]


def test_a_job_that_fails_raises_its_error_and_keeps_what_it_had_stored(wiki):
    async def work(job):
        counting(job, wiki, 5, stop_at=3, error=ValueError("no three"))

    with pytest.raises(ValueError, match="no three"):
        run(wiki, work)
    assert rows(wiki) == [("count", "failed", 2, '{"at": 2}', "ValueError: no three")]


def test_a_run_that_was_interrupted_is_gone_on_with_in_its_row(wiki):
    async def work(job):
        counting(job, wiki, 5, stop_at=3, error=KeyboardInterrupt())

    async def again(job):
        return Counted(counted=counting(job, wiki, 5))

    with pytest.raises(KeyboardInterrupt):
        run(wiki, work)
    assert engine_of(wiki).store.jobs.begun(NS)[0].state == "interrupted"
    assert run(wiki, again) == Counted(counted=3)
    assert rows(wiki) == [("count", "done", 5, '{"at": 5}', None)]


def test_a_run_whose_process_died_is_gone_on_with_by_the_next_that_opens_the_file(tmp_path, open_wiki, clock):
    path = tmp_path / "brain.db"
    first = open_wiki(path)
    job_id, _, _ = engine_of(first).store.jobs.begin(NS, "count", "call")
    engine_of(first).store.jobs.save(job_id, {"at": 4}, 4)
    first.close()  # as good as killed: the row still says that it runs
    second = open_wiki(path)

    async def work(job):
        assert job.id == job_id
        return Counted(counted=counting(job, second, 6))

    assert run(second, work) == Counted(counted=2)


def test_a_rehearsal_leaves_no_row(wiki):
    async def work(job):
        job.save({"at": 1}, watermark=1)
        return Counted(dry_run=job.dry_run)

    assert run(wiki, work, dry_run=True) == Counted(dry_run=True)
    assert rows(wiki) == []


def test_finished_runs_do_not_pile_up(wiki):
    async def work(job):
        return Counted()

    for _ in range(30):
        run(wiki, work)
    assert len(rows(wiki)) == 20


def test_remarks_reach_the_hook_when_the_job_has_ended_even_badly(open_wiki):
    told: list[Diagnostic] = []
    wiki = open_wiki(hooks=Hooks(on_diagnostic=told.append))

    async def work(job):
        job.remark("fact_rejected", "a fact has no body", index=3)
        assert not told
        raise ValueError

    with pytest.raises(ValueError):
        run(wiki, work, caller="auto")
    assert [(one.code, one.operation, one.caller, dict(one.detail)) for one in told] == [
        ("fact_rejected", "count", "auto", {"index": 3})
    ]


def test_a_job_within_a_job_of_its_namespace_is_refused_by_name(wiki):
    async def inner(job):
        return Counted()

    async def outer(job):
        return await run_job(engine_of(wiki), NS, "inner", inner)

    with pytest.raises(JobBusy, match=r"inner on namespace 'class'"):
        run(wiki, outer)
    assert run(wiki, inner) == Counted()


def test_a_job_runs_inside_a_transaction_and_is_undone_with_it(wiki):
    async def work(job):
        return Counted(counted=counting(job, wiki, 2))

    with pytest.raises(RuntimeError, match="never mind"), wiki.transaction():
        assert run(wiki, work).counted == 2
        raise RuntimeError("never mind")
    assert rows(wiki) == []
