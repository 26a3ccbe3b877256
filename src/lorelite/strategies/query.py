"""`query`: search a graph by a strategy, and answer from what it finds with citations that were checked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from lorelite import options
from lorelite.errors import InvalidOption, SearchPrerequisiteError
from lorelite.graph_records import QueryResult, SearchContext
from lorelite.pipeline.metadata import stored_pipeline
from lorelite.pipeline.processor import CHUNK_ENTITIES, ENTITY_COMMUNITIES, HYPOTHETICAL_QUESTIONS, SIMILAR_CHUNKS
from lorelite.pipeline.run import GraphEngine
from lorelite.ports import ChatModel, Embedder
from lorelite.prompts.graph_answer import Turn
from lorelite.strategies.answering import RESPONSE_TYPE as RESPONSE_TYPE
from lorelite.strategies.answering import Request, failed, picked, streamed, unanswered, written
from lorelite.strategies.global_community import GlobalCommunitySearch
from lorelite.strategies.notes import NOT_SAID, not_said
from lorelite.strategies.strategy import Strategy

_SPEAKERS = ("user", "assistant")
_TURNS = 3
"""Earlier questions that are searched for along with the latest."""


_OF_REPORTS = {"Reports", "Points", "Answers"}
_SHOWS = {CHUNK_ENTITIES: {"Entities", *_OF_REPORTS}, ENTITY_COMMUNITIES: _OF_REPORTS}
"""Processor → tables that hold something that it made."""


class QueryOptions(TypedDict, total=False):
    """How a question is answered; see `query`."""

    system: str | None
    model: ChatModel | None
    embedding: Embedder | None
    response_type: str
    only_context: bool
    history: Sequence[Turn | Mapping[str, str]] | None
    fail_response: str


class AnswerStream:
    """An answer piece by piece: `async for piece in stream`; the pieces together are `stream.result.text`."""

    def __init__(self, items: AsyncIterator[str | QueryResult]) -> None:
        self._items = items
        self._result: QueryResult | None = None

    def __aiter__(self) -> AnswerStream:
        return self

    async def __anext__(self) -> str:
        item = await anext(self._items)
        if isinstance(item, QueryResult):
            self._result = item
            raise StopAsyncIteration
        return item

    @property
    def result(self) -> QueryResult:
        """The whole answer with its citations. Raises InvalidOption before the last piece was read."""
        if self._result is None:
            raise InvalidOption("AnswerStream.result", "that all pieces were read", "an answer that is not done")
        return self._result

    async def finish(self) -> QueryResult:
        """Read the pieces that are left; gives the result."""
        async for _ in self:
            pass
        return self.result


async def query(run: GraphEngine, search: Strategy | str, prompt: str, **how: Unpack[QueryOptions]) -> QueryResult:
    """The answer to *prompt* from what the strategy finds, each quote looked up in its chunk.

    search: a strategy, or the name of one with its defaults. system: instructions in place of the built-in ones.
    model: writes the answer, before the strategy's own and the graph's; embedding likewise embeds the question.
    response_type: the form of the answer, in words. only_context: search, and answer nothing. history: the turns
    before, oldest first, as ("user" or "assistant", text) or {"role", "content"}. fail_response: what is said when
    nothing is found; the model is not asked then.
    Without a model the answer is the best sentences of the chunks found, or the summaries of the best reports.
    Raises InvalidOption for a blank prompt or an unknown strategy, SearchPrerequisiteError when the graph lacks what
    the strategy reads, and a ModelError when the model fails.
    """
    return await AnswerStream(_items(run, chosen_strategy(search), _asked(prompt, how), stream=False)).finish()


def stream_query(run: GraphEngine, search: Strategy | str, prompt: str, **how: Unpack[QueryOptions]) -> AnswerStream:
    """As `query`, sentence by sentence as they are written, where the model has a method `stream(request)`."""
    return AnswerStream(_items(run, chosen_strategy(search), _asked(prompt, how), stream=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    prompt: str
    system: str | None = None
    model: ChatModel | None = None
    embedding: Embedder | None = None
    response_type: str = RESPONSE_TYPE
    only_context: bool = False
    history: Sequence[Turn | Mapping[str, str]] | None = None
    fail_response: str = NOT_SAID

    def __post_init__(self) -> None:
        if not options.text("prompt", self.prompt).strip():
            raise InvalidOption("prompt", "some text", self.prompt)
        options.text("response_type", self.response_type)
        options.text("fail_response", self.fail_response)
        options.switch("only_context", self.only_context)
        if self.system is not None:
            options.text("system", self.system)
        self.turns()

    def turns(self) -> list[Turn]:
        if isinstance(self.history, str) or not isinstance(self.history, Iterable | None):
            raise InvalidOption("history", "a list of turns", self.history)
        found = []
        for turn in self.history or ():
            pair = (turn.get("role"), turn.get("content")) if isinstance(turn, Mapping) else turn
            is_pair = isinstance(pair, Sequence) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
            if not is_pair or pair[0] not in _SPEAKERS:
                raise InvalidOption("history[]", '("user" or "assistant", text) or {"role", "content"}', turn)
            found.append((str(pair[0]), str(pair[1])))
        return found

    def searched_for(self) -> str:
        """The prompt with the latest questions before it: "And when?" alone finds nothing."""
        earlier = [text for speaker, text in self.turns() if speaker == "user"][-_TURNS:]
        return "\n".join([self.prompt, *reversed(earlier)])


def _asked(prompt: str, how: QueryOptions) -> _Asked:
    named: Any = {options.python_name(name): value for name, value in how.items()}
    known = QueryOptions.__annotations__
    unknown = [name for name in named if name not in known]
    if unknown:
        raise InvalidOption(unknown[0], f"one of the options {', '.join(known)}", "no such option")
    return _Asked(prompt=prompt, **named)


async def _items(
    run: GraphEngine, search: Strategy, asked: _Asked, *, stream: bool
) -> AsyncIterator[str | QueryResult]:
    """The pieces of the answer, and last the result."""
    context = await searched(run, search, asked.searched_for(), model=asked.model, embedding=asked.embedding)
    request = Request(
        prompt=asked.prompt,
        strategy=search.name,
        context=context,
        system=asked.system,
        response_type=asked.response_type,
        history=asked.turns(),
        general_knowledge=isinstance(search, GlobalCommunitySearch) and search.general_knowledge,
        fail_response=not_said(asked.prompt) if asked.fail_response == NOT_SAID else asked.fail_response,
    )
    answering = run.using(model=asked.model or search.model)
    if asked.only_context:
        items = unanswered(request)
    elif context.is_empty:
        items = failed(request)
    elif answering.model is None:
        items = picked(answering, request)
    else:
        items = (streamed if stream else written)(answering, request)
    async for item in items:
        yield item


async def searched(
    run: GraphEngine,
    search: Strategy,
    prompt: str,
    *,
    model: ChatModel | None = None,
    embedding: Embedder | None = None,
) -> SearchContext:
    """What the strategy finds, by its own models before the graph's; model stands behind its own, embedding before.

    Raises SearchPrerequisiteError when the graph lacks what the strategy reads.
    """
    engine = run.using(model=search.model or model, embedder=embedding or search.embedding)
    context = await search.retrieve(engine, prompt)
    await _check_prerequisites(run, search, context)
    return context


async def _check_prerequisites(run: GraphEngine, search: Strategy, context: SearchContext) -> None:
    """Raises SearchPrerequisiteError when the graph has neither the processor that makes what the strategy reads, nor
    what it makes by other means: a file has entities of the documents read into it. Of an empty graph nothing is asked.
    """
    # What the context shows is there; counting the whole graph takes longer than searching it.
    missing = [name for name in search.requires if not context.tables.keys() & _SHOWS.get(name, set())]
    record = await stored_pipeline(run.knowledge) if missing else None
    missing = [name for name in missing if record is None or name not in record.names]
    if not missing:
        return
    stats = await run.knowledge.stats()
    held = {
        CHUNK_ENTITIES: stats.entities,
        ENTITY_COMMUNITIES: stats.reports,
        SIMILAR_CHUNKS: stats.similar_pairs,
        HYPOTHETICAL_QUESTIONS: stats.questions,
    }
    missing = [name for name in missing if not held.get(name)]
    if missing and (stats.chunks or stats.entities):
        raise SearchPrerequisiteError(search.name, missing)


def chosen_strategy(search: Strategy | str) -> Strategy:
    """The strategy itself, or the one of that name. Raises InvalidOption."""
    if isinstance(search, str):
        from lorelite.strategies.factories import strategy_named

        return strategy_named(search)
    if not callable(getattr(search, "retrieve", None)) or not isinstance(getattr(search, "name", None), str):
        raise InvalidOption("search", "a strategy such as naive_search(), or the name of one", search)
    return search
