"""An ingest and a pipeline, interrupted at each of their calls in turn: the same end, and no call paid twice."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from tests.models.scripted_replies import scripted

from lorelite import (
    Budget,
    BudgetExceeded,
    IngestFailed,
    LoreliteError,
    ModelError,
    Wiki,
    WikiConfig,
    chunk_entity_generation,
    entity_community_generation,
    spending,
)
from lorelite._drive import drive
from lorelite.models import ScriptedModel
from lorelite.models.transport import BlockingTransport

NS = "class"
CONFIG = WikiConfig(chunk_chars=200, chunk_overlap=0, model_batch=3)
PIPELINE = (chunk_entity_generation(batch_size=3, summary_max_tokens=30), entity_community_generation())
TEXT = "\n\n".join(
    f"Reader{chr(97 + n)} went on. Margaret met Rudolf{chr(97 + n % 2)} with Beatrice at lock {n}, and they told "
    f"Winifred of the eels of pond {n}. Then Margaret left with Winifred, and Rudolf{chr(97 + n % 2)} stayed."
    for n in range(5)
)


class Stopped(BaseException):
    """Neither an error nor one of Python's own interruptions."""


class Stopping(ScriptedModel):
    """Raises at one call, and counts those that it answers."""

    def __init__(self, paid: list[str], stop: int, error: BaseException) -> None:
        purposes = ("extract", "extract_graph", "glean", "glean_more", "summarise_entity", "community_report")
        super().__init__(dict.fromkeys(purposes, self.answer))
        self.paid, self.stop, self.error = paid, stop, error

    def answer(self, request) -> str:
        if len(self.paid) == self.stop:
            self.stop = -1
            raise self.error
        self.paid.append(json.dumps([request.purpose, request.system, request.user]))
        return scripted(request.system, request.user)


OPTIONAL = ("glean", "summarise_entity")
"""Purposes of calls whose failure is counted in the report; the graph is then complete without them."""


class Failing(Stopping):
    """Gives the error as a reply."""

    failed = ""

    def answer(self, request) -> Any:
        try:
            return super().answer(request)
        except ModelError as error:
            self.failed = request.purpose
            return error


def ingest(wiki: Wiki) -> None:
    report = wiki.ingest_document(NS, source_ref="book.txt", text=TEXT)
    if report.status != "ingested":
        raise IngestFailed("book.txt", report.failures)


def insert(wiki: Wiki) -> None:
    graph = wiki.graph(NS, pipeline=PIPELINE, chunking={"size": 50, "overlap": 0})
    graph.insert({"id": "book.txt", "content": TEXT})


WORKS = pytest.mark.parametrize("work", [ingest, insert])
"""What is interrupted."""


def whole(open_wiki, work: Callable[[Wiki], None], picture) -> tuple[list[str], object]:
    """The calls of an undisturbed run, and what it leaves."""
    paid: list[str] = []
    wiki = open_wiki(model=Stopping(paid, -1, Stopped()), config=CONFIG)
    work(wiki)
    assert len(paid) == len(set(paid)) >= 5
    return paid, picture(wiki)


@WORKS
@pytest.mark.parametrize(
    "error",
    [KeyboardInterrupt(), asyncio.CancelledError(), Stopped(), RuntimeError("lost"), ModelError("no")],
    ids=lambda error: type(error).__name__,
)
def test_raised_at_any_call_it_costs_nothing_twice_and_changes_nothing(open_wiki, picture, work, error):
    needed, expected = whole(open_wiki, work, picture)
    for stop in range(len(needed)):
        paid: list[str] = []
        wiki = open_wiki(model=Stopping(paid, stop, error), config=CONFIG)
        with pytest.raises((type(error), LoreliteError)):
            work(wiki)
        assert len(paid) == stop
        work(wiki)
        assert sorted(paid) == sorted(needed), stop
        assert picture(wiki) == expected, stop
        wiki.close()


@WORKS
def test_a_reply_that_is_an_error_at_any_call_is_asked_for_again_alone(open_wiki, picture, work):
    needed, expected = whole(open_wiki, work, picture)
    missed = 0
    for stop in range(len(needed)):
        model = Failing([], stop, ModelError("not now"))
        wiki = open_wiki(model=model, config=CONFIG)
        with suppress(LoreliteError):
            work(wiki)
        work(wiki)
        assert len(model.paid) == len(set(model.paid)), stop
        if model.failed in OPTIONAL:
            missed += 1
        else:
            assert sorted(model.paid) == sorted(needed), stop
            assert picture(wiki) == expected, stop
        wiki.close()
    assert missed == (0 if work is ingest else sum(json.loads(call)[0] in OPTIONAL for call in needed))


@WORKS
def test_a_budget_that_ends_at_any_call_costs_nothing_twice_and_changes_nothing(open_wiki, picture, work):
    needed, expected = whole(open_wiki, work, picture)
    stops: set[int] = set()
    for limit in range(0, 100_000, 230):
        paid: list[str] = []
        wiki = open_wiki(model=Stopping(paid, -1, Stopped()), config=CONFIG)
        try:
            with spending(Budget(tokens=limit, reply_tokens=0)) as budget:
                work(wiki)
            break
        except BudgetExceeded:
            assert budget.admits(limit - budget.tokens_spent, None), "something stays set aside"
        stops.add(len(paid))
        work(wiki)
        assert sorted(paid) == sorted(needed), limit
        assert picture(wiki) == expected, limit
        wiki.close()
    assert len(stops) > 0.9 * len(needed)  # requests shorter than a step are passed over


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("lost")], ids=lambda error: type(error).__name__)
def test_a_call_that_was_interrupted_leaves_nothing_set_aside_in_a_budget(open_wiki, error):
    wiki = open_wiki(model=Stopping([], 1, error), config=CONFIG)
    with spending(Budget(tokens=20_000)) as budget:
        with pytest.raises((KeyboardInterrupt, LoreliteError)):
            ingest(wiki)
        assert 0 < budget.tokens_spent < 20_000
        assert budget.admits(20_000 - budget.tokens_spent, None)


@pytest.mark.cpython_only
def test_threads_begin_a_request_only_when_one_before_it_was_told():
    third = threading.Event()
    most: list[bool] = []

    async def job(number: int) -> int:
        if number == 2:
            third.set()
        return number

    def on_done(at: int, result: int) -> None:
        if not most:
            most.append(third.wait(0.2))

    jobs = [partial(job, number) for number in range(5)]
    assert drive(BlockingTransport(2).run_all(jobs, on_done)) == [0, 1, 2, 3, 4]
    assert most == [False]


@pytest.mark.cpython_only
def test_what_is_under_way_in_threads_when_they_are_interrupted_is_told():
    told: list[int] = []
    both = threading.Barrier(2)

    async def job(number: int) -> int:
        both.wait(5)
        return number

    def on_done(at: int, result: int) -> None:
        told.append(at)
        if len(told) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        drive(BlockingTransport(2).run_all([partial(job, number) for number in range(6)], on_done))
    assert set(told) == {0, 1}
