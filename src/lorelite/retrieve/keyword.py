"""Keyword search over one namespace, and over several whose scores are to compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lorelite.engine import Engine
from lorelite.retrieve.candidates import best_passing
from lorelite.retrieve.hits import Filters, Hit
from lorelite.search.inverted import inverse_frequency
from lorelite.search.query_plan import Clause, resolve
from lorelite.store.keyword_parts import KeywordIndex
from lorelite.store.nodes import Head
from lorelite.text.tokens import query_terms


@dataclass(frozen=True, slots=True)
class _Planned:
    """A query as one namespace's index can answer it."""

    index: KeywordIndex
    clauses: Sequence[Clause]


def keyword_hits(
    engine: Engine, namespaces: Sequence[str], query: str, filters: Filters, limit: int
) -> dict[str, list[Hit[Head]]]:
    """The best *limit* nodes of each namespace for *query* by BM25; any text is a valid query.

    Statistics are of the one namespace alone when there is one. Of several, the scores of each are moved to the
    statistics of all of them together, or the same word would count for nothing where it is common.
    """
    planned = {name: plan for name in namespaces if limit and (plan := _plan(engine, name, query, filters)) is not None}
    factors = _factors(planned) if len(planned) > 1 else {}
    found: dict[str, list[Hit[Head]]] = {name: [] for name in namespaces}
    for name, plan in planned.items():
        hits = best_passing(engine, _match(plan), filters, limit)
        factor = factors.get(name, 1.0)
        found[name] = hits if factor == 1 else [Hit(hit.node, hit.score * factor) for hit in hits]
    return found


def _plan(engine: Engine, namespace: str, query: str, filters: Filters) -> _Planned | None:
    index = engine.store.keyword.index(namespace, filters.kinds)
    clauses = resolve(query_terms(query), index) if index is not None else []
    return _Planned(index, clauses) if index is not None and clauses else None


def _match(plan: _Planned) -> Callable[[int], list[tuple[int, float]]]:
    return lambda count: plan.index.match(plan.clauses, count)


def _factors(planned: Mapping[str, _Planned]) -> dict[str, float]:
    """For each namespace how much more its terms count among all namespaces than in it alone, on average."""
    totals = {name: len(plan.index) for name, plan in planned.items()}
    holding = {name: _holding(plan) for name, plan in planned.items()}
    together: Counter[Clause] = Counter()
    for counts in holding.values():
        together.update(counts)
    everything = sum(totals.values())
    factors = {}
    for name, counts in holding.items():
        alone = sum(inverse_frequency(totals[name], count) for count in counts.values())
        among_all = sum(inverse_frequency(everything, together[clause]) for clause in counts)
        factors[name] = among_all / alone
    return factors


def _holding(plan: _Planned) -> dict[Clause, int]:
    """How many nodes hold each clause; of a phrase, at most as many as hold its rarest word."""
    frequencies = plan.index.frequencies({token for clause in plan.clauses for token in clause})
    return {clause: min(frequencies.get(token, 0) for token in clause) for clause in plan.clauses}
