"""Markdown's marks go, the words stay."""

import pytest

from lorelite.text.plain import plain_words


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("## How **deep** it is", "How deep it is"),
        ("- The boat\n  [[Juniper|she]] and the [dog](dog.md)", "The boat she and the dog"),
        ("| `parse` | reads a frame |", "parse | reads a frame"),
        ("> quoted", "quoted"),
        ("-5 degrees, C++ and snake_case", "-5 degrees, C++ and snake_case"),
        ("#1 of 3", "#1 of 3"),
    ],
)
def test_marks_of_markdown_go_and_words_stay(marked, plain):
    assert plain_words(marked) == plain


def test_long_runs_of_marks_take_linear_time():
    assert plain_words("- " * 100_000 + "a") == "a"
