"""What one of our dumps holds, in the shape of the reference's: its names, its texts for times."""

from __future__ import annotations

from typing import Any

from lorelite import Edge, Event, MemoryBundle, NamespaceDump, Node, Task
from lorelite.temporal import iso


def namespace(dump: NamespaceDump) -> dict[str, Any]:
    """A bundle as the reference exports it."""
    return {
        "facts": [_fact(node) for node in dump.facts],
        "tasks": [_task(task) for task in dump.tasks],
        "events": [_event(event) for event in dump.events],
        "edges": [_edge(edge) for edge in dump.edges],
        "summary": dump.summary,
    }


def bundle(found: MemoryBundle) -> dict[str, Any]:
    """A bundle as the reference gives a namespace as a whole."""
    return {
        "facts": [_fact(node) for node in found.facts],
        "tasks": [_task(task) for task in found.tasks],
        "events": [_event(event) for event in found.events],
        "edges": [_edge(edge) for edge in found.edges],
    }


def _fact(node: Node) -> dict[str, Any]:
    return {
        "id": node.id,
        "entity_id": node.namespace,
        "title": node.title,
        "body": node.body,
        "tags": list(node.tags),
        "confidence": node.confidence,
        "source_type": node.source_type,
        "source_hash": node.source_hash,
        "source_ref": node.source_ref,
        "created_at": node.created_at,
        "updated_at": node.updated_at,
        "last_accessed_at": node.last_accessed_at,
        "access_count": node.access_count,
        "deleted_at": None,
        "okf_type": node.node_type,
        **_trust(node),
    }


def _task(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "entity_id": task.namespace,
        "description": task.description,
        "status": task.status,
        "priority": task.priority,
        "created_at": task.created_at,
        "updated_at": task.updated_at,
        "resolved_at": task.resolved_at,
        "deleted_at": None,
        "okf_type": task.node_type,
        **_trust(task),
    }


def _trust(row: Node | Task) -> dict[str, Any]:
    last = max(row.verified, key=lambda item: item.at, default=None)
    window = row.usage_window
    return {
        "lifecycle_status": row.lifecycle,
        "stale_after": row.stale_after,
        "generated_by": row.generated_by,
        "okf_sources": [dict(source) for source in row.sources],
        "okf_verified": [{"by": item.by, "at": iso(item.at).replace(".000Z", "Z")} for item in row.verified],
        "okf_usage_window": None if window is None else {"from": window[0], "to": window[1]},
        "last_verified_at": None if last is None else last.at,
        "last_verified_by": None if last is None else last.by,
    }


def _event(event: Event) -> dict[str, Any]:
    return {
        "id": event.id,
        "entity_id": event.namespace,
        "event_type": event.event_type,
        "summary": event.summary,
        "related_entry_id": event.related_node_id,
        "created_at": event.created_at,
    }


def _edge(edge: Edge) -> dict[str, Any]:
    return {
        "id": edge.id,
        "entity_id": edge.namespace,
        "source_id": edge.source_id,
        "target_id": edge.target_id,
        "edge_type": edge.edge_type,
        "created_at": edge.created_at,
    }
