"""The ontology of each namespace, and the nodes that wait for a type."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from lorelite.errors import StoreError
from lorelite.ontology.manifest import Ontology, loose_manifest
from lorelite.ontology.typing import Candidate, WaitingEdge
from lorelite.ports import Clock
from lorelite.records import Node
from lorelite.store.connection import Database
from lorelite.store.nodes import NODE_COLUMNS, liveness, node_from


class OntologyTable:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    def get(self, namespace: str) -> Ontology | None:
        """The namespace's own ontology, if it has one."""
        row = self._db.row("select mode, manifest from ontology where namespace = ?", (namespace,))
        if row is None:
            return None
        try:
            return Ontology(row["mode"], loose_manifest(json.loads(row["manifest"])))
        except (ValueError, TypeError, KeyError) as error:
            raise StoreError(
                f"the manifest of namespace {namespace!r} cannot be read: {error!r}; replace it with set_ontology"
            ) from error

    def put(self, namespace: str, ontology: Ontology) -> None:
        """Make *ontology* the namespace's own."""
        self._db.run(
            """
            insert into ontology (namespace, mode, manifest, updated_at) values (?, ?, ?, ?)
            on conflict (namespace) do update set
                mode = excluded.mode, manifest = excluded.manifest, updated_at = excluded.updated_at
             where mode <> excluded.mode or manifest <> excluded.manifest""",
            (
                namespace,
                ontology.mode,
                json.dumps(ontology.manifest.as_mapping(), ensure_ascii=False),
                self._clock(),
            ),
        )

    # -- what edges lead to -------------------------------------------------------------------------------------

    def targets(
        self, namespace: str, keys: Iterable[str], *, source_ref: str | None = None, source_hash: str | None = None
    ) -> dict[str, list[Candidate]]:
        """Title key → the live facts and entities an edge may mean: titles before aliases, facts first, then newest.

        For a reader of (source_ref, source_hash): other versions of the source, which it replaces, do not count.
        """
        where = f"""{liveness("n", None)} and n.kind in ('fact', 'entity')
               and (n.source_ref is null or n.source_ref is not :ref or n.source_hash is :hash)"""
        rows = self._db.rows(
            f"""
            select k.value as found_key, 0 as by_alias, n.id, n.node_type, n.kind, n.updated_at
              from json_each(:keys) k cross join node n on n.namespace = :namespace and n.title_key = k.value
             where {where}
            union all
            select used.alias_key, 1, n.id, n.node_type, n.kind, n.updated_at from (
                select distinct alias_key, node_id from json_each(:keys) k
                  cross join alias a on a.namespace = :namespace and a.alias_key = k.value
                 where document_id not in (
                   select id from document where namespace = :namespace and source_ref = :ref and source_hash <> :hash)
              ) used cross join node n on n.id = used.node_id
             where {where}""",
            {
                "keys": json.dumps(sorted(set(keys)), ensure_ascii=False),
                "namespace": namespace,
                "now": self._clock(),
                "ref": source_ref,
                "hash": source_hash,
            },
        )
        found: dict[str, dict[str, Candidate]] = {}
        for row in sorted(
            rows, key=lambda row: (row["by_alias"], row["kind"] != "fact", -row["updated_at"], row["id"])
        ):
            found.setdefault(row["found_key"], {}).setdefault(row["id"], Candidate(row["id"], row["node_type"]))
        return {key: list(nodes.values()) for key, nodes in found.items()}

    def types_of(self, namespace: str, ids: Iterable[str]) -> dict[str, str | None]:
        """Id → type of the nodes that are there and not deleted."""
        rows = self._db.rows(
            """
            select n.id, n.node_type from json_each(:ids) k cross join node n on n.id = k.value
             where n.namespace = :namespace and n.deleted_at is null""",
            {"ids": json.dumps(list(ids)), "namespace": namespace},
        )
        return {row["id"]: row["node_type"] for row in rows}

    # -- edges that wait for the rest of their document --------------------------------------------------------

    def add_waiting(self, document_id: str, edges: Iterable[WaitingEdge]) -> None:
        self._db.insert(
            "waiting_edge",
            ("document_id", "source_id", "edge_type", "target_title"),
            ((document_id, edge.source_id, edge.edge_type, edge.target_title) for edge in edges),
            "on conflict do nothing",
        )

    def waiting(self, document_id: str) -> list[WaitingEdge]:
        rows = self._db.rows(
            """
            select source_id, edge_type, target_title from waiting_edge where document_id = ?
             order by source_id, edge_type, target_title""",
            (document_id,),
        )
        return [WaitingEdge(*row) for row in rows]

    def end_waiting(self, document_id: str) -> None:
        self._db.run("delete from waiting_edge where document_id = ?", (document_id,))

    # -- untyped facts ------------------------------------------------------------------------------------------

    def untyped(self, namespace: str, *, tried_before: int, limit: int) -> list[Node]:
        """Live facts without a type that were not tried since, oldest change first."""
        rows = self._db.rows(
            f"select {NODE_COLUMNS} {_UNTYPED} order by n.updated_at, n.id limit :limit",
            {"namespace": namespace, "tried_before": tried_before, "now": self._clock(), "limit": limit},
        )
        return [node_from(row) for row in rows]

    def count_untyped(self, namespace: str, *, tried_before: int) -> int:
        params = {"namespace": namespace, "tried_before": tried_before, "now": self._clock()}
        return int(self._db.value(f"select count(*) {_UNTYPED}", params))

    def entity_types(self, namespace: str, fact_ids: Iterable[str]) -> dict[str, list[str]]:
        """Fact → the types of the entities that are said to be about, in the order of the edges."""
        rows = self._db.rows(
            """
            select e.source_id, n.node_type from json_each(:ids) k
              cross join edge e indexed by edge_out on e.namespace = :namespace and e.source_id = k.value
               and e.edge_type = 'about'
              cross join node n on n.id = e.target_id
             where n.namespace = :namespace and n.deleted_at is null and n.node_type is not null
             order by e.source_id, e.created_at, e.id""",
            {"ids": json.dumps(list(fact_ids)), "namespace": namespace},
        )
        found: dict[str, list[str]] = {}
        for row in rows:
            found.setdefault(row["source_id"], []).append(row["node_type"])
        return found

    def entities_titled(self, namespace: str, keys: Iterable[str]) -> dict[str, list[str]]:
        """Title key → the types of the entities of that title or alias."""
        rows = self._db.rows(
            """
            select k.value as found_key, n.node_type from json_each(:keys) k
              cross join node n on n.namespace = :namespace and n.title_key = k.value and n.kind = 'entity'
             where n.deleted_at is null and n.node_type is not null
            union
            select k.value, n.node_type from json_each(:keys) k
              cross join alias a on a.namespace = :namespace and a.alias_key = k.value
              cross join node n on n.id = a.node_id
             where n.deleted_at is null and n.node_type is not null""",
            {"keys": json.dumps(sorted(set(keys)), ensure_ascii=False), "namespace": namespace},
        )
        found: dict[str, list[str]] = {}
        for row in rows:
            found.setdefault(row["found_key"], []).append(row["node_type"])
        return found

    def set_types(self, namespace: str, types: Mapping[str, str], *, by_rules: bool = False) -> list[str]:
        """Type the nodes that have no type yet, leaving `updated_at` as it is; gives the ids that were typed.

        by_rules: note in the node's `extra` that a rule found the type, so that readers may doubt it.
        """
        mark = ", extra = json_set(extra, '$.typed_by', 'rules')" if by_rules else ""
        return [
            id
            for id, node_type in types.items()
            if self._db.run(
                f"""
                update node set node_type = ?{mark}
                 where id = ? and +namespace = ? and node_type is null and deleted_at is null""",
                (node_type, id, namespace),
            )
        ]

    def stamp_tried(self, namespace: str, ids: Iterable[str]) -> None:
        """Note that it was tried to type these nodes, leaving `updated_at` as it is."""
        self._db.run(
            """
            update node set typed_at = :now
             where id in (select value from json_each(:ids)) and +namespace = :namespace""",
            {"ids": json.dumps(list(ids)), "namespace": namespace, "now": self._clock()},
        )


_UNTYPED = f"""
    from node n indexed by node_recent
   where n.namespace = :namespace and n.kind = 'fact' and n.node_type is null and {liveness("n", None)}
     and (n.typed_at is null or n.typed_at <= :tried_before)"""
