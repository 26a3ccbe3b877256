"""The pure plans of heal: without a store, a model or a clock."""

from __future__ import annotations

import random
from typing import Any

import pytest

from lorelite import Node
from lorelite.jobs.duplicates import duplicates_of, ranked_to_keep
from lorelite.jobs.heal_plan import Evidence, HealPlan, plan_merges, plan_reply
from lorelite.jobs.heal_policies import PolicyPlan, oldest_cutoff, policy_plan
from lorelite.jobs.inferred import Author
from lorelite.prompts.heal import ContradictionClaim, HealReply
from lorelite.reports import Duplicate
from lorelite.store.health import AgingFact
from lorelite.temporal import DAY_MS

AUTHOR = Author(namespace="class", origin="model", generated_by="heal", now=1_000)


def node(id: str, **fields: Any) -> Node:
    return Node(**{"id": id, "namespace": "class", "kind": "fact", "title": id} | fields)


def planned(reply: HealReply, *nodes: Node, others: tuple[Node, ...] = ()) -> HealPlan:
    offered = {each.id: each for each in nodes}
    return plan_reply(reply, Evidence(offered=offered, shown=offered | {each.id: each for each in others}), AUTHOR)


def test_what_is_deleted_is_neither_ended_nor_downgraded_as_well() -> None:
    reply = HealReply(
        deleted=("a",),
        downgraded=("a", "b"),
        duplicates=(("a", "b"), ("c", "a")),
        contradictions=(ContradictionClaim("a", "c", "c"), ContradictionClaim("c", "a", "a")),
    )
    plan = planned(reply, node("a"), node("b"), node("c"))
    assert (plan.delete, plan.downgrade, plan.ended) == (["a"], ["b"], [])
    assert (plan.contradictions, plan.duplicates) == ([], [])


def test_a_fact_ends_once_and_for_one_heir() -> None:
    reply = HealReply(
        duplicates=(("a", "b"), ("b", "c")),
        contradictions=(ContradictionClaim("b", "c", "c"),),
    )
    plan = planned(reply, node("a", created_at=1), node("b", created_at=2), node("c", created_at=3))
    assert [(ended.id, ended.superseded_by, ended.valid_to) for ended in plan.ended] == [("b", "a", 1_000)]


def test_a_window_is_never_empty() -> None:
    reply = HealReply(contradictions=(ContradictionClaim("a", "b", "a"),))
    plan = planned(reply, node("a"), node("b", valid_from=5_000))
    assert [(ended.id, ended.valid_from, ended.valid_to) for ended in plan.ended] == [("b", 5_000, 5_001)]


@pytest.mark.parametrize("keep", ["a", "b", None])
def test_between_two_facts_of_callers_nothing_is_decided(keep: str | None) -> None:
    reply = HealReply(contradictions=(ContradictionClaim("a", "b", keep),))
    plan = planned(reply, node("a", source_type="user_stated"), node("b", source_type="user_confirmed"))
    assert plan.ended == []
    assert [found.kept for found in plan.contradictions] == [None]


def test_what_was_only_shown_beside_may_end_but_is_not_deleted() -> None:
    reply = HealReply(deleted=("x",), downgraded=("x",), duplicates=(("x", "a"),))
    plan = planned(reply, node("a", confidence="certain"), others=(node("x"),))
    assert (plan.delete, plan.downgrade) == ([], [])
    assert [ended.id for ended in plan.ended] == ["x"]
    assert planned(HealReply(duplicates=(("x", "y"),)), node("a"), others=(node("x"), node("y"))).ended == []


def test_what_is_told_many_times_has_one_heir() -> None:
    nodes = {id: node(id, created_at=at) for at, id in enumerate("abcd")}
    pairs = [("c", "d"), ("b", "c"), ("a", "b"), ("a", "d")]
    found = [Duplicate(ids=pair, reason="same_words") for pair in pairs]
    plan = plan_merges([*found, Duplicate(ids=("c", "x"), reason="alike")], nodes | {"x": node("x")}, AUTHOR)
    assert sorted((each.id, each.superseded_by) for each in plan.ended) == [("b", "a"), ("c", "a"), ("d", "a")]
    assert sorted(plan.merged) == [("b", "a"), ("c", "a"), ("d", "a")]
    assert [each.merged for each in plan.duplicates] == [True, True, True]


def test_a_documents_fact_before_a_callers_before_the_surest_before_the_oldest_is_kept() -> None:
    ordered = [
        node("doc", source_type="immutable_document", created_at=9),
        node("stated", source_type="user_stated", confidence="tentative", created_at=9),
        node("certain", confidence="certain", created_at=9),
        node("old", created_at=1),
        node("new", created_at=2),
        node("draft", lifecycle="draft", confidence="certain"),
    ]
    shuffled = random.Random(1).sample(ordered, len(ordered))
    assert [each.id for each in ranked_to_keep(shuffled)] == [each.id for each in ordered]


def test_two_facts_of_documents_are_no_duplicates_of_ours() -> None:
    one, other = (node(id, title="Same", source_type="immutable_document") for id in "ab")
    assert duplicates_of(one, [other], {}) == []


def aging(id: str, days: float, **fields: Any) -> AgingFact:
    given: dict[str, Any] = {
        "id": id,
        "source_type": "librarian_inferred",
        "confidence": "inferred",
        "created_at": int(1_000 * DAY_MS - days * DAY_MS),
        "last_accessed_at": None,
        "access_count": 0,
        "is_verified": False,
        "is_used": False,
    }
    return AgingFact(**given | fields)


def test_the_limit_of_age_is_reached_on_the_very_millisecond() -> None:
    facts = [aging("reached", 30), aging("younger", 30 - 1 / DAY_MS), aging("used", 60, is_used=True)]
    plan = policy_plan(facts, now=1_000 * DAY_MS, orphan_after_days=30, stale_after_days=60)
    assert plan == PolicyPlan(orphans=("reached",), stale=("used",))


@pytest.mark.parametrize("orphan_days", [None, 0, 0.5])
@pytest.mark.parametrize("stale_days", [None, 0, 0.5])
def test_each_policy_can_be_off_or_at_once(orphan_days: float | None, stale_days: float | None) -> None:
    plan = policy_plan([aging("a", 1)], now=1_000 * DAY_MS, orphan_after_days=orphan_days, stale_after_days=stale_days)
    is_orphan = orphan_days is not None
    assert plan == PolicyPlan(("a",) if is_orphan else (), ("a",) if stale_days is not None and not is_orphan else ())


def test_the_store_is_asked_back_to_the_later_of_the_limits() -> None:
    assert oldest_cutoff(10 * DAY_MS, 3, 7) == 7 * DAY_MS
    assert oldest_cutoff(10 * DAY_MS, None, 7) == 3 * DAY_MS
    assert oldest_cutoff(10 * DAY_MS, None, None) is None


@pytest.mark.parametrize("days", [float("inf"), 1e300, 1e12])
def test_more_days_than_there_were_are_never(days: float) -> None:
    assert oldest_cutoff(1_700_000_000_000, days, days) is None
    assert oldest_cutoff(1_700_000_000_000, days, 1) == 1_700_000_000_000 - DAY_MS
