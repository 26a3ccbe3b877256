"""Single values of core-llm-wiki's rows, in all the forms in which they are met: JSON, its text, SQLite columns."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Collection, Mapping
from typing import Any, get_args

from lorelite.interchange.columns import is_finite_vector
from lorelite.temporal import moment_of
from lorelite.text.clean import clean_text
from lorelite.text.strict_json import read_json

MAX_DIMENSIONS = 65_536
_HASH = re.compile(r"[0-9a-fA-F]{64}")


class Reading:
    """One row, read field by field; whatever is read otherwise than it stands is told in *problems*."""

    def __init__(self, given: Mapping[str, Any], where: str, problems: list[str]) -> None:
        self.where = where
        self._given = given
        self._problems = problems
        self._read: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self._read.add(name)
        value = self._given.get(name)
        return default if value is None else value

    def text(self, name: str, limit: int | None = None) -> str:
        """A text; "" where there is none."""
        value = self.get(name, "")
        if not isinstance(value, str):
            return str(self._tell(name, value, str(value) if isinstance(value, int | float) else ""))
        cleaned = clean_text(value)
        if cleaned != value:
            self._problems.append(f"{self.where}: {name} holds characters that cannot be stored; they became U+FFFD")
        if limit is not None and len(cleaned) > limit:
            return str(self._tell(name, value, ""))
        return cleaned

    def optional_text(self, name: str, limit: int | None = None) -> str | None:
        return self.text(name, limit) or None

    def hash(self, name: str) -> str | None:
        value = self.get(name)
        if value is None or (isinstance(value, str) and _HASH.fullmatch(value)):
            return None if value is None else value.lower()
        self._tell(name, value, None)
        return None

    def moment(self, name: str) -> int | None:
        """Milliseconds, from a number or an ISO 8601 text; None where there is none, or it cannot be read."""
        value = self.get(name)
        found = moment_of(value)
        if found is None and value is not None:
            self._tell(name, value, None)
        return found

    def one_of(self, name: str, literal: Any, default: str, *, otherwise: str | None = None) -> str:
        """One of the literal's words: *default* where there is none, *otherwise* for another word."""
        value = self.get(name, default)
        if value in get_args(literal):
            return str(value)
        return str(self._tell(name, value, otherwise or default))

    def priority(self, name: str) -> int:
        value = self.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return int(self._tell(name, value, 0))
        # Half a step counts as a whole one, as the other program has it.
        nearest = max(0, min(10, math.floor(value + 0.5)))
        return nearest if nearest == value else int(self._tell(name, value, nearest))

    def texts(self, name: str) -> list[str]:
        items = self._list(name)
        found = [clean_text(item) for item in items if isinstance(item, str)]
        if len(found) < len(items):
            self._tell(name, items, found)
        return found

    def mappings(self, name: str) -> list[dict[str, Any]]:
        items = self._list(name)
        found = [json_value(item) for item in items if isinstance(item, Mapping)]
        if len(found) < len(items):
            self._tell(name, items, found)
        return found

    def verified(self, name: str) -> list[dict[str, Any]]:
        items = self._list(name)
        found = [
            {"by": clean_text(item["by"]), "at": moment_of(item.get("at"))}
            for item in items
            if isinstance(item, Mapping) and isinstance(item.get("by"), str) and moment_of(item.get("at")) is not None
        ]
        if len(found) < len(items):
            self._tell(name, items, found)
        return found

    def window(self, name: str) -> list[int | None] | None:
        value = _loaded(self.get(name))
        if value is None:
            return None
        ends = [value.get("from"), value.get("to")] if isinstance(value, Mapping) else value
        if isinstance(ends, list) and len(ends) == 2 and all(e is None or moment_of(e) is not None for e in ends):
            return [moment_of(end) for end in ends]
        self._tell(name, value, None)
        return None

    def rest(self, known: Collection[str]) -> dict[str, Any]:
        """The fields that nobody read, as JSON."""
        return {
            str(name): json_value(value)
            for name, value in self._given.items()
            if name not in self._read and name not in known and value is not None
        }

    def _list(self, name: str) -> list[Any]:
        value = _loaded(self.get(name, []))
        return value if isinstance(value, list) else list(self._tell(name, value, []))

    def _tell(self, name: str, value: object, instead: Any) -> Any:
        shown = repr(value)
        shown = shown if len(shown) <= 60 else shown[:59] + "…"
        self._problems.append(f"{self.where}: {name} was {shown}, read as {instead!r}")
        return instead


def json_value(value: Any) -> Any:
    """*value* as JSON can hold it; what it cannot hold becomes text."""
    if isinstance(value, Mapping):
        return {clean_text(str(key)): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, str):
        return clean_text(value)
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return clean_text(repr(value))


def read_vector(given: object) -> bytes | None:
    """float32, little endian, from bytes, Node's JSON of a Buffer, {"0": …}, or a list of numbers; None for others."""
    try:
        data = _vector_bytes(given)
    except (TypeError, ValueError, OverflowError, struct.error):
        return None
    return data if len(data) <= 4 * MAX_DIMENSIONS and is_finite_vector(data) else None


def _vector_bytes(given: object) -> bytes:
    if isinstance(given, bytes | bytearray | memoryview):
        return bytes(given)
    if isinstance(given, str):
        given = read_json(given)
    if isinstance(given, Mapping):
        numbers = given["data"] if isinstance(given.get("data"), list) else list(given.values())
        return bytes(numbers)
    if isinstance(given, list):
        return struct.pack(f"<{len(given)}f", *given)
    raise TypeError


def vector_of(node_id: str, model_id: str, content_hash: str, data: bytes, created_at: int) -> dict[str, Any]:
    """The row of a vector."""
    return {
        "node_id": node_id,
        "model_id": model_id,
        "content_hash": content_hash,
        "data": data,
        "created_at": created_at,
    }


def _loaded(value: object) -> Any:
    """A value of a column that holds JSON as text, or as it is."""
    if not isinstance(value, str):
        return value
    try:
        return read_json(value)
    except ValueError:
        return value
