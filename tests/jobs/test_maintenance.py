"""What runs by itself after a write, what waits, and what is said of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lorelite import Activity, Diagnostic, Hooks, ModelError, WikiConfig
from lorelite.models import HashEmbedder, ScriptedModel

NS = "class"
SAYS = json.dumps({"facts": [{"title": "Auto fact", "body": "Something happened."}], "tasks": []})
MINUTE = 60_000


def opened(open_wiki: Any, *, script: Any = SAYS, threshold: int | None = 2, told: Any = None, **config: Any) -> Any:
    model = ScriptedModel({"librarian": script})
    hooks = None if told is None else Hooks(on_diagnostic=told.append)
    settings = WikiConfig(auto_librarian_threshold=threshold, auto_heal_threshold=None, **config)
    return open_wiki(model=model, config=settings, hooks=hooks), model


def tell(wiki: Any, *summaries: str) -> None:
    for summary in summaries:
        wiki.write(NS, event={"summary": summary})


def job_rows(wiki: Any) -> list[tuple[str, str, str]]:
    sql = "select kind, caller, state from job order by created_at, rowid"
    return [tuple(row) for row in wiki._wiki._engine.store.db.rows(sql)]


def test_the_event_that_reaches_the_threshold_is_read_with_those_before_it(open_wiki):
    wiki, model = opened(open_wiki)
    tell(wiki, "one")
    assert model.requests == []
    tell(wiki, "two")
    assert [node.title for node in wiki.read(NS, "").facts] == ["Auto fact"]
    assert job_rows(wiki) == [("librarian", "auto", "done")]
    tell(wiki, "three")
    assert len(model.requests) == 1


def test_heal_has_a_threshold_of_its_own(open_wiki):
    wiki = open_wiki(config=WikiConfig(auto_heal_threshold=2))
    tell(wiki, "one", "two", "three")
    assert job_rows(wiki) == [("heal", "auto", "done")]


def test_heal_that_has_more_to_do_goes_on_with_a_later_write_and_not_with_every_one(open_wiki, clock):
    def keep(request):
        return json.dumps({"downgraded": [], "deleted": [], "newFacts": []})

    model = ScriptedModel({"heal": keep})
    config = WikiConfig(auto_heal_threshold=1, auto_librarian_threshold=None)
    wiki = open_wiki(model=model, config=config)
    for number in range(60):
        wiki.write(NS, title=f"Fact {number}", body=f"It is {number} of many.")
    for wait in (0, 0, MINUTE, 0, MINUTE):
        clock.tick(wait)
        tell(wiki, "one")
    assert job_rows(wiki) == [("heal", "auto", "done")] * 3


@pytest.mark.parametrize("settings", [{"maintenance": "deferred"}, {"maintenance": "off"}, {"threshold": None}])
def test_nothing_runs_by_itself_where_that_is_not_wanted(open_wiki, settings):
    wiki, model = opened(open_wiki, **settings)
    tell(wiki, "one", "two", "three")
    assert model.requests == []


def test_nothing_runs_inside_a_transaction_and_the_next_write_catches_up(open_wiki):
    wiki, model = opened(open_wiki)
    with wiki.transaction():
        tell(wiki, "one", "two", "three")
    assert model.requests == []
    tell(wiki, "four")
    assert all(said in model.requests[0].user for said in ("one", "two", "three", "four"))


def test_without_a_model_events_wait_for_one(open_wiki):
    wiki = open_wiki(config=WikiConfig(auto_librarian_threshold=1))
    tell(wiki, "one", "two")
    assert job_rows(wiki) == []
    assert wiki.pending_maintenance(NS)[0].pending_events == 2


def test_a_job_that_fails_costs_no_event_and_is_tried_again_later(open_wiki, clock):
    told: list[Diagnostic] = []
    wiki, model = opened(open_wiki, script=[ModelError("no power"), ModelError("no power"), SAYS], told=told)
    tell(wiki, "one", "two")
    assert [(one.code, one.operation, one.caller, one.severity) for one in told] == [
        ("background_job_failed", "librarian", "auto", "error")
    ]
    assert "one" not in told[0].message
    assert [event.summary for event in wiki.read(NS, "").events] == ["one", "two"]
    tell(wiki, "three")
    assert len(model.requests) == 1
    clock.tick(MINUTE)
    tell(wiki, "four")  # fails again, and waits twice as long
    clock.tick(MINUTE)
    tell(wiki, "five")
    assert len(model.requests) == 2
    clock.tick(MINUTE)
    tell(wiki, "six")
    assert job_rows(wiki) == [("librarian", "auto", state) for state in ("failed", "failed", "done")]
    assert all(said in model.requests[-1].user for said in ("one", "six"))


def test_an_event_that_the_model_itself_writes_starts_no_job_within_the_job(open_wiki):
    written: list[Any] = []

    def answer(request):
        if not written:
            written.append(wiki.write(NS, event={"summary": "told while thinking"}))
        return json.dumps({"facts": [], "tasks": []})

    wiki, model = opened(open_wiki, script=answer)
    tell(wiki, "one", "two")
    assert len(model.requests) == 1
    [waiting] = wiki.pending_maintenance(NS)
    assert (waiting.pending_events, waiting.librarian_due) == (1, False)


def test_what_is_told_while_a_run_works_is_read_by_one_more(open_wiki):
    def answer(request):
        if len(model.requests) < 9:
            tell(wiki, "and one", "and another")
        return json.dumps({"facts": [], "tasks": []})

    wiki, model = opened(open_wiki, script=answer)
    tell(wiki, "one", "two")
    assert len(model.requests) == 2
    assert wiki.pending_maintenance(NS)[0].pending_events == 2


# -- what waits ------------------------------------------------------------------------------------------------------


def test_what_waits_is_counted_and_run_when_asked(open_wiki):
    wiki, _model = opened(open_wiki, maintenance="deferred")
    tell(wiki, "one")
    [waiting] = wiki.pending_maintenance()
    assert (waiting.namespace, waiting.pending_events, waiting.tokens_estimate) == (NS, 1, 1)
    assert (waiting.librarian_due, waiting.is_due) == (False, False)
    assert wiki.run_pending_maintenance() == ()
    tell(wiki, "a second, longer event")
    [waiting] = wiki.pending_maintenance(NS)
    assert (waiting.pending_events, waiting.tokens_estimate, waiting.librarian_due) == (2, 7, True)
    [run] = wiki.run_pending_maintenance()
    assert (run.kind, run.report.added, run.error) == ("librarian", 1, None)
    assert wiki.pending_maintenance() == []


def test_fewer_events_than_the_threshold_are_read_when_that_is_asked_for(open_wiki):
    wiki, _model = opened(open_wiki, threshold=20)
    tell(wiki, "one")
    [run] = wiki.run_pending_maintenance(NS, only_due=False)
    assert run.report.events_read == 1


def test_a_job_that_fails_does_not_keep_the_others_from_running(open_wiki):
    told: list[Diagnostic] = []
    wiki, _model = opened(open_wiki, script=ModelError("no power"), maintenance="deferred", threshold=1, told=told)
    for namespace in ("a", "b"):
        wiki.write(namespace, event={"summary": "one"})
    runs = wiki.run_pending_maintenance()
    assert [(run.namespace, run.report, run.error) for run in runs] == [
        ("a", None, "ModelError: no power"),
        ("b", None, "ModelError: no power"),
    ]
    assert [one.code for one in told] == ["background_job_failed"] * 2


def test_vectors_that_are_missing_are_made(open_wiki, tmp_path):
    before = open_wiki(tmp_path / "brain.db")
    before.write(NS, title="A fact")
    before.close()
    wiki = open_wiki(tmp_path / "brain.db", embedder=HashEmbedder())
    assert wiki.pending_maintenance(NS)[0].reembed_pending == 1
    assert [run.kind for run in wiki.run_pending_maintenance(NS)] == ["reembed"]
    assert wiki.get_status(NS).vectors == 1


def test_a_job_whose_process_was_killed_shows_as_interrupted_and_is_run_again(open_wiki, tmp_path):
    first = open_wiki(tmp_path / "brain.db")
    tell(first, "one")
    job_id, _, _ = first._wiki._engine.store.jobs.begin(NS, "librarian", "call")
    reader = open_wiki(tmp_path / "brain.db", read_only=True)
    assert [job.state for job in reader.get_status(NS).jobs] == ["running"]  # its lease has not ended
    first.close()
    second = open_wiki(tmp_path / "brain.db")
    assert [(job.id, job.state) for job in second.get_status(NS).jobs] == [(job_id, "interrupted")]
    assert [job.id for job in second.pending_maintenance(NS)[0].interrupted] == [job_id]
    assert [run.kind for run in second.run_pending_maintenance(NS)] == ["librarian"]
    assert second.get_status(NS).jobs == ()


# -- what is going on --------------------------------------------------------------------------------------------------


def test_a_subscriber_hears_at_once_and_of_each_change(open_wiki):
    heard: list[Activity] = []
    wiki, _ = opened(open_wiki, threshold=None)
    stop = wiki.subscribe_status(NS, heard.append)
    assert heard == [Activity(namespace=NS)]
    tell(wiki, "one")
    wiki.run_librarian(NS)
    states = [tuple((job.kind, job.state) for job in activity.jobs) for activity in heard]
    assert list(dict.fromkeys(states)) == [(), (("librarian", "queued"),), (("librarian", "running"),)]
    assert states[-1] == ()
    assert any((job.done, job.total) == (1, 1) for activity in heard for job in activity.jobs)
    before = len(heard)
    stop(), stop()
    wiki.run_librarian(NS)
    assert len(heard) == before


def test_a_document_that_is_taken_in_shows(wiki):
    heard: list[bool] = []
    wiki.subscribe_status(NS, lambda activity: heard.append(activity.ingesting))
    wiki.ingest_document(NS, source_ref="a", text="Anna knows Bob.")
    assert heard == [False, True, False]


def test_a_subscriber_that_raises_is_dropped_and_harms_nobody(wiki):
    calls: list[int] = []

    def broken(activity):
        calls.append(1)
        raise RuntimeError("broken")

    wiki.subscribe_status(NS, broken)
    wiki.ingest_document(NS, source_ref="a", text="Anna knows Bob.")
    assert calls == [1]


# -- events ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["weird", None, 7])
def test_an_event_of_an_unknown_type_is_an_observation_and_that_is_told(open_wiki, kind):
    told: list[Diagnostic] = []
    wiki = open_wiki(hooks=Hooks(on_diagnostic=told.append))
    event = wiki.write(NS, event={"event_type": kind, "summary": "one"})
    assert event.event_type == "observation"
    assert [one.code for one in told] == ["event_type_unknown"]


def test_a_long_summary_is_kept_whole(wiki):
    event = wiki.write(NS, event={"summary": "word " * 2_000 + "end"})
    assert wiki.read(NS, "").events[0].summary == event.summary
    assert len(event.summary) == 10_003
