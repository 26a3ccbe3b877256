"""The plan alone: what becomes of candidates, worked out without a store, a model or a clock."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lorelite.jobs.inferred import Author
from lorelite.jobs.librarian_plan import Candidate, Plan, is_unclear, plan_facts, plan_tasks
from lorelite.prompts.librarian import FactClaim, TaskClaim
from lorelite.prompts.resolve import Decision
from lorelite.records import Event, Node, Task
from lorelite.text.grounding import Grounding

NS, NOW = "class", 10_000
AUTHOR = Author(namespace=NS, origin="model", generated_by="librarian", now=NOW)
EVENT = Event(id="event_1", namespace=NS, event_type="observation", summary="…", created_at=9_000)
OFFICE = Node(
    id="known", namespace=NS, kind="fact", title="Anna's office", body="Anna is in room 12.", updated_at=5_000
)


def candidate(body: str = "Anna is in room 14.", *, known: tuple[Node, ...] = (OFFICE,), **claim: object) -> Candidate:
    fields = {"index": 0, "title": "Anna's office", "body": body} | claim
    return Candidate(claim=FactClaim(**fields), known=known, event=EVENT)


def planned(*candidates: Candidate, labels: dict[str, str] | None = None) -> Plan:
    plan = Plan()
    plan_facts(candidates, labels or {"F1": "known"}, AUTHOR, plan, [])
    return plan


def test_what_is_superseded_ends_when_the_event_happened_and_names_what_took_its_place():
    plan = planned(candidate(op="supersede", target="f1"))
    ended, new = plan.nodes
    assert (ended.id, ended.valid_to, ended.superseded_by, ended.superseded_at) == ("known", 9_000, new.id, NOW)
    assert (new.valid_from, new.valid_to, new.source_type, new.sources) == (
        9_000, None, "librarian_inferred", ({"resource": "event:event_1"},)
    )  # fmt: skip
    assert plan.superseded == 1


def test_what_is_superseded_twice_by_one_reply_is_a_chain():
    once = candidate(op="supersede", target="F1")
    plan = planned(once, candidate("Anna is in room 15.", op="supersede", target="F1"))
    bodies = {node.id: node for node in plan.nodes}  # the last state of each
    chain = [bodies["known"]]
    while chain[-1].superseded_by is not None:
        chain.append(bodies[chain[-1].superseded_by])
    assert [node.body[-3:-1] for node in chain] == ["12", "14", "15"]
    assert (plan.superseded, plan.added) == (2, 0)


def test_a_fact_that_began_after_the_event_still_has_a_window():
    later = replace(OFFICE, valid_from=20_000)
    ended, _ = planned(candidate(op="supersede", target="F1", known=(later,))).nodes
    assert ended.valid_to is not None and ended.valid_to > 20_000


@pytest.mark.parametrize("op", ["update", "supersede", None])
def test_a_fact_of_a_document_is_left_alone_whatever_the_reply_wants(op):
    stated = replace(OFFICE, source_type="immutable_document")
    plan = planned(candidate(op=op, target="F1", known=(stated,)))
    [draft] = plan.nodes
    assert (draft.lifecycle, plan.drafts, plan.cites) == ("draft", 1, [(draft.id, "known")])
    assert [(edge.source_id, edge.edge_type, edge.target_id) for edge in plan.edges] == [
        (draft.id, "contradicts", "known")
    ]


@pytest.mark.parametrize("source_type", ["user_stated", "user_confirmed"])
@pytest.mark.parametrize(("stated_at", "superseded", "drafts"), [(8_000, 1, 0), (9_000, 1, 0), (9_001, 0, 1)])
def test_what_a_caller_stated_gives_way_to_later_events_alone(source_type, stated_at, superseded, drafts):
    stated = replace(OFFICE, source_type=source_type, updated_at=stated_at)
    plan = planned(candidate(op="update", target="F1", known=(stated,)))
    assert (plan.superseded, plan.drafts, plan.updated) == (superseded, drafts, 0)


def test_what_is_not_proven_is_a_draft_and_changes_nothing_else():
    unproven = replace(candidate(op="supersede", target="F1"), grounding=Grounding("quote_not_found"))
    plan = planned(unproven)
    assert (plan.drafts, plan.superseded, [node.lifecycle for node in plan.nodes]) == (1, 0, ["draft"])


def test_a_noop_that_names_nothing_known_is_not_lost():
    assert planned(candidate(op="noop", target="F9", known=())).added == 1


def test_a_ruling_counts_where_the_reply_does_not_say():
    asked = candidate("Her room is the corner one upstairs.")
    assert is_unclear(asked)
    assert planned(replace(asked, ruling=Decision("noop", "known"))).noops == 1
    assert planned(replace(asked, ruling=Decision("add"))).added == 1
    assert not is_unclear(candidate(op="add"))
    assert not is_unclear(candidate("Anna is in room 12"))  # the same words


def test_facts_of_one_reply_that_say_the_same_are_one():
    one = candidate(known=(), title="User likes strong coffee", body="b")
    two = candidate(known=(), title="User likes really strong coffee", body="in other words", index=1)
    plan = planned(one, two, candidate(known=(), title="Short x"), candidate("It is long.", known=(), title="Short x"))
    assert (plan.added, plan.noops) == (3, 1)
    assert [(remark.code, remark.detail["item_index"]) for remark in plan.remarks] == [("fact_deduplicated", 1)]


def test_a_task_added_by_a_reply_can_be_done_by_the_same():
    plan = Plan()
    claims = [
        TaskClaim(index=0, description="Order a chair"),
        TaskClaim(index=1, description="order a chair.", done=True),
    ]
    plan_tasks(claims, [], {}, AUTHOR, plan)
    [task] = plan.tasks
    assert (task.status, task.resolved_at, plan.tasks_added, plan.tasks_closed) == ("done", NOW, 1, 1)


def test_a_task_that_is_not_open_cannot_be_done():
    plan = Plan()
    open_task = Task(id="t", namespace=NS, description="Order a chair")
    plan_tasks([TaskClaim(index=0, description="Feed the cat", done=True)], [open_task], {}, AUTHOR, plan)
    assert (plan.tasks, plan.tasks_closed) == ([], 0)
    assert [remark.detail["reason"] for remark in plan.remarks] == ["not_open"]
