"""Documents in chunks of tokens."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from lorelite.errors import ConfigError
from lorelite.pipeline.chunking import Chunking, checked_chunking
from lorelite.text.budget import token_cost
from lorelite.text.chunking import ChunkSpan

WORDS = " ".join(f"w{number}" for number in range(2_500))


def texts(text: str, **fields: object) -> list[str]:
    return [span.of(text) for span in Chunking(**fields).spans(text)]  # type: ignore[arg-type]


def test_a3_windows_cover_the_text_overlap_exactly_and_slice_back_to_it():
    spans = Chunking().spans(WORDS)
    windows = [span.of(WORDS).split() for span in spans]
    assert [len(window) for window in windows] == [1200, 1200, 300]
    for before, after in pairwise(windows):
        assert before[-100:] == after[:100]
    together = windows[0] + [word for window in windows[1:] for word in window[100:]]
    assert together == WORDS.split()


def test_a3_a_last_window_that_would_lie_within_the_one_before_is_no_chunk():
    text = " ".join(f"w{number}" for number in range(10))
    assert texts(text, size=5, overlap=2) == ["w0 w1 w2 w3 w4", "w3 w4 w5 w6 w7", "w6 w7 w8 w9"]
    assert texts(" ".join(text.split()[:8]), size=5, overlap=2) == ["w0 w1 w2 w3 w4", "w3 w4 w5 w6 w7"]


def test_chunks_begin_and_end_with_what_can_be_seen():
    assert Chunking(size=2, overlap=0).spans("\n\n  one two \t three  \n") == [
        ChunkSpan(4, 11, ""),
        ChunkSpan(14, 19, ""),
    ]


@pytest.mark.parametrize("text", ["", " \n\t ", "\u200b\ufeff"])
def test_a_text_without_anything_visible_has_no_chunks(text):
    assert Chunking().spans(text) == []


def test_long_words_and_scripts_without_spaces_are_several_tokens():
    assert texts("incomprehensibilities", size=2, overlap=0) == ["incomprehens", "ibilities"]
    assert texts("東京都港区", size=2, overlap=1) == ["東京", "京都", "都港", "港区"]


def test_marks_stay_with_their_letters():
    assert texts("हिन्दी हिन्दी", size=1, overlap=0) == ["हिन्दी", "हिन्दी"]


def test_a_token_of_english_prose_costs_about_four_characters():
    prose = "The clerk in the tank involuntarily applauded; becoming immediately sensible of the impropriety. " * 40
    size = len(Chunking(size=1, overlap=0).spans(prose))
    assert 0.75 < size / token_cost(prose) < 1.25


def test_chunks_end_at_the_strongest_separator_that_fits():
    text = "One two.\n\nThree four five. Six\nseven eight nine ten eleven twelve thirteen"
    assert texts(text, size=8, overlap=0, mode="separators") == [
        "One two.",
        "Three four five. Six",
        "seven eight nine ten eleven twelve thirteen",
    ]
    assert texts("A b c. D e f. G h i", size=6, overlap=0, mode="separators") == ["A b c.", "D e f.", "G h i"]
    assert texts("甲乙。丙丁。戊己", size=4, overlap=0, mode="separators") == ["甲乙。", "丙丁。", "戊己"]


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("mode", ["tokens", "separators"])
def test_every_visible_character_is_in_a_chunk_and_none_lies_within_another(seed, mode):
    chance = random.Random(seed)
    text = "".join(
        chance.choice(["word ", "x", ". ", "\n", "\n\n", "東", "Überlänge ", "  ", "# Head\n"]) for _ in range(400)
    )
    size = chance.randint(1, 40)
    chunking = Chunking(size=size, overlap=chance.randrange(size), mode=mode)
    spans = chunking.spans(text)
    held = set()
    for span in spans:
        held.update(range(span.start, span.end))
    assert all(place in held for place, character in enumerate(text) if not character.isspace())
    for before, after in pairwise(spans):
        assert before.start < after.start and before.end < after.end
    one = Chunking(size=1, overlap=0)
    assert all(len(one.spans(span.of(text))) <= size for span in spans)


def test_chunks_say_below_which_headings_they_begin():
    text = "# Stave One\nMarley was dead.\n## The door\nA knocker."
    assert [span.heading for span in Chunking(size=4, overlap=0).spans(text)] == [
        "Stave One",
        "Stave One",
        "Stave One > The door",
        "Stave One > The door",
    ]


def test_a_function_cuts_by_spans_or_by_texts():
    text = "one. two. one."
    assert texts(text, mode=lambda given: [(0, 4), (5, 9), (9, 10), (10, 14)]) == ["one.", "two.", "one."]
    spans = Chunking(mode=lambda given: given.split(" ")).spans(text)
    assert [(span.start, span.end) for span in spans] == [(0, 4), (5, 9), (10, 14)]


@pytest.mark.parametrize("mode", [lambda text: ["elsewhere"], lambda text: [(0, 99)], lambda text: [(2, 1)]])
def test_a_function_whose_chunks_are_not_in_the_text_is_an_error(mode):
    with pytest.raises(ConfigError, match=r"chunking\.mode"):
        Chunking(mode=mode).spans("text")


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"size": 0}, "chunking.size"),
        ({"size": True}, "chunking.size"),
        ({"size": 100}, "chunking.overlap"),
        ({"overlap": -1}, "chunking.overlap"),
        ({"size": 10, "overlap": 10}, "chunking.overlap"),
        ({"mode": "words"}, "chunking.mode"),
        ({"length": 5}, "chunking"),
        (1200, "chunking"),
    ],
)
def test_what_cannot_be_cut_by_is_an_error_that_names_it(given, path):
    with pytest.raises(ConfigError) as caught:
        checked_chunking(given)
    assert caught.value.data["path"] == path


def test_chunking_is_given_as_a_mapping_too():
    assert checked_chunking({"size": 300, "overlap": 20}) == Chunking(size=300, overlap=20)
    assert checked_chunking(None) is None
