from __future__ import annotations

import pytest

from lorelite.text.stem import light_stem


@pytest.mark.parametrize(
    ("words", "stem"),
    [
        ("Scrooge's scrooge", "scroog"),
        ("partners partner", "partner"),
        ("cities city", "city"),
        ("churches church", "church"),
        ("stopped stopping stops stop", "stop"),
        ("noted notes noting note", "note"),
        ("managed managing manage", "manag"),
        ("studied studies study", "study"),
        ("walks walked walking", "walk"),
        ("wrote written", "write"),
        ("analysis", "analysis"),
        ("seed", "seed"),
        ("thing", "thing"),
        ("bus", "bus"),
        ("größe", "größe"),
        ("東京", "東京"),
    ],
)
def test_the_inflections_of_a_word_share_a_stem(words: str, stem: str) -> None:
    assert {light_stem(word) for word in words.split()} == {stem}
