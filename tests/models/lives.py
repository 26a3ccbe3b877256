"""Processes that take a book in through a model behind HTTP, and may be killed meanwhile: what each life runs."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lorelite import AsyncWiki, Wiki, WikiConfig, chunk_entity_generation, entity_community_generation
from lorelite.models import OpenAIModel

NS = "book"
PARALLEL = 4
CONFIG = WikiConfig(model_batch=8)
PIPELINE = (chunk_entity_generation(), entity_community_generation())


def model(address: str) -> OpenAIModel:
    return OpenAIModel("scripted", base_url=address, max_parallel=PARALLEL, max_retries=0)


def ingest(path: Path, address: str, book: Path) -> None:
    """`ingest_document`, blocking."""
    with Wiki.open(path, model=model(address), config=CONFIG) as wiki:
        wiki.ingest_document(NS, source_ref="book.txt", text=book.read_text("utf-8"))


def ingest_awaited(path: Path, address: str, book: Path) -> None:
    """The book's halves at once, awaited in two tasks."""

    async def run() -> None:
        text = book.read_text("utf-8")
        half = text.index("\n", len(text) // 2)
        async with await AsyncWiki.open(path, model=model(address), config=CONFIG) as wiki:
            await asyncio.gather(
                wiki.ingest_document(NS, source_ref="first.txt", text=text[:half]),
                wiki.ingest_document(NS, source_ref="second.txt", text=text[half:]),
            )

    asyncio.run(run())


def insert(path: Path, address: str, book: Path) -> None:
    """The pipeline of entities, communities and reports, awaited."""

    async def run() -> None:
        async with await AsyncWiki.open(path, model=model(address), config=CONFIG) as wiki:
            graph = await wiki.graph(NS, pipeline=PIPELINE, chunking={"size": 600, "overlap": 50})
            await graph.insert({"id": "book.txt", "content": book.read_text("utf-8")})

    asyncio.run(run())
