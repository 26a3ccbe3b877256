"""A knowledge graph in three stores of a caller's choice."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from lorelite.graph_records import GraphStats
from lorelite.pipeline.store_documents import StoredDocuments
from lorelite.pipeline.store_search import StoredSearch
from lorelite.ports import Embedder
from lorelite.store_ports import RELATES_TO, SIMILAR_TO


class StoreKnowledge(StoredDocuments, StoredSearch):
    """Knowledge over a GraphStore, a VectorStore and a KVStore, whose namespace is this graph's alone.

    Ids: documents as given or "doc-" and a hash, chunks "chunk-" and a hash of the text, entities their names in
    capitals. Without an embedder searches go by words, which are held in memory.
    """

    def __init__(
        self, namespace: str, graph: object, vectors: object, kv: object, embedder: Embedder | None = None
    ) -> None:
        """Raises InvalidOption for what is no such store."""
        super().__init__(namespace, graph, vectors, kv, embedder)

    async def recall(self, key: str) -> Any | None:
        return await self._memos.get(f"memo:{key}")

    async def remember(self, key: str, value: Any) -> None:
        if value is None:
            await self._kv.delete([self._memos.key(f"memo:{key}")])
        else:
            await self._kv.upsert(self._memos.stored({f"memo:{key}": value}))

    async def unfinished(self, processor: str) -> list[str]:
        ids = await self.chunk_ids()
        states = await self._states.many(ids)
        return [id for id in ids if id not in states or processor not in states[id]["finished"]]

    async def mark_finished(self, processor: str, chunk_ids: Sequence[str]) -> None:
        states = await self._states_of(await self._chunks.many(chunk_ids))
        for state in states.values():
            state["finished"] = sorted({*state["finished"], processor})
        await self._kv.upsert(self._states.stored(states))

    def with_embedder(self, embedder: Embedder) -> StoreKnowledge:
        other = copy.copy(self)
        other._asker = embedder
        other._embedder = self._embedder or embedder
        return other

    async def stats(self) -> GraphStats:
        chunk_ids, entity_ids = await self.chunk_ids(), await self.entity_ids()
        communities = await self._communities.all()
        return GraphStats(
            documents=len(await self._documents.keys.all()),
            chunks=len(chunk_ids),
            entities=len(entity_ids),
            relations=len(await self._edges(RELATES_TO, entity_ids)),
            communities=len(communities),
            levels=len({each["level"] for each in communities.values()}),
            reports=len(await self._reports.keys.all()),
            similar_pairs=len(await self._edges(SIMILAR_TO, chunk_ids)),
            questions=len(await self._questions.keys.all()),
        )

    async def drop(self) -> None:
        await self._graph.drop()
        await self._vectors.drop()
        await self._kv.drop()
        self._words.clear()

    async def close(self) -> None:
        await self._graph.close()
        await self._vectors.close()
        await self._kv.close()
