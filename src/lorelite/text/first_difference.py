"""How alike two texts are, and where they first differ."""

from __future__ import annotations

import re
from collections import Counter

_WORD = re.compile(r"\w+|[^\w\s]")
_SHOWN = 40
"""Characters around a difference."""


def word_counts(text: str) -> Counter[str]:
    """The words and signs of a text, and how often each is there."""
    return Counter(_WORD.findall(text))


def alikeness(one: Counter[str], other: Counter[str]) -> float:
    """The share of words that two texts have in common, from 0 to 1; two empty texts are alike."""
    most = max(one.total(), other.total())
    return (one & other).total() / most if most else 1.0


def first_difference(one: str, other: str) -> tuple[int, str, str]:
    """(place, what stands there in the one, in the other), each cut to one short line; place is -1 for equal texts."""
    if one == other:
        return -1, "", ""
    shorter = min(len(one), len(other))
    place = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    return place, _shown(one, place), _shown(other, place)


def _shown(text: str, place: int) -> str:
    begin = max(0, place - _SHOWN // 4)
    line = " ".join(text[begin : place + _SHOWN].split())
    return line or "the end"
