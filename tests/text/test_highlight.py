from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorelite.search.inverted import InvertedIndex
from lorelite.search.query_plan import resolve
from lorelite.text.highlight import highlights, snippet
from lorelite.text.tokens import index_tokens, query_terms

SPACED = """
    kettles stopped studies running Häuser naïve Straße Москва столицы सर्दियों الكتاب 東京都 ภาษาไทย 서울시 🦉 👍🏽
    multi-agent getUserName foo_bar.py C++ .NET 250 ml 1,000 a@b.org l'homme Scrooge's the der und ﬁsh Ｆｕｌｌ
"""
WORDS = SPACED.split()
texts = st.one_of(st.text(st.characters(), max_size=80), st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))


def marked(text: str, query: str) -> list[str]:
    return [span.of(text) for span in highlights(text, query)]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("Copper kettles; a kettle.", "kettle", ["kettles", "kettle"]),
        ("He stopped, she stops.", "stopping", ["stopped", "stops"]),
        ("The Häuser und die Stadt, in der wir sind", "Wo sind die Hauser", ["Häuser"]),
        ("В столице России", "столица", ["столице"]),
        ("قرأت والكتاب هنا", "الكتاب", ["والكتاب"]),
        ("我们在北京大学学习", "北京大学", ["北京大学"]),
        ("A multi-agent scheduler", "multi-agent", ["multi-agent"]),
        ("A multi-agent scheduler", "agents", ["agent"]),
        ("call getUserName()", "user name", ["UserName"]),
        ("Scrooge\u2019s partner", "scrooge", ["Scrooge\u2019s"]),
        ("add 250 ml of milk", "250ml", ["250 ml"]),
        ("C++ and C", "c++", ["C++"]),
        ("Cre\u0300me and cre\u0300mes", "crème", ["Cre\u0300me"]),
        ("over 1,000 owls", "1000", ["1,000"]),
        ("the ﬁsh", "fish", ["ﬁsh"]),
        ("½ cup and ㍿", "1 会社", ["½", "㍿"]),
        ("5 250 km off", "250", ["250"]),
        ("5 250 km off", '"5 250 miles"', ["5", "250"]),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af\u1105\u1169", "글로", ["\u1100\u1173\u11af\u1105\u1169"]),
        ("🦉 👍🏽", "👍", ["👍🏽"]),
        ("an old clock tower, the tower", '"clock tower"', ["clock tower"]),
        ("green herons, a green heron", '"green herons"', ["green herons"]),
        ("lighthouse keeper", "light", ["lighthouse"]),
        ("the lantern", "lantren", ["lantern"]),
        ("light and lighthouse", "light", ["light"]),
        ("of the people", "the people", ["people"]),
        ("nothing here", "else", []),
        ("", "word", []),
        ("word", "", []),
    ],
)
def test_what_the_index_finds_is_marked_in_the_text_as_written(text: str, query: str, expected: list[str]) -> None:
    assert marked(text, query) == expected


@settings(max_examples=200, deadline=None)
@given(texts, texts)
def test_marks_lie_within_the_text_in_order_and_apart(text: str, query: str) -> None:
    end = -1
    for span in highlights(text, query):
        assert end < span.start < span.end <= len(text)
        end = span.end


@settings(max_examples=200, deadline=None)
@given(texts, texts)
def test_something_is_marked_exactly_where_the_index_has_a_hit(text: str, query: str) -> None:
    index = InvertedIndex((1.0,))
    index.add(1, (index_tokens(text),))
    found = index.match(resolve(query_terms(query), index), 1)
    assert bool(highlights(text, query)) == bool(found)


@settings(max_examples=200, deadline=None)
@given(texts)
def test_a_text_is_found_by_its_own_words(text: str) -> None:
    if query_terms(text):
        assert highlights(text, text)


@settings(max_examples=200, deadline=None)
@given(texts, texts, st.integers(1, 50))
def test_a_snippet_is_a_piece_of_the_text_no_longer_than_asked(text: str, query: str, length: int) -> None:
    piece = snippet(text, query, length)
    assert piece.text == text[piece.start : piece.end]
    assert len(piece.text) <= length
    assert all(piece.start <= span.start < span.end <= piece.end for span in piece.highlights)


def test_a_snippet_begins_with_the_sentence_that_most_terms_follow() -> None:
    text = "A heron stood. " + "Nothing happened. " * 20 + "The heron caught a fish. " + "Nothing more. " * 20
    piece = snippet(text, "heron fish", 60)
    assert piece.text.startswith("The heron caught a fish.")
    assert [span.of(text) for span in piece.highlights] == ["heron", "fish"]


def test_a_short_text_is_its_own_snippet() -> None:
    assert snippet("A heron stood.", "heron").text == "A heron stood."


def test_a_snippet_of_no_length_is_empty() -> None:
    for length in (0, -1):
        cut = snippet("The heron. Kettles stood.", "kettle", length)
        assert (cut.text, cut.start, cut.end, cut.highlights) == ("", 0, 0, ())
