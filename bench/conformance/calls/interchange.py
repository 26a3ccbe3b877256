"""Dumps."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bench.conformance import reference_shape

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
                **(shaped := reference_shape.namespace(found)),
                "facts": _with_blobs(found, shaped["facts"]),
                "edges": sorted(shaped["edges"], key=lambda edge: edge["id"]),
            }
            for name, found in dump.namespaces.items()
        },
    }


def _with_blobs(found: Any, facts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    blobs = {fact["id"]: _blob(found, fact["id"]) for fact in facts}
    return [{**fact, "embedding_blob": blob} if (blob := blobs[fact["id"]]) else fact for fact in facts]


def _blob(found: Any, node_id: str) -> bytes | None:
    for row in found.rows.get("vector", ()):
        if row["node_id"] == node_id:
            return base64.b64decode(row["data"])
    return None


CALLS = {"importDump": _import_dump, "exportDump": _export_dump}
READS_ONLY = {"exportDump"}
