"""Dumps."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.conformance.session import Session


def _import_dump(session: Session, dump: Any, options: Mapping[str, Any] | None = None) -> None:
    session.wiki.import_dump(
        dump,
        merge=bool((options or {}).get("merge")),
        embedding_model=None if session.embedder is None else session.embedder.model_id,
    )


def _export_dump(session: Session, namespaces: Any = None) -> Any:
    dump = session.wiki.export_dump(namespaces)
    return {
        "generatedAt": dump.generated_at,
        "entities": {
            name: {
                "facts": [
                    {**_fact(node), "embedding_blob": blob} if (blob := _blob(found, node.id)) else _fact(node)
                    for node in found.facts
                ],
                "tasks": found.tasks,
                "events": found.events,
                "edges": sorted(found.edges, key=lambda edge: edge.id),
                "summary": found.summary,
            }
            for name, found in dump.namespaces.items()
        },
    }


def _fact(node: Any) -> dict[str, Any]:
    return {"id": node.id, "entity_id": node.namespace, "title": node.title, "body": node.body, "tags": node.tags}


def _blob(found: Any, node_id: str) -> bytes | None:
    for row in found.rows.get("vector", ()):
        if row["node_id"] == node_id:
            return base64.b64decode(row["data"])
    return None


CALLS = {"importDump": _import_dump, "exportDump": _export_dump}
READS_ONLY = {"exportDump"}
