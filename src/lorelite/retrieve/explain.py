"""Why something was found: what each search gave it, and what of the query it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lorelite.engine import Engine
from lorelite.records import Explanation, Highlight, Node
from lorelite.retrieve.tiers import Findings
from lorelite.search.query_plan import Clause, resolve
from lorelite.text.tokens import index_tokens, query_terms


def explained(
    engine: Engine, query: str, kinds: Sequence[str], nodes: Sequence[Node], found: Mapping[str, Findings]
) -> dict[str, Explanation]:
    """Node id → explanation. kinds: that were searched. found: what each namespace yielded; places are within the
    namespace."""
    by_words: dict[str, tuple[int | None, float | None]] = {}
    by_meaning: dict[str, tuple[int | None, float | None]] = {}
    for findings in found.values():
        by_words |= {hit.node.id: (rank, hit.score) for rank, hit in enumerate(findings.words, 1)}
        by_meaning |= {
            id: (rank if rank <= findings.width else None, score)
            for rank, (id, (_, score)) in enumerate(findings.meaning.items(), 1)
        }
    terms = matched_terms(engine, query, kinds, nodes)
    explanations = {}
    for node in nodes:
        keyword_rank, keyword_score = by_words.get(node.id, (None, None))
        semantic_rank, semantic_score = by_meaning.get(node.id, (None, None))
        explanations[node.id] = Explanation(
            keyword_rank=keyword_rank,
            keyword_score=keyword_score,
            semantic_rank=semantic_rank,
            semantic_score=semantic_score,
            matched_terms=terms[node.id],
            highlights=marked(query, node),
        )
    return explanations


def marked(query: str, node: Node) -> tuple[Highlight, ...]:
    """Where the node's title and body hold what the query asks for."""
    # Imported when it is asked for: few reads are explained.
    from lorelite.text.highlight import highlights

    in_title = (Highlight("title", span.start, span.end) for span in highlights(node.title, query))
    return (*in_title, *(Highlight("body", span.start, span.end) for span in highlights(node.body, query)))


def matched_terms(
    engine: Engine, query: str, kinds: Sequence[str], nodes: Sequence[Node]
) -> dict[str, tuple[str, ...]]:
    """Node id → the terms of the query that it holds, as the query wrote them, in its order.

    A term counts that was looked up as the beginning of a word or as a misspelling, by what it stood for among the
    nodes of the kinds that were searched.
    """
    planned = {name: _clauses_of_terms(engine, name, query, kinds) for name in {node.namespace for node in nodes}}
    return {
        node.id: tuple(term for term, clauses in planned[node.namespace].items() if _holds_any(node, clauses))
        for node in nodes
    }


def _clauses_of_terms(engine: Engine, namespace: str, query: str, kinds: Sequence[str]) -> dict[str, list[Clause]]:
    index = engine.store.keyword.index(namespace, kinds)
    if index is None:
        return {}
    found: dict[str, list[Clause]] = {}
    for term in query_terms(query):
        found.setdefault(_as_written(query, term.text), []).extend(resolve([term], index))
    return found


def _holds_any(node: Node, clauses: Sequence[Clause]) -> bool:
    columns = [index_tokens(text) for text in (node.title, node.body, " ".join(node.tags))]
    return any(_stands_in(clause, column) for clause in clauses for column in columns)


def _stands_in(clause: Clause, tokens: Sequence[str]) -> bool:
    size = len(clause)
    return any(tuple(tokens[start : start + size]) == clause for start in range(len(tokens) - size + 1))


def _as_written(query: str, term: str) -> str:
    """The term in the query's own letters, where it stands there letter by letter."""
    start = query.lower().find(term.lower())
    return query[start : start + len(term)] if start >= 0 and len(query.lower()) == len(query) else term
