"""The twin of `KnowledgeGraph`: apart from its neighbours, since opening a wiki needs none of it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack, overload

from lorelite import options
from lorelite._drive import drive
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
from lorelite.knowledge_graph import KnowledgeGraph
from lorelite.pipeline.documents import Documents
from lorelite.pipeline.processor import Processor
from lorelite.pipeline.run import MAX_ERRORS, OnError
from lorelite.ports import OnProgress
from lorelite.spending import Budget

if TYPE_CHECKING:
    from lorelite.interchange.graph_export import GraphFormat
    from lorelite.reports import ExportReport
    from lorelite.strategies.query import AnswerStream, QueryOptions
    from lorelite.strategies.strategy import Strategy

T = TypeVar("T")


class BlockingAnswerStream:
    """An answer piece by piece: `for piece in stream`; the pieces together are `stream.result.text`."""

    def __init__(self, stream: AnswerStream, run: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self._stream = stream
        self._run_coroutine = run

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            piece: str = self._run_coroutine(self._stream.__anext__())
        except StopAsyncIteration:
            raise StopIteration from None
        return piece

    @property
    def result(self) -> QueryResult:
        """The whole answer with its citations. Raises InvalidOption before the last piece was read."""
        return self._stream.result

    def finish(self) -> QueryResult:
        """Read the pieces that are left; gives the result."""
        for _ in self:
            pass
        return self.result


class BlockingKnowledgeGraph:
    """The twin of KnowledgeGraph whose methods return what the other's give when awaited.

    `Wiki.graph` and `KnowledgeGraph.blocking` give one: `with create_graph(…).blocking() as graph`.
    """

    def __init__(self, graph: KnowledgeGraph, run: Callable[[Coroutine[Any, Any, Any]], Any] = drive) -> None:
        self._graph = graph
        self._run_coroutine = run

    def __repr__(self) -> str:
        return f"Blocking{self._graph!r}"

    def _run(self, call: Coroutine[Any, Any, T]) -> T:
        result: T = self._run_coroutine(call)
        return result

    @property
    def namespace(self) -> str:
        return self._graph.namespace

    @property
    def pipeline(self) -> tuple[Processor, ...]:
        return self._graph.pipeline

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """See KnowledgeGraph.close."""
        self._run(self._graph.close())

    @options.seed_names
    def insert(
        self,
        documents: Documents,
        *,
        on_error: OnError = "raise",
        max_errors: int = MAX_ERRORS,
        on_progress: OnProgress | None = None,
        budget: Budget | None = None,
    ) -> InsertReport:
        """See KnowledgeGraph.insert."""
        return self._run(
            self._graph.insert(
                documents, on_error=on_error, max_errors=max_errors, on_progress=on_progress, budget=budget
            )
        )

    @options.seed_names
    def build(
        self,
        *,
        on_error: OnError = "raise",
        max_errors: int = MAX_ERRORS,
        on_progress: OnProgress | None = None,
        budget: Budget | None = None,
    ) -> InsertReport:
        """See KnowledgeGraph.build."""
        return self._run(
            self._graph.build(on_error=on_error, max_errors=max_errors, on_progress=on_progress, budget=budget)
        )

    def delete_documents(self, ids: str | Iterable[str]) -> DeleteReport:
        """See KnowledgeGraph.delete_documents."""
        return self._run(self._graph.delete_documents(ids))

    def drop(self) -> None:
        """See KnowledgeGraph.drop."""
        self._run(self._graph.drop())

    def query(self, prompt: str, *, search: Strategy | str = "auto", **how: Unpack[QueryOptions]) -> QueryResult:
        """See KnowledgeGraph.query."""
        return self._run(self._graph.query(prompt, search=search, **how))

    def stream(
        self, prompt: str, *, search: Strategy | str = "auto", **how: Unpack[QueryOptions]
    ) -> BlockingAnswerStream:
        """See KnowledgeGraph.stream."""
        return BlockingAnswerStream(self._run(self._graph.stream(prompt, search=search, **how)), self._run_coroutine)

    def entities(self) -> list[GraphEntity]:
        """See KnowledgeGraph.entities."""
        return self._run(self._graph.entities())

    def relations(self) -> list[GraphRelation]:
        """See KnowledgeGraph.relations."""
        return self._run(self._graph.relations())

    def chunks(self) -> list[TextChunk]:
        """See KnowledgeGraph.chunks."""
        return self._run(self._graph.chunks())

    def communities(self) -> list[Community]:
        """See KnowledgeGraph.communities."""
        return self._run(self._graph.communities())

    def reports(self) -> list[CommunityReport]:
        """See KnowledgeGraph.reports."""
        return self._run(self._graph.reports())

    def stats(self) -> GraphStats:
        """See KnowledgeGraph.stats."""
        return self._run(self._graph.stats())

    def view(self, level: int = 0, *, max_nodes: int = 200) -> GraphView:
        """See KnowledgeGraph.view."""
        return self._run(self._graph.view(level, max_nodes=max_nodes))

    @overload
    def export(self, format: GraphFormat = "graphml", *, path: None = None, chunks: bool = False) -> str: ...

    @overload
    def export(self, format: GraphFormat = "graphml", *, path: str | Path, chunks: bool = False) -> ExportReport: ...

    def export(
        self, format: GraphFormat = "graphml", *, path: str | Path | None = None, chunks: bool = False
    ) -> str | ExportReport:
        """See KnowledgeGraph.export."""
        if path is None:
            return self._run(self._graph.export(format, chunks=chunks))
        return self._run(self._graph.export(format, path=path, chunks=chunks))
