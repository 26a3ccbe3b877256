"""Likeness by weighted words."""

from __future__ import annotations

import math

from lorelite.search.likeness import likeness, word_vector


def test_a_text_is_wholly_like_itself_and_not_at_all_like_one_without_its_words():
    one, other = word_vector(["a", "ghost", "in", "chains"], {}, 10), word_vector(["the", "fat", "turkey"], {}, 10)
    assert likeness(one, one) == 1.0 or math.isclose(likeness(one, one), 1.0)
    assert likeness(one, other) == 0.0
    assert likeness(one, word_vector([], {}, 10)) == 0.0


def test_a_word_weighs_by_how_often_it_stands_and_how_rare_it_is():
    vector = word_vector(["ghost", "ghost", "chain"], {"ghost": 2, "chain": 4}, 10)
    ghost, chain = (1 + math.log(2)) * math.log(1 + 10 / 2), math.log(1 + 10 / 4)
    length = math.hypot(ghost, chain)
    assert math.isclose(vector["ghost"], ghost / length) and math.isclose(vector["chain"], chain / length)
    other = word_vector(["chain", "bell"], {"chain": 4, "bell": 1}, 10)
    assert math.isclose(likeness(vector, other), vector["chain"] * other["chain"])
    assert likeness(vector, other) == likeness(other, vector)


def test_a_word_that_a_fifth_of_many_texts_hold_says_nothing():
    assert set(word_vector(["said", "ghost"], {"said": 21, "ghost": 20}, 100)) == {"ghost"}
    assert set(word_vector(["said", "ghost"], {"said": 50, "ghost": 20}, 50)) == {"said", "ghost"}
