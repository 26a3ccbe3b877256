"""`ask`: find passages, then let the model write, or pick the best sentences without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lorelite.engine import Engine
from lorelite.graph_records import SearchContext
from lorelite.instructions import effective_prompt
from lorelite.ports import OnProgress
from lorelite.records import Answer, Graph, Node, Progress
from lorelite.retrieve.choice import best_search
from lorelite.retrieve.citing import cited
from lorelite.retrieve.hits import Filters
from lorelite.retrieve.read import best_hits
from lorelite.retrieve.search import Search
from lorelite.retrieve.traverse import graph_node
from lorelite.strategies.broad import is_broad
from lorelite.strategies.extractive import extractive_answer
from lorelite.strategies.strategy import Strategy
from lorelite.strategies.tables import SOURCES, in_turn, rendered
from lorelite.strategies.written import written_answer

_ANCHORS = 4


async def ask(
    engine: Engine,
    namespace: str,
    question: str,
    *,
    strategy: Strategy | str | None = None,
    prompt: str | None = None,
    on_progress: OnProgress | None = None,
) -> Answer:
    """Answer *question* from what the namespace holds; a model is told *prompt* in place of the built-in one.

    strategy: finds the chunks, and what the graph knows beside them; facts are found as by `read`. None: a question
    about the whole goes to the community reports, where there are any; others to chunks and facts as `read` finds
    them, or `pagerank_search` where one passage leads to another.
    """
    template = effective_prompt(engine, "answer", prompt)
    tell = on_progress or (lambda progress: None)
    tell(Progress(stage="search", done=0, total=2))
    context = None
    if strategy is not None or (is_broad(question) and engine.store.nodes.count(namespace).get("report")):
        from lorelite.strategies.by_strategy import answer_from_tables, strategy_context

        context = await strategy_context(engine, namespace, question, strategy)
        if not context.chunks and not context.is_empty:
            answer = await answer_from_tables(engine, namespace, question, context)
            tell(Progress(stage="answer", done=2, total=2))
            return answer
    passages = await _passages(engine, namespace, question, context)
    anchors = await _find(engine, namespace, question, ("entity",), _ANCHORS)
    tell(Progress(stage="answer", done=1, total=2))
    graph = subgraph(engine, namespace, anchors, passages)
    if engine.model is None:
        answer = extractive_answer(engine, namespace, question, passages, graph)
    else:
        answer = await written_answer(engine, namespace, question, passages, graph, template, _tables(context))
    tell(Progress(stage="answer", done=2, total=2))
    return answer if context is None else replace(answer, usage=answer.usage + context.usage)


async def _passages(engine: Engine, namespace: str, question: str, context: SearchContext | None) -> list[Node]:
    """Chunks and facts, best first; where they are not found together, in turn."""
    most = engine.config.ask_sources
    if context is not None:
        nodes = engine.store.nodes.by_ids(namespace, [chunk.id for chunk in context.chunks])
        chunks = _noted(engine, [nodes[chunk.id] for chunk in context.chunks if chunk.id in nodes][:most])
    elif best_search(engine, namespace) == "pagerank":
        from lorelite.retrieve.pagerank import pagerank_read

        chunks = list((await pagerank_read(engine, namespace, _wanted(engine, question, ("chunk",), most))).facts)
    else:
        return await _find(engine, namespace, question, ("chunk", "fact"), most)
    facts = await _find(engine, namespace, question, ("fact",), most)
    return in_turn([chunks, facts])[:most]


async def _find(engine: Engine, namespace: str, question: str, kinds: tuple[str, ...], limit: int) -> list[Node]:
    hits = await best_hits(engine, namespace, _wanted(engine, question, kinds, limit))
    return _noted(engine, [hit.node for hit in hits])


def _wanted(engine: Engine, question: str, kinds: tuple[str, ...], limit: int) -> Search:
    filters = Filters(kinds=kinds, exclude_drafts=engine.config.exclude_drafts)
    return Search(query=question, filters=filters, limit=limit, weight=engine.config.hybrid_weight)


def _noted(engine: Engine, nodes: Sequence[Node]) -> list[Node]:
    """The nodes with their citations; that they were read is counted."""
    if engine.config.track_access:
        engine.store.access.note([node.id for node in nodes], engine.clock())
    return cited(engine, nodes)


def _tables(context: SearchContext | None) -> str:
    """What the graph knows beside the passages."""
    if context is None:
        return ""
    return rendered({name: rows for name, rows in context.tables.items() if name != SOURCES})


def subgraph(engine: Engine, namespace: str, anchors: Sequence[Node], passages: Sequence[Node]) -> Graph:
    """The entities that the question names, the passages, and the edges among them."""
    edges = engine.store.edges.among(namespace, [node.id for node in (*anchors, *passages)])
    parents = {edge.target_id: edge.source_id for edge in edges} | {edge.source_id: edge.target_id for edge in edges}
    anchor_ids = {node.id for node in anchors}
    nodes = [graph_node(node, 0, None) for node in anchors]
    for node in passages:
        parent = parents.get(node.id)
        nodes.append(graph_node(node, 1, parent if parent in anchor_ids else None))
    return Graph(nodes=tuple(nodes), edges=tuple(edges))
