"""Character classes of every script, as fragments of regular-expression sets."""

from __future__ import annotations

import unicodedata
from functools import cache

# Scripts written without spaces between words (or, for Hangul, searched by inner syllables):
# Han with its marks 々〆〇, kana, bopomofo, Hangul, Thai, Lao, Burmese, Khmer; their punctuation left out.
UNSPACED = (
    "\u3005-\u3007\u3041-\u3096\u3099-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u312f\u3131-\u318e\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
    "\u1100-\u11ff\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
    "\u0e01-\u0e2e\u0e30-\u0e3a\u0e40-\u0e4e\u0e81-\u0eae\u0eb0-\u0ece\u0edc-\u0edf"
    "\u1000-\u1049\u1050-\u109f\ua9e0-\ua9fe\uaa60-\uaa7f\u1780-\u17d3\u17dc-\u17dd"
)

# Drawn wholly as pictures; letters in circles and arrows are not emoji.
EMOJI = (
    "\u203c\u2049\u2300-\u23ff\u2600-\u27bf\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001f0ff\U0001f18e\U0001f191-\U0001f19a\U0001f201-\U0001f3fa\U0001f400-\U0001faff"
)
SKIN_TONES = "\U0001f3fb-\U0001f3ff"
REGIONAL_INDICATORS = "\U0001f1e6-\U0001f1ff"

# Soft hyphen, joiners, direction marks, byte-order mark, variation selectors: they carry no letter.
IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\U000e0000-\U000e0fff"
)

# Arabic vowel signs and tatweel, Hebrew points: commonly left out, so never searched.
OPTIONAL_POINTS = (
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
)

# Every combining mark outside the ignorable plane 14 lies in one of these stretches.
_MARK_BLOCKS = (
    (0x300, 0x3100),
    (0xA66F, 0xABEE),
    (0xFB1E, 0xFE30),
    (0x101FD, 0x11F60),
    (0x13430, 0x13460),
    (0x16100, 0x16140),
    (0x16AF0, 0x16FF2),
    (0x1BC9D, 0x1BCA0),
    (0x1CF00, 0x1D250),
    (0x1DA00, 0x1E950),
)


@cache
def combining_marks() -> str:
    """Every combining mark (Unicode categories Mn, Mc, Me), which Python's `\\w` leaves out."""
    ranges: list[tuple[int, int]] = []
    for start, stop in _MARK_BLOCKS:
        for code in range(start, stop):
            if unicodedata.category(chr(code))[0] == "M":
                if ranges and ranges[-1][1] == code - 1:
                    ranges[-1] = (ranges[-1][0], code)
                else:
                    ranges.append((code, code))
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
