"""`similar_chunk_connection`: chunks that are alike joined, across documents too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from lorelite import options as given
from lorelite.graph_records import GraphHit, Similarity
from lorelite.pipeline.processor import SIMILAR_CHUNKS
from lorelite.pipeline.run import GraphEngine

VECTOR_THRESHOLD = 0.7
WORD_THRESHOLD = 0.15
_BATCH = 64


class SimilarChunkConnection:
    """Joins each new chunk to the chunks most like it, old and new, once per pair."""

    name = SIMILAR_CHUNKS
    version = 1
    requires: tuple[str, ...] = ()
    works_on: Literal["chunks"] = "chunks"

    def __init__(self, threshold: float | None, top_k: int, max_edges_per_chunk: int | None) -> None:
        self.threshold = threshold
        self.top_k = top_k
        self.max_edges_per_chunk = max_edges_per_chunk

    def options(self) -> Mapping[str, Any]:
        return {
            "threshold": self.threshold,
            "top_k": self.top_k,
            "max_edges_per_chunk": self.max_edges_per_chunk,
        }

    async def process(self, run: GraphEngine, chunk_ids: Sequence[str]) -> Mapping[str, int]:
        edges = 0
        for start in range(0, len(chunk_ids), _BATCH):
            batch = chunk_ids[start : start + _BATCH]
            pairs: dict[tuple[str, str], float] = {}
            for chunk_id in batch:
                for hit in self._chosen(run, await run.knowledge.nearest_to_chunk(chunk_id, self.top_k)):
                    pair = (min(chunk_id, hit.id), max(chunk_id, hit.id))
                    pairs[pair] = max(hit.score, pairs.get(pair, hit.score))
            edges += await run.knowledge.add_similarities(
                [Similarity(first, second, weight) for (first, second), weight in pairs.items()]
            )
            await run.knowledge.mark_finished(self.name, batch)
            run.tell(self.name, start + len(batch), len(chunk_ids))
        return {"similar_edges": edges}

    async def remove(self, run: GraphEngine, chunk_ids: Sequence[str]) -> None:
        """Nothing is kept beside the knowledge, where the pairs of a chunk go with it."""

    def _chosen(self, run: GraphEngine, hits: Sequence[GraphHit]) -> Sequence[GraphHit]:
        threshold = self.threshold
        if threshold is None:
            threshold = VECTOR_THRESHOLD if run.knowledge.has_vectors else WORD_THRESHOLD
        return [hit for hit in hits if hit.score >= threshold][: self.max_edges_per_chunk]


@given.seed_names
def similar_chunk_connection(
    threshold: float | None = None, top_k: int = 10, max_edges_per_chunk: int | None = None
) -> SimilarChunkConnection:
    """A processor that joins chunks which are alike.

    threshold: the least likeness, from 0 to 1; None: 0.7 for the cosine of vectors, and 0.15 for that of weighted words
    where there is no embedder (words that few chunks hold in common are already much). top_k: how many chunks each is
    compared with, the most alike first. max_edges_per_chunk: how many of them a chunk is joined to when it is read;
    chunks that come later may join themselves to it beside. Raises InvalidOption.
    """
    return SimilarChunkConnection(
        None if threshold is None else given.share("threshold", threshold),
        given.whole_number("top_k", top_k, 1),
        None if max_edges_per_chunk is None else given.whole_number("max_edges_per_chunk", max_edges_per_chunk, 1),
    )


similarChunkConnection = similar_chunk_connection
