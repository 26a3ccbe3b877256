"""`ask` by a strategy: what it finds, and the answer where that holds no passages."""

from __future__ import annotations

from dataclasses import replace

from lorelite.engine import Engine
from lorelite.graph_records import SearchContext
from lorelite.pipeline.file_knowledge import FileKnowledge
from lorelite.pipeline.run import GraphEngine
from lorelite.records import Answer, Citation
from lorelite.strategies.answering import Request, answered
from lorelite.strategies.global_community import GlobalCommunitySearch
from lorelite.strategies.query import chosen_strategy, searched
from lorelite.strategies.strategy import Strategy


async def strategy_context(
    engine: Engine, namespace: str, question: str, strategy: Strategy | str | None
) -> SearchContext:
    """What the strategy finds in the namespace; None stands for that of questions about the whole."""
    chosen = GlobalCommunitySearch() if strategy is None else chosen_strategy(strategy)
    return await searched(_run(engine, namespace), chosen, question)


async def answer_from_tables(engine: Engine, namespace: str, question: str, context: SearchContext) -> Answer:
    """An answer from what holds no passages: points out of reports. Its sentences may cite nothing; see `Answer`."""
    request = Request(prompt=question, strategy=context.strategy, context=context)
    result = await answered(_run(engine, namespace), request)
    sentences = tuple(
        replace(each, citations=tuple(_placed(engine, namespace, citation) for citation in each.citations))
        for each in result.sentences
    )
    return Answer(
        question=question,
        text=result.text,
        answered=result.answered,
        origin=result.origin,
        sentences=sentences,
        unsupported=result.unsupported,
        usage=result.usage,
    )


def _run(engine: Engine, namespace: str) -> GraphEngine:
    return GraphEngine(
        knowledge=FileKnowledge(engine, namespace),
        model=engine.model,
        clock=engine.clock,
        in_transaction=lambda: engine.store.db.in_transaction,
    )


def _placed(engine: Engine, namespace: str, citation: Citation) -> Citation:
    """A citation that names the document by its id: graphs know it by its source_ref."""
    document = engine.store.documents.current(namespace, citation.source_ref)
    return citation if document is None else replace(citation, document_id=document.id)
