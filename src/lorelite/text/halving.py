"""Cutting a passage in two, for whoever cannot take it whole."""

from __future__ import annotations

from lorelite.text.sentences import split_sentences

SHORTEST = 200
"""Characters of a passage that is not cut any more."""


def middle_of(text: str, start: int, end: int) -> int | None:
    """Where a sentence of `text[start:end]` begins, as near to its middle as can be; None where there is no such place
    that leaves something on both sides, or the passage has fewer than 2 × 200 characters."""
    if end - start < 2 * SHORTEST:
        return None
    middle = (start + end) // 2
    begins = [span.start for span in split_sentences(text, start, end) if start < span.start]
    return min(begins, key=lambda at: (abs(at - middle), at), default=None)
