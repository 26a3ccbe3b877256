"""`ask`: find passages, then let the model write, or pick the best sentences without one."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite.engine import Engine
from lorelite.instructions import effective_prompt
from lorelite.ports import OnProgress
from lorelite.records import Answer, Graph, Node, Progress
from lorelite.retrieve.citing import cited
from lorelite.retrieve.hits import Filters
from lorelite.retrieve.read import best_hits
from lorelite.retrieve.search import Search
from lorelite.retrieve.traverse import graph_node
from lorelite.strategies.extractive import extractive_answer
from lorelite.strategies.written import written_answer

_ANCHORS = 4


async def ask(
    engine: Engine,
    namespace: str,
    question: str,
    *,
    prompt: str | None = None,
    on_progress: OnProgress | None = None,
) -> Answer:
    """Answer *question* from what the namespace holds; a model is told *prompt* in place of the built-in one."""
    template = effective_prompt(engine, "answer", prompt)
    tell = on_progress or (lambda progress: None)
    tell(Progress(stage="search", done=0, total=2))
    passages = await _find(engine, namespace, question, ("chunk", "fact"), engine.config.ask_sources)
    anchors = await _find(engine, namespace, question, ("entity",), _ANCHORS)
    tell(Progress(stage="answer", done=1, total=2))
    graph = subgraph(engine, namespace, anchors, passages)
    if engine.model is None:
        answer = extractive_answer(engine, namespace, question, passages, graph)
    else:
        answer = await written_answer(engine, question, passages, graph, template)
    tell(Progress(stage="answer", done=2, total=2))
    return answer


async def _find(engine: Engine, namespace: str, question: str, kinds: tuple[str, ...], limit: int) -> list[Node]:
    filters = Filters(kinds=kinds, exclude_drafts=engine.config.exclude_drafts)
    wanted = Search(query=question, filters=filters, limit=limit, weight=engine.config.hybrid_weight)
    nodes = [hit.node for hit in await best_hits(engine, namespace, wanted)]
    if engine.config.track_access:
        engine.store.access.note([node.id for node in nodes], engine.clock())
    return cited(engine, nodes)


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
