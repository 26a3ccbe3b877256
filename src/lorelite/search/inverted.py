"""An in-memory inverted index that ranks as FTS5 does: for files without FTS5, and as FTS5's test oracle."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from lorelite.search.query_plan import Clause

K1 = 1.2
B = 0.75
Columns = tuple[Sequence[str], ...]
"""The tokens of one node, column by column."""


class InvertedIndex:
    """Postings of one namespace, ranked by BM25 (Robertson & Zaragoza 2009) with FTS5's constants and idf."""

    def __init__(self, weights: Sequence[float]) -> None:
        self._weights = tuple(weights)
        self._postings: dict[str, dict[int, float]] = {}
        self._texts: dict[int, str] = {}  # the columns as text, for phrases
        self._lengths: dict[int, int] = {}
        self._total_length = 0
        self._sorted: list[str] | None = None

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, key: int, columns: Columns) -> None:
        weighted: Counter[str] = Counter()
        for weight, tokens in zip(self._weights, columns, strict=True):
            for token, count in Counter(tokens).items():
                weighted[token] += weight * count  # type: ignore[assignment]
        for token, frequency in weighted.items():
            if token not in self._postings:
                self._postings[token] = {}
                self._sorted = None
            self._postings[token][key] = frequency
        length = sum(map(len, columns))
        self._texts[key] = _joined(columns)
        self._lengths[key] = length
        self._total_length += length

    def remove(self, key: int, columns: Columns) -> None:
        for token in {token for tokens in columns for token in tokens}:
            postings = self._postings.get(token, {})
            postings.pop(key, None)
            if not postings and self._postings.pop(token, None) is not None:
                self._sorted = None
        self._texts.pop(key, None)
        self._total_length -= self._lengths.pop(key, 0)

    def frequencies(self, tokens: Iterable[str]) -> dict[str, int]:
        return {token: len(self._postings[token]) for token in tokens if token in self._postings}

    def starting_with(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        if self._sorted is None:
            self._sorted = sorted(self._postings)
        begin = bisect_left(self._sorted, prefix)
        found = []
        for token in self._sorted[begin : begin + limit]:
            if not token.startswith(prefix):
                break
            found.append((token, len(self._postings[token])))
        return found

    def holds_phrase(self, phrase: Clause) -> bool:
        return bool(self._matches(phrase))

    def match(
        self, clauses: Sequence[Clause], limit: int, rarity: Callable[[Clause, int], float] | None = None
    ) -> list[tuple[int, float]]:
        """(key, score) of the best *limit* nodes that hold a clause, best first, ties by key.

        rarity: how much a clause counts that so many nodes hold; by default as these nodes have it.
        """
        rarity = rarity or (lambda clause, holding: inverse_frequency(len(self), holding))
        scores: dict[int, float] = {}
        average = self._total_length / len(self) if len(self) else 1.0
        for clause in clauses:
            found = self._matches(clause)
            inverse = rarity(clause, len(found))
            for key, frequency in found.items():
                norm = K1 * (1 - B + B * self._lengths[key] / average)
                scores[key] = scores.get(key, 0.0) + inverse * frequency * (K1 + 1) / (frequency + norm)
        return sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit]

    def _matches(self, clause: Clause) -> Mapping[int, float]:
        """Key → weighted number of occurrences."""
        if len(clause) == 1:
            return self._postings.get(clause[0], {})
        candidates = min((self._postings.get(token, {}) for token in clause), key=len)
        wanted = f" {' '.join(clause)} "
        found: dict[int, float] = {}
        for key in candidates:
            columns = self._texts[key].split("\n")
            frequency = sum(
                weight * _occurrences(column, wanted) for weight, column in zip(self._weights, columns, strict=True)
            )
            if frequency:
                found[key] = frequency
        return found


def inverse_frequency(total: int, holding: int) -> float:
    """How much a term counts that *holding* of *total* nodes hold, as FTS5 has it: never nothing."""
    return max(math.log((total - holding + 0.5) / (holding + 0.5)), 1e-6)


def _joined(columns: Columns) -> str:
    return "\n".join(f" {' '.join(tokens)} " for tokens in columns)


def _occurrences(text: str, wanted: str) -> int:
    """Occurrences of *wanted* in *text*, which may share a space or overlap."""
    count, position = 0, text.find(wanted)
    while position >= 0:
        count += 1
        position = text.find(wanted, position + 1)
    return count
