"""The nodes of a graph store as rows of the file's nodes, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lorelite.adapters import checks
from lorelite.adapters.base import GraphBase, names_in
from lorelite.ids import content_id, text_hash
from lorelite.records import Kind, Node
from lorelite.store.documents import Document
from lorelite.store.nodes import NODE_COLUMNS, node_from
from lorelite.store.port_edges import GraphEdges
from lorelite.store.port_values import StoreFile
from lorelite.store.store import Store
from lorelite.store_ports import CHUNK, ENTITY
from lorelite.text.title_key import title_key

SOURCE_REF = "graph store"
"""What nodes and edges of graph stores have as their source."""
SOURCE_HASH = text_hash(SOURCE_REF)


class SqliteNodes(GraphBase):
    """The half of SqliteGraph that knows nodes."""

    def __init__(self, path: str | Path | Store = ":memory:", namespace: str = "default") -> None:
        self.namespace = checks.namespace(namespace)
        self._file = StoreFile(path)

    @property
    def _edges(self) -> GraphEdges:
        return GraphEdges(self._file.store.db, self.namespace)

    # -- nodes --------------------------------------------------------------------------------------------------

    async def get_node(self, node_id: str) -> dict[str, Any] | None:
        return (await self.get_nodes_batch([node_id]))[0]

    async def get_nodes_batch(self, node_ids: Sequence[str]) -> list[dict[str, Any] | None]:
        found = self._found(node_ids)
        return [_data(*found[node_id]) if node_id in found else None for node_id in node_ids]

    async def upsert_node(self, node_id: str, node_data: Mapping[str, Any]) -> None:
        await self.upsert_nodes_batch({node_id: node_data})

    async def upsert_nodes_batch(self, nodes: Mapping[str, Mapping[str, Any]]) -> None:
        checked = {checks.key("node_id", id): checks.data("node_data", data) for id, data in nodes.items()}
        if checked:
            with self._file.store.atomic("graph store"):
                self._put(checked)

    async def all_nodes(self, label: str | None = None) -> list[tuple[str, dict[str, Any]]]:
        rows = self._file.store.db.rows(
            f"""
            select {NODE_COLUMNS}, g.id as graph_id, g.data as graph_data from node n
              left join graph_node g on g.node_id = n.id
             where n.namespace = ? and n.deleted_at is null order by coalesce(g.id, n.id)""",
            (self.namespace,),
        )
        found = [(row["graph_id"] or row["id"], _data(node_from(row), row["graph_data"])) for row in rows]
        return [(id, data) for id, data in found if label is None or data.get("label") == label]

    def version(self) -> object:
        db = self._file.store.db
        return db.changes, db.value("pragma data_version")

    def edge_version(self) -> object | None:
        # What is written here may be undone, and nothing would tell.
        return None if self._file.store.db.in_transaction else self.version()

    async def entity_names(self) -> list[tuple[str, list[str]]]:
        rows = self._file.store.db.rows(
            """
            select coalesce(g.id, n.id) as id, n.title,
                   case json_type(g.data, '$.aliases') when 'array' then json_extract(g.data, '$.aliases') end
              from node n
              left join graph_node g on g.node_id = n.id
             where n.namespace = ? and n.deleted_at is null
               and case when g.id is null then n.kind = 'entity'
                        else coalesce(json_extract(g.data, '$.label'), 'Entity') = 'Entity' end
             order by 1""",
            (self.namespace,),
        )
        return [
            (id, names_in(id, {"name": title, "aliases": json.loads(aliases)}) if aliases else [title])
            for id, title, aliases in rows
        ]

    async def delete_node(self, node_id: str) -> bool:
        return await self.delete_nodes_batch([node_id]) == 1

    async def delete_nodes_batch(self, node_ids: Sequence[str]) -> int:
        ids = [node.id for node, _ in self._found(node_ids).values()]
        with self._file.store.atomic("graph store"):
            touching = [edge for found in self._edges.touching(ids) for edge in found.edges]
            # What a wiki wrote of a node ends with it, and is its own.
            self._edges.delete([edge for edge in touching if edge.source_ref == SOURCE_REF])
            return self._delete_nodes(ids)

    def _put(self, nodes: Mapping[str, Mapping[str, Any]]) -> None:
        """Inside a transaction: add these nodes, or change them."""
        store, now = self._file.store, self._file.store.clock()
        found = self._found(nodes)
        if len(found) < len(nodes):
            self._claim_source()
        written: list[Node] = []
        data: dict[str, tuple[str, dict[str, Any]]] = {}
        for id, given in nodes.items():
            node, stored = found.get(id, (None, None))
            whole = {**(_data(node, stored) if node is not None else {}), **given}
            base = node or self._new_node(id, now)
            changed = _with_data(base, id, whole)
            if node is None or changed != node:
                written.append(replace(changed, updated_at=now))
            data[id] = base.id, whole
        store.nodes.put(written)
        store.db.run_many(
            """
            insert into graph_node (namespace, id, node_id, data) values (?, ?, ?, ?)
            on conflict (namespace, id) do update set node_id = excluded.node_id, data = excluded.data""",
            [(self.namespace, id, node_id, json.dumps(whole)) for id, (node_id, whole) in data.items()],
        )

    def _new_node(self, id: str, now: int) -> Node:
        return Node(
            id=content_id("entity", SOURCE_REF, self.namespace, id),
            namespace=self.namespace,
            kind="entity",
            title=id,
            confidence="certain",
            source_type="immutable_document",
            source_ref=SOURCE_REF,
            source_hash=SOURCE_HASH,
            created_at=now,
        )

    def _claim_source(self) -> None:
        store = self._file.store
        store.namespaces.ensure(self.namespace)
        if store.documents.find(self.namespace, SOURCE_REF, SOURCE_HASH) is None:
            document = Document(
                id=content_id("doc", self.namespace, SOURCE_REF, SOURCE_HASH),
                namespace=self.namespace,
                source_ref=SOURCE_REF,
                source_hash=SOURCE_HASH,
                origin="stated",
                status="complete",
                created_at=store.clock(),
            )
            store.documents.add(document, "")

    def _found(self, ids: Iterable[str]) -> dict[str, tuple[Node, str | None]]:
        """Id → (live node, what a store was given for it): by the store's id, else by the file's, else by the name."""
        wanted = list(dict.fromkeys(ids))
        found = self._rows_of(
            """
            select {columns}, k.value as asked, g.data as graph_data from json_each(:ids) k
              cross join graph_node g on g.namespace = :namespace and g.id = k.value
              cross join node n on n.id = g.node_id
             where n.deleted_at is null""",
            wanted,
        )
        found |= self._rows_of(
            """
            select {columns}, k.value as asked, null as graph_data from json_each(:ids) k
              cross join node n on n.id = k.value
             where n.namespace = :namespace and n.deleted_at is null
               and not exists (select 1 from graph_node g where g.node_id = n.id)""",
            [id for id in wanted if id not in found],
        )
        keys = {title_key(id): id for id in reversed(wanted) if id not in found}
        named = self._rows_of(
            """
            select {columns}, k.value as asked, null as graph_data from json_each(:ids) k
              cross join node n on n.namespace = :namespace and n.title_key = k.value and n.kind = 'entity'
             where n.deleted_at is null and not exists (select 1 from graph_node g where g.node_id = n.id)
             order by n.created_at desc, n.id desc""",
            list(keys),
        )
        taken = {node.id for node, _ in found.values()}
        return found | {keys[key]: row for key, row in named.items() if row[0].id not in taken}

    def _rows_of(self, sql: str, ids: Sequence[str]) -> dict[str, tuple[Node, str | None]]:
        if not ids:
            return {}
        rows = self._file.store.db.rows(
            sql.format(columns=NODE_COLUMNS), {"ids": json.dumps(ids), "namespace": self.namespace}
        )
        return {row["asked"]: (node_from(row), row["graph_data"]) for row in rows}

    def _file_ids(self, node_ids: Iterable[str]) -> dict[str, str]:
        """Id → the live node's id in the file, found as `_found` finds it."""
        wanted = list(dict.fromkeys(node_ids))
        rows = self._file.store.db.rows(
            """
            select g.id, g.node_id from json_each(:ids) k
              cross join graph_node g on g.namespace = :namespace and g.id = k.value
              cross join node n on n.id = g.node_id
             where n.deleted_at is null""",
            {"ids": json.dumps(wanted), "namespace": self.namespace},
        )
        known = {row["id"]: row["node_id"] for row in rows}
        if len(known) == len(wanted):
            return known
        return {id: node.id for id, (node, _) in self._found(wanted).items()}

    def _shown(self, node_ids: Iterable[str]) -> dict[str, str]:
        """Id in the file → id here."""
        ids = list(dict.fromkeys(node_ids))
        rows = self._file.store.db.rows(
            "select node_id, id from graph_node where node_id in (select value from json_each(?))", (json.dumps(ids),)
        )
        return {id: id for id in ids} | {row["node_id"]: row["id"] for row in rows}

    def _forget_ids(self) -> None:
        self._file.store.db.run("delete from graph_node where namespace = ?", (self.namespace,))

    def _delete_nodes(self, ids: Sequence[str]) -> int:
        store = self._file.store
        store.db.run("delete from graph_node where node_id in (select value from json_each(?))", (json.dumps(ids),))
        return store.nodes.delete(self.namespace, ids)


def _with_data(node: Node, id: str, data: Mapping[str, Any]) -> Node:
    """The node as its data shows it."""
    label = data.get("label")
    kind: Kind = "chunk" if label == CHUNK else "entity" if label in (None, ENTITY) else node.kind
    title, node_type, body = _words(node, id, data)
    return replace(node, kind=kind, title=title, node_type=node_type, body=body)


def _words(node: Node, id: str, data: Mapping[str, Any]) -> tuple[str, str | None, str]:
    """Title, type and body as the data shows them; what is no text is not shown."""
    name, kind, body = data.get("name"), data.get("entity_type"), data.get("description")
    return (
        name if isinstance(name, str) and name else node.title if "name" not in data else id,
        kind if isinstance(kind, str) and kind else None,
        body if isinstance(body, str) else "",
    )


def _data(node: Node, stored: str | None) -> dict[str, Any]:
    """What a store was given, with what somebody else has changed in the file since; of a wiki's node what it shows."""
    if stored is None:
        label = ENTITY if node.kind == "entity" else node.kind.capitalize()
        return {"label": label, "name": node.title, "entity_type": node.node_type or "", "description": node.body}
    data: dict[str, Any] = json.loads(stored)
    was, shown = _words(node, node.title, data), (node.title, node.node_type, node.body)
    if was == shown:
        return data
    fields = zip(("name", "entity_type", "description"), was, shown, strict=True)
    return data | {key: value or "" for key, before, value in fields if key in data and before != value}
