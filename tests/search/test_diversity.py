"""Maximal marginal relevance: which order comes out of scores and likeness."""

from __future__ import annotations

import pytest

from lorelite.search.diversity import diversified, overlap

ALIKE = [
    [1.0, 0.9, 0.0, 0.1],
    [0.9, 1.0, 0.0, 0.1],
    [0.0, 0.0, 1.0, 0.8],
    [0.1, 0.1, 0.8, 1.0],
]


def order(scores: list[float], diversity: float, count: int = 4) -> list[int]:
    return diversified(scores, ALIKE.__getitem__, diversity, count)


def test_without_diversity_the_order_is_that_of_the_scores():
    assert order([4.0, 3.0, 2.0, 1.0], 0.0) == [0, 1, 2, 3]


def test_what_repeats_the_first_comes_behind_what_is_new():
    assert order([4.0, 3.9, 3.0, 1.0], 0.5) == [0, 2, 1, 3]


def test_the_first_stays_first_even_when_only_novelty_counts():
    assert order([4.0, 3.0, 2.0, 1.0], 1.0) == [0, 2, 3, 1]


def test_only_the_first_count_places_are_chosen_and_the_others_follow_as_they_were():
    assert order([4.0, 3.9, 3.8, 3.7], 1.0, count=2) == [0, 2, 1, 3]
    assert order([4.0, 3.0, 2.0, 1.0], 1.0, count=0) == [0, 1, 2, 3]


def test_of_equals_the_earlier_one_is_chosen():
    assert diversified([1.0, 1.0, 1.0], lambda place: [0.0, 0.0, 0.0], 0.7, 3) == [0, 1, 2]


def test_an_empty_list_stays_empty():
    assert diversified([], lambda place: [], 0.5, 3) == []


def test_the_scale_of_the_scores_does_not_matter():
    scores = [4.0, 3.9, 3.0, 1.0]
    assert order([score * 1e-3 - 7 for score in scores], 0.5) == order(scores, 0.5)


@pytest.mark.parametrize(
    ("one", "other", "expected"), [({"a"}, {"a"}, 1.0), ({"a", "b"}, {"b", "c"}, 1 / 3), (set(), {"a"}, 0.0)]
)
def test_overlap_is_the_share_of_common_words(one, other, expected):
    assert overlap(one, other) == pytest.approx(expected)
