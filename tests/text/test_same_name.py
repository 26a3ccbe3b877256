"""Names that may name one thing, and names that do not."""

from __future__ import annotations

import pytest

from lorelite.text.same_name import likeness_keys, name_likeness

ALIKE = [
    ("OpenAI", "open ai", "the same letters"),
    ("Open-AI", "OPENAI", "the same letters"),
    ("Straße", "STRASSE", "the same letters"),
    ("Ｔｏｋｙｏ", "Tokyo", "the same letters"),
    ("Lovelace, Ada", "Ada Lovelace", "the same words in another order"),
    ("Mr. Scrooge", "Scrooge", "the same but for a title"),
    ("The Hague", "Hague", "the same but for an article"),
    ("A Christmas Carol", "Christmas Carol", "the same but for an article"),
    ("Salt Lake City", "Salt Lake City, UT", "the same but for what follows the comma"),
    ("Wine cellars", "Wine cellar", "singular and plural"),
    ("Portly gentleman", "Portly gentlemen", "singular and plural"),
    ("Frau Müller", "Müller", "the same but for a title"),
    ("A. Lovelace", "Ada Lovelace", "the same but for initials"),
    ("J R R Tolkien", "John R. R. Tolkien", "the same but for initials"),
    ("WHO", "World Health Organization", "one is made of the other's initials"),
    ("U.N.E.S.C.O.", "United Nations Educational, Scientific and Cultural Organization", ""),
    ("Fezziwig", "Fezzywig", "one letter apart"),
    ("Wikipeida", "Wikipedia", "one letter apart"),
    ("Project Gutenburg Archive", "Project Gutenberg Archive", "one letter apart"),
    ("Scrooge", "Ebenezer Scrooge", "one is a part of the other"),
    ("Ebenezer", "Ebenezer Scrooge", "one is a part of the other"),
]
APART = [
    ("Apollo 11", "Apollo 12"),
    ("Henry V", "Henry VI"),
    ("Ada", "Ida"),
    ("Mary", "Marx"),
    ("Lock", "Dock"),
    ("Ada Lovelace", "Ada Byron"),
    ("B. Lovelace", "Ada Lovelace"),
    ("who", "World Health Organization"),
    ("Mr. Fezziwig", "Mrs. Fezziwig"),
    ("Bob Cratchit", "Boy Cratchit"),
    ("Scrooge", "Scrooge's nephew"),
    ("Jacob Marley", "The Ghost of Jacob Marley"),
    ("State", "State of Mississippi"),
    ("東京", "京都"),
    ("Mr", "Mrs"),
    ("!", "?"),
    ("", ""),
]


@pytest.mark.parametrize(("first", "second", "reason"), [pair for pair in ALIKE if pair[2]])
def test_spellings_of_one_name_are_alike_for_a_reason(first, second, reason):
    found = name_likeness(first, second)
    assert found.reason == reason and 0.5 < found.score <= 1
    assert name_likeness(second, first) == found


@pytest.mark.parametrize(("first", "second"), APART)
def test_different_names_are_not_alike(first, second):
    assert name_likeness(first, second).score == 0 == name_likeness(second, first).score


@pytest.mark.parametrize(("first", "second", "reason"), [pair for pair in ALIKE if pair[2]])
def test_names_that_are_alike_share_a_key(first, second, reason):
    assert set(likeness_keys(first)) & set(likeness_keys(second))


def test_the_stronger_reason_counts():
    scores = [name_likeness(first, second).score for first, second, _ in ALIKE[:1] + ALIKE[4:6] + ALIKE[-1:]]
    assert scores == sorted(scores, reverse=True)
