"""Semantic search over one namespace, and keeping the vectors it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lorelite.engine import Engine
from lorelite.records import Node
from lorelite.retrieve.hits import Filters, Hit, ranked
from lorelite.store.nodes import embedded_text, node_from

EMBEDDED_KINDS = ("fact", "entity", "chunk")
_BATCH = 64


async def semantic_hits(engine: Engine, namespace: str, query: str, filters: Filters, limit: int) -> list[Hit]:
    """The *limit* nodes whose vectors are nearest to the query's, by cosine. Nodes without a vector are left out."""
    assert engine.embedder is not None
    if not limit or not engine.store.vectors.any(namespace, engine.embedder.model_id):
        return []
    [wanted] = await engine.embed([query])
    block = engine.store.vectors.block(namespace, engine.embedder.model_id, filters.kinds, len(wanted))
    # More than wanted: nodes that the filters leave out are among the nearest too.
    scores = dict(block.nearest(wanted, 2 * limit + 50))
    nodes = engine.store.nodes.by_keys(
        list(scores), kinds=filters.kinds, exclude_drafts=filters.exclude_drafts, as_of=filters.as_of
    )
    return ranked(
        {node.id: node for node in nodes.values()}, {nodes[key].id: scores[key] for key in scores if key in nodes}
    )[:limit]


async def embed_missing(engine: Engine, namespace: str, on_batch: Callable[[int], None] = lambda done: None) -> int:
    """Make the vectors that are missing or stale, batch by batch, each stored at once; gives how many."""
    if engine.embedder is None:
        return 0
    done = after = 0
    while rows := engine.store.vectors.missing(
        namespace, engine.embedder.model_id, EMBEDDED_KINDS, after=after, limit=_BATCH
    ):
        await embed_nodes(engine, [node_from(row) for row in rows])
        after = rows[-1]["key"]
        done += len(rows)
        on_batch(done)
    return done


async def embed_nodes(engine: Engine, nodes: Sequence[Node]) -> None:
    """Make and store the vectors of these nodes; nothing without an embedder."""
    if engine.embedder is None:
        return
    vectors = await engine.embed([embedded_text(node) for node in nodes])
    with engine.store.atomic():
        engine.store.vectors.put(engine.embedder.model_id, zip(nodes, vectors, strict=True), engine.clock())
