"""One spelling for what readers take as the same letters. Lengths change: never use it to compute offsets."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from lorelite.text import characters

_IGNORED = re.compile(f"[{characters.IGNORABLE}{characters.OPTIONAL_POINTS}]+")
_ZERO_DIGITS = (
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0, 0xF20,
    0x1040, 0x17E0,
)  # fmt: skip
_SAME_LETTER = str.maketrans(
    {zero + value: str(value) for zero in _ZERO_DIGITS for value in range(10)}
    | dict.fromkeys(map(ord, "’ʼʹ′＇"), "'")
    | dict.fromkeys(map(ord, "‐‑−﹣"), "-")
    | dict.fromkeys(map(ord, "أإآٱ"), "ا")
    | {ord("ى"): "ي", ord("ی"): "ي", ord("ک"): "ك"}
)
_FOLDABLE = re.compile("[\u00c0-\u036f\u0370-\u052f\u1e00-\u1fff]")
_LATIN_MARKS = re.compile("[\u0300-\u036f]+")
_UNDECOMPOSED = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ŧ": "t"}
)


@cache
def _long_mark_run() -> re.Pattern[str]:
    # The half-width sound marks are letters that decompose into marks.
    marks = f"[{characters.combining_marks()}\uff9e\uff9f]"
    return re.compile(f"({marks}{{8}}){marks}+")


def normalise(text: str) -> str:
    """NFKC with one apostrophe, one hyphen and ASCII digits; invisible characters and optional points removed.

    Case is kept. At most eight combining marks follow a letter. Linear in the length of the text.
    """
    if text.isascii():
        return text
    # Canonical ordering is quadratic in a run of marks, so a run is cut before it is normalised.
    text = _long_mark_run().sub(r"\1", _IGNORED.sub("", text))
    return _IGNORED.sub("", unicodedata.normalize("NFKC", text).translate(_SAME_LETTER))


def fold_case(word: str) -> str:
    """Case-folded: ß is ss, and the Turkish İ is i."""
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFC", word.casefold().replace("i\u0307", "i"))


def fold_diacritics(word: str) -> str:
    """Without diacritics, for the scripts whose readers leave them out: Latin, Greek, Cyrillic."""
    if word.isascii() or not _FOLDABLE.search(word):
        return word
    bare = _LATIN_MARKS.sub("", unicodedata.normalize("NFD", word.translate(_UNDECOMPOSED)))
    return unicodedata.normalize("NFC", bare)
