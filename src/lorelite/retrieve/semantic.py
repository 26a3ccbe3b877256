"""Semantic search over one namespace, and keeping the vectors it needs."""

from __future__ import annotations

import heapq
from collections.abc import Callable

from lorelite.engine import Engine
from lorelite.retrieve.hits import Filters, Hit, ranked
from lorelite.store.nodes import embedded_text

EMBEDDED_KINDS = ("fact", "entity", "chunk")
_BATCH = 64


async def semantic_hits(engine: Engine, namespace: str, query: str, filters: Filters, limit: int) -> list[Hit]:
    """The *limit* nodes whose vectors are nearest to the query's, by cosine. Nodes without a vector are left out."""
    assert engine.embedder is not None
    block = engine.store.vectors.block(namespace, engine.embedder.model_id, filters.kinds)
    if not block.keys or not limit:
        return []
    [wanted] = await engine.embed([query])
    scores = dict(zip(block.keys, block.cosines(wanted), strict=True))
    best = heapq.nlargest(2 * limit + 50, scores, key=lambda key: (scores[key], -key))
    nodes = engine.store.nodes.by_keys(
        best, kinds=filters.kinds, exclude_drafts=filters.exclude_drafts, as_of=filters.as_of
    )
    return ranked(
        {node.id: node for node in nodes.values()}, {nodes[key].id: scores[key] for key in best if key in nodes}
    )[:limit]


async def embed_missing(engine: Engine, namespace: str, on_batch: Callable[[int], None] = lambda done: None) -> int:
    """Make the vectors that are missing or stale, batch by batch, each stored at once; gives how many."""
    if engine.embedder is None:
        return 0
    done = 0
    while nodes := engine.store.vectors.missing(namespace, engine.embedder.model_id, EMBEDDED_KINDS, _BATCH):
        vectors = await engine.embed([embedded_text(node) for node in nodes])
        with engine.store.atomic():
            engine.store.vectors.put(engine.embedder.model_id, zip(nodes, vectors, strict=True), engine.clock())
        done += len(nodes)
        on_batch(done)
    return done
