"""A namespace of a wiki as the home of a knowledge graph."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from lorelite.knowledge_graph import Home, OpenHome
from lorelite.pipeline.file_knowledge import FileKnowledge
from lorelite.ports import Embedder
from lorelite.text.chunking import chunk_spans
from lorelite.wiki.core import Core


def home_opener(wiki: Core) -> OpenHome:
    """Opens the graphs of a wiki that others open and close."""

    async def open_home(namespace: str, embedder: Embedder | None, *, blocking: bool) -> Home:
        return home_in(wiki, namespace, _nothing)

    return open_home


def home_in(wiki: Core, namespace: str, close: Callable[[], Awaitable[None]]) -> Home:
    """The graph of a namespace; *close* is what closing it does."""
    engine = wiki._open_engine()
    config = engine.config
    overlap = min(config.chunk_overlap, (config.chunk_chars - 1) // 2)
    return Home(
        knowledge=FileKnowledge(engine, namespace),
        spans_of=lambda text: chunk_spans(text, config.chunk_chars, overlap),
        clock=engine.clock,
        in_transaction=lambda: engine.store.db.in_transaction,
        check=wiki._open_engine,
        working=lambda: engine.store.board.ingesting(namespace),
        close=close,
        ledger=engine.ledger,
        model=engine.model,
    )


async def _nothing() -> None:
    """The wiki stays open."""
