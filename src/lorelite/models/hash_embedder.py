"""Vectors from spelling alone: no model, no data, the same in every runtime and script.

Feature hashing with signs (Weinberger et al. 2009) over words and character n-grams, function words left out.
Texts that share words or parts of words are near; texts that mean the same in other words are not.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from zlib import crc32

from lorelite.errors import InvalidOption
from lorelite.text import characters
from lorelite.text.normalise import fold_case, fold_diacritics, normalise
from lorelite.text.stopwords import stop_words_for

_GRAMS = (3, 4, 5)
_UNSPACED_GRAMS = (1, 2, 3)
_GRAM_WEIGHT = 0.3
"""Of an n-gram, against 1 of a word; so a long word, which has more of them, counts for more than a short one."""
_LONGEST_WORD = 64
_UNSPACED = re.compile(f"[{characters.UNSPACED}]")
_ASCII_WORDS = re.compile(r"\w+", re.ASCII)


class HashEmbedder:
    """A deterministic embedder: `dimensions` numbers per text, of length 1 (all zero for a text without words)."""

    blocking = True
    in_process = True

    def __init__(self, dimensions: int = 256) -> None:
        if not 8 <= dimensions <= 65_536:
            raise InvalidOption("HashEmbedder.dimensions", "8 to 65536", dimensions)
        self.dimensions = dimensions

    @property
    def model_id(self) -> str:
        return f"hash-words-chars{_GRAMS[0]}-{_GRAMS[-1]}-d{self.dimensions}-1"

    def __repr__(self) -> str:
        return f"HashEmbedder({self.dimensions})"

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._vector(text) for text in texts]

    def as_blocking(self) -> HashEmbedder:
        return self

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self.dimensions
        for word, weight in weighted_words(text).items():
            for index, share in _features(word, self.dimensions):
                vector[index] += weight * share
        length = math.sqrt(math.fsum(number * number for number in vector))
        return [number / length for number in vector] if length else vector


def weighted_words(text: str) -> dict[str, float]:
    """The words of a text, case-folded, with how much each counts: 1 + log of how often it occurs.

    A run of a script without spaces is one word. Function words are left out where there are others.
    """
    folded = fold_case(normalise(text))
    words = Counter((_ASCII_WORDS if folded.isascii() else _words()).findall(folded))
    stop_words = stop_words_for(words)
    if words.keys() <= stop_words:
        stop_words = frozenset()
    return {word: 1 + math.log(count) for word, count in words.items() if word not in stop_words}


def word_features(word: str, dimensions: int, weight: float = 1.0) -> tuple[tuple[int, float], ...]:
    """Positions and signed weights of a word: itself, with the weight given, and its n-grams."""
    word = fold_diacritics(word)[:_LONGEST_WORD]
    if _UNSPACED.match(word):
        return _placed(_grams(word, _UNSPACED_GRAMS), dimensions, weight)
    grams = _placed(_grams(f"<{word}>", _GRAMS), dimensions, _GRAM_WEIGHT * weight)
    return _placed(_grams(word, (len(word),)), dimensions, weight) + grams


_features = lru_cache(maxsize=50_000)(word_features)


@cache
def _words() -> re.Pattern[str]:
    marks = characters.combining_marks()
    unspaced = f"[{characters.UNSPACED}]"
    return re.compile(f"{unspaced}+|(?:(?!{unspaced})[\\w{marks}])+|[{characters.EMOJI}]")


def _grams(word: str, sizes: Sequence[int]) -> list[bytes]:
    if word.isascii():
        # Cut after encoding: an encoding for each n-gram would take longer than all the rest.
        whole = word.encode()
        return [whole[at : at + size] for size in sizes for at in range(len(word) - size + 1)]
    return [
        word[at : at + size].encode("utf-8", "surrogatepass") for size in sizes for at in range(len(word) - size + 1)
    ]


def _placed(features: Sequence[bytes], dimensions: int, weight: float) -> tuple[tuple[int, float], ...]:
    # CRC-32 is linear, so alike n-grams would land in a pattern; the multiplication breaks it.
    mixed = [crc32(feature) * 0x9E3779B97F4A7C15 >> 32 & 0xFFFFFFFF for feature in features]
    signed = (-weight, weight)
    return tuple([((number >> 1) % dimensions, signed[number & 1]) for number in mixed])
