"""Where a knowledge graph may be kept: a graph store, a vector store and a key-value store.

The three protocols ask for what every such store has. `GraphBase`, `VectorBase` and `KVBase` are for writing one: the
methods that remain abstract are what the place must do itself, all others have a default that calls those. A store
that has the methods of a protocol alone can be used too (see `adapters.adopted`); what it then cannot do raises
UnsupportedStoreError. Values, node data, edge data and metadata are JSON; what a store gives back is a copy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypedDict, runtime_checkable

from lorelite.graph.hierarchy import cluster
from lorelite.graph.schema import NodeCluster, SingleCommunitySchema, clusters_by_node, community_schema

RELATES_TO = "RELATES_TO"
HAS_ENTITY = "HAS_ENTITY"
SIMILAR_TO = "SIMILAR_TO"
ENTITY = "Entity"
CHUNK = "Chunk"
Metric = Literal["cosine", "euclidean", "dotproduct"]
METRICS: tuple[Metric, ...] = ("cosine", "euclidean", "dotproduct")


class GNodeData(TypedDict, total=False):
    """What a node of the pipeline holds; a store keeps any other key as well."""

    label: str
    """"Entity" or "Chunk"; a node without a label counts as an entity."""
    name: str
    entity_type: str
    description: str
    source_id: list[str]
    """Ids of the chunks that tell of it."""
    aliases: list[str]
    clusters: list[NodeCluster]
    """From level 0, the coarsest, down."""
    chunk_id: str
    order: int
    """Of a chunk: its place in its document, from 0."""


class GEdgeData(TypedDict, total=False):
    """What an edge of the pipeline holds; a store keeps any other key as well."""

    type: str
    """"RELATES_TO", which is the default, "HAS_ENTITY" or "SIMILAR_TO"; or anything else."""
    weight: float
    description: str
    relation: str
    """What kind of relation it is, as it was extracted."""
    keywords: list[str]
    source_id: list[str]
    order: int
    direction: int
    """1: from the smaller of the two ids to the larger, -1: the other way, 0: both were said."""


class _Match(TypedDict):
    id: str
    score: float
    """Higher is nearer: the cosine, the dot product, or 1 / (1 + Euclidean distance)."""
    metadata: dict[str, Any]


class VectorMatch(_Match, total=False):
    """One result of a vector query."""

    vector: list[float]
    """With include_vector."""
    document: str
    """Where one was stored."""


class IndexDescription(TypedDict):
    """What a vector index is."""

    dimension: int
    count: int
    metric: Metric


class StoredEdge(NamedTuple):
    """An edge as a store gives it back."""

    source: str
    target: str
    data: dict[str, Any]

    @property
    def pair(self) -> tuple[str, str]:
        """Both ends, sorted."""
        return (self.source, self.target) if self.source <= self.target else (self.target, self.source)


@runtime_checkable
class GraphStore(Protocol):
    """Nodes and edges. An edge is one of an unordered pair of nodes and a type."""

    async def upsert_node(self, node_id: str, node_data: Mapping[str, Any]) -> None:
        """Add a node, or change it: keys given win, others stay."""
        ...

    async def get_node(self, node_id: str) -> dict[str, Any] | None:
        """A copy of what is stored of the node; None when it is not there."""
        ...

    async def upsert_edge(self, source_id: str, target_id: str, edge_data: Mapping[str, Any]) -> None:
        """Add an edge of `edge_data["type"]`, or change it: keys given win, others stay.

        Raises NotFound when a node is not there.
        """
        ...

    async def get_edge(self, source_id: str, target_id: str) -> dict[str, Any] | None:
        """In whichever direction; of edges of several types the RELATES_TO edge, else the first by type."""
        ...

    async def get_node_edges(self, node_id: str) -> list[tuple[str, str]] | None:
        """Pairs, the node asked for first, each once and sorted; [] for a node alone, None for an unknown one."""
        ...

    async def clustering(self, algorithm: str) -> None:
        """Find communities of the RELATES_TO graph and note them as `clusters` of the nodes, and on no other node.

        Raises ClusteringAlgorithmError for an unknown algorithm.
        """
        ...

    async def community_schema(self) -> dict[str, SingleCommunitySchema]:
        """The communities of the last clustering, by id, ordered by level and number."""
        ...

    async def close(self) -> None:
        """Let go of what the store holds open."""
        ...


@runtime_checkable
class VectorStore(Protocol):
    """Vectors in named indexes."""

    async def create_index(self, index_name: str, dimension: int, metric: Metric = "cosine") -> None:
        """Nothing when there is an equal one. Raises IndexMismatchError for another dimension or metric."""
        ...

    async def list_indexes(self) -> list[str]:
        """Sorted."""
        ...

    async def upsert(
        self,
        index_name: str,
        vectors: Sequence[Sequence[float]],
        metadata: Sequence[Mapping[str, Any]] | None = None,
        ids: Sequence[str] | None = None,
        documents: Sequence[str] | None = None,
    ) -> list[str]:
        """Add or replace vectors, all or none; gives their ids, which are made up where None are given.

        Raises NotFound for an unknown index, VectorDimensionError for vectors of another length, not finite, or zero
        under cosine, InvalidOption for lists of other lengths than *vectors*.
        """
        ...

    async def query(
        self,
        index_name: str,
        query_vector: Sequence[float],
        top_k: int = 10,
        filter: Mapping[str, Any] | None = None,
        include_vector: bool = False,
        min_score: float | None = None,
    ) -> list[VectorMatch]:
        """The nearest, ordered by (-score, id). filter: see `search.metadata_filter`.

        Raises NotFound, VectorDimensionError as `upsert` does, and FilterError.
        """
        ...


@runtime_checkable
class KVStore(Protocol):
    """JSON values by key."""

    async def get_by_id(self, id: str) -> Any | None:
        """A copy of the value; None when it is not there."""
        ...

    async def get_by_ids(self, ids: Sequence[str]) -> list[Any | None]:
        """In the order of *ids*, None for what is not there."""
        ...

    async def upsert(self, data: Mapping[str, Any]) -> None:
        """Add or replace, all or none. Raises InvalidOption for a value that is not JSON."""
        ...

    async def drop(self) -> None:
        """Take every value of the namespace away."""
        ...


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
            [(edge.source, edge.target, edge.data.get("weight", 1.0)) for edge in await self.all_edges(RELATES_TO)],
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
