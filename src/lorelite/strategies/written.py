"""An answer written by the model, every citation of which is looked up in the documents."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite.engine import Engine
from lorelite.prompts import answer as prompt
from lorelite.prompts.fence import shortened
from lorelite.records import Answer, AnswerSentence, Citation, Graph, Node
from lorelite.strategies.extractive import NOT_SAID
from lorelite.strategies.sources import Passage, passages
from lorelite.text.quote import find_quote
from lorelite.text.render import format_graph_context
from lorelite.text.stem import light_stem
from lorelite.text.stopwords import stop_words_for
from lorelite.text.tokens import word_tokens

_SOURCE_CHARS = 8_000
_RELATIONS_CHARS = 20_000
_OVERLAP = 0.5
"""Share of a sentence's words that a source sentence must hold to stand in for a quote that was not found."""


async def written_answer(
    engine: Engine, question: str, nodes: Sequence[Node], graph: Graph, template: str | None = None
) -> Answer:
    """The model's answer from *nodes*. Sentences without a citation that holds are kept apart as `unsupported`.

    template: the caller's instructions in place of the built-in ones.
    Raises a ModelError when the model cannot be reached or its reply cannot be read.
    """
    if not nodes:
        return Answer(question=question, text=NOT_SAID, answered=False, origin="model", graph=graph)
    sources = passages(nodes)
    # A chunk is shown whole; a fact that a caller stated may be of any length.
    most = max(_SOURCE_CHARS, engine.config.chunk_chars)
    numbered = [(number, source.node.title, shortened(source.text, most)) for number, source in enumerate(sources, 1)]
    relations = shortened(format_graph_context(graph), _RELATIONS_CHARS)
    [reply] = await engine.complete([prompt.build(question, numbered, relations, template)])
    if reply.error is not None:
        raise reply.error
    parsed = prompt.parse(reply.text, numbered)
    sentences = []
    unsupported = []
    for text, claims in parsed.sentences:
        citations = _citations(text, claims, sources)
        if citations:
            sentences.append(AnswerSentence(text=text, citations=citations))
        else:
            unsupported.append(text)
    answered = parsed.answered and bool(sentences)
    cited = {citation.document_id for sentence in sentences for citation in sentence.citations}
    return Answer(
        question=question,
        text=" ".join(sentence.text for sentence in sentences) if answered else NOT_SAID,
        answered=answered,
        origin="model",
        sentences=tuple(sentences) if answered else (),
        unsupported=tuple(unsupported),
        sources=tuple(source.node for source in sources if source.document_id in cited) if answered else (),
        graph=graph,
        usage=reply.usage,
    )


def _citations(text: str, claims: Sequence[tuple[int, str]], sources: Sequence[Passage]) -> tuple[Citation, ...]:
    """The claimed quotes that are really there; for one that is not, the source sentence that says the same."""
    found: dict[Citation, None] = {}
    for number, quote in claims:
        if not 1 <= number <= len(sources):
            continue
        source = sources[number - 1]
        span = find_quote(source.text, quote, 0, len(source.text)) if quote.strip() else None
        if span is not None:
            found[source.citation(span.start, span.end)] = None
        elif (nearest := _nearest(text, source)) is not None:
            found[nearest] = None
    return tuple(found)


def _nearest(text: str, source: Passage) -> Citation | None:
    wanted = _words(text)
    if not wanted:
        return None
    scored = [(len(wanted & _words(sentence.quote)) / len(wanted), sentence) for sentence in source.sentences()]
    share, sentence = max(scored, key=lambda item: item[0], default=(0.0, None))
    return sentence if share >= _OVERLAP else None


def _words(text: str) -> set[str]:
    tokens = set(word_tokens(text))
    return set(map(light_stem, tokens - stop_words_for(tokens)))
