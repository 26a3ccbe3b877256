"""From a context to an answer: written by a model and checked, or picked from what was found."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from lorelite import asking
from lorelite.errors import BadReply
from lorelite.graph_records import QueryResult, SearchContext
from lorelite.pipeline.run import GraphEngine
from lorelite.ports import ModelRequest, StreamingModel
from lorelite.prompts import graph_answer
from lorelite.prompts.answer import Citation as Claim
from lorelite.prompts.answer import Source
from lorelite.prompts.graph_answer import Turn
from lorelite.records import AnswerSentence, Origin, Usage
from lorelite.strategies.checked import checked_sentence
from lorelite.strategies.notes import NOT_SAID
from lorelite.strategies.picked import picked_paragraphs
from lorelite.strategies.sources import Passage, chunk_passages
from lorelite.strategies.tables import SOURCES, rendered

RESPONSE_TYPE = "Multiple Paragraphs"

Items = AsyncIterator[str | QueryResult]
"""Pieces of the answer's text, and last the result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be answered, from what, and how."""

    prompt: str
    strategy: str
    context: SearchContext
    system: str | None = None
    response_type: str = RESPONSE_TYPE
    history: Sequence[Turn] = ()
    general_knowledge: bool = False
    fail_response: str = NOT_SAID


class _Said(NamedTuple):
    begins_paragraph: bool
    text: str
    claims: tuple[Claim, ...]


@dataclass(slots=True)
class _Answer:
    """An answer as it grows sentence by sentence."""

    request: Request
    sources: Sequence[Passage] = ()
    sentences: list[AnswerSentence] = field(default_factory=list)
    unsupported: list[str] = field(default_factory=list)
    text: str = ""

    def add(self, said: _Said) -> str:
        """Check a sentence and take it in; gives the piece of text that it adds, "" when it has to be left out."""
        return self.take(checked_sentence(said.text, said.claims, self.sources), said.begins_paragraph)

    def take(self, sentence: AnswerSentence, begins_paragraph: bool) -> str:
        if not sentence.citations:
            self.unsupported.append(sentence.text)
            if not self._holds_tables():
                return ""
        self.sentences.append(sentence)
        piece = ("" if not self.text else "\n\n" if begins_paragraph else " ") + sentence.text
        self.text += piece
        return piece

    def result(self, origin: Origin, usage: Usage) -> QueryResult:
        context = self.request.context
        return QueryResult(
            text=self.text or self.request.fail_response,
            answered=bool(self.sentences),
            strategy=self.request.strategy,
            context=context,
            origin=origin,
            sentences=tuple(self.sentences),
            unsupported=tuple(self.unsupported),
            sources=tuple(chunk.id for chunk in context.chunks),
            usage=context.usage + usage,
        )

    def _holds_tables(self) -> bool:
        """May a sentence rest on something else than a passage?"""
        return self.request.general_knowledge or any(name != SOURCES for name in self.request.context.tables)


async def answered(run: GraphEngine, request: Request) -> QueryResult:
    """The answer as a whole, by the model or without one."""
    items = picked(run, request) if run.model is None else written(run, request)
    *_, result = [item async for item in items]
    assert isinstance(result, QueryResult)
    return result


async def unanswered(request: Request) -> Items:
    """What was found, and no answer."""
    yield replace(_Answer(request).result("heuristic", Usage()), text="")


async def failed(request: Request) -> Items:
    """What is said when nothing was found."""
    yield request.fail_response
    yield _Answer(request).result("heuristic", Usage())


async def picked(run: GraphEngine, request: Request) -> Items:
    """Without a model: sentences of the chunks found, or the summaries of reports, which is said."""
    answer = _Answer(request)
    note, paragraphs = await picked_paragraphs(run.knowledge, request.prompt, request.context)
    if note and paragraphs:
        answer.text = note
        yield note
    for paragraph in paragraphs:
        for place, sentence in enumerate(paragraph):
            yield answer.take(sentence, begins_paragraph=not place)
    if not answer.sentences:
        yield request.fail_response
    yield answer.result("heuristic", Usage())


async def written(run: GraphEngine, request: Request) -> Items:
    """The model's answer, asked for as a whole."""
    model_request, sources = _model_request(request)
    [answered] = await asking.read_replies(run.complete, [model_request], lambda _, text: _sentences(text, sources))
    for reply in answered.unread:
        run.judge(reply, "none")
    answer = _Answer(request, chunk_passages(request.context.chunks))
    for piece in _pieces(answer, answered.result):
        yield piece
    if not answer.text:
        yield request.fail_response
    yield answer.result("model", answered.reply.usage)


async def streamed(run: GraphEngine, request: Request) -> Items:
    """The model's answer sentence by sentence as it is written; as a whole when the model cannot stream.

    A sentence is checked and given when the next one has begun.
    """
    model = run.model
    if not isinstance(model, StreamingModel):
        async for item in written(run, request):
            yield item
        return
    model_request, sources = _model_request(request)
    answer = _Answer(request, chunk_passages(request.context.chunks))
    reply = ""
    given: list[_Said] = []
    usage = Usage(calls=1)
    [model_request] = asking.of_namespace(run.knowledge.namespace, [model_request])
    async with aclosing(asking.stream(model, model_request, run.in_transaction)) as parts:
        async for part in parts:
            if isinstance(part, Usage):
                usage = part
                continue
            reply += part
            if not any(mark in part for mark in '}."\n'):
                continue
            with suppress(BadReply):
                whole = _sentences(reply, sources)[:-1]
                for piece in _pieces(answer, _after(given, whole)):
                    yield piece
                given += _after(given, whole)
    for piece in _pieces(answer, _after(given, _sentences(reply, sources))):
        yield piece
    if not answer.text:
        yield request.fail_response
    run.tally.model_calls += 1
    run.tally.usage += usage
    yield answer.result("model", usage)


def _model_request(request: Request) -> tuple[ModelRequest, list[Source]]:
    context = request.context
    passages = chunk_passages(context.chunks)
    sources = [(number, passage.title, passage.text) for number, passage in enumerate(passages, 1)]
    beside = {name: rows for name, rows in context.tables.items() if name != SOURCES}
    made = graph_answer.build(
        request.prompt,
        sources,
        # What is no table of rows alone, such as the points of analysts, is shown as the context shows it.
        rendered(beside) if sources else context.text,
        response_type=request.response_type,
        instructions=request.system,
        history=request.history,
        general_knowledge=request.general_knowledge,
    )
    return made, sources


def _sentences(reply: str, sources: Sequence[Source]) -> list[_Said]:
    return [
        _Said(not place, text, claims)
        for paragraph in graph_answer.parse(reply, sources)
        for place, (text, claims) in enumerate(paragraph)
    ]


def _after(given: Sequence[_Said], said: Sequence[_Said]) -> list[_Said]:
    """What is new in a reply of which more was read. A reply that reads otherwise by then adds nothing to what was
    given."""
    return list(said[len(given) :]) if list(said[: len(given)]) == list(given) else []


def _pieces(answer: _Answer, said: Iterable[_Said]) -> Iterable[str]:
    """The pieces of text that these sentences add."""
    return filter(None, map(answer.add, said))
