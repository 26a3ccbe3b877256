"""Values of the cases: the file's encodings undone, our records made plain, the two compared.

Where the reference leaves an order open (edges of a walk), values are compared without it.
"""

from __future__ import annotations

import dataclasses
import math
import re
import struct
from collections.abc import Mapping
from typing import Any

_MADE_ID = re.compile(r"<[a-z]+_[0-9]+>")
"""A generated id in an observed value, e.g. "<fact_1>": any id of ours stands for it, always the same one."""


def decode(value: Any, results: Mapping[int, Any]) -> Any:
    """The file's encodings undone: numbers beyond JSON, undefined, repeated text, vectors, results of earlier steps."""
    if isinstance(value, list):
        return [decode(item, results) for item in value]
    if not isinstance(value, dict):
        return value
    if "$num" in value:
        return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}[value["$num"]]
    if "$undef" in value:
        return None
    if "$f32" in value:
        return struct.pack(f"<{len(value['$f32'])}f", *decode(value["$f32"], results))
    if "$repeat" in value:
        text, times = value["$repeat"]
        return text * times
    if "$ref" in value:
        found = results[value["$ref"]]
        return pick(plain(found), value["path"]) if "path" in value else found
    return {key: decode(item, results) for key, item in value.items()}


def plain(value: Any) -> Any:
    """Records and rows as dictionaries and lists."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def pick(value: Any, path: str) -> Any:
    """`pick({"nodes": [{"id": "a"}]}, "nodes.id") == ["a"]`."""
    name, _, rest = path.partition(".")
    if name == "length" and isinstance(value, list):
        return len(value)
    found = [item.get(name) for item in value] if isinstance(value, list) else value.get(name)
    return pick(found, rest) if rest else found


def same(
    ours: Mapping[str, Any],
    observed: Mapping[str, Any],
    *,
    errors: Mapping[str, str] | None = None,
    ids: dict[str, str] | None = None,
) -> bool:
    """Do our outcome and the observed one agree?

    errors: the reference's error names and ours; any other stands for any LoreliteError.
    ids: which id of ours stands for a generated one; renewed by the call.
    """
    if "error" in observed:
        expected = (errors or {}).get(observed["error"]["name"])
        return "error" in ours and expected in (None, ours["error"])
    if "ok" not in ours:
        return False
    left, right = _unordered(ours["ok"]), _unordered(plain(decode(observed["ok"], {})))
    return _agree(left, right, {} if ids is None else ids)


def _agree(ours: Any, observed: Any, ids: dict[str, str]) -> bool:
    if isinstance(observed, dict):
        return (
            isinstance(ours, dict)
            and ours.keys() == observed.keys()
            and all(_agree(ours[key], value, ids) for key, value in observed.items())
        )
    if isinstance(observed, list):
        return (
            isinstance(ours, list)
            and len(ours) == len(observed)
            and all(_agree(*pair, ids) for pair in zip(ours, observed, strict=True))
        )
    if isinstance(observed, str) and _MADE_ID.fullmatch(observed):
        return isinstance(ours, str) and ids.setdefault(observed, ours) == ours
    if isinstance(observed, float) and isinstance(ours, float):
        # Vectors are of single precision.
        return math.isclose(ours, observed, rel_tol=1e-6, abs_tol=1e-7)
    return bool(ours == observed)


def _unordered(value: Any) -> Any:
    """Edge lists sorted, since the reference gives them in no order."""
    if not isinstance(value, dict):
        return value
    return {
        key: sorted(item, key=repr) if key == "edges.id" and isinstance(item, list) else item
        for key, item in value.items()
    }


def snake(name: str) -> str:
    """`snake("maxResults") == "max_results"`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match[1].lower(), name)


def renamed(given: Mapping[str, Any] | None, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Options of the reference as keyword arguments: *names* where ours differ, else snake_case; unset: left out."""
    return {(names or {}).get(key, snake(key)): value for key, value in (given or {}).items() if value is not None}


def at(items: list[Any] | tuple[Any, ...], position: int) -> Any:
    """The element at *position*, None beyond the end."""
    return items[position] if position < len(items) else None
