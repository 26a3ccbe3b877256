"""Searching three stores: by vectors where there is an embedder, else by words held in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lorelite import asking
from lorelite.errors import NotFound
from lorelite.graph_records import GraphHit, VectorIndex
from lorelite.pipeline.store_communities import StoredCommunities, report_from
from lorelite.pipeline.store_core import EMBEDDED_BY, INDEXES
from lorelite.pipeline.store_entities import entity_text, vector_id
from lorelite.pipeline.word_index import WordIndex
from lorelite.ports import Embedder

_BATCH = 64


class StoredSearch(StoredCommunities):
    async def embed_new(self) -> None:
        for index in INDEXES:
            await self._embed_waiting(index)

    async def nearest(
        self, index: VectorIndex, text: str, top_k: int, min_score: float | None = None
    ) -> list[GraphHit]:
        if top_k < 1:
            return []
        if self._asker is None:
            words = await self._words_of(index)
            return [GraphHit(id, score) for id, score in words.match(text, top_k)]
        await self._embed_waiting(index)
        [vector] = await _embed(self._asker, [text])
        return await self._hits(index, vector, top_k, min_score)

    async def nearest_to_chunk(self, chunk_id: str, top_k: int) -> list[GraphHit]:
        record = await self._chunks.get(chunk_id)
        if record is None or top_k < 1:
            return []
        if self._embedder is None:
            words = await self._words_of("chunks")
            return [GraphHit(id, score) for id, score in words.like(chunk_id, top_k)]
        await self._embed_waiting("chunks")
        vector = await self._vector_of(self._embedder, chunk_id, record["content"])
        hits = await self._hits("chunks", vector, top_k + 1, None)
        return [hit for hit in hits if hit.id != chunk_id][:top_k]

    async def _hits(
        self, index: VectorIndex, vector: Sequence[float], top_k: int, min_score: float | None
    ) -> list[GraphHit]:
        if not any(vector):
            return []
        try:
            found = await self._vectors.query(index, vector, top_k, min_score=min_score)
        except NotFound:
            return []
        key = "entity_name" if index == "entities" else "id"
        hits = [GraphHit(match["metadata"].get(key, match["id"]), match["score"]) for match in found]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))

    async def _vector_of(self, embedder: Embedder, chunk_id: str, text: str) -> Sequence[float]:
        if self._vectors_can_be_read:
            try:
                [stored] = await self._vectors.get_vectors("chunks", [chunk_id])
            except NotFound:
                stored = None
            if stored is not None:
                return stored
        return (await _embed(embedder, [text]))[0]

    # -- vectors ------------------------------------------------------------------------------------------------

    async def _embed_waiting(self, index: VectorIndex) -> None:
        """Make the vectors of the texts of an index that wait for one."""
        if self._embedder is None:
            return
        if await self._memos.get(EMBEDDED_BY) != self._embedder.model_id:
            await self._let_all_wait(self._embedder.model_id)
        waiting = self._unembedded[index]
        ids = await waiting.all()
        for start in range(0, len(ids), _BATCH):
            part = ids[start : start + _BATCH]
            texts = await self._texts(index, part)
            await self._embed(self._embedder, index, texts)
            # What another task has changed while the embedder worked waits on.
            now = await self._texts(index, part)
            await self._kv.upsert(await waiting.without(id for id in part if now.get(id) == texts.get(id)))

    async def _let_all_wait(self, model_id: str) -> None:
        changes = self._memos.stored({EMBEDDED_BY: model_id})
        for index in INDEXES:
            changes |= await self._unembedded[index].with_added(await self._ids(index))
        await self._kv.upsert(changes)

    async def _ids(self, index: VectorIndex) -> list[str]:
        """Of all texts of an index."""
        if index == "entities":
            return await self.entity_ids()
        scopes = {"chunks": self._chunks, "questions": self._questions, "communities": self._reports}
        return await scopes[index].keys.all()

    async def _embed(
        self, embedder: Embedder, index: VectorIndex, texts: Mapping[str, tuple[str, dict[str, Any]]]
    ) -> None:
        vectors = dict(zip(texts, await _embed(embedder, [text for text, _ in texts.values()]), strict=True))
        made = {id: vector for id, vector in vectors.items() if any(vector)}
        if made:
            await self._vectors.create_index(index, len(next(iter(made.values()))))
            named = {id: vector_id(id) if index == "entities" else id for id in made}
            await self._vectors.upsert(index, list(made.values()), [texts[id][1] for id in made], list(named.values()))

    async def _texts(self, index: VectorIndex, ids: Sequence[str]) -> dict[str, tuple[str, dict[str, Any]]]:
        """Id → (text to embed, metadata) of what is there."""
        if index == "chunks":
            return {id: (record["content"], {"id": id}) for id, record in (await self._chunks.many(ids)).items()}
        if index == "entities":
            return {
                id: (
                    entity_text(id, node),
                    {"id": id, "entity_name": id, "entity_type": node.get("entity_type", "")},
                )
                for id, node in (await self._nodes(ids)).items()
            }
        if index == "questions":
            return {
                id: (record["question"], {"id": id, "chunk_id": record["chunk_id"]})
                for id, record in (await self._questions.many(ids)).items()
            }
        return {id: (report_from(record).text, {"id": id}) for id, record in (await self._reports.many(ids)).items()}

    # -- words --------------------------------------------------------------------------------------------------

    async def _words_of(self, index: VectorIndex) -> WordIndex:
        """The index of all words, brought up to date with what changed since it was last asked."""
        if index not in self._words:
            self._words[index] = WordIndex()
            ids = await self._ids(index)
        else:
            ids = list(self._outdated[index])
        self._outdated[index].clear()
        for start in range(0, len(ids), 500):
            part = ids[start : start + 500]
            texts = await self._texts(index, part)
            for id in part:
                self._words[index].put(id, texts[id][0] if id in texts else None)
        return self._words[index]


async def _embed(embedder: Embedder, texts: Sequence[str]) -> list[list[float]]:
    return await asking.embed(embedder, texts, lambda: False) if texts else []
