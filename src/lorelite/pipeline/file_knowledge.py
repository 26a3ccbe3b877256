"""A namespace of a Lorelite file as a knowledge graph: what pipelines write there is part of the one graph, and what
`ingest_document`, `upsert_graph` and imports wrote is part of theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Self

from lorelite.engine import Engine
from lorelite.graph_records import GraphHit, GraphStats, VectorIndex
from lorelite.ingest.forget import Selector, forget
from lorelite.pipeline.file_communities import FileCommunities
from lorelite.ports import Embedder
from lorelite.records import Kind, Node
from lorelite.retrieve.hits import Filters
from lorelite.retrieve.keyword import keyword_hits
from lorelite.retrieve.nearest import exact_hits, query_vector
from lorelite.retrieve.pagerank import pagerank_scores
from lorelite.retrieve.search import Search
from lorelite.retrieve.semantic import embed_missing
from lorelite.search.likeness import WordVector, likeness, word_vector
from lorelite.search.vectors import TIE, unpacked
from lorelite.store.keyword_parts import KeywordIndex
from lorelite.text.tokens import index_tokens

_KINDS: Mapping[VectorIndex, Kind] = {
    "chunks": "chunk",
    "entities": "entity",
    "questions": "question",
    "communities": "report",
}
_TELLING_WORDS = 24
"""How many of a chunk's words are looked for to find chunks that may be like it: those that say most of it."""
_MOST_COMPARED = 1_000
"""Texts whose weighted words are kept in memory."""


class FileKnowledge(FileCommunities):
    """The `Knowledge` of a namespace. One that is not there yet is empty, and made at the first write.

    Reading costs nothing of a model; writing is one transaction each. What a search finds by meaning needs the
    engine's embedder; without one it goes by words. `close` leaves the file open: it is its opener's.
    """

    def __init__(self, engine: Engine, namespace: str) -> None:
        super().__init__(engine, namespace)
        self._asking = engine
        self._compared: tuple[int, dict[str, WordVector]] = (0, {})

    @property
    def has_vectors(self) -> bool:
        return self._engine.embedder is not None

    def with_embedder(self, embedder: Embedder) -> Self:
        made = type(self)(self._engine, self._namespace)
        made._pending = self._pending
        made._asking = replace(self._engine, embedder=embedder)
        return made

    # -- search -------------------------------------------------------------------------------------------------

    async def embed_new(self) -> None:
        self._pending.clear()
        await embed_missing(self._engine, self._namespace)

    async def nearest(
        self, index: VectorIndex, text: str, top_k: int, min_score: float | None = None
    ) -> list[GraphHit]:
        """As the protocol says; of a question without words nothing."""
        if top_k < 1 or not text.strip():
            return []
        await self._embed_pending()
        vector = await self._vector(text)
        if index == "entities" and self._has_stated_entities():
            scores = self._among_stated(text, vector, top_k)
        else:
            scores = self._fitting(text, vector, (_KINDS[index],), top_k)
        if vector is not None and min_score is not None:
            scores = {id: score for id, score in scores.items() if score >= min_score}
        if index == "communities":
            nodes = self._store.nodes.by_ids(self._namespace, list(scores))
            named = {id: nodes[id].extra.get("community") for id in scores}
            scores = {community: scores[id] for id, community in named.items() if community is not None}
        return _ranked(scores)

    def _has_stated_entities(self) -> bool:
        namespace = self._namespace
        return self._store.remembered.answer(
            ("stated entities", namespace), lambda: self._store.entities.has_stated(namespace)
        )

    def _fitting(
        self, text: str, vector: Sequence[float] | None, kinds: tuple[Kind, ...], top_k: int
    ) -> dict[str, float]:
        """Node → cosine, or without a vector its share of the best BM25 score."""
        filters = Filters(kinds=kinds)
        if vector is not None:
            whose = self._engine if self.has_vectors else self._asking
            near = exact_hits(whose, self._namespace, vector, filters, top_k)
            return {hit.node.id: hit.score for hit in near}
        found = keyword_hits(self._engine, [self._namespace], text, filters, top_k)[self._namespace]
        return {hit.node.id: hit.score / found[0].score for hit in found}

    def _among_stated(self, text: str, vector: Sequence[float] | None, top_k: int) -> dict[str, float]:
        """Entities where some are facts by kind: as many are asked for as it takes."""
        asked = top_k
        while True:
            scores = self._fitting(text, vector, ("entity", "fact"), asked)
            there = self._store.entities.among(self._namespace, list(scores))
            if len(there) >= top_k or len(scores) < asked:
                found = [(id, score) for id, score in scores.items() if id in there][:top_k]
                best = found[0][1] if found and vector is None else 1.0
                return {id: score / best for id, score in found}
            asked *= 4

    async def _vector(self, text: str) -> Sequence[float] | None:
        """Of the question; None where the namespace has no vectors to compare it with, or the embedder fails."""
        if self._asking is self._engine or not self.has_vectors:
            return await query_vector(self._asking, [self._namespace], text)
        [vector] = await self._asking.embed(self._namespace, [text], keep=True)
        return vector

    async def nearest_to_chunk(self, chunk_id: str, top_k: int) -> list[GraphHit]:
        await self._embed_pending()
        placed = self._store.chunks.placed(self._namespace, [chunk_id])
        if chunk_id not in placed or top_k < 1:
            return []
        embedder = self._engine.embedder
        packed = self._store.vectors.packed([chunk_id], embedder.model_id).get(chunk_id) if embedder else None
        if packed is not None:
            near = exact_hits(self._engine, self._namespace, unpacked(packed), Filters(kinds=("chunk",)), top_k + 1)
            scores = {hit.node.id: hit.score for hit in near}
        else:
            scores = self._alike(placed[chunk_id].node, top_k + 1)
        scores.pop(chunk_id, None)
        return _ranked(scores)[:top_k]

    def _alike(self, node: Node, count: int) -> dict[str, float]:
        """Chunks that share the words which say most of this one, and how alike they are by all of their words."""
        index = self._store.keyword.index(self._namespace, ("chunk",))
        if index is None:
            return {}
        [own] = self._word_vectors(index, [node])
        telling = sorted(own, key=lambda token: (-own[token], token))[:_TELLING_WORDS]
        keys = [key for key, _ in index.match([(token,) for token in telling], 4 * count + 20)]
        found = list(self._store.nodes.by_keys(keys, kinds=("chunk",)).values())
        scores = (likeness(own, vector) for vector in self._word_vectors(index, found))
        return {other.id: round(score, TIE) for other, score in zip(found, scores, strict=True)}

    def _word_vectors(self, index: KeywordIndex, nodes: Sequence[Node]) -> list[WordVector]:
        """Of texts that were compared a moment ago they are remembered, until there are more or fewer texts."""
        total = len(index)
        if self._compared[0] != total or len(self._compared[1]) > _MOST_COMPARED:
            self._compared = (total, {})
        vectors = self._compared[1]
        tokens = {node.id: index_tokens(node.body) for node in nodes if node.id not in vectors}
        holding = index.frequencies({token for each in tokens.values() for token in each}) if tokens else {}
        vectors |= {id: word_vector(each, holding, total) for id, each in tokens.items()}
        return [vectors[node.id] for node in nodes]

    async def walked(self, text: str, top_k: int, damping: float) -> list[GraphHit]:
        """Chunks that walks from what fits *text* come by, over titles and names: `pagerank_search` of the file."""
        await self._embed_pending()
        wanted = Search(query=text, filters=Filters(kinds=("chunk",)), limit=top_k)
        return _ranked(await pagerank_scores(self._asking, self._namespace, wanted, damping=damping))

    # -- the whole ----------------------------------------------------------------------------------------------

    async def stats(self) -> GraphStats:
        return self._store.remembered.answer(("stats", self._namespace), self._stats)

    def _stats(self) -> GraphStats:
        documents, chunks, similar = self._store.chunks.counts(self._namespace)
        graph = self._weighted_edges()
        communities, levels = self._store.communities.count(self._namespace)
        kinds = self._store.nodes.count(self._namespace)
        return GraphStats(
            documents=documents,
            chunks=chunks,
            entities=len(graph.entity_ids),
            relations=len(graph.edges),
            communities=communities,
            levels=levels,
            reports=kinds.get("report", 0),
            similar_pairs=similar,
            questions=kinds.get("question", 0),
        )

    async def drop(self) -> None:
        self._pending.clear()
        await forget(self._engine, self._namespace, Selector(clear_all=True), dry_run=False)

    async def close(self) -> None:
        await self._embed_pending()


def _ranked(scores: Mapping[str, float]) -> list[GraphHit]:
    return sorted((GraphHit(id, score) for id, score in scores.items()), key=lambda hit: (-hit.score, hit.id))
