"""Vectors from spelling alone: no model, no data, the same in every runtime and script.

Feature hashing with signs (Weinberger et al. 2009) over words and character n-grams, function words left out.
Texts that share words or parts of words are near; texts that mean the same in other words are not.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache

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


class HashEmbedder:
    """A deterministic embedder: `dimensions` numbers per text, of length 1 (all zero for a text without words)."""

    blocking = True

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
        words = Counter(_words().findall(fold_case(normalise(text))))
        stop_words = stop_words_for(words)
        if not words.keys() <= stop_words:
            words = Counter({word: count for word, count in words.items() if word not in stop_words})
        for word, count in words.items():
            weight = 1 + math.log(count)
            for index, share in _features(word, self.dimensions):
                vector[index] += weight * share
        length = math.sqrt(math.fsum(number * number for number in vector))
        return [number / length for number in vector] if length else vector


@cache
def _words() -> re.Pattern[str]:
    marks = characters.combining_marks()
    unspaced = f"[{characters.UNSPACED}]"
    return re.compile(f"{unspaced}+|(?:(?!{unspaced})[\\w{marks}])+|[{characters.EMOJI}]")


@lru_cache(maxsize=50_000)
def _features(word: str, dimensions: int) -> tuple[tuple[int, float], ...]:
    """Positions and signed weights of a word: itself and its n-grams."""
    word = fold_diacritics(word)[:_LONGEST_WORD]
    if _UNSPACED.match(word):
        grams = [word[at : at + size] for size in _UNSPACED_GRAMS for at in range(len(word) - size + 1)]
        return tuple(_placed(gram, 1.0, dimensions) for gram in grams)
    marked = f"<{word}>"
    grams = [marked[at : at + size] for size in _GRAMS for at in range(len(marked) - size + 1)]
    return (_placed(word, 1.0, dimensions), *(_placed(gram, _GRAM_WEIGHT, dimensions) for gram in grams))


def _placed(feature: str, weight: float, dimensions: int) -> tuple[int, float]:
    # CRC-32 is linear, so alike n-grams would land in a pattern; the multiplication breaks it.
    mixed = (zlib.crc32(feature.encode("utf-8", "surrogatepass")) * 0x9E3779B97F4A7C15) >> 32 & 0xFFFFFFFF
    return (mixed >> 1) % dimensions, weight if mixed & 1 else -weight
