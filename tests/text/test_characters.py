from __future__ import annotations

import re
import unicodedata

from lorelite.text import characters


def test_every_combining_mark_of_unicode_is_in_the_class() -> None:
    mark = re.compile(f"[{characters.combining_marks()}]")
    missed = [
        hex(code)
        for code in range(0xE0000)
        if (unicodedata.category(chr(code))[0] == "M") != bool(mark.match(chr(code)))
    ]
    assert missed == []


def test_unspaced_scripts_hold_letters_and_no_punctuation() -> None:
    unspaced = re.compile(f"[{characters.UNSPACED}]")
    assert all(map(unspaced.match, "字々かカー한ไทยລາວမြန်မာខ្មែរ"))
    assert not any(map(unspaced.match, "。、「」・។၊฿aé"))
