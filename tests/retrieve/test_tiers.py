"""Several namespaces in one result."""

from __future__ import annotations

import pytest

from lorelite.records import Node
from lorelite.retrieve.hits import Hit
from lorelite.retrieve.tiers import Findings, Tiers, chosen, weighed


def node(id: str, updated_at: int = 0) -> Node:
    return Node(id=id, namespace=id[0], kind="fact", title=id, updated_at=updated_at)


def found(**scores: float) -> Findings:
    return Findings([Hit(node(id), score) for id, score in scores.items()])


def ids(*arguments) -> list[str]:
    return [place.node.id for place in chosen(*arguments)]


def test_more_weight_is_never_worse_even_for_a_negative_score():
    for score in (-1.0, -0.3, 0.0, 0.3, 1.0):
        values = [weighed(score, weight) for weight in (0.25, 1, 2)]
        assert values == sorted(values)
    assert weighed(-0.5, 2) == -0.25 and weighed(0.5, 2) == 1.0


def test_weights_multiply_scores_and_order_all_namespaces_together():
    findings = {"a": found(a1=1.0, a2=0.4), "b": found(b1=1.5)}
    assert ids(findings, Tiers(), 10) == ["b1", "a1", "a2"]
    assert ids(findings, Tiers({"a": 2, "b": 0.25}), 10) == ["a1", "a2", "b1"]


def test_a_namespace_of_weight_nought_comes_last_newest_first_at_nought():
    findings = {"a": Findings([Hit(node("a1"), 9.0), Hit(node("a2", 5), 1.0)]), "b": found(b1=-0.5)}
    places = chosen(findings, Tiers({"a": 0}, include_zero_weight=True), 10)
    assert [(place.node.id, place.score) for place in places] == [("b1", -0.5), ("a2", 0.0), ("a1", 0.0)]


def test_what_nothing_scored_comes_behind_the_worst_score_and_has_none():
    findings = {"a": Findings([Hit(node("a1"), -0.9)], [node("a2"), node("a3", 7)])}
    places = chosen(findings, Tiers(), 10)
    assert [(place.node.id, place.score) for place in places] == [("a1", -0.9), ("a3", None), ("a2", None)]


def test_a_floor_keeps_the_best_of_a_namespace_and_the_common_order():
    findings = {"a": found(a1=0.9, a2=0.8, a3=0.7), "b": found(b1=0.2, b2=0.1)}
    assert ids(findings, Tiers(), 3) == ["a1", "a2", "a3"]
    assert ids(findings, Tiers(floors={"b": 1}), 3) == ["a1", "a2", "b1"]
    assert ids(findings, Tiers(floors={"b": 2, "a": 1}), 3) == ["a1", "b1", "b2"]


def test_a_floor_that_a_namespace_cannot_fill_leaves_room_for_others():
    findings = {"a": found(a1=0.9, a2=0.8), "b": found()}
    assert ids(findings, Tiers(floors={"b": 2}), 2) == ["a1", "a2"]


@pytest.mark.parametrize("limit", [0, 1, 3, 10])
def test_equal_scores_are_ordered_newest_first_then_by_id_and_cut(limit):
    findings = {"a": Findings([Hit(node("a2"), 1.0), Hit(node("a1"), 1.0)]), "b": Findings([Hit(node("b1", 9), 1.0)])}
    assert ids(findings, Tiers(), limit) == ["b1", "a1", "a2"][:limit]
