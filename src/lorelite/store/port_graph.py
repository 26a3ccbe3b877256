"""A graph store in a Lorelite file: its nodes and edges are rows of the file's one graph.

What is upserted is there for every walk and search of a wiki, and what a wiki wrote is there for `get_node` and
`edges_of`, under the ids it has there; an entity also under its name. A node that comes in under the name of such an
entity is that entity. `drop` takes away what came in through graph stores, and leaves what the wiki wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lorelite.adapters import checks
from lorelite.graph.weighted import weight_of
from lorelite.records import Edge
from lorelite.store.port_edges import FoundEdge, edge_row_id
from lorelite.store.port_nodes import SOURCE_HASH, SOURCE_REF, SqliteNodes
from lorelite.store_ports import RELATES_TO, StoredEdge


class SqliteGraph(SqliteNodes):
    async def get_edge(self, source_id: str, target_id: str, type: str | None = None) -> dict[str, Any] | None:
        return (await self.get_edges_batch([(source_id, target_id)], type))[0]

    async def get_edges_batch(
        self, pairs: Sequence[tuple[str, str]], type: str | None = None
    ) -> list[dict[str, Any] | None]:
        wanted = self._pairs(pairs)
        found: dict[tuple[str, str], dict[str, FoundEdge]] = {}
        for edge in self._edges.between((pair for pair in wanted if pair is not None), type):
            found.setdefault(edge.pair, {})[edge.type] = edge
        return [None if pair is None else _chosen(found.get(pair, {})) for pair in wanted]

    async def edges_of(self, node_id: str, type: str | None = None) -> list[StoredEdge] | None:
        return (await self.get_nodes_edges_batch([node_id], type))[0]

    async def get_nodes_edges_batch(
        self, node_ids: Sequence[str], type: str | None = None
    ) -> list[list[StoredEdge] | None]:
        ids = self._file_ids(node_ids)
        edges = self._edges.shown(list(ids.values()), type)
        here = self._shown(end for source, target, _, _ in edges for end in (source, target))
        touching: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        for source, target, _, data in edges:
            touching.setdefault(source, []).append((here[target], data))
            if source != target:
                touching.setdefault(target, []).append((here[source], data))
        lists: list[list[StoredEdge] | None] = []
        for node_id in node_ids:
            id = ids.get(node_id)
            found = [] if id is None else touching.get(id, [])
            found.sort(key=lambda edge: (edge[0], edge[1]["type"]))
            lists.append(None if id is None else [StoredEdge(node_id, other, dict(data)) for other, data in found])
        return lists

    async def all_edges(self, type: str | None = None) -> list[StoredEdge]:
        edges = self._edges.every(type)
        shown = self._shown(end for edge in edges for end in edge.pair)
        found = [StoredEdge(shown[edge.source_id], shown[edge.target_id], edge.data()) for edge in edges]
        return sorted(found, key=lambda edge: (edge.pair, edge.data["type"]))

    async def upsert_edge(
        self, source_id: str, target_id: str, edge_data: Mapping[str, Any], create_missing: bool = False
    ) -> None:
        await self.upsert_edges_batch([(source_id, target_id, edge_data)], create_missing)

    async def upsert_edges_batch(
        self, edges: Sequence[tuple[str, str, Mapping[str, Any]]], create_missing: bool = False
    ) -> None:
        given = []
        for source_id, target_id, edge_data in edges:
            data = checks.data("edge_data", edge_data)
            data["type"] = checks.edge_type(data)
            given.append((checks.key("node_id", source_id), checks.key("node_id", target_id), data))
        if given:
            with self._file.store.atomic("graph store"):
                self._put_edges(given, create_missing)

    async def delete_edge(self, source_id: str, target_id: str, type: str = RELATES_TO) -> bool:
        return await self.delete_edges_batch([(source_id, target_id)], type) == 1

    async def delete_edges_batch(self, pairs: Sequence[tuple[str, str]], type: str = RELATES_TO) -> int:
        found = self._edges.between((pair for pair in self._pairs(pairs) if pair is not None), type)
        with self._file.store.atomic("graph store"):
            self._edges.delete(row for edge in found for row in edge.edges)
        return len(found)

    async def drop(self) -> None:
        store = self._file.store
        with store.atomic("graph store"):
            store.edges.delete_of_source(self.namespace, SOURCE_REF)
            store.nodes.delete(self.namespace, store.nodes.ids_of_source(self.namespace, SOURCE_REF))
            self._forget_ids()
            document = store.documents.find(self.namespace, SOURCE_REF, SOURCE_HASH)
            if document is not None:
                store.documents.delete(document.id)

    async def close(self) -> None:
        self._file.close()

    def _put_edges(self, edges: Sequence[tuple[str, str, dict[str, Any]]], create_missing: bool) -> None:
        """Inside a transaction: add these edges, or change them."""
        ends = list(dict.fromkeys(end for source, target, _ in edges for end in (source, target)))
        ids = self._file_ids(ends)
        missing = [end for end in ends if end not in ids]
        if missing and not create_missing:
            raise checks.no_node(missing[0], self.namespace)
        if missing:
            self._put({end: {} for end in missing})
            ids = self._file_ids(ends)
        self._claim_source()
        rows = [
            (edge_row_id(self.namespace, ids[source], ids[target], data["type"]), ids[source], ids[target], data)
            for source, target, data in edges
        ]
        given = self._edges.given(id for id, *_ in rows)
        written: dict[str, tuple[Edge, dict[str, Any]]] = {}
        for id, source_id, target_id, data in rows:
            given[id] = {**given.get(id, {}), **data}
            written[id] = self._edge(id, source_id, target_id, given[id]), given[id]
        self._edges.put(written)

    def _edge(self, id: str, source_id: str, target_id: str, data: Mapping[str, Any]) -> Edge:
        description, now = data.get("description"), self._file.store.clock()
        return Edge(
            id=id,
            namespace=self.namespace,
            source_id=source_id,
            target_id=target_id,
            edge_type=data["type"],
            weight=weight_of(data.get("weight")),
            description=description if isinstance(description, str) else "",
            source_ref=SOURCE_REF,
            source_hash=SOURCE_HASH,
            created_at=now,
            updated_at=now,
        )

    def _pairs(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str] | None]:
        """Of each pair the sorted ids in the file; None where a node is not there."""
        ids = self._file_ids(end for pair in pairs for end in pair)
        return [
            (min(ids[one], ids[other]), max(ids[one], ids[other])) if one in ids and other in ids else None
            for one, other in pairs
        ]


def _chosen(by_type: Mapping[str, FoundEdge]) -> dict[str, Any] | None:
    if not by_type:
        return None
    return (by_type.get(RELATES_TO) or by_type[min(by_type)]).data()
