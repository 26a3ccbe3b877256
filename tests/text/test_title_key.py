from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorelite.text.title_key import title_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("“Scrooge’s”", "scrooge"),
        ("Stave_One  two", "Stave one Two"),
        ("《红楼梦》", "红楼梦"),
        ("STRASSE", "Straße"),
        ("[[Bob Cratchit]]", "bob cratchit"),
        ("(Mercury)", "Mercury"),
        ("Cafe\u0301", "CAFÉ"),
        ("العَبّارة", "العبارة"),
        ("Acme Inc.", "ACME Inc"),
        ("Ｔｏｋｙｏ", "Tokyo"),
    ],
)
def test_two_spellings_of_one_title_have_one_key(one: str, other: str) -> None:
    assert title_key(one) == title_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("C++", "C"), (".NET", "net"), ("Mercury (planet)", "Mercury"), ("Über", "Uber"), ("東京", "京都")],
)
def test_different_titles_keep_different_keys(one: str, other: str) -> None:
    assert title_key(one) != title_key(other)


def test_a_title_of_punctuation_keeps_a_key() -> None:
    assert title_key("???") == "???"


@given(st.text(st.characters(), max_size=60))
def test_a_visible_title_has_a_key(title: str) -> None:
    assert title_key(title) or not any(character.isalnum() for character in title)
