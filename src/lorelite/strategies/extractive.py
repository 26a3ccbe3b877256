"""An answer without a model: the sentences that cover the question best, each its own citation."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite.engine import Engine
from lorelite.records import Answer, AnswerSentence, Citation, Graph, Node
from lorelite.strategies.notes import not_said
from lorelite.strategies.picking import Question, best_sentences, weighed
from lorelite.strategies.sources import Passage, passages
from lorelite.strategies.written import cited_nodes
from lorelite.text.plain import plain_words


def extractive_answer(engine: Engine, namespace: str, question: str, nodes: Sequence[Node], graph: Graph) -> Answer:
    """The best sentences of *nodes*, best first; `answered` is False when none covers enough of the question."""
    chunk_ids = {node.id for node in nodes if node.kind == "chunk"}

    def names_in(source: Passage, sentence: Citation) -> list[str]:
        if source.id not in chunk_ids:
            return []
        mentions = engine.store.documents.cited_entities(sentence.document_id, sentence.start, sentence.end)
        found = engine.store.nodes.by_ids(namespace, sorted({id for id, _ in mentions}))
        return [node.title for node in found.values()]

    asked = weighed_in(engine, namespace, question)
    chosen = best_sentences(passages(nodes), asked, engine.config.answer_sentences, names_in)
    if not chosen:
        return Answer(question=question, text=not_said(question), answered=False, origin="heuristic", graph=graph)
    sentences = quoted_sentences(chosen)
    return Answer(
        question=question,
        text="\n".join(sentence.text for sentence in sentences),
        answered=True,
        origin="heuristic",
        sentences=sentences,
        sources=cited_nodes(nodes, {citation.document_id for citation in chosen}),
        graph=graph,
    )


def weighed_in(engine: Engine, namespace: str, question: str) -> Question:
    """What *question* asks for, weighed by how many of the namespace's nodes hold each word."""
    index = engine.store.keyword.index(namespace)
    if index is None:
        return Question({}, 1.0)
    return weighed(question, index, sum(engine.store.nodes.count(namespace).values()))


def quoted_sentences(chosen: Sequence[Citation]) -> tuple[AnswerSentence, ...]:
    """Each quote as a sentence of an answer, without its marks of formatting."""
    return tuple(AnswerSentence(text=plain_words(each.quote), citations=(each,)) for each in chosen)
