"""Keyword search over one namespace."""

from __future__ import annotations

from lorelite.engine import Engine
from lorelite.retrieve.candidates import best_passing
from lorelite.retrieve.hits import Filters, Hit
from lorelite.search.query_plan import resolve
from lorelite.text.tokens import query_terms


def keyword_hits(engine: Engine, namespace: str, query: str, filters: Filters, limit: int) -> list[Hit]:
    """The best *limit* nodes for *query* by BM25; any text is a valid query."""
    index = engine.store.keyword.index(namespace)
    clauses = resolve(query_terms(query), index) if index is not None and limit else []
    if index is None or not clauses:
        return []
    return best_passing(engine, lambda count: index.match(clauses, count), filters, limit)
