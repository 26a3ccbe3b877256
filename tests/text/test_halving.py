"""Cutting a passage in two."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lorelite.text.halving import SHORTEST, middle_of


def test_a_passage_is_cut_where_the_sentence_nearest_to_its_middle_begins():
    text = "Rat rowed. " * 60
    assert middle_of(text, 0, len(text)) == 330
    assert middle_of(text, 110, 550) == 330


def test_one_sentence_and_a_short_passage_are_not_cut():
    assert middle_of("word " * 100, 0, 500) is None
    assert middle_of("Rat rowed. " * 30, 0, 2 * SHORTEST - 1) is None


@given(st.text(alphabet="ab .\n。#", max_size=1_500), st.integers(0, 200), st.integers(0, 200))
def test_both_halves_hold_something(text, left, right):
    start, end = left, len(text) - right
    middle = middle_of(text, start, end)
    assert middle is None or start < middle < end
