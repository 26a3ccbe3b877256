"""One query over one or several namespaces: by words, by meaning, or both, whatever of it works."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from lorelite.engine import Engine
from lorelite.errors import ModelError, RankerFailed
from lorelite.hooks import RankerFallback
from lorelite.retrieve.candidates import newest
from lorelite.retrieve.hits import Filters, Hit, Listed, ranked
from lorelite.retrieve.keyword import keyword_hits
from lorelite.retrieve.nearest import (
    cosines,
    exact_hits,
    fell_back,
    length_mismatch,
    mismatch_error,
    query_vector,
    ranker_hits,
)
from lorelite.retrieve.tiers import Findings
from lorelite.search.fusion import blended, weighted

HybridWeight = float | Literal["cosine"] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is looked for, the same in every namespace.

    weight: 0 words alone; 1 meaning alone, not below 0; "cosine" meaning alone, as it is; between them the weighted
    sum; None the blend that was measured to find most. pre_filter_limit: how many nodes each of the two searches hands
    on to be scored. diversity: how much what is unlike the rest counts against what fits best, 0 … 1.
    """

    query: str
    filters: Filters
    limit: int
    weight: HybridWeight = None
    pre_filter_limit: int | None = None
    diversity: float | None = None

    @property
    def most(self) -> int:
        """How many places are filled, so that there is something to choose from where the list is to be varied."""
        return self.limit if not self.diversity else 4 * self.limit + 20

    @property
    def width(self) -> int:
        return 2 * self.limit + 50 if self.pre_filter_limit is None else self.pre_filter_limit

    @property
    def is_by_meaning_alone(self) -> bool:
        return self.weight in (1, "cosine")


Words = Mapping[str, Sequence[Hit[Listed]]]
"""What was found by words, by namespace."""
Meaning = Mapping[str, Mapping[str, tuple[Listed, float]]]
"""What was found by meaning: namespace → node id → (node, similarity)."""


async def search(engine: Engine, namespaces: Sequence[str], wanted: Search) -> dict[str, Findings]:
    """What each namespace yields, in scores that compare. Without an embedder, or when it fails, by words alone.

    Raises TransactionError inside a transaction when there is something to compare a vector with, and RankerFailed
    when the vector ranker fails and `WikiConfig.vector_ranker_fallback` is "throw".
    """
    vector = None if wanted.weight == 0 else await query_vector(engine, namespaces, wanted.query)
    if vector is None:
        return by_words(engine, namespaces, wanted)
    if engine.ranker is None and length_mismatch(engine, namespaces, vector, wanted.filters.kinds):
        fell_back(engine, mismatch_error(engine, vector))
        return by_words(engine, namespaces, wanted)
    words: Words = dict.fromkeys(namespaces, ())
    if not wanted.is_by_meaning_alone or wanted.pre_filter_limit is not None:
        words = keyword_hits(engine, namespaces, wanted.query, wanted.filters, wanted.width)
    if engine.ranker is None:
        return _fused(engine, words, _by_cosine(engine, words, vector, wanted), wanted)
    try:
        meaning = {name: await _by_ranker(engine, name, words[name], vector, wanted) for name in namespaces}
    except RankerFailed as failure:
        return _without_ranker(engine, words, vector, wanted, failure)
    return _fused(engine, words, meaning, wanted)


def by_words(engine: Engine, namespaces: Sequence[str], wanted: Search) -> dict[str, Findings]:
    found = keyword_hits(engine, namespaces, wanted.query, wanted.filters, wanted.most)
    return {name: Findings(hits, words=hits) for name, hits in found.items()}


def _by_cosine(engine: Engine, words: Words, vector: Sequence[float], wanted: Search) -> Meaning:
    """The nearest nodes of each namespace and, where a weight is given, the cosine of what was found by words."""
    # What meaning alone ranks needs no second choice.
    is_alone = wanted.is_by_meaning_alone and wanted.pre_filter_limit is None
    most = wanted.most if is_alone else wanted.width
    meaning: dict[str, dict[str, tuple[Listed, float]]] = {}
    for name, found in words.items():
        near = exact_hits(engine, name, vector, wanted.filters, most)
        meaning[name] = {hit.node.id: (hit.node, hit.score) for hit in near}
        if wanted.weight is not None:
            others = {hit.node.id: hit.node for hit in found if hit.node.id not in meaning[name]}
            scores = cosines(engine, list(others), vector) if others else {}
            meaning[name] |= {id: (others[id], score) for id, score in scores.items()}
    return meaning


async def _by_ranker(
    engine: Engine, namespace: str, words: Sequence[Hit[Listed]], vector: Sequence[float], wanted: Search
) -> Mapping[str, tuple[Listed, float]]:
    found = await ranker_hits(engine, namespace, vector, wanted.filters, wanted.width)
    if wanted.pre_filter_limit is not None and words:
        ids = [hit.node.id for hit in words]
        found += await ranker_hits(engine, namespace, vector, wanted.filters, len(ids), ids)
    return {hit.node.id: (hit.node, hit.score) for hit in found}


def _without_ranker(
    engine: Engine, words: Words, vector: Sequence[float], wanted: Search, failure: RankerFailed
) -> dict[str, Findings]:
    config = engine.config
    policy = config.vector_ranker_fallback
    if engine.hooks.on_vector_ranker_fallback is not None:
        with suppress(Exception):
            engine.hooks.on_vector_ranker_fallback(
                RankerFallback(namespaces=tuple(words), policy=policy, error=failure)
            )
    if policy == "throw":
        raise failure
    if config.propagate_ranker_failure:
        fell_back(engine, ModelError("the vector ranker failed; the search went on without it"))
    if policy == "empty":
        return {name: Findings() for name in words}
    if policy == "keyword":
        return by_words(engine, list(words), wanted)
    return _fused(engine, words, _by_cosine(engine, words, vector, wanted), wanted)


def _fused(engine: Engine, words: Words, meaning: Meaning, wanted: Search) -> dict[str, Findings]:
    """Both lists as one. All namespaces are scored together: what is best in each is not equally good."""
    scores = _scores(
        {hit.node.id: hit.score for hits in words.values() for hit in hits},
        {id: score for near in meaning.values() for id, (_, score) in near.items()},
        wanted.weight,
    )
    found = {}
    for name, hits in words.items():
        nodes: dict[str, Listed] = {hit.node.id: hit.node for hit in hits}
        nodes |= {id: node for id, (node, _) in meaning[name].items()}
        best = ranked(nodes, {id: scores[id] for id in nodes if id in scores})[: wanted.most]
        others = [node for id, node in nodes.items() if id not in scores]
        unscored = _unscored(engine, name, others, {hit.node.id for hit in best}, wanted)
        found[name] = Findings(best, unscored, hits, meaning[name], wanted.width)
    return found


def _scores(keyword: Mapping[str, float], semantic: Mapping[str, float], weight: HybridWeight) -> Mapping[str, float]:
    if weight is None:
        return blended(keyword, semantic)
    if weight == "cosine":
        return semantic
    return weighted({} if weight == 1 else keyword, semantic, weight)


def _unscored(
    engine: Engine, namespace: str, candidates: Sequence[Listed], scored: Set[str], wanted: Search
) -> Sequence[Listed]:
    """Where a weight is given every node is a candidate: those without a vector come last, newest first, unscored.

    With a pre_filter_limit only what was found by words is one.
    """
    room = wanted.limit - len(scored)
    if wanted.weight is None or room <= 0:
        return []
    if wanted.pre_filter_limit is not None:
        return list(candidates)[:room]
    recent = newest(engine, namespace, wanted.filters, room + len(scored))
    return [node for node in recent if node.id not in scored][:room]
