"""Is a statement backed by the words it quotes? A check by machine of the quotes, not of what they prove."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from lorelite.text.quote import MARKS

SHORTEST = 20
"""Characters below which a quote proves nothing: it may stand in the source by chance."""
MOST = 10
"""Quotes looked at."""
CHECKED_BY = "process:grounding-check"
"""Who verified a statement that passed."""


@dataclass(frozen=True, slots=True)
class Grounding:
    """What the check found; `reason` is empty when the statement passed."""

    reason: Literal["", "no_evidence", "evidence_too_short", "quote_not_found"]

    @property
    def ok(self) -> bool:
        """Do the sources hold every quote that counts, and is there one?"""
        return not self.reason

    @property
    def code(self) -> str:
        """The code of the diagnostic: grounding_missing, grounding_failed, or empty."""
        if self.ok:
            return ""
        return "grounding_failed" if self.reason == "quote_not_found" else "grounding_missing"


def grounded(quotes: Iterable[str], sources: Sequence[str]) -> Grounding:
    """Check *quotes* against *sources*: each must stand word for word in one of them.

    Unicode forms (NFKC), whitespace, and the kind of quotation marks and dashes do not count. Quotes of fewer than 20
    characters are passed over, and so is what follows the tenth.
    """
    given = [spelled for quote in quotes if (spelled := _spelled(quote))][:MOST]
    if not given:
        return Grounding("no_evidence")
    counting = [quote for quote in given if len(quote) >= SHORTEST]
    if not counting:
        return Grounding("evidence_too_short")
    texts = [_spelled(source) for source in sources]
    found = all(any(quote in text for text in texts) for quote in counting)
    return Grounding("" if found else "quote_not_found")


def _spelled(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).translate(MARKS).split())
