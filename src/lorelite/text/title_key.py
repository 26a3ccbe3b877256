"""When two titles name the same thing."""

from __future__ import annotations

import re
from functools import lru_cache

from lorelite.text.normalise import fold_case, normalise

_GAPS = re.compile(r"[\s_]+")
_OPENING = " '\"`*“”‘’«»‹›„‚「『《〈【（([{<¿¡–—-"
_CLOSING = " '\"`*“”‘’«»‹›„‚」』》〉】）)]}>–—-.,;:!?…。、！？،؛؟۔।"
_PAIRS = {"(": ")", "[": "]", "{": "}"}


@lru_cache(maxsize=4096)  # the same few names are compared again and again
def title_key(title: str) -> str:
    """The form under which titles and aliases are compared: equal keys, same title.

    Case, width, invisible characters, whitespace, underscores, surrounding punctuation and a final possessive do
    not count; inner punctuation, `C++`, `.NET` and every script do. Empty only for a title of invisible characters.
    """
    return key_of_folded(fold_case(normalise(title)))


def key_of_folded(title: str) -> str:
    """The `title_key` of what was normalised and folded before, as part of a longer text."""
    whole = _GAPS.sub(" ", title).strip()
    key = whole.lstrip(_OPENING)
    bare = key.rstrip(_CLOSING)
    # "Mercury (planet)" keeps the bracket it opened.
    if key[len(bare) : len(bare) + 1] in _PAIRS.values() and any(
        bare.count(opening) > bare.count(closing) for opening, closing in _PAIRS.items()
    ):
        bare = key[: len(bare) + 1]
    return bare.removesuffix("'s").rstrip() or whole
