"""Text as one reads it aloud."""

from __future__ import annotations

import re

from lorelite.text.headings import plain_title

_MARK = re.compile(r"\s*(?:(?:#{1,6}|[-*+>])\s+|\|)+")


def plain_words(text: str) -> str:
    """The words without Markdown's marks, on one line."""
    opening = _MARK.match(text)
    return " ".join(plain_title(text[opening.end() if opening else 0 :]).split()).rstrip(" |")
