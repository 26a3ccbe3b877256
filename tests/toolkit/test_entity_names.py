"""Names compared: ids, spellings, and how well a name fits a query."""

from __future__ import annotations

import pytest

from lorelite.text.same_name import letters_key
from lorelite.toolkit.entity_names import AskedName, form_of, slug


def name_score(query, name):
    return AskedName(query).score(form_of(name))


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("OpenAI", "openai"),
        ("Open-AI", "open-ai"),
        ("open ai", "open-ai"),
        ("  Ada  Lovelace! ", "ada-lovelace"),
        ("東京", "東京"),
        ("—", ""),
    ],
)
def test_an_id_is_the_name_without_case_and_punctuation(name, id):
    assert slug(name) == id


def test_spellings_of_a_name_share_a_key_in_every_script():
    assert letters_key("OpenAI") == letters_key("open ai") == letters_key("Open-AI") == "openai"
    assert letters_key("नमस्ते") == letters_key("नमस्ते!") != letters_key("नमसते")
    assert letters_key("Straße") == letters_key("STRASSE")
    assert letters_key("!?") == ""


@pytest.mark.parametrize(
    ("query", "name", "score"),
    [
        ("ada lovelace", "Ada Lovelace", 1.0),
        ("Who was Ada Lovelace?", "Ada Lovelace", 0.9),
        ("Lovelace", "Ada Lovelace", 0.75),
        ("Lovelace and Babbage", "Ada Lovelace", 0.35),
        ("the", "The Hague", 0.0),
        ("Babbage", "Ada Lovelace", 0.0),
        ("", "Ada", 0.0),
        ("?", "Ada", 0.0),
    ],
)
def test_a_name_fits_a_query_by_the_words_they_share(query, name, score):
    assert name_score(query, name) == pytest.approx(score)
