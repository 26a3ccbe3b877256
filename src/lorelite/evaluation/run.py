"""Asking questions of a namespace, the way reads and searches do, and noting where their evidence stands."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

from lorelite.engine import Engine
from lorelite.errors import InvalidOption
from lorelite.evaluation.questions import Question
from lorelite.evaluation.ranks import ranks
from lorelite.evaluation.result import Evaluation, Outcome
from lorelite.ports import OnProgress
from lorelite.records import Kind, MemoryBundle, Node, Progress
from lorelite.retrieve.choice import best_search
from lorelite.retrieve.hits import Filters
from lorelite.retrieve.pagerank import pagerank_read
from lorelite.retrieve.read import read
from lorelite.retrieve.search import Search
from lorelite.retrieve.tiers import Tiers

Strategy = Literal["auto", "read", "keyword", "pagerank"]
Timer = Callable[[], float]
"""Seconds that only their differences mean anything of."""


async def evaluate(
    engine: Engine,
    namespace: str,
    questions: Sequence[Question],
    *,
    strategy: Strategy,
    at: Sequence[int],
    kinds: Sequence[Kind],
    on_progress: OnProgress | None = None,
    timer: Timer = time.perf_counter,
) -> Evaluation:
    """Ask every question and rank what comes back. Nothing is written, the counts of accesses neither."""
    chosen = best_search(engine, namespace) if strategy == "auto" else strategy
    engine = replace(engine, config=engine.config.model_copy(update={"track_access": False}))
    unknown = _unknown(engine, namespace, questions)
    outcomes = []
    for done, question in enumerate(questions, 1):
        outcomes.append(await _outcome(engine, namespace, question, _RETRIEVERS[chosen], max(at), tuple(kinds), timer))
        if on_progress is not None:
            on_progress(Progress("questions", done, len(questions)))
    return Evaluation(
        name=namespace,
        strategy=strategy,
        at=tuple(sorted(set(at))),
        outcomes=tuple(outcomes),
        embedder="" if engine.embedder is None else engine.embedder.model_id,
        unknown=unknown,
    )


async def _outcome(
    engine: Engine,
    namespace: str,
    question: Question,
    retrieve: Retriever,
    deepest: int,
    kinds: tuple[Kind, ...],
    timer: Timer,
) -> Outcome:
    """Several nodes may be of one document: asks for more until there are as many documents as the deepest k wants."""
    limit = deepest
    while True:
        wanted = Search(
            query=question.text, filters=Filters(kinds=kinds), limit=limit, weight=engine.config.hybrid_weight
        )
        start = timer()
        nodes = (await retrieve(engine, namespace, wanted)).facts
        latency = (timer() - start) * 1000
        documents = documents_of(nodes)
        if len(documents) >= deepest or len(nodes) < limit:
            break
        limit *= 2
    documents, ids = documents[:deepest], [node.id for node in nodes][:deepest]
    names_nodes = any(name in ids for piece in question.gold for name in piece)
    return Outcome(
        id=question.id,
        question=question.text,
        tag=question.tag,
        gold=question.gold,
        found=tuple(ids if names_nodes else documents),
        ranks=ranks(question.gold, documents, ids),
        latency_ms=latency,
    )


def documents_of(nodes: Sequence[Node]) -> list[str]:
    """The documents that the nodes come from, each at the place of its first node."""
    found: dict[str, None] = {}
    for node in nodes:
        cited = [citation.source_ref for citation in node.citations]
        found |= dict.fromkeys(cited or ([node.source_ref] if node.source_ref is not None else []))
    return list(found)


async def _read(engine: Engine, namespace: str, wanted: Search) -> MemoryBundle:
    return await read(engine, [namespace], wanted, Tiers())


async def _keyword(engine: Engine, namespace: str, wanted: Search) -> MemoryBundle:
    return await _read(engine, namespace, replace(wanted, weight=0.0))


Retriever = Callable[[Engine, str, Search], Awaitable[MemoryBundle]]
_RETRIEVERS: Mapping[Strategy, Retriever] = {"read": _read, "keyword": _keyword, "pagerank": pagerank_read}
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


def _unknown(engine: Engine, namespace: str, questions: Sequence[Question]) -> tuple[str, ...]:
    """The names in the gold that are neither documents, sources nor nodes. Raises InvalidOption when all are."""
    names = list(dict.fromkeys(name for question in questions for piece in question.gold for name in piece))
    known = engine.store.sources.known(namespace, names)
    unknown = tuple(name for name in names if name not in known)
    if len(unknown) == len(names):
        raise InvalidOption(
            "questions, gold", f"source_refs or node ids of namespace {namespace!r}", ", ".join(unknown[:5])
        )
    return unknown
