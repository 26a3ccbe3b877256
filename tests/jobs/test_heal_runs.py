"""A run of heal: models that fail, kills, rehearsals, progress, options."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from heal_samples import DAY, NOTHING, fact, facts, says, shown
from tests.conftest import NS, SetClock

from lorelite import HealReport, InvalidOption, ModelUnreachable, TransactionError, Wiki, WikiConfig
from lorelite.models.scripted import ScriptedModel
from lorelite.ports import ModelRequest
from lorelite.store.store import Store

OpenWiki = Callable[..., Wiki]


# -- failures -------------------------------------------------------------------------------------------------------


def test_one_bad_batch_never_loses_the_others(open_wiki: OpenWiki) -> None:
    def broken(request: ModelRequest) -> str | Exception:
        ids = [each["id"] for each in shown(request)]
        return ModelUnreachable("http://x", "reset") if "f00" in ids else json.dumps(NOTHING | {"downgraded": ids})

    wiki = open_wiki(model=ScriptedModel({"heal": broken}))
    for number in range(20):
        fact(wiki, f"f{number:02}", f"Statement number {number}")
    report = wiki.run_heal(NS)
    assert (report.scanned, report.downgraded, report.remaining) == (20, 10, 10)
    assert {(skipped.id, skipped.reason) for skipped in report.skipped} == {
        (f"f{number:02}", "call_error") for number in range(10)
    }
    assert wiki.run_heal(NS).scanned == 10, "they come up again"


def test_a_fact_whose_reply_is_always_cut_is_shown_with_less_and_less(open_wiki: OpenWiki) -> None:
    cut = '{"downgraded": ["long"], "deleted": ['
    model = ScriptedModel({"heal": [cut, cut, cut, json.dumps(NOTHING | {"downgraded": ["long"]})]})
    wiki = open_wiki(model=model)
    fact(wiki, "long", body="x" * 9_000)
    wiki.add_task(NS, description="feed the cat")
    wiki.write(NS, event={"summary": "high water"})
    report = wiki.run_heal(NS)
    assert [(each.id, each.level, each.body_chars, each.shown_chars) for each in report.degraded] == [
        ("long", 3, 9_000, 4_000)
    ]
    users = [request.user for request in model.requests]
    assert [("feed the cat" in user, "high water" in user, len(user) > 8_000) for user in users] == [
        (True, True, True),
        (False, True, True),
        (False, False, True),
        (False, False, False),
    ]
    assert report.downgraded == 1


@pytest.mark.parametrize("reply", ["", "garbage", "[]", '{"error": "no"}', "null", '{"facts": 3', "42", '"deleted"'])
def test_a_reply_that_says_nothing_changes_nothing(
    open_wiki: OpenWiki, picture: Callable[..., Any], reply: str
) -> None:
    wiki = open_wiki(model=ScriptedModel({"heal": reply}))
    fact(wiki, "a")
    before = picture(wiki)
    wiki.run_heal(NS)
    assert picture(wiki) == before


def killed_after(batches: int) -> Callable[[ModelRequest], str]:
    """A model whose process is killed while it thinks about the batch after so many."""
    seen: list[ModelRequest] = []

    def reply(request: ModelRequest) -> str:
        seen.append(request)
        if len(seen) > batches:
            raise KeyboardInterrupt
        return json.dumps(NOTHING | {"downgraded": [each["id"] for each in shown(request)]})

    return reply


@pytest.mark.parametrize("batches", [0, 1, 2])
def test_a_run_that_was_killed_goes_on_where_it_stopped(open_wiki: OpenWiki, batches: int) -> None:
    config = WikiConfig(model_batch=1)
    store = Store(":memory:", clock=SetClock())
    wiki = Wiki.open(":memory:", store=store, config=config, model=ScriptedModel({"heal": killed_after(batches)}))
    for number in range(40):
        fact(wiki, f"f{number:02}", f"Statement number {number}")
    with pytest.raises(KeyboardInterrupt):
        wiki.run_heal(NS)
    assert sum(node.confidence == "tentative" for node in facts(wiki).values()) == 10 * batches
    again = Wiki.open(":memory:", store=store, config=config, model=ScriptedModel({"heal": killed_after(99)}))
    report = again.run_heal(NS)
    assert report.scanned == 25 - 10 * batches, "the facts of the first run that were left"
    assert again.run_heal(NS).scanned == 15
    assert all(node.confidence == "tentative" for node in facts(again).values())


SCRIPT = """
import os, sys
from lorelite import Wiki, WikiConfig
from lorelite.models.scripted import ScriptedModel

calls = []
def reply(request):
    calls.append(request)
    if len(calls) == 2:
        os._exit(9)
    return '{"downgraded": ["f00", "f01", "f09", "f10"]}'

with Wiki.open(sys.argv[1], config=WikiConfig(model_batch=1), model=ScriptedModel({"heal": reply})) as wiki:
    for number in range(20):
        wiki.write("class", title=f"Statement {number}", node_id=f"f{number:02}", source_type="librarian_inferred")
    wiki.run_heal("class")
"""


@pytest.mark.cpython_only
def test_a_process_that_died_between_two_batches_leaves_the_first_one_whole(
    open_wiki: OpenWiki, tmp_path: Path
) -> None:
    path = tmp_path / "brain.db"
    assert subprocess.run([sys.executable, "-c", SCRIPT, str(path)], check=False).returncode == 9
    wiki = open_wiki(path, model=says())
    assert [job.state for job in wiki.get_status(NS).jobs] == ["interrupted"]
    assert {id for id, node in facts(wiki).items() if node.confidence == "tentative"} == {"f00", "f01", "f09"}
    assert wiki.run_heal(NS).scanned == 10
    assert wiki.get_status(NS).jobs == ()


# -- the call -------------------------------------------------------------------------------------------------------


def without_ids(report: HealReport) -> dict[str, Any]:
    """What it did; the second run is answered by the calls that the first one recorded."""
    names = HealReport.__dataclass_fields__.keys() - {"dry_run", "usage"}
    fields = {name: getattr(report, name) for name in names}
    fields["changes"] = [(change.action, change.by) for change in report.changes]
    return fields


def test_a_dry_run_reports_the_same_and_writes_nothing(
    open_wiki: OpenWiki, clock: SetClock, picture: Callable[..., Any]
) -> None:
    model = says(
        downgraded=["f3"],
        deleted=["f4"],
        newFacts=[{"title": "A wholly new matter", "body": "Nobody had said it."}],
        contradictions=[{"a": "f5", "b": "f6", "keep": "f6"}],
    )
    wiki = open_wiki(model=model)
    fact(wiki, "orphan")
    clock.tick(29 * DAY)
    for number in range(30):
        fact(wiki, f"f{number}", f"Statement number {number}", stale_after=clock.now)
    fact(wiki, "f30", "Statement number 7", "body f7")
    clock.tick(DAY)
    before = picture(wiki), wiki._wiki._engine.store.changes.last_sequence()
    rehearsal = wiki.run_heal(NS, dry_run=True)
    assert (picture(wiki), wiki._wiki._engine.store.changes.last_sequence()) == before
    assert rehearsal.dry_run and rehearsal.orphaned == 1
    assert without_ids(rehearsal) == without_ids(wiki.run_heal(NS))


def test_without_a_model_all_but_the_verdicts_is_done(open_wiki: OpenWiki, clock: SetClock) -> None:
    wiki = open_wiki()
    for number in range(30):
        fact(wiki, f"f{number:02}", f"Statement number {number}")
    first, second = wiki.run_heal(NS), wiki.run_heal(NS)
    assert (first.scanned, first.remaining, first.usage.calls) == (25, 5, 0)
    assert (second.scanned, second.remaining, second.deferred) == (5, 0, 30)
    clock.tick(7 * DAY)
    assert wiki.run_heal(NS).scanned == 25


def test_progress_is_told_batch_by_batch(open_wiki: OpenWiki) -> None:
    wiki = open_wiki(model=says(), config=WikiConfig(model_batch=1))
    for number in range(12):
        fact(wiki, f"f{number:02}", f"Statement number {number}")
    steps: list[tuple[int, int]] = []
    wiki.run_heal(NS, on_progress=lambda progress: steps.append((progress.done, progress.total)))
    assert steps == [(0, 12), (10, 12), (12, 12)]


def test_new_facts_can_be_found_by_meaning_and_a_failing_embedder_loses_none(open_wiki: OpenWiki) -> None:
    def broken(texts: Sequence[str]) -> list[list[float]]:
        raise OSError("no vectors today")

    wiki = open_wiki(model=says(newFacts=[{"title": "Anna sails", "body": "On the lake."}]), embedder=broken)
    fact(wiki, "a")
    assert wiki.run_heal(NS).added == 1
    assert [node.title for node in wiki.read(NS, "sails").facts] == ["Anna sails"]


def test_a_run_that_would_ask_a_model_inside_a_transaction_changes_nothing(
    open_wiki: OpenWiki, clock: SetClock, picture: Callable[..., Any]
) -> None:
    wiki = open_wiki(model=says())
    fact(wiki, "old")
    clock.tick(100 * DAY)
    before = picture(wiki)
    with wiki.transaction(), pytest.raises(TransactionError, match="run_heal"):
        wiki.run_heal(NS)
    assert picture(wiki) == before


@pytest.mark.parametrize(
    "options", [{"batch_size": 0}, {"batch_size": 2.5}, {"body_chars": 0}, {"prompt": ""}, {"dry_run": 1}]
)
def test_odd_options_are_refused_by_name(open_wiki: OpenWiki, options: dict[str, Any]) -> None:
    wiki = open_wiki(model=says())
    fact(wiki, "a")
    with pytest.raises(InvalidOption, match=next(iter(options))):
        wiki.run_heal(NS, **options)
