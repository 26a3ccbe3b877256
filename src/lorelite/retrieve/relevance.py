"""How well the nodes that a walk meets fit a query, so that it can take the fitting ones first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lorelite.engine import Engine
from lorelite.graph.walk import Ranking, Step, newest_first
from lorelite.retrieve.nearest import cosines, query_vector
from lorelite.search.fusion import blended
from lorelite.search.query_plan import resolve
from lorelite.text.tokens import query_terms

_MOST_MATCHES = 20_000
"""Nodes of a namespace whose words are scored: the best ones."""
_MOST_COMPARED = 5_000
"""Nodes of a level whose vectors are read: those found by words, then the newest."""


async def most_relevant_first(engine: Engine, namespace: str, query: str) -> Ranking:
    """Nodes that fit *query* best come first, by BM25 and, with an embedder, by cosine, blended as a search does it;
    those that do not fit at all come last, newest first. Raises TransactionError as `query_vector` does."""
    words = _word_scores(engine, namespace, query)
    vector = await query_vector(engine, [namespace], query)

    def ranked(level: Sequence[Step]) -> Sequence[Step]:
        scores: Mapping[str, float] = _of_level(engine, namespace, words, level)
        if vector is not None:
            by_words = sorted(newest_first(level), key=lambda step: -scores.get(step.id, 0.0))
            near = cosines(engine, [step.id for step in by_words[:_MOST_COMPARED]], vector)
            scores = blended(scores, near)
        return sorted(level, key=lambda step: (-scores.get(step.id, 0.0), -step.updated_at, step.id))

    return ranked


def _word_scores(engine: Engine, namespace: str, query: str) -> dict[int, float]:
    """Key in the keyword index → BM25."""
    index = engine.store.keyword.index(namespace)
    clauses = resolve(query_terms(query), index) if index is not None else []
    return dict(index.match(clauses, _MOST_MATCHES)) if index is not None and clauses else {}


def _of_level(engine: Engine, namespace: str, words: Mapping[int, float], level: Sequence[Step]) -> dict[str, float]:
    if not words or not level:
        return {}
    keys = engine.store.nodes.keys(namespace, [step.id for step in level])
    return {id: words[key] for id, key in keys.items() if key in words}
