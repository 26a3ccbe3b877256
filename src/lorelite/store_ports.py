"""Where a knowledge graph may be kept: a graph store, a vector store and a key-value store.

The three protocols ask for what every such store has. Values, node data, edge data and metadata are JSON; what a store
gives back is a copy. `adapters.base` has what to inherit from when writing one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypedDict, runtime_checkable

from lorelite.graph.schema import NodeCluster, SingleCommunitySchema

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
