"""The part of a text that shows why it was found."""

from __future__ import annotations

from lorelite.cli.output import shortened
from lorelite.text import highlight


def snippet(text: str, query: str, limit: int = 280) -> str:
    """The text on one line; of one longer than *limit*, from the sentence on that holds most words of *query*."""
    if len(text) <= limit:
        return shortened(text, limit)
    start = highlight.snippet(text, query, limit).start
    before = "… " if text[:start].strip() else ""
    return before + shortened(text[start : start + 2 * limit], limit)
