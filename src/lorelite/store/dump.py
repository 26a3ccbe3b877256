"""Whole namespaces, row by row: read for a dump in the order in which rows were made, and written back in bulk."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from lorelite.store.connection import Database

_JSON_COLUMNS = frozenset({"tags", "verified", "sources", "usage_window", "extra", "manifest", "metadata", "finished"})
_EMPTY: Mapping[str, Any] = {"[]": list, "{}": dict}
_TRUST = "stale_after, generated_by, verified, sources, usage_window, extra"
_LIVE = "not exists (select 1 from node n where n.id = {id} and n.deleted_at is not null)"

_SELECTS: Mapping[str, str] = {
    "document": """
        select id, source_ref, source_hash, text, origin, status, created_at, updated_at,
               metadata
          from document where namespace = :namespace order by rowid""",
    "node": f"""
        select id, kind, title, body, node_type, tags, confidence, source_type, origin, lifecycle, source_ref,
               source_hash, created_at, updated_at, valid_from, valid_to, superseded_by, superseded_at, {_TRUST},
               healed_at, typed_at, last_accessed_at, access_count
          from node where namespace = :namespace and deleted_at is null order by key""",
    "chunk": """
        select document_id, ordinal, node_id, start, "end", state, failure, finished
          from document d cross join chunk c on c.document_id = d.id
         where d.namespace = :namespace order by d.rowid, c.ordinal""",
    "alias": f"""
        select alias_key, node_id, document_id from alias a
         where namespace = :namespace and {_LIVE.format(id="a.node_id")} order by alias_key, node_id, document_id""",
    "support": f"""
        select s.node_id, s.document_id, s.ordinal, s.title, s.node_type, s.body
          from document d cross join support s on s.document_id = d.id
         where d.namespace = :namespace and {_LIVE.format(id="s.node_id")}
         order by d.rowid, s.ordinal, s.node_id""",
    "edge": f"""
        select id, source_id, edge_type, target_id, weight, description, confidence, origin, source_ref, source_hash,
               created_at, updated_at, valid_from, valid_to, superseded_by
          from edge e where namespace = :namespace and {_LIVE.format(id="e.source_id")}
           and {_LIVE.format(id="e.target_id")} order by rowid""",
    "statement": f"""
        select s.edge_id, s.document_id, s.ordinal, s.weight, s.description
          from document d cross join statement s on s.document_id = d.id cross join edge e on e.id = s.edge_id
         where d.namespace = :namespace and {_LIVE.format(id="e.source_id")} and {_LIVE.format(id="e.target_id")}
         order by d.rowid, s.ordinal, s.edge_id""",
    "citation": f"""
        select c.owner_id, c.document_id, c.start, c."end"
          from document d cross join citation c on c.document_id = d.id
         where d.namespace = :namespace and {_LIVE.format(id="c.owner_id")}
           and not exists (select 1 from edge e where e.id = c.owner_id and not (
               {_LIVE.format(id="e.source_id")} and {_LIVE.format(id="e.target_id")}))
         order by d.rowid, c.start, c."end", c.owner_id""",
    "vector": """
        select v.node_id, v.model_id, v.content_hash, v.data, v.created_at
          from node n cross join vector v on v.node_id = n.id
         where n.namespace = :namespace and n.deleted_at is null order by n.key, v.model_id""",
    "task": f"""
        select id, description, status, priority, origin, created_at, updated_at, resolved_at, body, related_node_id,
               node_type, lifecycle, {_TRUST}
          from task where namespace = :namespace and deleted_at is null order by rowid""",
    "event": """
        select id, event_type, summary, related_node_id, created_at
          from event where namespace = :namespace order by sequence""",
    "job": """
        select kind, (select count(*) from event where namespace = :namespace and sequence <= watermark) as events_read
          from (select kind, watermark,
                       row_number() over (partition by kind order by rowid desc) as place
                  from job where namespace = :namespace and kind in ('librarian', 'heal'))
         where place = 1 and watermark > 0 order by kind""",
    "ontology": "select mode, manifest, updated_at from ontology where namespace = :namespace",
    "community": """
        select id, level, parent, is_final, occurrence, title from community
         where namespace = :namespace order by id""",
    "member": f"""
        select community_id, node_id from member m
         where namespace = :namespace and {_LIVE.format(id="m.node_id")} order by community_id, node_id""",
    "memo": "select name, value from memo where namespace = :namespace order by name",
    "merge": """
        select from_id, into_id, reason, merged_at, undo from merge
         where namespace = :namespace order by merged_at, from_id""",
}
"""Table → its rows of a namespace. Deleted nodes and tasks stay behind, and what hangs on them."""

DUMPED_TABLES = tuple(_SELECTS)


@contextmanager
def snapshot(db: Database) -> Iterator[None]:
    """Everything read inside is of one moment, whatever other programs write meanwhile."""
    if db.in_transaction:
        yield
        return
    db.run("begin")
    try:
        yield
    finally:
        db.run("commit")


class DumpTable:
    """Rows of all tables as plain values: JSON columns decoded, vectors as bytes."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def rows(self, namespace: str, table: str) -> Iterator[dict[str, Any]]:
        """The rows of a table, one at a time, without the namespace column."""
        names: Sequence[str] = ()
        coded: Sequence[str] = ()
        for row in self._db.each(_SELECTS[table], {"namespace": namespace}):
            if not names:
                names = row.keys()
                coded = [name for name in names if name in _JSON_COLUMNS]
            found = dict(zip(names, row, strict=True))
            for name in coded:
                found[name] = _decoded(found[name])
            yield found

    def namespace(self, namespace: str) -> tuple[int, str]:
        """(created at, summary)."""
        row = self._db.row(
            """
            select created_at, (select value from meta where key = 'summary:' || name) as summary
              from namespace where name = ?""",
            (namespace,),
        )
        return (0, "") if row is None else (row["created_at"], row["summary"] or "")


def _decoded(value: str | None) -> Any:
    if value is None:
        return None
    empty = _EMPTY.get(value)
    return json.loads(value) if empty is None else empty()
