"""Stores in memory: what they hold is gone with them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from lorelite.adapters import checks
from lorelite.adapters.base import GraphBase, KVBase, VectorBase, names_in
from lorelite.adapters.vector_rows import VectorRow, VectorRows
from lorelite.store_ports import ENTITY, RELATES_TO, IndexDescription, Metric, StoredEdge, VectorMatch


def in_memory_graph(namespace: str = "default") -> InMemoryGraph:
    """An empty graph store."""
    return InMemoryGraph(namespace)


def in_memory_vector(namespace: str = "default") -> InMemoryVector:
    """An empty vector store, which compares with every vector."""
    return InMemoryVector(namespace)


def in_memory_kv(namespace: str = "default") -> InMemoryKV:
    """An empty key-value store."""
    return InMemoryKV(namespace)


@dataclass(slots=True)
class _Edge:
    source: str
    target: str
    data: dict[str, Any]


class InMemoryGraph(GraphBase):
    def __init__(self, namespace: str = "default") -> None:
        self.namespace = checks.namespace(namespace)
        self._nodes: dict[str, dict[str, Any]] = {}
        self._edges: dict[str, dict[tuple[str, str], _Edge]] = {}
        """Node → (other end, type) → the edge, which both its ends share."""
        self._changes = 0
        """Of nodes."""
        self._edge_changes = 0

    async def upsert_node(self, node_id: str, node_data: Mapping[str, Any]) -> None:
        self._put_nodes([(checks.key("node_id", node_id), checks.data("node_data", node_data))])

    async def upsert_nodes_batch(self, nodes: Mapping[str, Mapping[str, Any]]) -> None:
        self._put_nodes(
            [(checks.key("node_id", node_id), checks.data("node_data", data)) for node_id, data in nodes.items()]
        )

    def _put_nodes(self, nodes: Iterable[tuple[str, dict[str, Any]]]) -> None:
        for node_id, data in nodes:
            self._changes += bool(data) or node_id not in self._nodes
            self._nodes.setdefault(node_id, {}).update(data)
            self._edges.setdefault(node_id, {})

    async def get_node(self, node_id: str) -> dict[str, Any] | None:
        found: dict[str, Any] | None = _copied(self._nodes.get(node_id))
        return found

    async def upsert_edge(
        self, source_id: str, target_id: str, edge_data: Mapping[str, Any], create_missing: bool = False
    ) -> None:
        await self.upsert_edges_batch([(source_id, target_id, edge_data)], create_missing)

    async def upsert_edges_batch(
        self, edges: Sequence[tuple[str, str, Mapping[str, Any]]], create_missing: bool = False
    ) -> None:
        checked = []
        for source_id, target_id, edge_data in edges:
            data = checks.data("edge_data", edge_data)
            data["type"] = checks.edge_type(data)
            for end in (source_id, target_id):
                if checks.key("node_id", end) not in self._nodes and not create_missing:
                    raise checks.no_node(end, self.namespace)
            checked.append((source_id, target_id, data))
        self._edge_changes += len(checked)
        for source_id, target_id, data in checked:
            self._put_nodes([(source_id, {}), (target_id, {})])
            edge = self._edges[source_id].setdefault((target_id, data["type"]), _Edge(source_id, target_id, {}))
            edge.source, edge.target = source_id, target_id
            edge.data.update(data)
            self._edges[target_id][source_id, data["type"]] = edge

    async def get_edge(self, source_id: str, target_id: str, type: str | None = None) -> dict[str, Any] | None:
        edges = self._edges.get(source_id, {})
        if type is None and (target_id, RELATES_TO) not in edges:
            type = min((kind for other, kind in edges if other == target_id), default=None)
        edge = edges.get((target_id, type or RELATES_TO))
        return dict(_copied(edge.data)) if edge is not None else None

    async def edges_of(self, node_id: str, type: str | None = None) -> list[StoredEdge] | None:
        if node_id not in self._nodes:
            return None
        return [StoredEdge(node_id, other, _copied(edge.data)) for other, _, edge in self._sorted(node_id, type)]

    def _sorted(self, node_id: str, type: str | None) -> list[tuple[str, str, _Edge]]:
        """(other end, type, edge) of a node's edges."""
        edges = self._edges[node_id].items()
        found = [(other, kind, edge) for (other, kind), edge in edges if type is None or kind == type]
        return sorted(found, key=itemgetter(0, 1))

    async def node_degrees(self, node_ids: Sequence[str], type: str | None = None) -> list[int]:
        return [
            sum(1 for _, kind in self._edges.get(node_id, ()) if type is None or kind == type) for node_id in node_ids
        ]

    async def all_nodes(self, label: str | None = None) -> list[tuple[str, dict[str, Any]]]:
        return [
            (node_id, _copied(data))
            for node_id, data in sorted(self._nodes.items())
            if label is None or data.get("label") == label
        ]

    async def all_edges(self, type: str | None = None) -> list[StoredEdge]:
        return [
            StoredEdge(edge.source, edge.target, _copied(edge.data))
            for node_id in sorted(self._edges)
            for other, _, edge in self._sorted(node_id, type)
            if node_id <= other
        ]

    async def delete_node(self, node_id: str) -> bool:
        if self._nodes.pop(node_id, None) is None:
            return False
        self._changes += 1
        self._edge_changes += 1
        for other, kind in self._edges.pop(node_id):
            if other != node_id:
                del self._edges[other][node_id, kind]
        return True

    async def delete_edge(self, source_id: str, target_id: str, type: str = RELATES_TO) -> bool:
        if self._edges.get(source_id, {}).pop((target_id, type), None) is None:
            return False
        self._edges[target_id].pop((source_id, type), None)
        self._edge_changes += 1
        return True

    def version(self) -> object:
        return self._changes

    def edge_version(self) -> object:
        return self._edge_changes

    async def entity_names(self) -> list[tuple[str, list[str]]]:
        nodes = sorted(self._nodes.items())
        return [(id, names_in(id, data)) for id, data in nodes if data.get("label", ENTITY) == ENTITY]

    async def drop(self) -> None:
        self._changes += 1
        self._edge_changes += 1
        self._nodes.clear()
        self._edges.clear()

    async def close(self) -> None:
        """Nothing: what it holds stays as long as the object."""


@dataclass(slots=True)
class _Index:
    dimension: int
    metric: Metric
    rows: VectorRows = field(init=False)

    def __post_init__(self) -> None:
        self.rows = VectorRows(self.metric)


class InMemoryVector(VectorBase):
    def __init__(self, namespace: str = "default") -> None:
        self.namespace = checks.namespace(namespace)
        self._indexes: dict[str, _Index] = {}

    async def create_index(self, index_name: str, dimension: int, metric: Metric = "cosine") -> None:
        name, dimension, metric = checks.index_options(index_name, dimension, metric)
        index = self._indexes.setdefault(name, _Index(dimension, metric))
        checks.same_index(name, (index.dimension, index.metric), (dimension, metric))

    async def list_indexes(self) -> list[str]:
        return sorted(self._indexes)

    async def upsert(
        self,
        index_name: str,
        vectors: Sequence[Sequence[float]],
        metadata: Sequence[Mapping[str, Any]] | None = None,
        ids: Sequence[str] | None = None,
        documents: Sequence[str] | None = None,
    ) -> list[str]:
        index = self._index(index_name)
        rows = checks.rows(index_name, index.metric, index.dimension, vectors, metadata, ids, documents)
        for vector, (id, described, document) in zip(vectors, rows, strict=True):
            index.rows.put(id, VectorRow.of(vector, json.loads(described), document))
        return [id for id, _, _ in rows]

    async def query(
        self,
        index_name: str,
        query_vector: Sequence[float],
        top_k: int = 10,
        filter: Mapping[str, Any] | None = None,
        include_vector: bool = False,
        min_score: float | None = None,
    ) -> list[VectorMatch]:
        index = self._index(index_name)
        checks.vector(index_name, index.metric, index.dimension, query_vector)
        return index.rows.query(query_vector, checks.top_k(top_k), filter, include_vector, min_score)

    async def get_vectors(self, index_name: str, ids: Sequence[str]) -> list[list[float] | None]:
        return self._index(index_name).rows.vectors(ids)

    async def delete(
        self, index_name: str, ids: Sequence[str] | None = None, filter: Mapping[str, Any] | None = None
    ) -> int:
        index = self._indexes.get(index_name)
        return 0 if index is None else index.rows.delete(ids, filter)

    async def describe_index(self, index_name: str) -> IndexDescription:
        index = self._index(index_name)
        return {"dimension": index.dimension, "count": len(index.rows), "metric": index.metric}

    async def delete_index(self, index_name: str) -> None:
        self._indexes.pop(index_name, None)

    async def close(self) -> None:
        """Nothing: what it holds stays as long as the object."""

    def _index(self, index_name: str) -> _Index:
        if index_name not in self._indexes:
            raise checks.no_index(index_name, sorted(self._indexes))
        return self._indexes[index_name]


class InMemoryKV(KVBase):
    def __init__(self, namespace: str = "default") -> None:
        self.namespace = checks.namespace(namespace)
        self._values: dict[str, str] = {}

    async def get_by_ids(self, ids: Sequence[str]) -> list[Any | None]:
        return [json.loads(self._values[id]) if id in self._values else None for id in ids]

    async def upsert(self, data: Mapping[str, Any]) -> None:
        self._values |= {checks.key("id", id): checks.as_json(id, value) for id, value in data.items()}

    async def drop(self) -> None:
        self._values.clear()

    async def delete(self, ids: Sequence[str]) -> int:
        return sum(self._values.pop(id, None) is not None for id in dict.fromkeys(ids))

    async def all_keys(self, prefix: str = "") -> list[str]:
        return sorted(key for key in self._values if key.startswith(prefix))

    async def close(self) -> None:
        """Nothing: what it holds stays as long as the object."""


def _copied(value: Any) -> Any:
    """JSON that shares nothing with the value."""
    if isinstance(value, dict):
        return {name: member if type(member) in _SCALARS else _copied(member) for name, member in value.items()}
    if isinstance(value, list):
        return [member if type(member) in _SCALARS else _copied(member) for member in value]
    return value


_SCALARS = frozenset((str, int, float, bool, type(None)))


inMemoryGraph = in_memory_graph
inMemoryVector = in_memory_vector
inMemoryKV = in_memory_kv
