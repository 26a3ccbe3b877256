"""Texts by the words they hold, in memory: what finds them where there are no vectors."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from lorelite.search.inverted import InvertedIndex
from lorelite.search.query_plan import resolve
from lorelite.search.vectors import TIE
from lorelite.text.tokens import index_tokens, query_terms

_FEW = 50
"""In so many texts no word is too common."""
_COMMON = 0.2
"""Share of the texts from which on a word says nothing of how alike two of them are."""


class WordIndex:
    """Texts by id, ranked by BM25, and compared with each other by their weighted words."""

    def __init__(self) -> None:
        self._index = InvertedIndex((1.0,))
        self._keys: dict[str, int] = {}
        self._ids: dict[int, str] = {}
        self._tokens: dict[str, list[str]] = {}
        self._last = 0
        self._weights: dict[str, dict[str, float]] | None = None
        self._holding: dict[str, dict[str, float]] = {}

    def put(self, id: str, text: str | None) -> None:
        """Add a text, or put it in the place of the earlier one; None takes it away."""
        if id in self._keys:
            key = self._keys.pop(id)
            self._index.remove(key, (self._tokens.pop(id),))
            del self._ids[key]
        self._weights = None
        if text is not None:
            self._last += 1
            self._keys[id], self._ids[self._last], self._tokens[id] = self._last, id, index_tokens(text)
            self._index.add(self._last, (self._tokens[id],))

    def match(self, query: str, limit: int) -> list[tuple[str, float]]:
        """(id, share of the best BM25 score), best first, ties by id."""
        found = self._index.match(resolve(query_terms(query), self._index), max(limit, 0))
        return _ordered({self._ids[key]: score / found[0][1] for key, score in found})

    def like(self, id: str, limit: int) -> list[tuple[str, float]]:
        """(id, cosine) of the texts most like this one, itself left out. A word weighs 1 + log of its count, times its
        rarity."""
        weights = self._weighted()
        scores: dict[str, float] = {}
        for token, weight in weights.get(id, {}).items():
            for other, its in self._holding[token].items():
                scores[other] = scores.get(other, 0.0) + weight * its
        scores.pop(id, None)
        return _ordered({other: round(min(score, 1.0), TIE) for other, score in scores.items()})[: max(limit, 0)]

    def _weighted(self) -> Mapping[str, Mapping[str, float]]:
        """Id → token → weight, each text's of length 1."""
        if self._weights is not None:
            return self._weights
        most = len(self._tokens) if len(self._tokens) <= _FEW else _COMMON * len(self._tokens)
        counts = {id: Counter(tokens) for id, tokens in self._tokens.items()}
        frequency = Counter(token for tokens in counts.values() for token in tokens)
        self._weights, self._holding = {}, {}
        for id, tokens in counts.items():
            weights = {
                token: (1 + math.log(count)) * math.log(1 + len(counts) / frequency[token])
                for token, count in tokens.items()
                if frequency[token] <= most
            }
            length = math.sqrt(math.fsum(weight * weight for weight in weights.values()))
            self._weights[id] = {token: weight / length for token, weight in weights.items()}
            for token, weight in self._weights[id].items():
                self._holding.setdefault(token, {})[id] = weight
        return self._weights


def _ordered(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
