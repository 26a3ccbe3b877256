"""FTS5 and the index in memory give the same hits with the same scores, whatever was written and asked."""

from __future__ import annotations

import random
from unittest.mock import patch

import pytest

from lorelite.search.inverted import InvertedIndex
from lorelite.search.query_plan import resolve
from lorelite.store.keyword import IndexedText
from lorelite.store.keyword_fts import COLUMN_WEIGHTS, FtsIndex
from lorelite.store.store import Store
from lorelite.text.tokens import index_tokens, query_terms

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies

LATIN = (
    "a an owl owls owlet multi-agent multi agent getUserName user_name C++ C# .NET 3.14 10,000 25 kg 25kg a/b a@b.org"
)
OTHER = (
    "naïve naive Straße strasse İstanbul istanbul 字典 字 詞典 日本 日本語 ภาษาไทย भाषा हिन्दी السلام е́ж ёж 🦉 👍🏽 👍"
)
ODD = "scrooge's l'homme o'brien x_y Ω ꭰ Ꭰ ǅ ﬁ ſ K ſt \u0345α"
WORDS = st.sampled_from([*LATIN.split(), *OTHER.split(), *ODD.split()])
TEXTS = st.one_of(
    st.lists(WORDS, max_size=8).map(" ".join),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
)
OPERATIONS = st.lists(
    st.tuples(st.integers(1, 6), st.one_of(st.none(), st.tuples(TEXTS, TEXTS))), min_size=1, max_size=25
)
QUERIES = st.lists(
    st.one_of(TEXTS, WORDS, st.lists(WORDS, min_size=2, max_size=3).map(lambda words: f'"{" ".join(words)}"')),
    min_size=1,
    max_size=6,
)


def hits(index, query: str, limit: int = 1_000) -> list[tuple[int, float]]:
    return index.match(resolve(query_terms(query), index), limit)


def computed(index: FtsIndex, query: str, limit: int = 1_000) -> list[tuple[int, float]]:
    """As an index computes its scores that is large enough for it; without numpy, as FTS5 does."""
    with patch("lorelite.search.bm25.FEWEST_NODES", 0):
        return hits(index, query, limit)


@hypothesis.settings(max_examples=100)
@hypothesis.given(OPERATIONS, QUERIES)
def test_both_indexes_give_the_same_hits_and_scores_after_any_writes(operations, queries):
    store = Store(":memory:")
    FtsIndex.create(store.db, 1)
    fts, memory = FtsIndex(store.db, 1), InvertedIndex(COLUMN_WEIGHTS)
    held: dict[int, IndexedText] = {}
    for key, texts in operations:
        for index in (fts, memory):
            if key in held:
                index.remove(key, held[key].columns())
            if texts is not None:
                index.add(key, IndexedText(key, "passages", *texts, "[]").columns())
        if texts is None:
            held.pop(key, None)
        else:
            held[key] = IndexedText(key, "passages", *texts, "[]")
    for query in queries:
        expected, found = hits(memory, query), hits(fts, query)
        assert [key for key, _ in found] == [key for key, _ in expected] or same_up_to_ties(found, expected)
        assert dict(found) == pytest.approx(dict(expected), rel=1e-9, abs=1e-9)
        for limit in (1_000, 2, 1):
            assert computed(fts, query, limit) == found[:limit]
    tokens = {token for text in held.values() for column in text.columns() for token in column}
    assert fts.frequencies(tokens) == memory.frequencies(tokens)
    assert fts.starting_with("", 1_000) == memory.starting_with("", 1_000)
    store.close()


def same_up_to_ties(found: list[tuple[int, float]], expected: list[tuple[int, float]]) -> bool:
    """The last bits of equal scores may differ, and with them the order of a tie."""
    rounded = {key: round(score, 9) for key, score in expected}
    return [rounded[key] for key, _ in found] == [rounded[key] for key, _ in expected]


@hypothesis.settings(max_examples=100)
@hypothesis.given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_fts5_holds_each_token_as_it_is(text):
    store = Store(":memory:")
    FtsIndex.create(store.db, 1)
    index = FtsIndex(store.db, 1)
    index.add(1, (index_tokens(text), [], []))
    assert [token for token, _ in index.starting_with("", 10_000)] == sorted(set(index_tokens(text)))
    store.close()


def test_of_equal_scores_the_older_row_comes_first_in_both_indexes():
    store = Store(":memory:")
    FtsIndex.create(store.db, 1)
    fts, memory = FtsIndex(store.db, 1), InvertedIndex(COLUMN_WEIGHTS)
    for index in (fts, memory):
        for key in (5, 3, 9, 1, 7):
            index.add(key, (["owl"], ["hoots"], []))
    assert [key for key, _ in fts.match([("owl",)], 3)] == [key for key, _ in memory.match([("owl",)], 3)] == [1, 3, 5]
    store.close()


def test_scores_are_to_the_last_bit_those_of_fts5_in_an_index_of_many_texts():
    store = Store(":memory:")
    FtsIndex.create(store.db, 1)
    index = FtsIndex(store.db, 1)
    words = [f"q{first}{second}z" for first in "bcdfghjk" for second in "bcdfghjk"]
    chosen = random.Random(7)

    def text(longest: int) -> list[str]:
        return [words[int(chosen.random() * chosen.random() * 64)] for _ in range(chosen.randint(0, longest))]

    index.add_all((key, (text(6), text(chosen.choice((5, 40, 400))), text(2))) for key in range(1, 1_500))
    phrases = [f'"{words[0]} {words[0]}" {words[4]}', f'"{words[2]} {words[5]}"', f'"{" ".join(words[1:4])}"']
    assert all(index.holds_phrase(clause) for clause in ((words[0],) * 2, (words[2], words[5]), tuple(words[1:4])))
    queries = [words[3], " ".join(words[1::29]), " ".join(words), *phrases]
    for query in queries:
        for limit in (1, 10, 70, 2_000):
            found = hits(index, query, limit)
            assert found and computed(index, query, limit) == found
    store.close()


def test_where_too_many_words_would_be_held_fts5_scores():
    store = Store(":memory:")
    FtsIndex.create(store.db, 1)
    index = FtsIndex(store.db, 1)
    index.add_all((key, (["owl"], ["barn", "owl"], [])) for key in range(1, 50))
    with patch("lorelite.store.keyword_fts._MOST_PLACES", 60):
        assert computed(index, "owl barn") == hits(index, "owl barn")
    store.close()


def test_what_a_transaction_has_written_so_far_is_scored_with_it():
    store = Store(":memory:")
    FtsIndex.create(store.db, 1)
    index = FtsIndex(store.db, 1)
    index.add_all((key, (["owl"] * (key % 3), ["hoots", *["twice"] * key], [])) for key in range(1, 9))
    with store.atomic():
        index.add(20, (["owl"], ["owl", "owl"], []))
        index.remove(7, (["owl"], ["hoots", *["twice"] * 7], []))
        assert len(index) == 8
        assert computed(index, "owl twice") == hits(index, "owl twice")
    store.close()
