"""What a store inherits from: it does what is abstract, and has all else, until it can do that in one go itself.

A store that has the methods of its protocol alone can be used too (see `adopted`); what it then cannot do raises
UnsupportedStoreError.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from lorelite.graph.hierarchy import cluster
from lorelite.graph.schema import SingleCommunitySchema, clusters_by_node, community_schema
from lorelite.graph.weighted import weight_of
from lorelite.store_ports import ENTITY, RELATES_TO, IndexDescription, Metric, StoredEdge, VectorMatch


class GraphBase(ABC):
    """A GraphStore to inherit from. Override a default where the place can do it in one go."""

    @abstractmethod
    async def upsert_node(self, node_id: str, node_data: Mapping[str, Any]) -> None: ...

    @abstractmethod
    async def get_node(self, node_id: str) -> dict[str, Any] | None: ...

    @abstractmethod
    async def upsert_edge(
        self, source_id: str, target_id: str, edge_data: Mapping[str, Any], create_missing: bool = False
    ) -> None:
        """See GraphStore. create_missing: add the nodes that are not there, without data, in place of NotFound."""

    @abstractmethod
    async def get_edge(self, source_id: str, target_id: str, type: str | None = None) -> dict[str, Any] | None: ...

    @abstractmethod
    async def edges_of(self, node_id: str, type: str | None = None) -> list[StoredEdge] | None:
        """The edges of a node, itself first, ordered by (other end, type); None for an unknown node."""

    @abstractmethod
    async def all_nodes(self, label: str | None = None) -> list[tuple[str, dict[str, Any]]]:
        """(id, data), ordered by id."""

    @abstractmethod
    async def all_edges(self, type: str | None = None) -> list[StoredEdge]:
        """Each once, ordered by pair and type."""

    @abstractmethod
    async def delete_node(self, node_id: str) -> bool:
        """Take a node and its edges away; was it there?"""

    @abstractmethod
    async def delete_edge(self, source_id: str, target_id: str, type: str = RELATES_TO) -> bool: ...

    @abstractmethod
    async def drop(self) -> None:
        """Take every node of the namespace away."""

    @abstractmethod
    async def close(self) -> None: ...

    def version(self) -> object | None:
        """Another value after every change of a node; None where that cannot be told."""
        return None

    def edge_version(self) -> object | None:
        """Another value after every change of an edge; None where that cannot be told."""
        return None

    async def entity_names(self) -> list[tuple[str, list[str]]]:
        """Of each entity its id and its names, the aliases last: what an index of names is made from."""
        nodes = await self.all_nodes()
        return [(id, names_in(id, data)) for id, data in nodes if data.get("label", ENTITY) == ENTITY]

    async def get_node_edges(self, node_id: str) -> list[tuple[str, str]] | None:
        edges = await self.edges_of(node_id)
        return None if edges is None else sorted({(edge.source, edge.target) for edge in edges})

    async def get_nodes_batch(self, node_ids: Sequence[str]) -> list[dict[str, Any] | None]:
        """In the order of the ids, None for what is not there."""
        return [await self.get_node(node_id) for node_id in node_ids]

    async def get_edges_batch(
        self, pairs: Sequence[tuple[str, str]], type: str | None = None
    ) -> list[dict[str, Any] | None]:
        """In the order of the pairs, None for what is not there."""
        return [await self.get_edge(source, target, type) for source, target in pairs]

    async def get_nodes_edges_batch(
        self, node_ids: Sequence[str], type: str | None = None
    ) -> list[list[StoredEdge] | None]:
        """Of each node what `edges_of` gives."""
        return [await self.edges_of(node_id, type) for node_id in node_ids]

    async def node_degrees(self, node_ids: Sequence[str], type: str | None = None) -> list[int]:
        """Of each node the number of its edges; 0 for an unknown one."""
        return [len(edges or ()) for edges in await self.get_nodes_edges_batch(node_ids, type)]

    async def upsert_nodes_batch(self, nodes: Mapping[str, Mapping[str, Any]]) -> None:
        """Node id → data. All or none where the place can do that."""
        for node_id, data in nodes.items():
            await self.upsert_node(node_id, data)

    async def upsert_edges_batch(
        self, edges: Sequence[tuple[str, str, Mapping[str, Any]]], create_missing: bool = False
    ) -> None:
        """(source, target, data). All or none where the place can do that."""
        for source_id, target_id, data in edges:
            await self.upsert_edge(source_id, target_id, data, create_missing)

    async def delete_nodes_batch(self, node_ids: Sequence[str]) -> int:
        """How many were there."""
        return sum([await self.delete_node(node_id) for node_id in node_ids])

    async def delete_edges_batch(self, pairs: Sequence[tuple[str, str]], type: str = RELATES_TO) -> int:
        """How many were there."""
        return sum([await self.delete_edge(source, target, type) for source, target in pairs])

    async def clustering(self, algorithm: str, **options: Any) -> None:
        """options: those of `graph.hierarchy.cluster`, such as seed, resolution, max_cluster_size, use_lcc."""
        nodes = [(node_id, data) for node_id, data in await self.all_nodes() if data.get("label", ENTITY) == ENTITY]
        hierarchy = cluster(
            [
                (edge.source, edge.target, weight_of(edge.data.get("weight")))
                for edge in await self.all_edges(RELATES_TO)
            ],
            algorithm=algorithm,
            entity_ids=[node_id for node_id, _ in nodes],
            **options,
        )
        found = clusters_by_node(hierarchy.clusters)
        changed = {
            node_id: {"clusters": found.get(node_id, [])}
            for node_id, data in nodes
            if data.get("clusters", []) != found.get(node_id, [])
        }
        await self.upsert_nodes_batch(changed)

    async def community_schema(self) -> dict[str, SingleCommunitySchema]:
        edges = [(edge.source, edge.target) for edge in await self.all_edges(RELATES_TO)]
        return community_schema(await self.all_nodes(), edges)


def names_in(node_id: str, data: Mapping[str, Any]) -> list[str]:
    """What the data of a node calls it, or its id, and its aliases."""
    aliases = data.get("aliases")
    texts = [alias for alias in aliases if isinstance(alias, str)] if isinstance(aliases, list | tuple) else []
    return [str(data.get("name") or node_id), *texts]


class VectorBase(ABC):
    """A VectorStore to inherit from."""

    @abstractmethod
    async def create_index(self, index_name: str, dimension: int, metric: Metric = "cosine") -> None: ...

    @abstractmethod
    async def list_indexes(self) -> list[str]: ...

    @abstractmethod
    async def upsert(
        self,
        index_name: str,
        vectors: Sequence[Sequence[float]],
        metadata: Sequence[Mapping[str, Any]] | None = None,
        ids: Sequence[str] | None = None,
        documents: Sequence[str] | None = None,
    ) -> list[str]: ...

    @abstractmethod
    async def query(
        self,
        index_name: str,
        query_vector: Sequence[float],
        top_k: int = 10,
        filter: Mapping[str, Any] | None = None,
        include_vector: bool = False,
        min_score: float | None = None,
    ) -> list[VectorMatch]: ...

    @abstractmethod
    async def get_vectors(self, index_name: str, ids: Sequence[str]) -> list[list[float] | None]:
        """In the order of the ids, None for what is not there. Raises NotFound for an unknown index."""

    @abstractmethod
    async def delete(
        self, index_name: str, ids: Sequence[str] | None = None, filter: Mapping[str, Any] | None = None
    ) -> int:
        """Take away the vectors of these ids, or that pass a filter; gives how many. An unknown index has none."""

    @abstractmethod
    async def describe_index(self, index_name: str) -> IndexDescription:
        """Raises NotFound for an unknown index."""

    @abstractmethod
    async def delete_index(self, index_name: str) -> None:
        """Nothing when there is none."""

    @abstractmethod
    async def close(self) -> None: ...

    async def drop(self) -> None:
        """Take every index of the namespace away."""
        for index_name in await self.list_indexes():
            await self.delete_index(index_name)


class KVBase(ABC):
    """A KVStore to inherit from."""

    @abstractmethod
    async def get_by_ids(self, ids: Sequence[str]) -> list[Any | None]: ...

    @abstractmethod
    async def upsert(self, data: Mapping[str, Any]) -> None: ...

    @abstractmethod
    async def drop(self) -> None: ...

    @abstractmethod
    async def delete(self, ids: Sequence[str]) -> int:
        """Take values away; gives how many were there."""

    @abstractmethod
    async def all_keys(self, prefix: str = "") -> list[str]:
        """Sorted; those that begin with *prefix*."""

    @abstractmethod
    async def close(self) -> None: ...

    async def get_by_id(self, id: str) -> Any | None:
        return (await self.get_by_ids([id]))[0]

    async def filter_keys(self, ids: Sequence[str]) -> set[str]:
        """Those that are not there."""
        values = await self.get_by_ids(ids)
        return {id for id, value in zip(ids, values, strict=True) if value is None}
