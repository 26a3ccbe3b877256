"""The surface of the GraphRAG SDK: a graph in stores of one's choice, a pipeline, a search strategy.

Each function is there under its Python name and under the SDK's own, and takes options by either spelling.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from inspect import isawaitable
from pathlib import Path
from typing import Any, Protocol

from lorelite import options
from lorelite.errors import ConfigError, InvalidOption
from lorelite.given import as_embedder, as_model
from lorelite.graph_records import QueryResult
from lorelite.knowledge_graph import Home, KnowledgeGraph, Models
from lorelite.opening import open_store
from lorelite.options import seed_names
from lorelite.pipeline.chunking import Chunking, checked_chunking
from lorelite.pipeline.processor import Processor, checked_pipeline
from lorelite.ports import Embedder, OnProgress
from lorelite.settings import WikiConfig
from lorelite.store_ports import GraphStore, KVStore, VectorStore
from lorelite.strategies.query import RESPONSE_TYPE
from lorelite.strategies.strategy import Strategy
from lorelite.temporal import now_ms
from lorelite.wiki import AsyncWiki
from lorelite.wiki.graph_home import home_in

GraphStoreFactory = Callable[[str], GraphStore | Awaitable[GraphStore]]
"""Namespace → its store. So are the other two."""
VectorStoreFactory = Callable[[str], VectorStore | Awaitable[VectorStore]]
KVStoreFactory = Callable[[str], KVStore | Awaitable[KVStore]]


class GraphProvider(Protocol):
    """Says where graphs are kept and which pipeline builds them; `lexical_graph` gives one."""

    @property
    def pipeline(self) -> Sequence[Processor]: ...

    async def open_home(self, namespace: str, embedder: Embedder | None, *, blocking: bool) -> Home: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _StoresProvider:
    """Three stores of a caller's choice, each made by its factory for a namespace."""

    graph_store_factory: GraphStoreFactory
    vector_store_factory: VectorStoreFactory
    kv_store_factory: KVStoreFactory
    pipeline: Sequence[Processor]

    async def open_home(self, namespace: str, embedder: Embedder | None, *, blocking: bool) -> Home:
        from lorelite.pipeline.store_knowledge import StoreKnowledge

        graph, vectors, kv = [
            await made if isawaitable(made) else made
            for made in (
                self.graph_store_factory(namespace),
                self.vector_store_factory(namespace),
                self.kv_store_factory(namespace),
            )
        ]
        knowledge = StoreKnowledge(namespace, graph, vectors, kv, embedder)
        return Home(
            knowledge=knowledge,
            spans_of=Chunking().spans,
            clock=now_ms,
            in_transaction=lambda: False,
            check=lambda: None,
            working=nullcontext,
            close=knowledge.close,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _FileProvider:
    """A Lorelite file: namespaces of it are graphs, wikis and memories at once."""

    path: str | Path
    pipeline: Sequence[Processor]
    config: WikiConfig

    async def open_home(self, namespace: str, embedder: Embedder | None, *, blocking: bool) -> Home:
        # An opened store keeps AsyncWiki.open from asking the browser's storage, which must be awaited.
        store = open_store(self.path, self.config, read_only=False) if blocking else None
        wiki = await AsyncWiki.open(self.path, embedder=embedder, config=self.config, store=store)
        return home_in(wiki, namespace, wiki.close)


@seed_names
def lexical_graph(
    graph_store_factory: GraphStoreFactory | None = None,
    vector_store_factory: VectorStoreFactory | None = None,
    kv_store_factory: KVStoreFactory | None = None,
    *,
    pipeline: Sequence[Processor] = (),
    path: str | Path = ":memory:",
    config: WikiConfig | None = None,
) -> GraphProvider:
    """Where a graph of documents is kept, and the processors that build it, in order.

    With the three factories (namespace → store) it is kept in their stores; without any in the Lorelite file at *path*,
    opened with *config*. Raises ConfigError that names a factory which is missing, and PipelineOrderError.
    """
    processors = checked_pipeline(pipeline)
    factories = {
        "graph_store_factory": graph_store_factory,
        "vector_store_factory": vector_store_factory,
        "kv_store_factory": kv_store_factory,
    }
    if not any(factories.values()):
        return _FileProvider(path=path, pipeline=processors, config=config or WikiConfig())
    for name, factory in factories.items():
        if not callable(factory):
            found = "nothing" if factory is None else factory
            raise ConfigError(name, "a function namespace -> store, as the other stores have one", found)
    if str(path) != ":memory:" or config is not None:
        raise ConfigError("path", "neither path nor config beside factories, which name their own places", path)
    assert graph_store_factory and vector_store_factory and kv_store_factory
    return _StoresProvider(
        graph_store_factory=graph_store_factory,
        vector_store_factory=vector_store_factory,
        kv_store_factory=kv_store_factory,
        pipeline=processors,
    )


@seed_names
def create_graph(
    graph: GraphProvider | None = None,
    *,
    model: Any = None,
    embedding: Any = None,
    namespace: str = "default",
    cheap_model: Any = None,
    chunking: Chunking | Mapping[str, Any] | None = None,
    on_progress: OnProgress | None = None,
) -> KnowledgeGraph:
    """A knowledge graph, opened when it is first used and closed by `close` or the end of `async with`.

    graph: where it is kept and what builds it, see `lexical_graph`; None: in memory, without a pipeline.
    model: a ChatModel or a function (system, user) → text; None works without one. cheap_model: for summaries; None:
    the model. embedding: an Embedder or a function texts → vectors; None: a file is searched by words.
    namespace: graphs of different namespaces in one place see nothing of each other.
    chunking: a Chunking, or a mapping with size, overlap (in tokens) and mode; None: windows of 1200 tokens that
    overlap by 100, or in a file as its settings say. on_progress: told of every step of an insert.
    Raises ConfigError.
    """
    provider = lexical_graph() if graph is None else graph
    if not callable(getattr(provider, "open_home", None)):
        raise ConfigError("graph", "a provider, for example lexical_graph(…)", graph)
    return KnowledgeGraph(
        provider.open_home,
        _checked_namespace(namespace),
        pipeline=checked_pipeline(provider.pipeline),
        models=Models(model=as_model(model), cheap_model=as_model(cheap_model), embedder=as_embedder(embedding)),
        chunking=checked_chunking(chunking),
        on_progress=options.callback("on_progress", on_progress),
    )


def _checked_namespace(value: object) -> str:
    try:
        return options.namespace(value)
    except InvalidOption as error:
        raise ConfigError("namespace", error.data["expected"], value) from error


@seed_names
async def query(
    graph: KnowledgeGraph,
    search: Strategy | str,
    prompt: str,
    *,
    system: str | None = None,
    model: Any = None,
    embedding: Any = None,
    response_type: str = RESPONSE_TYPE,
    only_context: bool = False,
    history: Sequence[tuple[str, str] | Mapping[str, str]] | None = None,
) -> QueryResult:
    """The answer of a graph to *prompt*, from what the strategy *search* finds: see `KnowledgeGraph.query`.

    `KnowledgeGraph.stream` gives it piece by piece.
    """
    return await graph.query(
        prompt,
        search=search,
        system=system,
        model=model,
        embedding=embedding,
        response_type=response_type,
        only_context=only_context,
        history=history,
    )


createGraph = create_graph
lexicalGraph = lexical_graph
