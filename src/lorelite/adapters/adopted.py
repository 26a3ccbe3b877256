"""Stores that have the methods of a protocol alone, made usable as if they had all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lorelite.adapters.base import GraphBase, KVBase, VectorBase
from lorelite.errors import InvalidOption, UnsupportedStoreError
from lorelite.graph.schema import SingleCommunitySchema
from lorelite.store_ports import (
    RELATES_TO,
    GraphStore,
    IndexDescription,
    KVStore,
    Metric,
    StoredEdge,
    VectorMatch,
    VectorStore,
)


def adopted_graph(store: object) -> GraphBase:
    """The store itself, or wrapped. Raises InvalidOption for what is no GraphStore."""
    if isinstance(store, GraphBase):
        return store
    if isinstance(store, GraphStore):
        return AdoptedGraph(store)
    raise InvalidOption("graph", "a GraphStore (see lorelite.store_ports)", store)


def adopted_vectors(store: object) -> VectorBase:
    """The store itself, or wrapped. Raises InvalidOption for what is no VectorStore."""
    if isinstance(store, VectorBase):
        return store
    if isinstance(store, VectorStore):
        return AdoptedVectors(store)
    raise InvalidOption("vectors", "a VectorStore (see lorelite.store_ports)", store)


def adopted_kv(store: object) -> KVBase:
    """The store itself, or wrapped. Raises InvalidOption for what is no KVStore."""
    if isinstance(store, KVBase):
        return store
    if isinstance(store, KVStore):
        return AdoptedKV(store)
    raise InvalidOption("kv", "a KVStore (see lorelite.store_ports)", store)


async def _call(store: object, capability: str, method: str, *args: Any) -> Any:
    """What a method gives that only some stores have. Raises UnsupportedStoreError where it is missing."""
    _check(store, capability, method)
    return await getattr(store, method)(*args)


def _check(store: object, capability: str, *methods: str) -> None:
    if missing := [method for method in methods if not callable(getattr(store, method, None))]:
        raise UnsupportedStoreError(store, capability, missing)


class AdoptedGraph(GraphBase):
    """A GraphStore of eight methods. Of several edges between two nodes it sees the one that `get_edge` gives."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store

    async def upsert_node(self, node_id: str, node_data: Mapping[str, Any]) -> None:
        await self._store.upsert_node(node_id, node_data)

    async def get_node(self, node_id: str) -> dict[str, Any] | None:
        return await self._store.get_node(node_id)

    async def upsert_edge(
        self, source_id: str, target_id: str, edge_data: Mapping[str, Any], create_missing: bool = False
    ) -> None:
        if create_missing:
            for end in (source_id, target_id):
                if await self._store.get_node(end) is None:
                    await self._store.upsert_node(end, {})
        await self._store.upsert_edge(source_id, target_id, edge_data)

    async def get_edge(self, source_id: str, target_id: str, type: str | None = None) -> dict[str, Any] | None:
        data = await self._store.get_edge(source_id, target_id)
        return data if data is None or type in (None, data.get("type", RELATES_TO)) else None

    async def get_node_edges(self, node_id: str) -> list[tuple[str, str]] | None:
        return await self._store.get_node_edges(node_id)

    async def edges_of(self, node_id: str, type: str | None = None) -> list[StoredEdge] | None:
        pairs = await self._store.get_node_edges(node_id)
        if pairs is None:
            return None
        others = sorted({other if one == node_id else one for one, other in pairs})
        found = [(other, await self.get_edge(node_id, other, type)) for other in others]
        return [StoredEdge(node_id, other, data) for other, data in found if data is not None]

    async def all_nodes(self, label: str | None = None) -> list[tuple[str, dict[str, Any]]]:
        found: list[tuple[str, dict[str, Any]]] = await _call(
            self._store, "able to list what it holds", "all_nodes", label
        )
        return found

    async def all_edges(self, type: str | None = None) -> list[StoredEdge]:
        found: list[StoredEdge] = await _call(self._store, "able to list what it holds", "all_edges", type)
        return found

    async def delete_node(self, node_id: str) -> bool:
        return bool(await _call(self._store, "able to delete", "delete_node", node_id))

    async def delete_edge(self, source_id: str, target_id: str, type: str = RELATES_TO) -> bool:
        return bool(await _call(self._store, "able to delete", "delete_edge", source_id, target_id))

    async def clustering(self, algorithm: str, **options: Any) -> None:
        if options:
            raise InvalidOption("clustering", f"no options ({type(self._store).__name__} takes none)", options)
        await self._store.clustering(algorithm)

    async def community_schema(self) -> dict[str, SingleCommunitySchema]:
        return await self._store.community_schema()

    async def drop(self) -> None:
        await _call(self._store, "able to drop a namespace", "drop")

    async def close(self) -> None:
        await self._store.close()

    def check_can_delete(self) -> None:
        """Raises UnsupportedStoreError."""
        _check(self._store, "able to delete", "delete_node", "delete_edge")


class AdoptedVectors(VectorBase):
    """A VectorStore of four methods."""

    def __init__(self, store: VectorStore) -> None:
        self._store = store

    async def create_index(self, index_name: str, dimension: int, metric: Metric = "cosine") -> None:
        await self._store.create_index(index_name, dimension, metric)

    async def list_indexes(self) -> list[str]:
        return await self._store.list_indexes()

    async def upsert(
        self,
        index_name: str,
        vectors: Sequence[Sequence[float]],
        metadata: Sequence[Mapping[str, Any]] | None = None,
        ids: Sequence[str] | None = None,
        documents: Sequence[str] | None = None,
    ) -> list[str]:
        return await self._store.upsert(index_name, vectors, metadata, ids, documents)

    async def query(
        self,
        index_name: str,
        query_vector: Sequence[float],
        top_k: int = 10,
        filter: Mapping[str, Any] | None = None,
        include_vector: bool = False,
        min_score: float | None = None,
    ) -> list[VectorMatch]:
        return await self._store.query(index_name, query_vector, top_k, filter, include_vector, min_score)

    @property
    def can_give_vectors(self) -> bool:
        return callable(getattr(self._store, "get_vectors", None))

    async def get_vectors(self, index_name: str, ids: Sequence[str]) -> list[list[float] | None]:
        found: list[list[float] | None] = await _call(
            self._store, "able to give vectors", "get_vectors", index_name, ids
        )
        return found

    async def delete(
        self, index_name: str, ids: Sequence[str] | None = None, filter: Mapping[str, Any] | None = None
    ) -> int:
        return int(await _call(self._store, "able to delete", "delete", index_name, ids, filter))

    async def describe_index(self, index_name: str) -> IndexDescription:
        found: IndexDescription = await _call(self._store, "able to describe", "describe_index", index_name)
        return found

    def check_can_delete(self) -> None:
        """Raises UnsupportedStoreError."""
        _check(self._store, "able to delete", "delete")

    async def delete_index(self, index_name: str) -> None:
        await _call(self._store, "able to delete", "delete_index", index_name)

    async def close(self) -> None:
        if hasattr(self._store, "close"):
            await _call(self._store, "able to close", "close")


class AdoptedKV(KVBase):
    """A KVStore of four methods: null stands for what is not there any more."""

    def __init__(self, store: KVStore) -> None:
        self._store = store

    async def get_by_id(self, id: str) -> Any | None:
        return await self._store.get_by_id(id)

    async def get_by_ids(self, ids: Sequence[str]) -> list[Any | None]:
        return await self._store.get_by_ids(ids)

    async def upsert(self, data: Mapping[str, Any]) -> None:
        await self._store.upsert(data)

    async def drop(self) -> None:
        await self._store.drop()

    async def delete(self, ids: Sequence[str]) -> int:
        values = await self._store.get_by_ids(ids)
        gone = {id: None for id, value in zip(ids, values, strict=True) if value is not None}
        await self._store.upsert(gone)
        return len(gone)

    async def all_keys(self, prefix: str = "") -> list[str]:
        found: list[str] = await _call(self._store, "able to list what it holds", "all_keys", prefix)
        return found

    async def close(self) -> None:
        if hasattr(self._store, "close"):
            await _call(self._store, "able to close", "close")
