"""How one statement stands to another, by their words."""

from __future__ import annotations

import pytest

from lorelite.text.alike import is_retold, overlap, relation, statement

OFFICE = "Anna's office"


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        ((OFFICE, "Anna is in room 12."), (OFFICE, "Anna is in room 12"), "same"),
        ((OFFICE, "“Anna”, is in  room 12!"), (OFFICE, "anna is in room 12"), "same"),
        (("Anna is in…", "Anna is in room 12."), ("Room 12", "Anna is in room 12."), "same"),
        (("Where Anna sits", "Anna is in room 12."), (OFFICE, "Anna is in room 12."), "changed"),
        (("Bob", "He likes green tea."), ("Anna", "He likes green tea."), "changed"),
        (("Temperature", "It is -5 degrees."), ("Temperature", "It is 5 degrees."), "changed"),
        (("Price", "It costs $5."), ("Price", "It costs €5."), "changed"),
        (("Share", "It is 1.5"), ("Share", "It is 15"), "changed"),
        ((OFFICE, "Anna is in room 14."), (OFFICE, "Anna is in room 12."), "changed"),
        ((OFFICE, "Room 14"), (OFFICE, "She moved out"), "changed"),
        ((OFFICE, "Anna is in room 12, on the left."), (OFFICE, "Anna is in room 12."), "more"),
        ((OFFICE, "Anna is in room 12."), (OFFICE, "Anna is in room 12, on the left."), "less"),
        (("Bob", "Bob reports to Anna."), ("Anna", "Anna reports to Bob."), "changed"),
        (("Bob sings", "Bob sings in a choir."), (OFFICE, "Anna is in room 12."), "other"),
        (("好物", "安娜喜欢喝绿茶"), ("好物", "安娜喜欢喝绿茶。"), "same"),
        (("好物", "安娜喜欢喝红茶"), ("好物", "安娜喜欢喝绿茶"), "changed"),
        (("Адрес", "Анна живёт в доме 5"), ("адрес", "Анна живёт в доме 7"), "changed"),
    ],
)
def test_relations(new, old, expected):
    assert relation(statement(*new), statement(*old)) == expected


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        (("User likes really strong coffee", "a"), ("User likes strong coffee", "b"), True),
        (("User likes strong coffee", "She drinks five cups of it every single morning"),
         ("User likes strong coffee", "b"), False),
        (("User likes strong coffee", "b 7"), ("User likes strong coffee", "b"), False),
        (("Short x", "a"), ("Short x", "b"), False),
        (("User hates weak tea", "a"), ("User likes strong coffee", "b"), False),
    ],
)  # fmt: skip
def test_retelling_needs_a_title_that_states_something_and_no_news(new, old, expected):
    assert is_retold(statement(*new), statement(*old)) is expected


def test_overlap_is_the_share_of_common_words():
    assert overlap(frozenset("abc"), frozenset("bcd")) == 0.5
    assert overlap(frozenset(), frozenset()) == 0.0


def test_the_same_words_in_another_order_or_with_another_sign_are_not_told_again() -> None:
    ann, ben = statement("Ann told Ben the secret", ""), statement("Ben told Ann the secret", "")
    assert not is_retold(ann, ben)
    cold, warm = statement("-5 degrees on the roof", "measured"), statement("5 degrees on the roof", "measured")
    assert not is_retold(warm, cold)
