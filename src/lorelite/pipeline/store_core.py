"""What all parts of `StoreKnowledge` rest on: the three stores, and the records in the third.

KV records: `full_docs` a document and its chunks; `chunks` a text and its places in documents; `processor_state` of a
chunk what has been made of it; `entity_statements` and `relation_statements` what each chunk says; `questions`,
`communities`, `community_reports`, `pipeline_metadata`. The graph holds what follows from the statements; the vectors
are made from texts whose ids wait in `__keys__:unembedded_<index>`. Writing goes: records, then graph, then the records
that say it is done; so what is interrupted is done again, and nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import md5
from typing import Any, get_args

from lorelite.adapters import checks
from lorelite.adapters.adopted import AdoptedGraph, AdoptedVectors, adopted_graph, adopted_kv, adopted_vectors
from lorelite.graph_records import VectorIndex
from lorelite.pipeline.store_scopes import KeyList, Scope
from lorelite.pipeline.word_index import WordIndex
from lorelite.ports import Embedder
from lorelite.store_ports import StoredEdge

INDEXES: tuple[VectorIndex, ...] = get_args(VectorIndex)
EMBEDDED_BY = "embedded_by"
"""The memo that names the embedder all texts but those waiting have vectors of."""


class StoreCore:
    """A knowledge graph of one namespace in three stores; see StoreKnowledge."""

    def __init__(self, namespace: str, graph: object, vectors: object, kv: object, embedder: Embedder | None) -> None:
        self._namespace = checks.namespace(namespace)
        self._graph = adopted_graph(graph)
        self._vectors = adopted_vectors(vectors)
        self._kv = adopted_kv(kv)
        self._embedder = embedder
        self._asker = embedder
        """Embeds what is looked for."""
        self._documents = Scope(self._kv, "full_docs")
        self._chunks = Scope(self._kv, "chunks")
        self._states = Scope(self._kv, "processor_state")
        self._of_entities = Scope(self._kv, "entity_statements")
        self._of_relations = Scope(self._kv, "relation_statements")
        self._questions = Scope(self._kv, "questions")
        self._communities = Scope(self._kv, "communities")
        self._reports = Scope(self._kv, "community_reports")
        self._memos = Scope(self._kv, "pipeline_metadata")
        self._unembedded = {index: KeyList(self._kv, f"unembedded_{index}") for index in INDEXES}
        self._words: dict[VectorIndex, WordIndex] = {}
        self._outdated: dict[VectorIndex, dict[str, None]] = {index: {} for index in INDEXES}
        """Ids whose text changed since the index of its words was brought up to date."""

    @property
    def namespace(self) -> str:
        return self._namespace

    @property
    def _vectors_can_be_read(self) -> bool:
        return not isinstance(self._vectors, AdoptedVectors) or self._vectors.can_give_vectors

    @property
    def has_vectors(self) -> bool:
        return self._embedder is not None

    async def chunk_ids(self) -> list[str]:
        return await self._chunks.keys.all()

    async def _texts_changed(self, index: VectorIndex, ids: Iterable[str]) -> dict[str, Any]:
        """What to store along with texts that are new, or changed."""
        changed = list(ids)
        self._outdated[index].update(dict.fromkeys(changed))
        if not changed:
            return {}
        if self._embedder is None:
            return self._memos.stored({EMBEDDED_BY: None})
        return await self._unembedded[index].with_added(changed)

    async def _texts_gone(self, index: VectorIndex, ids: Sequence[str], vector_ids: Sequence[str]) -> None:
        self._outdated[index].update(dict.fromkeys(ids))
        if ids and index in await self._vectors.list_indexes():
            await self._vectors.delete(index, vector_ids)

    def _check_can_delete(self) -> None:
        """Raises UnsupportedStoreError before anything is half deleted."""
        for store in (self._graph, self._vectors):
            if isinstance(store, AdoptedGraph | AdoptedVectors):
                store.check_can_delete()

    async def _edges(self, type: str, ids: Sequence[str]) -> list[StoredEdge]:
        """All edges of a type, each once; *ids*: the nodes that may have one."""
        if isinstance(self._graph, AdoptedGraph):
            return await self._edges_of(type, ids)
        return await self._graph.all_edges(type)

    async def _edges_of(self, type: str, ids: Sequence[str]) -> list[StoredEdge]:
        """The edges of a type of these nodes, each once."""
        lists = await self._graph.get_nodes_edges_batch(list(dict.fromkeys(ids)), type) if ids else []
        found = {edge.pair: edge for edges in lists for edge in edges or ()}
        return list(found.values())

    async def _ties(self, type: str, ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        """Node → (other end, weight) of its edges of a type, strongest first, then by id; none of one without."""
        ids = list(dict.fromkeys(ids))
        lists = await self._graph.get_nodes_edges_batch(ids, type)
        return {
            id: sorted(((edge.target, float(edge.data["weight"])) for edge in edges), key=lambda tie: (-tie[1], tie[0]))
            for id, edges in zip(ids, lists, strict=True)
            if edges
        }


def digest(text: str) -> str:
    """MD5 as the ids of GraphRAG systems have it: a name, no protection."""
    return md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
