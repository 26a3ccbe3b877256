"""Putting a reply together that was cut at the limit of tokens and went on. Pure."""

from __future__ import annotations

import re

_LONGEST_WORD = 40
"""What is longer was cut in no word, but in a script or a format without spaces."""
_MOST_OVERLAP = 400
_LEAST_OVERLAP = 12
"""A shorter repetition may be chance, unless it ends with a space after a word."""
_CHANCE = re.compile(r"(?:true|false|null|[\W\d_])*")
"""What JSON says several times in a row."""


def whole_words(said: str) -> str:
    """A cut reply without the word that it was cut in: going on, a model writes that word whole.

    So the seam stands after a space, and nobody has to guess whether one is missing there.
    """
    begin = max(said.rfind(space) for space in " \n\t") + 1
    return said[:begin] if begin and len(said) - begin <= _LONGEST_WORD else said


def joined(said: str, further: str) -> str:
    """Both in one. Models like to say the last words again, and to begin with a space of their own: what is there
    already is left out."""
    for size in range(min(len(said), len(further), _MOST_OVERLAP), 0, -1):
        if said.endswith(further[:size]) and not _is_chance(further[:size]):
            return said + further[size:]
    return said + (further[1:] if said.endswith(" ") and further.startswith(" ") else further)


def _is_chance(again: str) -> bool:
    if len(again) >= _LEAST_OVERLAP:
        return False
    return not again[-1].isspace() or _CHANCE.fullmatch(again) is not None
