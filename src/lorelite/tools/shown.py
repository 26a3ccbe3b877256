"""Results as a model is to see them: plain data without what tells it nothing, and no longer than it may be."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from lorelite.records import Node
from lorelite.temporal import LATEST, iso
from lorelite.text.budget import token_cost, truncated_to

_HIDDEN = frozenset({
    "namespace", "origin", "source_hash", "document_id", "extra", "access_count", "last_accessed_at", "usage_window",
    "verified", "metadata", "usage", "path", "fact_scores",
})  # fmt: skip
_UNREMARKABLE = {"lifecycle": "stable", "weight": 1.0}
_TIMES = frozenset({
    "created_at", "updated_at", "resolved_at", "superseded_at", "valid_from", "valid_to", "stale_after", "held_from",
    "held_to", "at", "since", "t1", "t2",
})  # fmt: skip
_TEXT_CUTS = (32_000, 16_000, 12_000, 8_000, 4_000, 2_000, 1_000, 500, 250)
_MARK = " …"


def shown(value: object) -> Any:
    """Records as objects, without empty fields and bookkeeping; times as ISO 8601; scores to four digits."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        if "updated_at" in fields:
            fields.pop("created_at", None)
        if isinstance(value, Node) and value.verified:
            fields["trust_tier"] = value.trust_tier
        return {name: _field(name, item) for name, item in fields.items() if _says_something(name, item)}
    if isinstance(value, Mapping):
        return {str(name): shown(item) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [shown(item) for item in value]
    return round(value, 4) if isinstance(value, float) else value


def bounded(value: Any, tokens: int) -> tuple[Any, bool]:
    """The value in at most about *tokens* tokens of JSON, and whether something was left out: first the ends of long
    texts, then the ends of long lists. What a list begins with is the best of it."""
    if _cost(value) <= tokens:
        return value, False
    cut = value
    for limit in _TEXT_CUTS:
        cut = _with_short_texts(value, limit)
        if _cost(cut) <= tokens:
            return cut, True
    while (spare := _cost(cut) - tokens) > 0:
        longest = max(_lists(cut), key=lambda items: len(json.dumps(items, ensure_ascii=False)), default=None)
        if longest is None:
            return truncated_to(json.dumps(cut, ensure_ascii=False), tokens), True
        while longest and spare > 0:
            spare -= _cost(longest.pop())
    return cut, True


def _field(name: str, value: Any) -> Any:
    is_time = name in _TIMES and isinstance(value, int) and 0 <= value <= LATEST
    return iso(value) if is_time else shown(value)


def _says_something(name: str, value: object) -> bool:
    is_empty = value is None or (isinstance(value, Mapping | Sequence) and not value)
    return name not in _HIDDEN and not is_empty and _UNREMARKABLE.get(name) != value


def _with_short_texts(value: Any, limit: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= limit else value[:limit] + _MARK
    if isinstance(value, dict):
        return {name: _with_short_texts(item, limit) for name, item in value.items()}
    return [_with_short_texts(item, limit) for item in value] if isinstance(value, list) else value


def _lists(value: Any) -> list[list[Any]]:
    """All lists with something in them, the outermost of each branch."""
    if isinstance(value, list):
        return [value] if value else []
    return [found for item in value.values() for found in _lists(item)] if isinstance(value, dict) else []


def _cost(value: Any) -> int:
    return token_cost(json.dumps(value, ensure_ascii=False))
