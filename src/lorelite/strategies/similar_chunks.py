"""`similar_chunk_traversal_search`: the chunks that fit the question, and those that are like them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from lorelite.graph_records import SearchContext
from lorelite.pipeline.knowledge import Knowledge
from lorelite.pipeline.processor import SIMILAR_CHUNKS
from lorelite.ports import ChatModel, Embedder
from lorelite.strategies.naive import chunk_context, nearest_chunks
from lorelite.strategies.strategy import MIN_SCORE, check_options

if TYPE_CHECKING:
    from lorelite.pipeline.run import GraphEngine


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarChunkTraversalSearch:
    """From the chunks that fit best along their similarities, breadth first.

    top_k: chunks to start from. max_depth: similarities in a row; 0 is `naive_search`. max_chunks: of the context.
    min_weight: weaker similarities are not followed.
    """

    top_k: int = 5
    max_depth: int = 2
    max_chunks: int = 30
    min_weight: float | None = None
    max_tokens: int = 12_000
    min_score: float | None = MIN_SCORE
    model: ChatModel | None = None
    embedding: Embedder | None = None

    name: ClassVar[str] = "similarChunkTraversalSearch"
    requires: ClassVar[tuple[str, ...]] = (SIMILAR_CHUNKS,)

    def __post_init__(self) -> None:
        check_options(self, "top_k", "max_chunks", "max_tokens")
        check_options(self, "max_depth", least=0)

    async def retrieve(self, run: GraphEngine, prompt: str) -> SearchContext:
        found = await nearest_chunks(run.knowledge, prompt, self.top_k, self.min_score)
        seeds = {chunk.id: score for chunk, score in found}
        reached = await _reached(run.knowledge, seeds, self.max_depth, self.min_weight or 0.0)
        order = sorted(reached, key=lambda id: (reached[id][0], -reached[id][1], id))[: self.max_chunks]
        return chunk_context(self.name, await run.knowledge.chunks(order), self.max_tokens)


async def _reached(
    knowledge: Knowledge, seeds: Mapping[str, float], max_depth: int, min_weight: float
) -> dict[str, tuple[int, float]]:
    """Chunk → similarities from the nearest seed, and the best over all paths of seed score times weights."""
    reached = {id: (0, score) for id, score in seeds.items()}
    improved = list(seeds)
    for depth in range(1, max_depth + 1):
        if not improved:
            break
        before = {id: reached[id][1] for id in improved}
        better: dict[str, float] = {}
        for id, near in (await knowledge.similar_to(improved)).items():
            for other, weight in near:
                if weight >= min_weight and before[id] * weight > better.get(other, 0.0):
                    better[other] = before[id] * weight
        improved = [id for id, score in better.items() if id not in reached or score > reached[id][1]]
        for id in improved:
            reached[id] = (reached[id][0] if id in reached else depth, better[id])
    return reached
