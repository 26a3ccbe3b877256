"""An answer written by the model, every citation of which is looked up in the documents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from lorelite.asking import read_replies
from lorelite.engine import Engine
from lorelite.prompts import answer as prompt
from lorelite.prompts.fence import shortened
from lorelite.records import Answer, Graph, Node
from lorelite.strategies.checked import checked_sentence
from lorelite.strategies.notes import not_said
from lorelite.strategies.sources import passages
from lorelite.text.render import format_graph_context

_SOURCE_CHARS = 8_000
_RELATIONS_CHARS = 20_000


async def written_answer(
    engine: Engine,
    namespace: str,
    question: str,
    nodes: Sequence[Node],
    graph: Graph,
    template: str | None = None,
    tables: str = "",
) -> Answer:
    """The model's answer from *nodes*. Sentences without a citation that holds are kept apart as `unsupported`.

    template: the caller's instructions in place of the built-in ones. tables: what else is known, shown beside the
    relations.
    Raises a ModelError when the model cannot be reached or its reply cannot be read.
    """
    if not nodes:
        return Answer(question=question, text=not_said(question), answered=False, origin="model", graph=graph)
    sources = passages(nodes)
    # A chunk is shown whole; a fact that a caller stated may be of any length.
    most = max(_SOURCE_CHARS, engine.config.chunk_chars)
    numbered = [(number, source.title, shortened(source.text, most)) for number, source in enumerate(sources, 1)]
    relations = "\n\n".join(filter(None, [shortened(format_graph_context(graph), _RELATIONS_CHARS), tables]))
    [answer] = await read_replies(
        partial(engine.complete, namespace),
        [prompt.build(question, numbered, relations, template)],
        lambda _, text: prompt.parse(text, numbered),
        ask_again=engine.config.ask_again,
    )
    for reply in answer.unread:
        engine.judge(reply, "none")
    parsed = answer.result
    checked = [checked_sentence(text, claims, sources) for text, claims in parsed.sentences]
    sentences = tuple(sentence for sentence in checked if sentence.citations)
    answered = parsed.answered and bool(sentences)
    cited = {citation.document_id for sentence in sentences for citation in sentence.citations}
    return Answer(
        question=question,
        text=" ".join(sentence.text for sentence in sentences) if answered else not_said(question),
        answered=answered,
        origin="model",
        sentences=sentences if answered else (),
        unsupported=tuple(sentence.text for sentence in checked if not sentence.citations),
        sources=cited_nodes(nodes, cited) if answered else (),
        graph=graph,
        usage=answer.reply.usage,
    )


def cited_nodes(nodes: Sequence[Node], document_ids: set[str]) -> tuple[Node, ...]:
    """Those of the nodes that stand in one of the documents, or are a stated fact that is cited."""
    by_id = {node.id: node for node in nodes}
    return tuple(by_id[source.id] for source in passages(nodes) if source.document_id in document_ids)
