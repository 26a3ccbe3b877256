"""The columns that nodes and tasks share: who made a row, who vouched for it, what it rests on, until when it holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lorelite.records import Node, Task, Verification


def trust_values(row: Node | Task) -> dict[str, Any]:
    """The columns of a record."""
    return {
        "stale_after": row.stale_after,
        "generated_by": row.generated_by,
        "verified": verified_json(row.verified),
        "last_verified_at": max((verification.at for verification in row.verified), default=None),
        "sources": _json(row.sources),
        "usage_window": None if row.usage_window is None else _json(row.usage_window),
        "extra": _json(row.extra),
    }


def verified_json(verified: tuple[Verification, ...]) -> str:
    return _json([{"by": verification.by, "at": verification.at} for verification in verified])


def trust_fields(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a record that are JSON in their columns."""
    verified, sources, window, extra = (columns[name] for name in ("verified", "sources", "usage_window", "extra"))
    return {
        "verified": () if verified == "[]" else tuple(Verification(**item) for item in json.loads(verified)),
        "sources": () if sources == "[]" else tuple(json.loads(sources)),
        "usage_window": None if window is None else tuple(json.loads(window)),
        "extra": {} if extra == "{}" else json.loads(extra),
    }


def _json(value: Any) -> str:
    if not value:
        return "{}" if isinstance(value, Mapping) else "[]"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
