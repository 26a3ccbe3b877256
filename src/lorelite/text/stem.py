"""A light English stemmer for comparing words, not for showing them."""

from __future__ import annotations

import re

_VOWEL = re.compile("[aeiouy]")
_KEEP_FINAL_E = re.compile("(?:[^aeiou][aeiouy][bcdgkmnprtvz]|[aeiou][sz]|[lrn][cgv]|dg|[bcdfgkptz]l|u)$")
_IRREGULAR = {
    "was": "be", "were": "be", "is": "be", "are": "be", "been": "be", "has": "have", "had": "have",
    "men": "man", "women": "woman", "children": "child", "people": "person", "feet": "foot", "wives": "wife",
    "lives": "life", "said": "say", "went": "go", "gone": "go", "made": "make", "born": "birth", "died": "die",
    "wrote": "write", "written": "write", "built": "build", "news": "news", "this": "this", "gas": "gas",
}  # fmt: skip


def light_stem(word: str) -> str:
    """The word without English plural, past, -ing and possessive endings, lower-cased.

    Words of other scripts, and words shorter than four letters, are only lower-cased.
    """
    stem = word.lower().replace("’", "'")
    stem = stem.removesuffix("'s").removesuffix("'")
    if stem in _IRREGULAR:
        return _IRREGULAR[stem]
    if len(stem) < 4 or stem[-1] not in "sdge" or not stem.isascii():
        return stem
    return _without_tense(_without_plural(stem))


def _without_plural(word: str) -> str:
    if word.endswith(("ss", "us", "is", "'s")) or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def _without_tense(word: str) -> str:
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= 2 and _VOWEL.search(base):
            if ending == "ed" and base.endswith("i"):
                return base[:-1] + "y"
            if base.endswith("e"):  # agreed, seed: not a past tense of "agre"
                return word
            return _restored(base)
    # A longer word has lost its e before -ing and -ed: managed and manage both become manag.
    if word.endswith("e") and len(_VOWEL.findall(word)) > 2 and not word.endswith(("ee", "ie")):
        return word[:-1]
    return word


def _restored(base: str) -> str:
    """Undo the doubling in stopped → stop, and the dropped e in noted → note."""
    if len(base) > 2 and base[-1] == base[-2] and base[-1] not in "lsz":
        return base[:-1]
    if len(base) > 1 and _KEEP_FINAL_E.search(base) and len(_VOWEL.findall(base)) == 1:
        return base + "e"
    return base
