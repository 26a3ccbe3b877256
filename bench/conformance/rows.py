"""The reference's rows and tables as ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorelite.records import Edge, Event, MemoryBundle, Node, Task

VIEWS = {
    "llm_wiki_entries": """
        select id, namespace as entity_id, title, body, tags, confidence, source_type, source_ref,
               -- The reference says so that a source is not complete.
               case when exists (select 1 from document d where d.namespace = node.namespace and d.status = 'partial'
                                    and d.source_ref = node.source_ref and d.source_hash = node.source_hash)
                    then null else source_hash end as source_hash,
               created_at, updated_at, last_accessed_at, access_count, deleted_at, node_type as okf_type,
               lifecycle as lifecycle_status, stale_after, generated_by,
               (select data from vector v where v.node_id = node.id) as embedding_blob,
               (select reason from vector_failure f where f.node_id = node.id) as embedding_failure_kind,
               coalesce((select attempts from vector_failure f where f.node_id = node.id), 0) as embedding_attempts,
               typed_at as ontology_checked_at, healed_at as heal_checked_at,
               sources as okf_sources, usage_window as okf_usage_window,
               (select json_group_array(json_object('by', json_extract(value, '$.by'), 'at',
                   strftime('%Y-%m-%dT%H:%M:%SZ', json_extract(value, '$.at') / 1000, 'unixepoch')))
                  from json_each(verified)) as okf_verified,
               -- The reference tells of the verification that was added last, our column of the latest.
               json_extract(verified, '$[#-1].by') as last_verified_by,
               json_extract(verified, '$[#-1].at') as last_verified_at
          -- In the order of insertion, as the reference: an index would put ties by id.
          from node not indexed where kind in ('fact', 'entity')""",
    # An edge is live while both its nodes are.
    "llm_wiki_edges": """
        select e.id, e.namespace as entity_id, e.source_id, e.target_id, e.edge_type, e.created_at
          from edge e join node s on s.id = e.source_id join node t on t.id = e.target_id
         where e.valid_to is null and s.deleted_at is null and t.deleted_at is null
         order by e.id""",
    "llm_wiki_source_ref_index": """
        select namespace as entity_id, source_hash, source_ref, null as deleted_at from document""",
    "llm_wiki_tasks": """
        select id, namespace as entity_id, description, status, priority, created_at, updated_at, resolved_at,
               deleted_at, node_type as okf_type, lifecycle as lifecycle_status, stale_after, generated_by,
               sources as okf_sources, usage_window as okf_usage_window,
               (select json_group_array(json_object('by', json_extract(value, '$.by'), 'at',
                   strftime('%Y-%m-%dT%H:%M:%SZ', json_extract(value, '$.at') / 1000, 'unixepoch')))
                  from json_each(verified)) as okf_verified,
               json_extract(verified, '$[#-1].by') as last_verified_by,
               json_extract(verified, '$[#-1].at') as last_verified_at
          from task""",
    "llm_wiki_events": """
        select id, namespace as entity_id, event_type, summary, related_node_id as related_entry_id, created_at
          from event""",
}
"""The reference's tables as views on ours, so that its SQL runs unchanged."""


class Unavailable(Exception):
    """A step that cannot be run here. `blocks` says whether later steps depend on it."""

    def __init__(self, reason: str, *, blocks: bool) -> None:
        super().__init__(reason)
        self.blocks = blocks


def node(row: Mapping[str, Any]) -> Node:
    if row.get("deleted_at") is not None or row.get("embedding_blob") is not None:
        raise Unavailable("a record is of no deleted row, and has no vector", blocks=True)
    return Node(
        id=row["id"],
        namespace=row["entity_id"],
        kind="fact",
        title=row["title"],
        body=row["body"],
        node_type=row.get("okf_type"),
        tags=tuple(row["tags"]),
        confidence=row["confidence"],
        source_type=row["source_type"],
        lifecycle=row.get("lifecycle_status") or "stable",
        source_ref=row["source_ref"],
        source_hash=row["source_hash"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        access_count=row["access_count"],
    )


def edge(row: Mapping[str, Any]) -> Edge:
    return Edge(
        id=row["id"],
        namespace=row["entity_id"],
        source_id=row["source_id"],
        target_id=row["target_id"],
        edge_type=row["edge_type"],
        created_at=row["created_at"],
        updated_at=row["created_at"],
    )


def bundle(given: Mapping[str, Any]) -> MemoryBundle:
    return MemoryBundle(
        facts=tuple(node(row) for row in given["facts"]),
        tasks=tuple(task(row) for row in given["tasks"]),
        events=tuple(event(row) for row in given["events"]),
        fact_scores=given.get("factScores", {}),
    )


def task(row: Mapping[str, Any]) -> Task:
    return Task(
        id=row["id"],
        namespace=row["entity_id"],
        description=row["description"],
        status=row["status"],
        priority=row["priority"],
        created_at=row["created_at"],
    )


def event(row: Mapping[str, Any]) -> Event:
    return Event(
        id=row["id"],
        namespace=row["entity_id"],
        event_type=row["event_type"],
        summary=row["summary"],
        created_at=row["created_at"],
    )
