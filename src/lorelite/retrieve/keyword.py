"""Keyword search over one namespace."""

from __future__ import annotations

from lorelite.engine import Engine
from lorelite.retrieve.hits import Filters, Hit, ranked
from lorelite.search.query_plan import resolve
from lorelite.text.tokens import query_terms


def keyword_hits(engine: Engine, namespace: str, query: str, filters: Filters, limit: int) -> list[Hit]:
    """The best *limit* nodes for *query* by BM25; any text is a valid query."""
    index = engine.store.keyword.index(namespace)
    clauses = resolve(query_terms(query), index) if index is not None and limit else []
    if index is None or not clauses:
        return []
    # The index knows nothing of kinds and windows: ask for more until enough pass, or all were seen.
    asked = 2 * limit + 50
    while True:
        scored = index.match(clauses, asked)
        nodes = engine.store.nodes.by_keys(
            [key for key, _ in scored], kinds=filters.kinds, exclude_drafts=filters.exclude_drafts, as_of=filters.as_of
        )
        if len(nodes) >= limit or len(scored) < asked:
            break
        asked *= 4
    scores = {nodes[key].id: score for key, score in scored if key in nodes}
    return ranked({node.id: node for node in nodes.values()}, scores)[:limit]
