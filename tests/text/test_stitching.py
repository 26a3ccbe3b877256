"""Texts put together again from overlapping pieces."""

from __future__ import annotations

from lorelite.text.stitching import stitched

TEXT = " ".join(f"Sentence number {number} tells of something else." for number in range(60))


def pieces_of(text: str, size: int, overlap: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text) - overlap, size - overlap)]


def test_overlapping_pieces_give_the_text_again_and_where_each_stands():
    pieces = pieces_of(TEXT, 400, 100)
    text, spans = stitched(pieces)
    assert text == TEXT
    assert [text[span.start : span.end] for span in spans] == pieces


def test_the_order_in_which_pieces_are_given_does_not_matter_where_they_overlap():
    pieces = pieces_of(TEXT, 400, 100)
    shuffled = pieces[3:] + pieces[:3]
    text, spans = stitched(shuffled)
    assert text == TEXT
    assert [text[span.start : span.end] for span in spans] == shuffled


def test_pieces_without_an_overlap_follow_one_another():
    text, spans = stitched(["The first.", "The second."])
    assert text == "The first.\n\nThe second."
    assert [text[span.start : span.end] for span in spans] == ["The first.", "The second."]


def test_equal_pieces_and_rings_are_each_placed_once():
    ring = [TEXT[:300] + TEXT[600:700], TEXT[600:700] + TEXT[:300]]
    for pieces in ([TEXT[:100], TEXT[:100]], ring, [], [""]):
        text, spans = stitched(pieces)
        assert [text[span.start : span.end] for span in spans] == pieces
