"""`read`: what a namespace remembers about a query, by keyword and, where there are vectors, by meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lorelite.engine import Engine
from lorelite.records import MemoryBundle, Node
from lorelite.retrieve.citing import cited
from lorelite.retrieve.hits import Filters, Hit, ranked
from lorelite.retrieve.keyword import keyword_hits
from lorelite.retrieve.semantic import semantic_hits

DEFAULT_HYBRID_WEIGHT = 0.4
"""Share of the semantic score, by weighted min-max, when the caller names none."""


async def read(
    engine: Engine,
    namespaces: Sequence[str],
    query: str,
    *,
    filters: Filters,
    max_results: int,
    hybrid_weight: float | None,
) -> MemoryBundle:
    """Facts by relevance, open tasks, recent events. An empty query gives what changed last, unscored."""
    hits: list[Hit] = []
    for namespace in namespaces:
        hits += await search(engine, namespace, query, filters, max_results, hybrid_weight)
    scored = bool(query.strip())
    if scored:
        hits.sort(key=lambda hit: (-hit.score, -hit.node.updated_at, hit.node.id))
    else:
        hits.sort(key=lambda hit: (-hit.node.updated_at, hit.node.id))
    hits = hits[:max_results]
    return bundle(
        engine,
        namespaces,
        [hit.node for hit in hits],
        {hit.node.id: hit.score for hit in hits} if scored else {},
        query,
    )


async def search(
    engine: Engine, namespace: str, query: str, filters: Filters, limit: int, hybrid_weight: float | None = None
) -> list[Hit]:
    """The best *limit* nodes of one namespace: the union of keyword and semantic hits, fused."""
    if not query.strip():
        nodes = engine.store.nodes.recent(
            namespace,
            kinds=filters.kinds,
            limit=limit,
            exclude_drafts=filters.exclude_drafts,
            as_of=filters.as_of,
        )
        return [Hit(node, 0.0) for node in nodes]
    if engine.embedder is None or hybrid_weight == 0:
        return keyword_hits(engine, namespace, query, filters, limit)
    candidates = 2 * limit + 50
    semantic = await semantic_hits(engine, namespace, query, filters, candidates)
    if hybrid_weight == 1:
        return semantic[:limit]
    keyword = keyword_hits(engine, namespace, query, filters, candidates)
    return fused(keyword, semantic, hybrid_weight)[:limit]


def fused(keyword: Sequence[Hit], semantic: Sequence[Hit], weight: float | None) -> list[Hit]:
    """The union of both lists, scored `weight · semantic + (1 - weight) · keyword`.

    With a weight given, semantic is the cosine (not below 0) and keyword the score over the best score, as the
    seed's formula has it. Without one, both lists are first stretched to 0 … 1 (min-max) and DEFAULT_HYBRID_WEIGHT
    holds. A node that one list lacks counts 0 there.
    """
    nodes: dict[str, Node] = {hit.node.id: hit.node for hit in (*keyword, *semantic)}
    if weight is None:
        weight = DEFAULT_HYBRID_WEIGHT
        by_meaning, by_word = _stretched(semantic), _stretched(keyword)
    else:
        top = max((hit.score for hit in keyword), default=1.0) or 1.0
        by_meaning = {hit.node.id: max(0.0, hit.score) for hit in semantic}
        by_word = {hit.node.id: hit.score / top for hit in keyword}
    scores = {id: weight * by_meaning.get(id, 0.0) + (1 - weight) * by_word.get(id, 0.0) for id in nodes}
    return ranked(nodes, scores)


def _stretched(hits: Sequence[Hit]) -> dict[str, float]:
    if not hits:
        return {}
    low, high = min(hit.score for hit in hits), max(hit.score for hit in hits)
    return {hit.node.id: (hit.score - low) / (high - low) if high > low else 1.0 for hit in hits}


def bundle(
    engine: Engine, namespaces: Sequence[str], nodes: Sequence[Node], scores: Mapping[str, float], query: str
) -> MemoryBundle:
    """The nodes with their citations, the edges among them, and each namespace's tasks and events."""
    store = engine.store
    ids = [node.id for node in nodes]
    tasks = [task for name in namespaces for task in store.journal.open_tasks(name, 200)]
    events = [event for name in namespaces for event in store.journal.recent_events(name, 10)]
    return MemoryBundle(
        facts=tuple(cited(engine, nodes)),
        tasks=tuple(sorted(tasks, key=lambda task: (-task.priority, task.created_at, task.id))[:200]),
        events=tuple(sorted(events, key=lambda event: event.created_at)[-100:]),
        edges=tuple(edge for name in namespaces for edge in store.edges.among(name, ids)),
        fact_scores=dict(scores),
        metadata={"query": query, "namespaces": list(namespaces)},
    )
