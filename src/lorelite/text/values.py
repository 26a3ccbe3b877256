"""What a cell, a field or a heading says: a name, a label, or merely a value."""

from __future__ import annotations

import re

from lorelite.text.name_words import CONNECTORS, MONTHS_AND_DAYS, NO_NAMES
from lorelite.text.normalise import fold_case, normalise

MAX_LABEL_WORDS = 4

_WORD_SEPARATOR = re.compile(r"[^\w\u0300-\u036f]+|_+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SENTENCE_MARK = re.compile(r"[.!?;:，。！？；：|<>{}\[\]\"=/\\]\s|[!?。！？；|<>{}\[\]\"=\\/@]")
_DATE_LIKE = re.compile(r"\d{3,}|\d+[-/.:]\d+")


def label(text: str) -> str:
    """A relation or type name of at most four words: lower case joined by underscores, any script."""
    words = [word for word in _WORD_SEPARATOR.split(_CAMEL.sub(" ", normalise(text))) if word]
    return fold_case("_".join(words[:MAX_LABEL_WORDS]))


def looks_like_name(value: str) -> bool:
    """Whether a value is at least two capitalised words (of, de, van … may stand between), so a name."""
    value = value.strip()
    words = value.split()
    if not 2 <= len(words) <= 6 or len(value) > 80 or _SENTENCE_MARK.search(value) or _DATE_LIKE.search(value):
        return False
    if words[0].casefold() in NO_NAMES or any(word.casefold().strip(".,") in MONTHS_AND_DAYS for word in words):
        return False
    capitals = sum(word[:1].isupper() for word in words)
    return capitals >= 2 and all(word[:1].isupper() or word.casefold() in CONNECTORS | {"and", "the"} for word in words)


def is_short_text(value: str) -> bool:
    """Whether a value could name something at all: one line, some letter, at most 80 characters, no sentence."""
    value = value.strip()
    return (
        0 < len(value) <= 80
        and "\n" not in value
        and any(character.isalpha() for character in value)
        and not _SENTENCE_MARK.search(value)
        and len(value.split()) <= 8
    )
