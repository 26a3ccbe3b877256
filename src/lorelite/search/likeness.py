"""How alike texts are by their words: cosine of tf-idf vectors (Salton and Buckley 1988), where there are no others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

WordVector = Mapping[str, float]
"""Token → weight; of length 1, or empty."""

_FEW = 50
"""In so many texts no word is too common."""
_COMMON = 0.2
"""Share of the texts from which on a word says nothing of how alike two of them are."""


def word_vector(tokens: Iterable[str], holding: Mapping[str, int], total: int) -> WordVector:
    """(1 + log of how often) times the log of how rare, of length 1; without what a fifth of many texts hold.

    holding: how many of *total* texts hold each token; one that is missing counts as held by one alone.
    """
    most = total if total <= _FEW else _COMMON * total
    weights = {
        token: (1 + math.log(count)) * math.log(1 + total / holding.get(token, 1))
        for token, count in Counter(tokens).items()
        if holding.get(token, 1) <= most
    }
    length = math.sqrt(math.fsum(weight * weight for weight in weights.values()))
    return {token: weight / length for token, weight in weights.items()} if length else {}


def likeness(one: WordVector, other: WordVector) -> float:
    """The cosine of two such vectors: 0 … 1."""
    shorter, longer = sorted((one, other), key=len)
    return min(1.0, math.fsum(weight * longer[token] for token, weight in shorter.items() if token in longer))
