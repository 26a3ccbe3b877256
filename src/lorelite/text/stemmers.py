"""How the forms of a word find each other: an English word by its stem, a word of another inflected language by a part.

In an English text an inflected word is held as its stem and then its ending, so that `kettles` is found by `kettle`,
costs a query one term, and is still told from it in a phrase. A word of another language that inflects is held as it
is, and after all words come parts of them: the first five letters, which measure as good as grams of all letters at a
fifth of the tokens; or, in scripts that write few vowels and join articles and prepositions to a word, each three
letters in a row.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import Literal

from lorelite.text import characters
from lorelite.text.stem import light_stem
from lorelite.text.stopwords import ENGLISH, FOREIGN, FOREIGN_ALONE, UNINFLECTED, foreign_language

ENDING = "\ue000"
"""Begins the token of an English ending. Private use: no text can bring it, since it is not a letter."""
PART = "\ue001"
"""Begins the token of a part of a word."""

Inflection = Literal["english", "inflected", "none"]
"""How words of Latin letters change in a text. Words of other alphabets are always taken to be inflected."""

_FIRST_LETTERS = 5
_MIN_LETTERS = 4
_WINDOW = 3


def inflection_of(words: Collection[str], evidence: int) -> Inflection:
    """By the function words among *words*, lower-cased; English unless *evidence* of them speak against it."""
    language = foreign_language(words, evidence)
    if language is None:
        return "english"
    return "none" if language in UNINFLECTED else "inflected"


def english_stem(word: str) -> str:
    """The stem of a word of ASCII letters alone; function words, and whatever is no such word, stay as they are."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()) or word in ENGLISH or word in FOREIGN_ALONE:
        return word
    return light_stem(word)


def stem_and_ending(word: str) -> tuple[str, ...]:
    """The tokens of a word in an English text: the word, or its stem and the letters by which the word differs."""
    stem = english_stem(word)
    if stem == word:
        return (word,)
    common = len(stem)
    while not word.startswith(stem[:common]):
        common -= 1
    return stem, ENDING + word[common:]


def parts_of(word: str) -> tuple[str, ...]:
    """The tokens by which other forms of a case-folded word of letters find it; none for what does not inflect."""
    if word in FOREIGN or not (word.isalpha() if word.isascii() else _letters().fullmatch(word)):
        return ()
    if _FEW_VOWELS.match(word):
        return tuple(PART + word[start : start + _WINDOW] for start in range(len(word) - _WINDOW + 1))
    return (PART + word[:_FIRST_LETTERS],) if len(word) >= _MIN_LETTERS else ()


def is_latin(word: str) -> bool:
    return word.isascii() or bool(_LATIN.match(word))


def has_other_alphabet(text: str) -> bool:
    """Whether a text may hold words, other than Latin ones, that have parts."""
    return not text.isascii() and bool(_OTHER_ALPHABET.search(text))


def is_marked(token: str) -> bool:
    """Whether a token is an ending or a part, and no word."""
    return token[0] in (ENDING, PART)


_LATIN = re.compile("[a-z\u00aa-\u024f\u1e00-\u1eff]")
# From Greek on, without the unspaced scripts; with the presentation forms that are normalised to letters.
_OTHER_ALPHABET = re.compile(
    "[\u0370-\u0dff\u0f00-\u0fff\u10a0-\u10ff\u1200-\u177f\u1800-\u1dff\u1f00-\u1fff\u2c00-\u2dff\ua4d0-\ua95f"
    "\ua980-\ua9df\uaa00-\uaa5f\uaa80-\uabff\ufb1d-\ufdff\ufe70-\ufefe\U00010000-\U0001efff]"
)
# Hebrew, Arabic and Syriac letters.
_FEW_VOWELS = re.compile("[\u05d0-\u05f2\u0620-\u074f\u0750-\u077f\u08a0-\u08ff]")


@cache
def _letters() -> re.Pattern[str]:
    return re.compile(rf"[^\W\d_{characters.UNSPACED}](?:[^\W\d_]|[{characters.combining_marks()}])*")
