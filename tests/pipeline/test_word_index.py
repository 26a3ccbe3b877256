"""Texts found by their words, and lists of keys, both of which stores without more are searched and kept by."""

from __future__ import annotations

import pytest

from lorelite._drive import drive
from lorelite.adapters.in_memory import in_memory_kv
from lorelite.pipeline.store_scopes import KeyList
from lorelite.pipeline.word_index import WordIndex


@pytest.fixture
def words() -> WordIndex:
    index = WordIndex()
    index.put("ghosts", "A ghost rattles its chains at night")
    index.put("ghost", "The ghost rattles long chains")
    index.put("turkey", "A turkey hangs in the shop")
    return index


def test_the_best_match_has_score_one_and_others_their_share(words):
    (first, best), (second, share) = words.match("rattling chains of a long ghost", 5)
    assert (first, best, second) == ("ghost", 1.0, "ghosts") and 0 < share < 1
    assert words.match("unheard", 5) == words.match("", 5) == words.match("rattles", 0) == []


def test_alike_texts_are_found_without_the_text_itself(words):
    (first, score), *others = words.like("ghost", 5)
    assert first == "ghosts" and 0 < score < 1 and "ghost" not in dict(others)
    assert words.like("unknown", 5) == words.like("ghost", 0) == []
    words.put("copy", "The ghost rattles long chains")
    assert words.like("ghost", 1) == [("copy", 1.0)]


def test_what_is_put_again_or_taken_away_leaves_no_trace(words):
    words.put("ghost", "Nothing of that kind")
    words.put("turkey", None)
    words.put("never", None)
    assert [id for id, _ in words.match("ghost chains turkey", 5)] == ["ghosts"]
    assert [id for id, _ in words.match("kind", 5)] == ["ghost"]


def test_words_that_many_texts_hold_do_not_make_texts_alike():
    index = WordIndex()
    for number in range(60):
        index.put(f"{number}", f"common words everywhere {number}x")
    index.put("a", "common words everywhere zebra")
    index.put("b", "common words everywhere zebra")
    assert index.like("a", 5) == [("b", 1.0)]


def test_keys_stay_in_order_over_many_segments():
    keys = KeyList(in_memory_kv(), "x")
    kv = keys._kv
    expected: list[str] = []
    for start in range(0, 5000, 700):
        added = [f"key {number}" for number in range(start, start + 700)]
        drive(kv.upsert(drive(keys.with_added(added))))
        expected += added
    assert drive(keys.all()) == expected
    assert drive(keys.with_added(expected[-3:])) == {}
    drive(kv.upsert(drive(keys.without(expected[::2]))))
    assert drive(keys.all()) == expected[1::2]
    drive(kv.upsert(drive(keys.with_added(["new"]))))
    assert drive(keys.all()) == [*expected[1::2], "new"]
    drive(kv.upsert(drive(keys.without([*expected, "new"]))))
    assert drive(keys.all()) == []
