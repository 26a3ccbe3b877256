"""A knowledge graph built by a pipeline and searched by strategies, wherever it is kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, Unpack, get_args, overload

from lorelite import asking, options
from lorelite.errors import ClosedError
from lorelite.given import as_embedder, as_model
from lorelite.graph_records import (
    Community,
    CommunityReport,
    DeleteReport,
    GraphEntity,
    GraphRelation,
    GraphStats,
    GraphView,
    InsertReport,
    QueryResult,
    TextChunk,
)
from lorelite.pipeline.chunking import Chunking, SpansOf
from lorelite.pipeline.documents import Documents, documents_of
from lorelite.pipeline.insert import Plan, build, delete_documents, insert
from lorelite.pipeline.knowledge import Knowledge
from lorelite.pipeline.metadata import VectorSpace
from lorelite.pipeline.processor import Processor
from lorelite.pipeline.run import MAX_ERRORS, GraphEngine, OnError
from lorelite.ports import ChatModel, Clock, Embedder, Ledger, OnProgress
from lorelite.spending import Budget, budgeted

if TYPE_CHECKING:
    from lorelite.blocking.knowledge_graph import BlockingKnowledgeGraph
    from lorelite.interchange.graph_export import GraphFormat
    from lorelite.reports import ExportReport
    from lorelite.strategies.query import AnswerStream, QueryOptions
    from lorelite.strategies.strategy import Strategy


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where a graph is kept, once it is open."""

    knowledge: Knowledge
    spans_of: SpansOf
    """How documents are cut there unless a graph says otherwise."""
    clock: Clock
    in_transaction: asking.InTransaction
    check: Callable[[], object]
    """Raises when it may not be used: it is closed, or another task holds a transaction."""
    working: Callable[[], AbstractContextManager[object]]
    """Says meanwhile that documents are taken in."""
    close: Callable[[], Awaitable[None]]
    ledger: Ledger | None = None
    """What models are asked through there."""
    model: ChatModel | None = None
    """What answers a graph that was given no model: recorded calls."""


class OpenHome(Protocol):
    """Opens where the graph of a namespace is kept; with blocking=True without suspending."""

    async def __call__(self, namespace: str, embedder: Embedder | None, *, blocking: bool) -> Home: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """What a graph is built and searched with."""

    model: ChatModel | None = None
    cheap_model: ChatModel | None = None
    embedder: Embedder | None = None

    def as_blocking(self) -> Models:
        """The same models, none of which suspends. Raises AsyncOnlyModel."""
        return Models(
            model=self.model.as_blocking() if self.model else None,
            cheap_model=self.cheap_model.as_blocking() if self.cheap_model else None,
            embedder=self.embedder.as_blocking() if self.embedder else None,
        )


class KnowledgeGraph:
    """One namespace's graph, to be awaited; `create_graph` and `AsyncWiki.graph` give one, `blocking()` its twin.

    Opened at the first call: `async with create_graph(…) as graph`.
    """

    def __init__(
        self,
        open_home: OpenHome,
        namespace: str,
        *,
        pipeline: tuple[Processor, ...] = (),
        models: Models,
        chunking: Chunking | None = None,
        on_progress: OnProgress | None = None,
        is_blocking: bool = False,
    ) -> None:
        self._open_home = open_home
        self._namespace = namespace
        self._pipeline = pipeline
        self._models = models
        self._chunking = chunking
        self._on_progress = on_progress
        self._is_blocking = is_blocking
        self._home: Home | None = None
        self._space: VectorSpace | None = None
        self._closed = False

    def __repr__(self) -> str:
        names = ", ".join(processor.name for processor in self._pipeline)
        return f"{type(self).__name__}({self._namespace!r}, pipeline=[{names}])"

    @property
    def namespace(self) -> str:
        return self._namespace

    @property
    def pipeline(self) -> tuple[Processor, ...]:
        return self._pipeline

    def blocking(self) -> BlockingKnowledgeGraph:
        """The same graph for code without an event loop; this one is not to be used beside it.

        Raises AsyncOnlyModel for a model that must be awaited.
        """
        from lorelite.blocking.knowledge_graph import BlockingKnowledgeGraph

        return BlockingKnowledgeGraph(self.as_blocking())

    def as_blocking(self) -> KnowledgeGraph:
        """The same graph with models of which none suspends, so that its coroutines never do. Raises AsyncOnlyModel."""
        twin = KnowledgeGraph(
            self._open_home,
            self._namespace,
            pipeline=self._pipeline,
            models=self._models.as_blocking(),
            chunking=self._chunking,
            on_progress=self._on_progress,
            is_blocking=True,
        )
        twin._home = self._home
        return twin

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close what was opened for this graph; a wiki that it came from stays open. Twice is fine."""
        self._closed = True
        home, self._home = self._home, None
        if home is not None:
            await home.close()

    # -- building -------------------------------------------------------------------------------------------------

    @options.seed_names
    @budgeted
    async def insert(
        self,
        documents: Documents,
        *,
        on_error: OnError = "raise",
        max_errors: int = MAX_ERRORS,
        on_progress: OnProgress | None = None,
        budget: Budget | None = None,
    ) -> InsertReport:
        """Take documents in, and run the pipeline on what is new; what is there already costs nothing.

        documents: a text, a GraphDocument, a mapping with content (or text), id and metadata, or any iterable of them,
        which is read in batches. Without an id a document is named by its text; another text under an id that is there
        replaces the earlier one.
        on_error: "raise" stops at the first chunk that cannot be processed; "skip" goes on, says so in the report, and
        the next insert tries again; more than max_errors stop that too.
        An interrupted insert goes on when it is called again. Raises PipelineConfigMismatchError, with nothing written,
        when another pipeline built the graph, InsertAborted with the report so far, DocumentError, ModelError.
        budget: what its calls may cost at most, as within `spending`.
        """
        home, run = await self._started(on_progress, on_error, max_errors)
        total = len(documents) if isinstance(documents, Sequence) and not isinstance(documents, str) else 0
        plan = await self._plan(home)
        with home.working():
            return await insert(run, plan, documents_of(documents), total)

    @options.seed_names
    @budgeted
    async def build(
        self,
        *,
        on_error: OnError = "raise",
        max_errors: int = MAX_ERRORS,
        on_progress: OnProgress | None = None,
        budget: Budget | None = None,
    ) -> InsertReport:
        """Run the pipeline on what it has not worked on yet, and find communities anew.

        For documents that were inserted with an empty pipeline, and for graphs that came in by other ways. Options and
        errors are those of `insert`.
        budget: what its calls may cost at most, as within `spending`.
        """
        home, run = await self._started(on_progress, on_error, max_errors)
        plan = await self._plan(home)
        with home.working():
            return await build(run, plan)

    async def delete_documents(self, ids: str | Iterable[str]) -> DeleteReport:
        """Take documents away with all that only they support; communities and reports are brought up to date.

        Raises PipelineConfigMismatchError, with nothing deleted, when another pipeline built the graph, and
        InsertAborted with the report when a model failed afterwards: the deletion stands, and the next insert brings
        the rest up to date.
        """
        wanted = [ids] if isinstance(ids, str) else list(options.texts("ids", ids))
        home, run = await self._started()
        plan = await self._plan(home)
        with home.working():
            return await delete_documents(run, plan, wanted)

    async def drop(self) -> None:
        """Take everything of this namespace away; other namespaces stay as they are."""
        home, _ = await self._started()
        with home.working():
            await home.knowledge.drop()

    # -- asking ---------------------------------------------------------------------------------------------------

    async def query(self, prompt: str, *, search: Strategy | str = "auto", **how: Unpack[QueryOptions]) -> QueryResult:
        """The answer to *prompt* from what a strategy finds; each quote was looked up in its chunk.

        search: a strategy such as local_community_search(), or the name of one. system: instructions in place of the
        built-in ones. model, embedding: in place of the strategy's and the graph's. response_type: the form of the
        answer, in words. only_context: search, and answer nothing. history: the turns before, oldest first, as
        ("user" or "assistant", text). fail_response: what is said when nothing is found; no model is asked then.
        Without a model the answer is the sentences that cover the question best.
        Raises InvalidOption, SearchPrerequisiteError when the graph lacks what the strategy reads, ModelError.
        """
        from lorelite.strategies.query import query

        _, run = await self._started()
        return await query(run, search, prompt, **_with_ports(how))

    async def stream(
        self, prompt: str, *, search: Strategy | str = "auto", **how: Unpack[QueryOptions]
    ) -> AnswerStream:
        """As `query`, piece by piece: `async for piece in await graph.stream(…)`; `result` is there after the last."""
        from lorelite.strategies.query import stream_query

        _, run = await self._started()
        return stream_query(run, search, prompt, **_with_ports(how))

    # -- looking --------------------------------------------------------------------------------------------------

    async def entities(self) -> list[GraphEntity]:
        """All entities, ordered by id."""
        knowledge = (await self._open()).knowledge
        return await knowledge.entities(await knowledge.entity_ids())

    async def relations(self) -> list[GraphRelation]:
        """All relations, once for each pair of entities, ordered by the ids of their ends."""
        knowledge = (await self._open()).knowledge
        return await knowledge.relations_of(await knowledge.entity_ids())

    async def chunks(self) -> list[TextChunk]:
        """All chunks in the order of insertion."""
        knowledge = (await self._open()).knowledge
        return await knowledge.chunks(await knowledge.chunk_ids())

    async def communities(self) -> list[Community]:
        """All communities, the coarsest level first."""
        return await (await self._open()).knowledge.communities()

    async def reports(self) -> list[CommunityReport]:
        """All reports on communities, the coarsest level first."""
        return await (await self._open()).knowledge.reports()

    async def stats(self) -> GraphStats:
        """How much the graph holds."""
        return await (await self._open()).knowledge.stats()

    async def view(self, level: int = 0, *, max_nodes: int = 200) -> GraphView:
        """The graph to be drawn: at most *max_nodes* entities, the most connected first, and what joins them.

        level: the communities that colour it, 0 the coarsest; where one is not divided that far, it stands itself.
        Raises InvalidOption.
        """
        from lorelite.pipeline.view import graph_view

        options.whole_number("level", level, 0)
        options.whole_number("max_nodes", max_nodes, 1)
        return await graph_view((await self._open()).knowledge, level=level, max_nodes=max_nodes)

    @overload
    async def export(self, format: GraphFormat = "graphml", *, path: None = None, chunks: bool = False) -> str: ...

    @overload
    async def export(
        self, format: GraphFormat = "graphml", *, path: str | Path, chunks: bool = False
    ) -> ExportReport: ...

    async def export(
        self, format: GraphFormat = "graphml", *, path: str | Path | None = None, chunks: bool = False
    ) -> str | ExportReport:
        """Entities and relations for other programs: as text, or with *path* written to a file.

        format: "graphml" (networkx, Gephi, yEd, Cytoscape), "json" (node-link), "cypher" (Neo4j and its kin),
        "nodes.csv" or "edges.csv". chunks: with the chunks, which entities they mention, and which are alike.
        Raises InvalidOption, CannotOpen, StorageFull.
        """
        from lorelite.interchange.graph_export import exported

        return await exported((await self._open()).knowledge, format, path=path, chunks=chunks)

    # -- parts ----------------------------------------------------------------------------------------------------

    async def _open(self) -> Home:
        if self._closed:
            raise ClosedError(self._namespace, "graph", "create_graph(…) or wiki.graph(…)")
        if self._home is None:
            self._home = await self._open_home(self._namespace, self._models.embedder, blocking=self._is_blocking)
        self._home.check()
        return self._home

    async def _started(
        self,
        on_progress: OnProgress | None = None,
        on_error: OnError = "raise",
        max_errors: int = MAX_ERRORS,
    ) -> tuple[Home, GraphEngine]:
        """What one call works with."""
        home = await self._open()
        run = GraphEngine(
            knowledge=home.knowledge,
            clock=home.clock,
            on_progress=options.callback("on_progress", on_progress) or self._on_progress,
            on_error=options.one_of("on_error", on_error, get_args(OnError)),
            max_errors=options.whole_number("max_errors", max_errors, 0),
            blocking=self._is_blocking,
            in_transaction=home.in_transaction,
            ledger=home.ledger,
        )
        return home, run.using(model=self._models.model or home.model, cheap_model=self._models.cheap_model)

    async def _plan(self, home: Home) -> Plan:
        if self._space is None and self._models.embedder is not None:
            self._space = await _space_of(self._models.embedder, home.in_transaction, self._namespace)
        spans_of = home.spans_of if self._chunking is None else self._chunking.spans
        return Plan(pipeline=self._pipeline, spans_of=spans_of, embedding=self._space)


async def _space_of(embedder: Embedder, in_transaction: asking.InTransaction, namespace: str) -> VectorSpace:
    """Its id and dimension; an embedder that does not say how long its vectors are is asked for one."""
    dimension: Any = getattr(embedder, "dimensions", None)
    if not isinstance(dimension, int):
        [vector] = await asking.embed(embedder, ["dimension"], in_transaction, namespace=namespace)
        dimension = len(vector)
    return VectorSpace(embedder.model_id, dimension)


def _with_ports(how: QueryOptions) -> QueryOptions:
    """The options, functions wrapped as the ports that they stand for."""
    ports = how.copy()
    if "model" in how:
        ports["model"] = as_model(how["model"])
    if "embedding" in how:
        ports["embedding"] = as_embedder(how["embedding"], "embedding")
    return ports
