"""Search by meaning over one namespace: the query's vector, and the vectors nearest to it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from lorelite.engine import Engine
from lorelite.errors import CallNotRecorded, LoreliteError, ModelError, TransactionError
from lorelite.records import Node
from lorelite.retrieve.candidates import best_passing, passing_ids
from lorelite.retrieve.hits import Filters, Hit, ranked
from lorelite.store.nodes import Head


async def query_vector(engine: Engine, namespaces: Sequence[str], query: str) -> list[float] | None:
    """The vector of *query*; None where there is nothing to compare it with, or the embedder fails (the hook is told).

    Raises TransactionError inside a transaction, and CallNotRecorded where only recorded calls are answered.
    """
    if engine.embedder is None:
        return None
    model_id = engine.embedder.model_id
    if not any(engine.store.vectors.any(namespace, model_id) for namespace in namespaces):
        _tell_of_other_models(engine, namespaces)
        return None
    try:
        [vector] = await engine.embed(namespaces[0], [query], keep=True)
    except (TransactionError, CallNotRecorded):
        raise
    except LoreliteError as error:
        fell_back(engine, error)
        return None
    return vector


def _tell_of_other_models(engine: Engine, namespaces: Sequence[str]) -> None:
    """Tell the hook, once for each namespace, that its vectors are another embedder's."""
    assert engine.embedder is not None
    model_id = engine.embedder.model_id
    for namespace in namespaces:
        other = engine.store.vectors.switched_from(namespace, model_id)
        if other is not None:
            message = f"{namespace!r} has vectors of {other} and none of {model_id}, so it is searched by words"
            fell_back(engine, ModelError(f"{message}; run_reembed makes them, and the others stay"))


def fell_back(engine: Engine, error: Exception) -> None:
    """Tell the caller's hook that a search goes on without its semantic part."""
    if engine.hooks.on_retrieval_fallback is not None:
        with suppress(Exception):
            engine.hooks.on_retrieval_fallback(error)


def exact_hits(
    engine: Engine, namespace: str, vector: Sequence[float], filters: Filters, limit: int
) -> list[Hit[Head]]:
    """The *limit* nodes whose vectors are nearest, by cosine with every vector that fits."""
    assert engine.embedder is not None
    block = engine.store.vectors.block(namespace, engine.embedder.model_id, filters.kinds, len(vector))
    return best_passing(engine, lambda count: block.nearest(vector, count), filters, limit)


async def ranker_hits(
    engine: Engine,
    namespace: str,
    vector: Sequence[float],
    filters: Filters,
    limit: int,
    candidate_ids: Sequence[str] | None = None,
) -> list[Hit[Node]]:
    """What the vector ranker says, of live nodes that pass. Raises RankerFailed."""
    similarities = dict(await engine.nearest(namespace, vector, candidate_ids, limit))
    if candidate_ids is not None:
        similarities = {id: similarities[id] for id in candidate_ids if id in similarities}
    nodes = passing_ids(engine, namespace, similarities, filters)
    return ranked(nodes, {id: similarities[id] for id in nodes})[:limit]


def cosines(engine: Engine, ids: Sequence[str], vector: Sequence[float]) -> dict[str, float]:
    """The cosine of each of these nodes that has a vector which fits."""
    assert engine.embedder is not None
    found = engine.store.vectors.of(ids, engine.embedder.model_id, len(vector))
    return dict(found.nearest(vector, len(ids)))


def length_mismatch(engine: Engine, namespaces: Sequence[str], vector: Sequence[float], kinds: Sequence[str]) -> bool:
    """Are there vectors of this embedder, but none as long as this one? Its model was changed under its name."""
    assert engine.embedder is not None
    model_id, vectors = engine.embedder.model_id, engine.store.vectors
    blocks = (vectors.block(namespace, model_id, kinds, len(vector)) for namespace in namespaces)
    if any(len(block) for block in blocks):
        return False
    return any(vectors.any(namespace, model_id, not_of_length=len(vector)) for namespace in namespaces)


def mismatch_error(engine: Engine, vector: Sequence[float]) -> ModelError:
    assert engine.embedder is not None
    return ModelError(
        f"embedder {engine.embedder.model_id} gave a vector of {len(vector)} numbers, and those stored have another "
        "length; run_reembed makes them anew, and a changed model should have a name of its own"
    )
