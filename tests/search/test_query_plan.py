"""What a query asks of an index: one clause an English word, few for others, tolerance only where nothing is exact."""

from __future__ import annotations

from lorelite.search.inverted import InvertedIndex
from lorelite.search.query_plan import resolve
from lorelite.text.stemmers import PART
from lorelite.text.tokens import index_tokens, query_terms


def clauses(query: str, *texts: str) -> list[tuple[str, ...]]:
    index = InvertedIndex((1.0,))
    for key, text in enumerate(texts):
        index.add(key, (index_tokens(text),))
    return resolve(query_terms(query), index)


def test_an_english_word_is_one_clause_whatever_its_forms() -> None:
    texts = ("the kettle", "two kettles", "kettling of the kettled")
    assert clauses("kettles", *texts) == clauses("kettle", *texts) == [("kettle",)]


def test_a_word_of_another_language_is_asked_for_as_it_is_and_by_what_other_forms_share() -> None:
    texts = ("er und sie haben Häuser", "wo ist ein Häuschen, und wer hat es")
    assert clauses("wer baute häuser und wo", *texts) == [("häuser",), (PART + "hause",)]


def test_of_many_parts_the_rarest_two_are_asked_for() -> None:
    found = clauses("والمكتبات", "المكتبة", "المكتب", "كتبات")
    assert len(found) == 2
    assert all(clause[0].startswith(PART) for clause in found)


def test_a_query_whose_language_is_not_known_finds_other_forms_where_nothing_is_exact() -> None:
    text = "Luther wurde in Eisleben geboren, und er war der erste"
    assert clauses("Geborenen", text) == [(PART + "gebor",)]
    assert clauses("Eisleben", text) == [("eisleben",)]


def test_a_word_half_written_finds_the_stem_it_is_on_the_way_to() -> None:
    for begun in ("sto", "stopp", "stoppi", "stoppin"):
        assert clauses(begun, "it stopped") == [("stop",)]


def test_a_phrase_is_found_in_a_text_of_either_kind() -> None:
    english, german = "many green herons here", "der Reiher und die Green Herons bei uns, wer hat sie"
    assert len(clauses('"green herons"', english, german)) == 2
    assert clauses('"greens heron"', english, german) == [("green",), ("heron",)]


def test_the_words_of_a_phrase_that_stands_nowhere_leave_out_function_words() -> None:
    assert clauses('"the heron of green"', "the green heron") == [("heron",), ("green",)]
