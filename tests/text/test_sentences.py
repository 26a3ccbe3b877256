from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorelite.text.sentences import MAX_SENTENCE_CHARS, split_sentences


def sentences(text: str) -> list[str]:
    return [span.of(text) for span in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Marley was dead. Mind! Really?", ["Marley was dead.", "Mind!", "Really?"]),
        ('"Bah!" said Scrooge. "Humbug!" He left.', ['"Bah!" said Scrooge.', '"Humbug!"', "He left."]),
        (
            "Dr. Smith met J. B. Lippincott, e.g. in No. 5. So did I. Then it cost 3.50 dollars.",
            ["Dr. Smith met J. B. Lippincott, e.g. in No. 5.", "So did I.", "Then it cost 3.50 dollars."],
        ),
        (
            "Am 3. Oktober war es z. B. kalt. Im 19. Jahrhundert nicht.",
            ["Am 3. Oktober war es z. B. kalt.", "Im 19. Jahrhundert nicht."],
        ),
        ("今天天气好。我们去“公园。”然后呢？对！", ["今天天气好。", "我们去“公园。”", "然后呢？", "对！"]),
        ("यह वाक्य है। दूसरा वाक्य।", ["यह वाक्य है।", "दूसरा वाक्य।"]),
        ("مرحبا بك؟ نعم. حسنا۔ انتهى", ["مرحبا بك؟", "نعم.", "حسنا۔", "انتهى"]),
        ("1. First item. It has two.\n2. Second\n- third", ["1. First item.", "It has two.", "2. Second", "- third"]),
        ("# Title\nBody wraps\nhere. More.\n\nPara", ["# Title", "Body wraps\nhere.", "More.", "Para"]),
        ("Wait... what? Yes… No.", ["Wait... what?", "Yes…", "No."]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_spans_of_a_slice_are_offsets_of_the_whole_text() -> None:
    text = "Before. One. Two. After."
    assert [span.of(text) for span in split_sentences(text, 8, 17)] == ["One.", "Two."]


def test_a_sentence_without_an_end_is_cut_at_a_clause() -> None:
    text = "so it went on, " * 200
    spans = split_sentences(text)
    assert len(spans) > 2
    assert all(span.of(text).endswith(",") for span in spans)


@given(st.text(st.characters(), max_size=300), st.integers(1, 12))
def test_spans_are_ordered_trimmed_short_and_hold_every_visible_character(text: str, times: int) -> None:
    text *= times
    position, between = 0, ""
    for span in split_sentences(text):
        assert position <= span.start < span.end <= span.start + MAX_SENTENCE_CHARS
        assert span.of(text) == span.of(text).strip()
        between += text[position : span.start]
        position = span.end
    assert not (between + text[position:]).strip()
