"""Texts by the words they hold, in memory: what finds them where there are no vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from lorelite.search.inverted import InvertedIndex
from lorelite.search.likeness import WordVector, word_vector
from lorelite.search.query_plan import resolve
from lorelite.search.vectors import TIE
from lorelite.text.tokens import index_tokens, query_terms


class WordIndex:
    """Texts by id, ranked by BM25, and compared with each other by their weighted words."""

    def __init__(self) -> None:
        self._index = InvertedIndex((1.0,))
        self._keys: dict[str, int] = {}
        self._ids: dict[int, str] = {}
        self._tokens: dict[str, list[str]] = {}
        self._last = 0
        self._vectors: dict[str, WordVector] | None = None
        self._holding: dict[str, dict[str, float]] = {}
        """Token → the texts that hold it, with its weight in them."""

    def put(self, id: str, text: str | None) -> None:
        """Add a text, or put it in the place of the earlier one; None takes it away."""
        if id in self._keys:
            key = self._keys.pop(id)
            self._index.remove(key, (self._tokens.pop(id),))
            del self._ids[key]
        self._vectors = None
        if text is not None:
            self._last += 1
            self._keys[id], self._ids[self._last], self._tokens[id] = self._last, id, index_tokens(text)
            self._index.add(self._last, (self._tokens[id],))

    def match(self, query: str, limit: int) -> list[tuple[str, float]]:
        """(id, share of the best BM25 score), best first, ties by id."""
        found = self._index.match(resolve(query_terms(query), self._index), max(limit, 0))
        return _ordered({self._ids[key]: score / found[0][1] for key, score in found})

    def like(self, id: str, limit: int) -> list[tuple[str, float]]:
        """(id, cosine) of the texts most like this one by their weighted words, itself left out."""
        vectors = self._weighted()
        scores: dict[str, float] = {}
        for token, weight in vectors.get(id, {}).items():
            for other, its in self._holding[token].items():
                scores[other] = scores.get(other, 0.0) + weight * its
        scores.pop(id, None)
        return _ordered({other: round(min(score, 1.0), TIE) for other, score in scores.items()})[: max(limit, 0)]

    def _weighted(self) -> Mapping[str, WordVector]:
        """Of each text its vector."""
        if self._vectors is None:
            held = Counter(token for tokens in self._tokens.values() for token in set(tokens))
            total = len(self._tokens)
            self._vectors = {id: word_vector(tokens, held, total) for id, tokens in self._tokens.items()}
            self._holding = {}
            for id, vector in self._vectors.items():
                for token, weight in vector.items():
                    self._holding.setdefault(token, {})[id] = weight
        return self._vectors


def _ordered(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
