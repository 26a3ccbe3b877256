from __future__ import annotations

import random

import pytest

from lorelite.graph.cooccurrence import co_occurrences, normalised_pmi


def test_information_runs_from_never_to_always_together() -> None:
    assert normalised_pmi(0, 3, 3, 10) == -1
    assert normalised_pmi(5, 5, 5, 10) == pytest.approx(1)
    assert normalised_pmi(2, 4, 5, 10) == pytest.approx(0)
    assert normalised_pmi(4, 4, 4, 4) == 1


def test_a_pair_that_shares_more_groups_than_chance_is_kept_with_its_groups() -> None:
    pairs = co_occurrences([[1, 2], [3], [2, 1, 1], [4], [5]])
    assert [(pair.first, pair.second, pair.groups) for pair in pairs] == [(1, 2, (0, 2))]
    # together twice, both twice in all: information 1, discount 2/3 * 2/3
    assert pairs[0].weight == pytest.approx(4 / 9)


def test_members_that_are_everywhere_attract_less_than_a_close_couple() -> None:
    groups = [[0, number % 5 + 1] for number in range(40)] + [[7, 8], [7, 8], [7, 8], [9]]
    weights = {(pair.first, pair.second): pair.weight for pair in co_occurrences(groups)}
    assert weights[7, 8] > max(weights.get((0, other), 0) for other in range(1, 6))


def test_every_weight_is_in_range_and_the_order_is_fixed() -> None:
    rng = random.Random(5)
    groups = [[rng.randrange(12) for _ in range(rng.randrange(6))] for _ in range(200)]
    pairs = co_occurrences(groups)
    assert pairs == co_occurrences(groups)
    assert all(0 < pair.weight <= 1 and pair.first < pair.second for pair in pairs)
    assert [pair.weight for pair in pairs] == sorted((pair.weight for pair in pairs), reverse=True)


def test_two_protagonists_are_joined_however_often_each_is_named_alone() -> None:
    alone = [[1]] * 200 + [[2]] * 200
    partners = [[1, 3], [2, 4], [1, 5], [2, 6], [1, 7], [2, 8], [1, 9], [2, 10]] * 2
    kept = {(pair.first, pair.second) for pair in co_occurrences(alone + partners + [[1, 2]] * 5)}
    assert (1, 2) in kept
    assert (1, 2) not in {(pair.first, pair.second) for pair in co_occurrences(alone + partners + [[1, 2]] * 2)}


def test_no_groups_give_no_pairs() -> None:
    assert co_occurrences([]) == []
    assert co_occurrences([[], [1], [1, 1]]) == []
