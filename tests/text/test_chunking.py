from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorelite.errors import InvalidOption
from lorelite.text.chunking import chunk_spans, chunk_text
from lorelite.text.headings import find_headings

BOOK = (
    """# Carol

## Stave One

Marley was dead. Mind!

```python
# not a heading
```

### The Ghost

It came. """
    + "It spoke at some length of chains. " * 40
)


def test_a_chunk_carries_the_path_of_its_headings() -> None:
    chunks = chunk_spans(BOOK, max_chars=400, overlap=50)
    assert chunks[0].heading == "Carol > Stave One"
    assert {chunk.heading for chunk in chunks[1:]} == {"Carol > Stave One > The Ghost"}


def test_the_chapters_of_a_plain_book_are_headings() -> None:
    book = "Intro.\n\nSTAVE ONE\n\n[Illustration]\n\nMARLEY'S GHOST\n\nMarley was dead.\n\n第二章 归来\n\n他回来了。"
    assert [(heading.level, heading.title) for heading in find_headings(book)] == [
        (1, "Stave One"),
        (2, "Marley's Ghost"),
        (1, "第二章 归来"),
    ]


def test_front_matter_is_not_an_underlined_heading() -> None:
    assert find_headings("---\ntitle: Boats\n---\nText\n\nReal\n====\n")[0].title == "Real"


def test_overlap_repeats_whole_sentences() -> None:
    text = "".join(f"This is sentence number {number:02}. " for number in range(40))
    chunks = chunk_spans(text, max_chars=200, overlap=60)
    for before, after in pairwise(chunks):
        repeated = text[after.start : before.end]
        assert 0 < len(repeated) <= 60
        assert repeated.startswith("This is") and repeated.endswith(".")


def test_a_chunk_prefers_to_end_with_a_paragraph() -> None:
    text = "One sentence here. Another one here.\n\nA new paragraph begins. It goes on. And on it goes."
    first, *_ = chunk_spans(text, max_chars=66, overlap=0)
    assert first.of(text) == "One sentence here. Another one here."


@given(st.text(st.characters(), max_size=300), st.integers(1, 80), st.data())
def test_chunks_fit_and_hold_every_visible_character(text: str, max_chars: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, max_chars - 1))
    covered = 0
    starts = []
    for chunk in chunk_spans(text, max_chars, overlap):
        assert chunk.start < chunk.end <= chunk.start + max_chars
        assert not text[covered : chunk.start].strip()
        assert chunk.end > covered
        covered = chunk.end
        starts.append(chunk.start)
    assert not text[covered:].strip()
    assert starts == sorted(set(starts))


def test_a_hard_cut_separates_no_letter_from_its_marks() -> None:
    text = "क्षि" * 100 + "👩‍🚀" * 50
    for chunk in chunk_spans(text, max_chars=30, overlap=0):
        assert text[chunk.start] in "क👩ष"


@pytest.mark.parametrize(
    ("arguments", "chunks", "truncated"),
    [
        (("aaaa bbbb cccc", 6, 0), ["aaaa ", "bbbb ", "cccc"], False),
        (("aaaa bbbb cccc", 6, 2), ["aaaa ", "a bbbb", "bb ccc", "ccc"], True),
        (("para one\n\npara two", 14, 0), ["para one\n\n", "para two"], False),
        (("One two. Three four! Five", 20, 5), ["One two. Three ", "hree four! Five"], False),
        (("abcdefghijklmnop", 5, 1), ["abcde", "efghi", "ijklm", "mnop"], True),
        (("😀😀😀😀", 3, 0), ["😀", "😀😀", "😀"], True),
        (("  ", 1, 9), [], False),
    ],
)
def test_chunk_text_cuts_windows_as_the_reference_does(
    arguments: tuple[str, int, int], chunks: list[str], truncated: bool
) -> None:
    result = chunk_text(*arguments)
    assert (result.chunks, result.truncated) == (chunks, truncated)


@pytest.mark.parametrize(
    ("function", "max_chars", "overlap", "field"),
    [
        (chunk_text, 1, 0, "max_chars"),
        (chunk_text, 2, 2, "overlap"),
        (chunk_text, 10, -1, "overlap"),
        (chunk_spans, 0, 0, "max_chars"),
        (chunk_spans, 5, 5, "overlap"),
        (chunk_spans, 2.5, 0, "max_chars"),
    ],
)
def test_impossible_sizes_are_refused_by_name(function: Any, max_chars: Any, overlap: int, field: str) -> None:
    with pytest.raises(InvalidOption) as raised:
        function("some text", max_chars, overlap)
    assert raised.value.data["field"] == field
