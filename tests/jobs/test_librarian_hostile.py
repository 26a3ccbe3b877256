"""The librarian among models that lie or refuse, clocks that are set back, and texts that are far too long."""

from __future__ import annotations

import json
from typing import Any

import pytest
from librarian_samples import NS, reply, tell

from lorelite import BadReply, Diagnostic, Hooks, ModelError, WikiConfig
from lorelite.models import ScriptedModel

DAY = 86_400_000
OFF = WikiConfig(maintenance="off")


def test_a_clock_that_was_set_back_makes_no_event_read_twice(open_wiki, clock):
    wiki = open_wiki(config=OFF)
    tell(wiki, "The mast was struck.")
    wiki.run_librarian(NS)
    clock.now -= 10 * DAY
    tell(wiki, "The mast was mended.")
    assert wiki.run_librarian(NS).events_read == 1
    tell(wiki, "The mast was painted.")
    assert wiki.run_librarian(NS).events_read == 1
    copy = open_wiki(config=OFF)
    copy.import_dump(wiki.export_dump(NS))
    assert copy.run_librarian(NS).events_read == 0


def test_a_failure_in_a_future_that_never_came_keeps_no_job_waiting(open_wiki, clock):
    answers = iter([ModelError("down"), reply()])
    model = ScriptedModel({"librarian": lambda request: next(answers)})
    wiki = open_wiki(model=model, config=WikiConfig(auto_librarian_threshold=1))
    clock.now += 400 * DAY
    tell(wiki, "one")
    clock.now -= 400 * DAY
    tell(wiki, "two")
    assert wiki.pending_maintenance(NS) == []


def test_facts_that_were_looked_at_in_a_future_that_never_came_are_looked_at_again(open_wiki, clock):
    wiki = open_wiki(config=OFF)
    wiki.write(NS, title="Anna", body="lives in Rome")
    clock.now += 400 * DAY
    wiki.run_heal(NS)
    clock.now -= 399 * DAY
    report = wiki.run_heal(NS)
    assert (report.scanned, report.remaining, report.deferred) == (1, 0, 1)


@pytest.mark.parametrize("refusal", ["I cannot help with that.", ""])
def test_one_event_that_no_model_reads_keeps_no_later_ones(open_wiki, refusal):
    def answer(request: Any) -> str:
        said = [json.loads(line)["summary"] for line in request.user.splitlines() if line.startswith('{"id": "E')]
        if "the bomb" in said:
            return refusal
        return reply(*({"title": summary, "body": f"It was {summary}.", "op": "add"} for summary in said))

    told: list[Diagnostic] = []
    wiki = open_wiki(model=ScriptedModel({"librarian": answer}), config=OFF, hooks=Hooks(on_diagnostic=told.append))
    summaries = [f"event {number}" for number in range(30)]
    summaries[17] = "the bomb"
    tell(wiki, *summaries)
    failures = 0
    while True:
        try:
            wiki.run_librarian(NS)
            break
        except BadReply:
            failures += 1
            assert failures < 12
    facts = {fact.title: fact.confidence for fact in wiki.read(NS, "", max_results=50).facts}
    assert sorted(facts) == sorted(summaries)
    assert [title for title, confidence in facts.items() if confidence == "tentative"] == ["the bomb"]
    assert [each.code for each in told if each.code == "event_unread"] == ["event_unread"]


def test_an_endpoint_that_is_down_makes_no_event_count_as_unreadable(open_wiki):
    model = ScriptedModel({"librarian": ModelError("connection refused")})
    wiki = open_wiki(model=model, config=OFF)
    tell(wiki, "one")
    for _ in range(8):
        with pytest.raises(ModelError):
            wiki.run_librarian(NS)
    assert wiki.read(NS, "").facts == ()


def test_a_run_ends_although_events_never_cease(open_wiki):
    def answer(request: Any) -> str:
        tell(wiki, "and then another")
        return reply()

    wiki = open_wiki(model=ScriptedModel({"librarian": answer}), config=OFF)
    tell(wiki, "one", "two")
    assert wiki.run_librarian(NS).events_read == 2
    assert wiki.pending_maintenance(NS)[0].pending_events == 1


def test_long_titles_tags_and_tasks_leave_a_prompt_of_bounded_length(open_wiki):
    keep = json.dumps({"downgraded": [], "deleted": [], "newFacts": []})
    none = json.dumps({"classifications": []})
    model = ScriptedModel({"librarian": reply(), "heal": keep, "backfill": none})
    wiki = open_wiki(model=model, config=OFF)
    for number in range(12):
        wiki.write(NS, title=f"{number} " + "long " * 20_000, tags=["tag" * 300] * 50)
    for number in range(50):
        wiki.add_task(NS, description=f"{number} " + "do " * 1_300)
    tell(wiki, "a long event")
    wiki.set_ontology(
        NS, {"node_types": [{"type": "thing", "description": "A thing."}], "edge_types": []}, mode="strict"
    )
    wiki.run_librarian(NS)
    wiki.run_heal(NS)
    wiki.run_ontology_backfill(NS)
    longest = {request.purpose: len(request.system) + len(request.user) for request in model.requests}
    assert set(longest) == {"librarian", "heal", "backfill"}
    assert all(length < 70_000 for length in longest.values()), longest


def test_a_reply_of_ten_thousand_facts_is_taken_in_part(open_wiki):
    many = reply(*({"title": f"Fact {n}", "body": f"It is number {n} of many.", "op": "add"} for n in range(10_000)))
    wiki = open_wiki(model=ScriptedModel({"librarian": many}), config=OFF)
    tell(wiki, "one")
    report = wiki.run_librarian(NS, dry_run=True)
    assert (report.added, report.rejected) == (1_000, 1)


def test_a_title_that_nobody_can_see_is_none(open_wiki):
    model = ScriptedModel({"librarian": reply({"title": "\u200b", "body": "x"}, {"title": "y", "body": "\u2060"})})
    wiki = open_wiki(model=model, config=OFF)
    tell(wiki, "one")
    assert wiki.run_librarian(NS).rejected == 2


def test_a_fact_that_a_person_vouched_for_is_not_rewritten(open_wiki, clock):
    said = {"op": "update", "target": "office", "title": "Anna's office", "body": "Anna is in room 14, upstairs."}
    wiki = open_wiki(model=ScriptedModel({"librarian": reply(said)}), config=OFF)
    wiki.write(
        NS, node_id="office", title="Anna's office", body="Anna is in room 14.", source_type="librarian_inferred"
    )
    wiki.verify(NS, node_id="office", by="human:ben")
    clock.tick()
    tell(wiki, "Anna's office is upstairs.")
    report = wiki.run_librarian(NS)
    assert (report.updated, report.superseded) == (0, 1)
    old, new = wiki.history(NS, node_id="office")
    assert (old.body, new.body) == ("Anna is in room 14.", "Anna is in room 14, upstairs.")


def test_words_that_a_caller_gave_an_inferred_fact_are_the_callers(open_wiki, clock):
    said = {"op": "update", "target": "office", "title": "Anna's office", "body": "Anna is in room 99."}
    model = ScriptedModel({"librarian": reply(said), "heal": json.dumps({"deleted": ["office"]})})
    wiki = open_wiki(model=model, config=OFF)
    wiki.write(
        NS, node_id="office", title="Anna's office", body="Anna is in room 13.", source_type="librarian_inferred"
    )
    tell(wiki, "Anna's office is somewhere.")
    clock.tick()
    assert wiki.update_fact(NS, node_id="office", body="Anna is in room 14.").source_type == "user_stated"
    assert wiki.run_librarian(NS).drafts == 1
    clock.now += 400 * DAY
    assert wiki.run_heal(NS).deleted == 0
    assert wiki.read(NS, "Anna's office", exclude_drafts=True).facts[0].body == "Anna is in room 14."
    assert wiki.update_fact(NS, node_id="office", title="X", source_type="librarian_inferred").source_type == (
        "librarian_inferred"
    )


def test_without_a_model_what_is_done_closes_a_task_or_is_remembered(open_wiki):
    wiki = open_wiki(config=OFF)
    tell(wiki, "TODO: buy milk", "TODO: buy milk", "Done: buy milk", "Done: buy milk", "Done: the mast was mended")
    report = wiki.run_librarian(NS)
    assert (report.tasks_added, report.tasks_closed, report.added) == (1, 1, 2)
    assert {fact.title for fact in wiki.read(NS, "").facts} == {"Done: buy milk", "Done: the mast was mended"}


def test_a_fact_whose_id_looks_like_a_label_is_not_taken_for_another(open_wiki, clock):
    said = {"op": "update", "target": "F1", "title": "Anna's office", "body": "Anna is in room 14, upstairs."}
    wiki = open_wiki(model=ScriptedModel({"librarian": reply(said)}), config=OFF)
    wiki.write(NS, node_id="F1", title="Anna's desk", body="Anna is in room 14.", source_type="librarian_inferred")
    clock.tick()
    wiki.write(
        NS, node_id="office", title="Anna's office", body="Anna is in room 14.", source_type="librarian_inferred"
    )
    tell(wiki, "Anna's office is upstairs.")
    wiki.run_librarian(NS)
    bodies = {fact.id: fact.body for fact in wiki.read(NS, "").facts}
    assert bodies == {"F1": "Anna is in room 14.", "office": "Anna is in room 14, upstairs."}


def test_a_fact_that_is_forgotten_while_the_model_thinks_does_not_come_back_reworded(open_wiki):
    told: list[Diagnostic] = []

    def answer(request: Any) -> str:
        wiki.forget(NS, node_id="secret")
        return reply(
            {"op": "update", "target": "F1", "title": "Anna's address", "body": "Anna lives at 4 Mill Lane, Brindle"}
        )

    model = ScriptedModel({"librarian": answer})
    wiki = open_wiki(model=model, config=OFF, hooks=Hooks(on_diagnostic=told.append))
    wiki.write(NS, title="Anna's address", body="Anna lives at 4 Mill Lane", node_id="secret",
               source_type="librarian_inferred")  # fmt: skip
    tell(wiki, "Anna's address is in Brindle.")
    report = wiki.run_librarian(NS)
    assert (report.events_read, report.added, report.updated, report.superseded) == (1, 0, 0, 0)
    assert wiki.read(NS, "Mill Lane").facts == ()
    assert [found.detail["reason"] for found in told] == ["target_forgotten"]
