"""JSON that others wrote, taken as it stands or not at all. What a model wrote is read by `loose_json`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

MAX_DEPTH = 200
"""Levels of a row that somebody else wrote; what a caller has stored has at most half as many."""
_TEXT_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)


def read_json(
    text: str,
    *,
    max_depth: int = MAX_DEPTH,
    object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None,
) -> Any:
    """As `json.loads`, but more than *max_depth* levels are a ValueError like any other.

    In WebAssembly the recursion of `json.loads` ends the whole interpreter at some thousands of levels.
    """
    if text.count("[") + text.count("{") > max_depth and _nesting(text) > max_depth:
        raise ValueError(f"it is nested more than {max_depth} levels deep")
    return json.loads(text, object_pairs_hook=object_pairs_hook)


def _nesting(text: str) -> int:
    depth = deepest = 0
    for found in _TEXT_OR_BRACKET.finditer(text):
        if found[0] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif found[0] in "]}":
            depth -= 1
    return deepest
