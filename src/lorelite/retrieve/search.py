"""One query over one or several namespaces: by words, by meaning, or both, whatever of it works."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from lorelite.engine import Engine
from lorelite.errors import ModelError, RankerFailed
from lorelite.hooks import RankerFallback
from lorelite.records import Node
from lorelite.retrieve.candidates import newest
from lorelite.retrieve.hits import Filters, Hit, ranked
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
    on to be scored.
    """

    query: str
    filters: Filters
    limit: int
    weight: HybridWeight = None
    pre_filter_limit: int | None = None

    @property
    def width(self) -> int:
        return 2 * self.limit + 50 if self.pre_filter_limit is None else self.pre_filter_limit

    @property
    def is_by_meaning_alone(self) -> bool:
        return self.weight in (1, "cosine")


Hits = Mapping[str, Sequence[Hit]]
"""By namespace."""


async def search(engine: Engine, namespaces: Sequence[str], wanted: Search) -> dict[str, Findings]:
    """What each namespace yields. Without an embedder, or when it fails, by words alone.

    Raises TransactionError inside a transaction when there is something to compare a vector with, and RankerFailed
    when the vector ranker fails and `WikiConfig.vector_ranker_fallback` is "throw".
    """
    vector = None if wanted.weight == 0 else await query_vector(engine, namespaces, wanted.query)
    if vector is None:
        return by_words(engine, namespaces, wanted)
    if engine.ranker is None and length_mismatch(engine, namespaces, vector, wanted.filters.kinds):
        fell_back(engine, mismatch_error(engine, vector))
        return by_words(engine, namespaces, wanted)
    words: Hits = dict.fromkeys(namespaces, ())
    if not wanted.is_by_meaning_alone or wanted.pre_filter_limit is not None:
        words = {name: keyword_hits(engine, name, wanted.query, wanted.filters, wanted.width) for name in namespaces}
    if engine.ranker is None:
        return _fused(engine, words, _by_cosine(engine, words, vector, wanted), wanted)
    try:
        meaning = {name: await _by_ranker(engine, name, words[name], vector, wanted) for name in namespaces}
    except RankerFailed as failure:
        return _without_ranker(engine, words, vector, wanted, failure)
    return _fused(engine, words, meaning, wanted)


def by_words(engine: Engine, namespaces: Sequence[str], wanted: Search) -> dict[str, Findings]:
    return {
        name: Findings(keyword_hits(engine, name, wanted.query, wanted.filters, wanted.limit)) for name in namespaces
    }


Meaning = Mapping[str, Mapping[str, tuple[Node, float]]]
"""Namespace → node id → (node, similarity)."""


def _by_cosine(engine: Engine, words: Hits, vector: Sequence[float], wanted: Search) -> Meaning:
    """The nearest nodes of each namespace and, where a weight is given, the cosine of what was found by words."""
    meaning = {}
    for name, found in words.items():
        near = exact_hits(engine, name, vector, wanted.filters, wanted.width)
        meaning[name] = {hit.node.id: (hit.node, hit.score) for hit in near}
        if wanted.weight is not None:
            others = {hit.node.id: hit.node for hit in found if hit.node.id not in meaning[name]}
            scores = cosines(engine, list(others), vector) if others else {}
            meaning[name] |= {id: (others[id], score) for id, score in scores.items()}
    return meaning


async def _by_ranker(
    engine: Engine, namespace: str, words: Sequence[Hit], vector: Sequence[float], wanted: Search
) -> Mapping[str, tuple[Node, float]]:
    found = await ranker_hits(engine, namespace, vector, wanted.filters, wanted.width)
    if wanted.pre_filter_limit is not None and words:
        ids = [hit.node.id for hit in words]
        found += await ranker_hits(engine, namespace, vector, wanted.filters, len(ids), ids)
    return {hit.node.id: (hit.node, hit.score) for hit in found}


def _without_ranker(
    engine: Engine, words: Hits, vector: Sequence[float], wanted: Search, failure: RankerFailed
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


def _fused(engine: Engine, words: Hits, meaning: Meaning, wanted: Search) -> dict[str, Findings]:
    found = {}
    for name, by_word in words.items():
        nodes = {hit.node.id: hit.node for hit in by_word} | {id: node for id, (node, _) in meaning[name].items()}
        keyword = {hit.node.id: hit.score for hit in by_word}
        semantic = {id: score for id, (_, score) in meaning[name].items()}
        if wanted.weight is None:
            scores = blended(keyword, semantic)
        elif wanted.weight == "cosine":
            scores = semantic
        else:
            scores = weighted({} if wanted.weight == 1 else keyword, semantic, wanted.weight)
        hits = ranked(nodes, scores)[: wanted.limit]
        found[name] = Findings(hits, _unscored(engine, name, list(nodes.values()), scores, wanted, len(hits)))
    return found


def _unscored(
    engine: Engine, namespace: str, nodes: Sequence[Node], scores: Mapping[str, float], wanted: Search, taken: int
) -> list[Node]:
    """Where a weight is given every node is a candidate: those without a vector come last, newest first, unscored."""
    room = wanted.limit - taken
    if wanted.weight is None or room <= 0:
        return []
    if wanted.pre_filter_limit is None:
        nodes = newest(engine, namespace, wanted.filters, room + len(scores))
    return [node for node in nodes if node.id not in scores][:room]
