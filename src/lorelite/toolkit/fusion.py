"""Several retrievers as one: their lists fused by rank or by score."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

from lorelite import options
from lorelite.errors import InvalidOption
from lorelite.toolkit import checks
from lorelite.toolkit.records import Retriever, SearchResult

FusionMode = Literal["rrf", "relative", "dist", "simple", "ensemble"]

_KEYS = ("chunk_id", "entity_id", "community_id")
_DEVIATIONS = 3
_LARGE = 1e100
"""Scores whose squares a float may not hold."""


class FusionRetriever:
    """Asks all retrievers and fuses what they find.

    mode: "rrf" sums weight / (k + rank), the rank from 0 by score (reciprocal rank fusion: Cormack, Clarke, Büttcher
    2009); "relative" stretches each list's scores to 0 … 1 and sums them, weighted; "dist" does so between three
    standard deviations below and above the list's mean; "simple" keeps the best score; "ensemble" is "relative" with
    weights that sum to 1. One thing found by several is one result: by its chunk_id, entity_id or community_id, else by
    its content, or by what *key* gives. `metadata["retrievers"]` says who found it, at which rank.
    """

    def __init__(
        self,
        retrievers: Sequence[Retriever] | Mapping[str, Retriever],
        *,
        mode: FusionMode = "rrf",
        weights: Sequence[float] | None = None,
        k: float = 60,
        top_k: int = 10,
        key: Callable[[SearchResult], str] | None = None,
        on_error: Literal["raise", "continue"] = "raise",
    ) -> None:
        """weights: one for each retriever, 1 by default. on_error: whether a failing retriever fails the call."""
        named: Mapping[str, Retriever] = (
            retrievers
            if isinstance(retrievers, Mapping)
            else {str(at): each for at, each in enumerate(checks.many("retrievers", retrievers))}
        )
        for each in named.values():
            checks.able(each, "a Retriever", "retrieve")
        if not named:
            raise InvalidOption("retrievers", "at least one", retrievers)
        given = (
            [1.0] * len(named)
            if weights is None
            else [options.finite("weights[]", weight) for weight in checks.many("weights", weights)]
        )
        if len(given) != len(named) or min(given) < 0 or not 0 < sum(given) < math.inf:
            raise InvalidOption("weights", f"{len(named)} numbers of 0 or more, not all 0", weights)
        self._mode: FusionMode = options.one_of("mode", mode, get_args(FusionMode))
        if self._mode == "ensemble":
            given = [weight / sum(given) for weight in given]
        self._retrievers = dict(named)
        self._weights = given
        self._k = options.finite("k", k)
        if self._k <= 0:
            raise InvalidOption("k", "a number above 0", k)
        if key is not None and not callable(key):
            raise InvalidOption("key", "a function of a SearchResult, or None", key)
        self._top_k = options.whole_number("top_k", top_k, 1)
        self._key = key or result_key
        self._continues = options.one_of("on_error", on_error, ("raise", "continue")) == "continue"

    async def retrieve(self, query: str) -> list[SearchResult]:
        """The best *top_k* results, ordered by fused score, then by who found them first."""
        lists: dict[str, list[SearchResult]] = {}
        for name, retriever in self._retrievers.items():
            try:
                found = _scored(await retriever.retrieve(query))
            except Exception:
                if not self._continues:
                    raise
                found = []
            lists[name] = sorted(found, key=lambda result: -result.score)
        return fused(lists, self._weights, self._mode, self._k, self._key)[: self._top_k]


def _scored(found: object) -> list[SearchResult]:
    """Results whose scores can be ordered: infinite ones are the best or the worst of the others, NaN is the worst."""
    results = checks.all_of("results", found, SearchResult)
    for each in results:
        if isinstance(each.score, bool) or not isinstance(each.score, int | float):
            raise InvalidOption("results[].score", "a number", each.score)
    finite = [each.score for each in results if math.isfinite(each.score)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    return [
        each if math.isfinite(each.score) else replace(each, score=high if each.score == math.inf else low)
        for each in results
    ]


def result_key(result: SearchResult) -> str:
    """What makes two results the same thing."""
    for name in _KEYS:
        if result.metadata.get(name) is not None:
            return f"{name}:{result.metadata[name]}"
    return hashlib.sha256(result.content.encode("utf-8", "surrogatepass")).hexdigest()


def fused(
    lists: Mapping[str, Sequence[SearchResult]],
    weights: Sequence[float],
    mode: FusionMode,
    k: float,
    key: Callable[[SearchResult], str],
) -> list[SearchResult]:
    """Lists ordered by score, as one."""
    first: dict[str, SearchResult] = {}
    scores: dict[str, float] = {}
    finders: dict[str, dict[str, int]] = {}
    for (name, results), weight in zip(lists.items(), weights, strict=True):
        once: dict[str, SearchResult] = {}
        for result in results:
            once.setdefault(key(result), result)
        worth = _worth([result.score for result in once.values()], mode, k)
        for rank, ((id, result), share) in enumerate(zip(once.items(), worth, strict=True)):
            first.setdefault(id, result)
            finders.setdefault(id, {})[name] = rank
            scores[id] = (
                max(scores.get(id, -math.inf), share) if mode == "simple" else scores.get(id, 0.0) + weight * share
            )
    places = {id: place for place, id in enumerate(first)}
    return [
        replace(first[id], score=scores[id], metadata={**first[id].metadata, "retrievers": finders[id]})
        for id in sorted(first, key=lambda id: (-scores[id], places[id]))
    ]


def _worth(scores: Sequence[float], mode: FusionMode, k: float) -> list[float]:
    """What each place of one list counts, before its weight."""
    if mode == "simple" or not scores:
        return list(scores)
    if mode == "rrf":
        return [1 / (k + rank) for rank in range(len(scores))]
    largest = max(map(abs, scores))
    if largest > _LARGE:
        scores = [score / largest for score in scores]
    low, high = min(scores), max(scores)
    if mode == "dist":
        mean = sum(scores) / len(scores)
        deviation = math.sqrt(sum((score - mean) ** 2 for score in scores) / len(scores))
        low, high = mean - _DEVIATIONS * deviation, mean + _DEVIATIONS * deviation
    if high == low:
        return [1.0 if score > 0 else 0.0 for score in scores]
    return [(score - low) / (high - low) for score in scores]
