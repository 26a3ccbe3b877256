"""Two scores as one."""

from __future__ import annotations

import pytest

from lorelite.search.fusion import DEFAULT_HYBRID_WEIGHT, blended, weighted


def test_a_weight_adds_the_cosine_and_the_share_of_the_best_word_score():
    scores = weighted({"a": 4.0, "b": 1.0}, {"a": 0.5, "c": 0.8}, 0.25)
    assert scores == {"a": 0.25 * 0.5 + 0.75, "b": 0.75 * 0.25, "c": 0.25 * 0.8}


def test_a_negative_cosine_counts_as_nothing_and_never_against_a_node():
    assert weighted({"a": 1.0}, {"a": -1.0, "b": -0.2}, 0.5) == {"a": 0.5, "b": 0.0}


def test_word_scores_of_any_scale_give_the_same_blend():
    semantic = {"a": 0.1, "b": 0.9}
    small, large = ({"a": 3.0 * scale, "b": 1.0 * scale} for scale in (1e-6, 1e3))
    for mix in (blended, lambda keyword, meaning: weighted(keyword, meaning, 0.5)):
        assert mix(small, semantic) == pytest.approx(mix(large, semantic))


def test_without_a_weight_both_lists_are_stretched_over_the_whole_range():
    scores = blended({"a": 10.0, "b": 6.0, "c": 2.0}, {"a": 0.31, "d": 0.30})
    share = DEFAULT_HYBRID_WEIGHT
    assert scores == pytest.approx({"a": 1.0, "b": 0.5 * (1 - share), "c": 0.0, "d": 0.0})


def test_nothing_found_is_nothing_scored():
    assert blended({}, {}) == weighted({}, {}, 0.5) == {}
