"""Phrases that may be titles."""

from __future__ import annotations

import pytest

from lorelite.text.title_key import title_key
from lorelite.text.title_phrases import capitalised_phrases, query_phrases


def keys(query: str) -> list[str]:
    return [phrase.key for phrase in query_phrases(query)]


def test_longer_phrases_come_first_and_say_where_they_stand():
    found = query_phrases("Who wrote the Black Swan?")
    lengths = [phrase.end - phrase.start for phrase in found]
    assert lengths == sorted(lengths, reverse=True)
    [swan] = [phrase for phrase in found if phrase.key == "black swan"]
    assert "Who wrote the Black Swan?"[swan.start : swan.end] == "Black Swan?"


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("When was Robert Young's wife born?", "robert young"),
        ("is black swan a boat", "black swan"),
        ("Where is Oslo?", "oslo"),
        ("Who sang in the band f(x)?", "f(x)"),
        ("¿Dónde está «La Mancha»?", "la mancha"),
        ("北京大学在哪里", "北京大学"),
        ("टोक्यो कहाँ है", "टोक्यो"),
        ("Кто написал Войну и мир?", "войну и мир"),
    ],
)
def test_what_a_question_names_is_among_its_phrases(query, named):
    assert named in keys(query)


@pytest.mark.parametrize(
    ("query", "no_name"), [("whose father", "father"), ("What of The", "the"), ("of the", "of the")]
)
def test_a_common_word_alone_names_nothing(query, no_name):
    assert no_name not in keys(query)


@pytest.mark.parametrize("query", ["", " ", "?!", "\0", "\ud800", "(", "🦉"])
def test_odd_queries_have_no_phrases_or_harmless_ones(query):
    assert all(phrase.key for phrase in query_phrases(query))


def test_a_long_query_has_no_more_phrases_than_can_be_looked_up():
    assert len(query_phrases("Word " * 100_000)) <= 512
    assert len(query_phrases("字" * 100_000)) <= 512


def names(text: str) -> set[str]:
    return set(capitalised_phrases(text))


def test_names_in_capitals_are_found_with_short_words_between():
    found = names("He sailed with M. Ward to the Bay of Pigs, and Ada Lind waited in Oslo.")
    assert {"m. ward", "bay of pigs", "ada lind", "oslo"} <= found


def test_a_part_of_a_longer_name_is_none_when_it_is_one_word():
    found = names("The United States signed.")
    assert "united states" in found and not {"united", "states", "the"} & found


def test_names_do_not_reach_over_the_end_of_a_sentence_or_a_long_common_word():
    found = names("She left Oslo. Bergen came next. Rome remained Italian.")
    assert {"oslo", "bergen", "rome"} <= found
    assert not {"oslo. bergen", "rome remained italian"} & found


def test_a_phrase_has_the_key_that_the_same_title_has():
    text = "Die Straße_der Größe’s, „ΣΟΦΟΣ“ İstanbul (Fatih). ½ Penny’s"
    keys = {"Straße_der Größe’s", "ΣΟΦΟΣ“ İstanbul (Fatih)", "½ Penny’s"}
    assert {title_key(key) for key in keys} <= names(text)
