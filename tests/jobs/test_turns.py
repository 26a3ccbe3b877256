"""Jobs of several tasks on one event loop: who has the turn, who waits, who watches."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from lorelite import AsyncWiki, JobReport, TransactionError, Wiki, WikiConfig
from lorelite.jobs.runner import JobRun, run_job
from lorelite.models import ScriptedModel
from lorelite.ports import ModelReply
from lorelite.store.store import Store

NS = "class"
pytestmark = pytest.mark.cpython_only


class Gate:
    """A job's work that stops until it is opened, and notes when it begins and ends."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name = name
        self.log = log
        self.open = asyncio.Event()

    async def __call__(self, job: JobRun) -> JobReport:
        self.log.append(f"{self.name} begins")
        await self.open.wait()
        self.log.append(f"{self.name} ends")
        return JobReport()


def in_a_loop(test: Callable[[Any], Any]) -> Any:
    async def go() -> Any:
        async with await AsyncWiki.open(":memory:", store=Store(":memory:")) as wiki:
            return await test(wiki._engine)

    return asyncio.run(go())


async def idle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_a_second_job_of_a_namespace_waits_for_the_first_and_another_namespace_does_not():
    async def go(engine):
        log: list[str] = []
        first, second, other = Gate("first", log), Gate("second", log), Gate("other", log)
        tasks = [
            asyncio.ensure_future(run_job(engine, namespace, "count", work))
            for namespace, work in ((NS, first), (NS, second), ("elsewhere", other))
        ]
        await idle()
        assert log == ["first begins", "other begins"]
        assert [job.state for job in engine.store.board.activity(NS).jobs] == ["running", "queued"]
        first.open.set()
        await idle()
        assert log == ["first begins", "other begins", "first ends", "second begins"]
        second.open.set(), other.open.set()
        await asyncio.gather(*tasks)
        assert engine.store.board.is_free(NS)

    in_a_loop(go)


@pytest.mark.parametrize("cancelled", [0, 1])
def test_a_cancelled_job_takes_no_turn_and_leaves_none_taken(cancelled):
    async def go(engine):
        log: list[str] = []
        gates = [Gate("first", log), Gate("second", log), Gate("third", log)]
        tasks = [asyncio.ensure_future(run_job(engine, NS, gate.name, gate)) for gate in gates]
        await idle()
        tasks[cancelled].cancel()
        for gate in gates:
            gate.open.set()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        assert [isinstance(result, asyncio.CancelledError) for result in done] == [i == cancelled for i in range(3)]
        assert [line for line in log if line.endswith("ends")] == [
            f"{gate.name} ends" for index, gate in enumerate(gates) if index != cancelled
        ]
        assert engine.store.board.is_free(NS)
        left = engine.store.jobs.begun(NS)
        assert [job.state for job in left] == (["interrupted"] if cancelled == 0 else [])

    in_a_loop(go)


def test_a_job_does_not_wait_inside_a_transaction():
    async def go(engine):
        gate = Gate("first", [])
        task = asyncio.ensure_future(run_job(engine, NS, "count", gate))
        await idle()
        with engine.store.atomic(), pytest.raises(TransactionError, match="would wait"):
            await run_job(engine, NS, "count", gate)
        gate.open.set()
        await task

    in_a_loop(go)


def test_a_watcher_hears_of_every_change_until_it_stops_or_raises():
    async def go(engine):
        heard: list[list[tuple[str, str]]] = []

        def note(activity):
            heard.append([(job.kind, job.state) for job in activity.jobs])

        def broken(activity):
            raise RuntimeError("a broken watcher")

        stop = engine.store.board.watch(NS, note)
        engine.store.board.watch(NS, broken)
        gate = Gate("first", [])
        gate.open.set()
        await run_job(engine, NS, "count", gate)
        assert heard == [[], [("count", "queued")], [("count", "running")], []]
        stop(), stop()
        await run_job(engine, NS, "count", gate)
        assert len(heard) == 4

    in_a_loop(go)


def test_one_wiki_serves_one_event_loop_after_another():
    store = Store(":memory:")
    wiki = asyncio.run(AsyncWiki.open(":memory:", store=store))

    async def two_at_once():
        gates = [Gate("a", []), Gate("b", [])]
        tasks = [asyncio.ensure_future(run_job(wiki._engine, NS, "count", gate)) for gate in gates]
        await idle()
        for gate in gates:
            gate.open.set()
        await asyncio.gather(*tasks)

    asyncio.run(two_at_once())
    asyncio.run(two_at_once())
    asyncio.run(wiki.close())


class SlowModel:
    """Answers when other tasks have had their turn."""

    name, blocking = "slow", False

    def __init__(self) -> None:
        self.asked = 0

    async def complete(self, requests):
        self.asked += 1
        for _ in range(3):
            await asyncio.sleep(0)
        fact = {"title": f"Answer {self.asked}", "body": f"What was said at {self.asked}."}
        return [ModelReply(text=json.dumps({"facts": [fact], "tasks": []})) for _ in requests]

    def as_blocking(self):
        raise NotImplementedError


def with_slow_model(scene: Callable[[AsyncWiki, SlowModel], Any], **config: Any) -> Any:
    async def go() -> Any:
        model = SlowModel()
        async with await AsyncWiki.open(":memory:", model=model, config=WikiConfig(**config)) as wiki:
            return await scene(wiki, model)

    return asyncio.run(go())


def test_two_tasks_that_run_the_librarian_read_each_event_once():
    async def scene(wiki, model):
        await wiki.write(NS, event={"summary": "one"})
        reports = await asyncio.gather(*[wiki.run_librarian(NS) for _ in range(3)])
        assert sorted(report.events_read for report in reports) == [0, 0, 1]
        assert model.asked == 1

    with_slow_model(scene)


def test_many_tasks_that_write_start_one_run_and_every_event_is_read():
    async def scene(wiki, model):
        await asyncio.gather(*[wiki.write(NS, event={"summary": f"event {n}"}) for n in range(50)])
        assert model.asked < 50 / 5
        assert wiki._engine.store.db.value("select count(*) from job") < 50 / 5
        await wiki.run_librarian(NS)
        assert await wiki.pending_maintenance(NS) == []

    with_slow_model(scene, auto_librarian_threshold=5)


def test_a_write_while_the_librarian_thinks_waits_for_nothing():
    async def scene(wiki, model):
        await wiki.write(NS, event={"summary": "one"})
        run = asyncio.ensure_future(wiki.run_librarian(NS))
        await asyncio.sleep(0)
        await wiki.write(NS, title="Written meanwhile")
        assert not run.done()
        await run
        assert {node.title for node in (await wiki.read(NS, "")).facts} == {"Written meanwhile", "Answer 1"}

    with_slow_model(scene)


def test_threads_that_share_a_blocking_wiki_read_each_event_once():
    shown: list[str] = []

    def answer(request):
        shown.extend(f"event {n}." for n in range(40) if f"event {n}." in request.user)
        return json.dumps({"facts": [], "tasks": []})

    def work(start):
        for n in range(start, start + 10):
            wiki.write(NS, event={"summary": f"event {n}."})
            wiki.run_librarian(NS)

    with Wiki.open(":memory:", model=ScriptedModel({"librarian": answer})) as wiki:
        threads = [threading.Thread(target=work, args=(10 * n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert sorted(shown) == sorted(f"event {n}." for n in range(40))
