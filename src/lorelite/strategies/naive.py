"""`naive_search`: the chunks that fit the question best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from lorelite.graph_records import SearchContext, TextChunk
from lorelite.pipeline.knowledge import Knowledge
from lorelite.ports import ChatModel, Embedder
from lorelite.strategies.strategy import MIN_SCORE, check_options
from lorelite.strategies.tables import SOURCES, numbered, source_rows, truncate
from lorelite.text.budget import token_cost

if TYPE_CHECKING:
    from lorelite.pipeline.run import GraphEngine

SEPARATOR = "--New Chunk--\n"
_BATCH = 32

ScoredChunk = tuple[TextChunk, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class NaiveSearch:
    """Chunks by their likeness to the question; needs no processor.

    top_k: chunks looked up. max_tokens: of the context. min_score: the least cosine, which does not apply to words.
    """

    top_k: int = 20
    max_tokens: int = 12_000
    min_score: float | None = MIN_SCORE
    model: ChatModel | None = None
    embedding: Embedder | None = None

    name: ClassVar[str] = "naiveSearch"
    requires: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        check_options(self, "top_k", "max_tokens")

    async def retrieve(self, run: GraphEngine, prompt: str) -> SearchContext:
        found = await nearest_chunks(run.knowledge, prompt, self.top_k, self.min_score)
        return chunk_context(self.name, [chunk for chunk, _ in found], self.max_tokens)


async def nearest_chunks(knowledge: Knowledge, text: str, top_k: int, min_score: float | None) -> list[ScoredChunk]:
    """The chunks that fit *text* best and how well, best first."""
    scores = {hit.id: hit.score for hit in await knowledge.nearest("chunks", text, top_k, min_score)}
    return [(chunk, scores[chunk.id]) for chunk in await knowledge.chunks(list(scores))]


async def chunks_within(knowledge: Knowledge, ids: Sequence[str], budget: int) -> list[TextChunk]:
    """The first of these chunks, a few more than *budget* tokens hold: not all are read that tell of a common thing."""
    found: list[TextChunk] = []
    for start in range(0, len(ids), _BATCH):
        batch = await knowledge.chunks(ids[start : start + _BATCH])
        found += batch
        budget -= sum(token_cost(chunk.content) for chunk in batch)
        if budget < 0:
            break
    return found


def chunk_context(strategy: str, chunks: Sequence[TextChunk], max_tokens: int) -> SearchContext:
    """A context of chunks alone: as many of the first as the budget holds."""
    kept = truncate(chunks, lambda chunk: chunk.content + SEPARATOR, max_tokens)
    text = SEPARATOR.join(chunk.content for chunk in kept)
    tables = {SOURCES: tuple(numbered(source_rows(kept)))} if kept else {}
    return SearchContext(strategy=strategy, text=text, tables=tables, chunks=tuple(kept), tokens=token_cost(text))
