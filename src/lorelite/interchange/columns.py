"""The columns of a dump's rows: what fits each of them, and what is meant where one is left out."""

from __future__ import annotations

import base64
import binascii
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from lorelite.call_records import CallKind, CallStatus
from lorelite.ontology.manifest import loose_manifest
from lorelite.options import MAX_SOURCE_REF_CHARS
from lorelite.records import Confidence, EventType, Kind, Lifecycle, Origin, SourceType, TaskStatus
from lorelite.temporal import LATEST

_REQUIRED: Any = object()


class RowRefused(Exception):
    """A row that cannot be one of ours; the message says which column, what was expected and what was found."""


@dataclass(frozen=True, slots=True)
class Column:
    fits: Callable[[Any], bool]
    expected: str
    default: Any = _REQUIRED


def _is_text(value: object) -> bool:
    return type(value) is str


def _is_id(value: object) -> bool:
    return type(value) is str and 0 < len(value) <= MAX_SOURCE_REF_CHARS and "\0" not in value


def is_whole(value: object) -> bool:
    return type(value) is int and -LATEST <= value <= LATEST


def _is_finite(value: object) -> bool:
    if type(value) is int:
        return -(1 << 63) <= value < 1 << 63
    return type(value) is float and abs(value) <= sys.float_info.max


def _is_mapping(value: object) -> bool:
    return type(value) is dict and is_json(value)


def is_json(value: object) -> bool:
    """Whether JSON can hold it, which has no infinity, though Python's reader makes one of 1e999."""
    try:
        return not value or bool(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return False


def is_storable(value: object) -> bool:
    """Whether SQLite can hold the texts in it; *value* is what JSON can hold."""
    try:
        return b"\\u0000" not in json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False


def _is_json_text(value: object) -> bool:
    try:
        return type(value) is str and is_json([json.loads(value)])
    except ValueError:
        return False


def _is_text_list(value: object) -> bool:
    return type(value) is list and all(type(item) is str for item in value)


def _is_mapping_list(value: object) -> bool:
    return type(value) is list and all(type(item) is dict for item in value) and is_json(value)


def _is_verified(value: object) -> bool:
    return type(value) is list and all(
        type(item) is dict and item.keys() == {"by", "at"} and _is_text(item["by"]) and is_whole(item["at"])
        for item in value
    )


def _is_manifest(value: object) -> bool:
    try:
        return type(value) is dict and bool(loose_manifest(value))
    except (AttributeError, KeyError, TypeError, ValueError):
        return False


def _is_window(value: object) -> bool:
    return type(value) is list and len(value) == 2 and all(item is None or is_whole(item) for item in value)


def is_finite_vector(data: bytes) -> bool:
    """Whether the bytes are float32, little endian, none of them infinite or no number."""
    top = data[3::4]
    if not data or len(data) % 4:
        return False
    # An exponent of ones alone is infinity or no number; its upper seven bits stand in the last byte of four.
    suspects = [place for place, byte in enumerate(top) if byte & 127 == 127] if 127 in top or 255 in top else []
    return not any(data[4 * place + 2] & 128 for place in suspects)


def _vector(value: str) -> bytes:
    try:
        data = binascii.a2b_base64(value, strict_mode=True)
    except (ValueError, binascii.Error):
        data = b""
    if not is_finite_vector(data):
        raise RowRefused("vector.data: expected base64 of finite float32 numbers, found something else")
    return data


def _one_of(literal: Any, default: Any = _REQUIRED) -> Column:
    allowed = frozenset(get_args(literal))
    return Column(
        lambda value: type(value) is str and value in allowed, f"one of {', '.join(get_args(literal))}", default
    )


def _optional(column: Column) -> Column:
    fits = column.fits
    return Column(lambda value: value is None or fits(value), f"{column.expected}, or null", None)


def _or(column: Column, default: Any) -> Column:
    return Column(column.fits, column.expected, default)


_TEXT = Column(_is_text, "a text")
_ID = Column(_is_id, f"a text of 1 to {MAX_SOURCE_REF_CHARS:,} characters without NUL")
_WHOLE = Column(is_whole, "a whole number (milliseconds)")
_COUNT = Column(lambda value: is_whole(value) and value >= 0, "a whole number of at least 0")
_FINITE = Column(_is_finite, "a finite number")
_SWITCH = Column(lambda value: type(value) is bool, "true or false")
_ANY_MAPPING = Column(_is_mapping, "an object", {})
_TRUST = {
    "stale_after": _optional(_WHOLE),
    "generated_by": _optional(_TEXT),
    "verified": Column(_is_verified, "a list of {by, at}", []),
    "sources": Column(_is_mapping_list, "a list of objects", []),
    "usage_window": _optional(Column(_is_window, "[from, to]")),
    "extra": _ANY_MAPPING,
}
_TIMES = {"created_at": _WHOLE, "updated_at": _WHOLE}
_WINDOW = {"valid_from": _optional(_WHOLE), "valid_to": _optional(_WHOLE), "superseded_by": _optional(_ID)}
_OWNER = {"source_ref": _optional(_ID), "source_hash": _optional(_ID)}

COLUMNS: Mapping[str, Mapping[str, Column]] = {
    "document": {
        "id": _ID,
        "source_ref": _ID,
        "source_hash": _ID,
        "text": _or(_TEXT, ""),
        "origin": _one_of(Origin),
        "status": Column(lambda value: value in ("partial", "complete"), "partial or complete"),
        **_TIMES,
        "metadata": _ANY_MAPPING,
    },
    "node": {
        "id": _ID,
        "kind": _one_of(Kind),
        "title": _TEXT,
        "body": _or(_TEXT, ""),
        "node_type": _optional(_TEXT),
        "tags": Column(_is_text_list, "a list of texts", []),
        "confidence": _one_of(Confidence, "inferred"),
        "source_type": _one_of(SourceType, "librarian_inferred"),
        "origin": _one_of(Origin, "stated"),
        "lifecycle": _one_of(Lifecycle, "stable"),
        **_OWNER,
        **_TIMES,
        **_WINDOW,
        "superseded_at": _optional(_WHOLE),
        **_TRUST,
        "healed_at": _optional(_WHOLE),
        "typed_at": _optional(_WHOLE),
        "last_accessed_at": _optional(_WHOLE),
        "access_count": _or(_WHOLE, 0),
        "deleted_at": _optional(_WHOLE),
    },
    "chunk": {
        "document_id": _ID,
        "ordinal": _WHOLE,
        "node_id": _ID,
        "start": _COUNT,
        "end": _COUNT,
        "state": Column(lambda value: value in ("pending", "done", "failed"), "pending, done or failed"),
        "failure": _optional(_TEXT),
        "finished": Column(_is_text_list, "a list of texts", []),
    },
    "alias": {"alias_key": _TEXT, "node_id": _ID, "document_id": _ID},
    "support": {
        "node_id": _ID,
        "document_id": _ID,
        "ordinal": _or(_WHOLE, -1),
        "title": _TEXT,
        "node_type": _optional(_TEXT),
        "body": _or(_TEXT, ""),
    },
    "edge": {
        "id": _ID,
        "source_id": _ID,
        "edge_type": _ID,
        "target_id": _ID,
        "weight": _or(_FINITE, 1.0),
        "description": _or(_TEXT, ""),
        "confidence": _one_of(Confidence, "certain"),
        "origin": _one_of(Origin, "stated"),
        **_OWNER,
        **_TIMES,
        **_WINDOW,
    },
    "statement": {
        "edge_id": _ID,
        "document_id": _ID,
        "ordinal": _WHOLE,
        "weight": _FINITE,
        "description": _or(_TEXT, ""),
    },
    "citation": {"owner_id": _ID, "document_id": _ID, "start": _COUNT, "end": _COUNT},
    "vector": {
        "node_id": _ID,
        "model_id": _ID,
        "content_hash": _TEXT,
        "data": Column(_is_text, "base64 of finite float32 numbers"),
        "created_at": _WHOLE,
    },
    "task": {
        "id": _ID,
        "description": _TEXT,
        "status": _one_of(TaskStatus, "pending"),
        "priority": Column(lambda value: type(value) is int and 0 <= value <= 10, "0 to 10", 0),
        "origin": _one_of(Origin, "stated"),
        **_TIMES,
        "resolved_at": _optional(_WHOLE),
        "deleted_at": _optional(_WHOLE),
        "body": _or(_TEXT, ""),
        "related_node_id": _optional(_ID),
        "node_type": _optional(_TEXT),
        "lifecycle": _one_of(Lifecycle, "stable"),
        **_TRUST,
    },
    "event": {
        "id": _ID,
        "event_type": _one_of(EventType),
        "summary": _TEXT,
        "related_node_id": _optional(_ID),
        "created_at": _WHOLE,
    },
    "job": {
        "kind": Column(lambda value: value in ("librarian", "heal"), "librarian or heal"),
        "events_read": _COUNT,
    },
    "ontology": {
        "mode": Column(lambda value: value in ("off", "emergent", "strict"), "off, emergent or strict"),
        "manifest": Column(_is_manifest, "an object with node_types and edge_types"),
        "updated_at": _WHOLE,
    },
    "community": {
        "id": _ID,
        "level": _WHOLE,
        "parent": _optional(_ID),
        "is_final": Column(lambda value: value in (0, 1), "0 or 1"),
        "occurrence": _FINITE,
        "title": _or(_TEXT, ""),
    },
    "member": {"community_id": _ID, "node_id": _ID},
    "memo": {"name": _TEXT, "value": Column(_is_json_text, "a text that is JSON")},
    "merge": {
        "from_id": _ID,
        "into_id": _ID,
        "reason": _TEXT,
        "merged_at": _WHOLE,
        "undo": _optional(_TEXT),
    },
    "call": {
        "kind": _one_of(CallKind, "text"),
        "purpose": _or(_TEXT, ""),
        "source_ref": _or(_TEXT, ""),
        "model": _TEXT,
        "parameters": _ANY_MAPPING,
        "system": _or(_TEXT, ""),
        "user": _or(_TEXT, ""),
        "schema": _optional(_ANY_MAPPING),
        "reply": _or(_TEXT, ""),
        "status": _one_of(CallStatus, "ok"),
        "error": _or(_TEXT, ""),
        "finish": _or(_TEXT, ""),
        "input_tokens": _or(_COUNT, 0),
        "output_tokens": _or(_COUNT, 0),
        "tokens_estimated": _or(_SWITCH, False),
        "cost": _optional(_FINITE),
        "duration_ms": _or(_COUNT, 0),
        "created_at": _WHOLE,
        "is_copy": _or(_SWITCH, False),
    },
}
"""Table → column → what fits, in the order in which rows can be written: what is referred to comes first."""


_DEFAULTS = {table: {name: column.default for name, column in columns.items()} for table, columns in COLUMNS.items()}


def checked(table: str, given: object) -> dict[str, Any]:
    """Every column of the row, defaults filled in, a vector as bytes. Raises RowRefused."""
    columns = COLUMNS.get(table)
    if columns is None:
        raise RowRefused(f"expected a row of one of {', '.join(COLUMNS)}, found {table!r}")
    if type(given) is not dict:
        raise RowRefused(f"{table}: expected an object, found {type(given).__name__}")
    row = {**_DEFAULTS[table], **given}
    if len(row) > len(columns):
        raise RowRefused(f"{table}: unknown columns {sorted(row.keys() - columns.keys())}")
    for name, value in given.items():
        if not columns[name].fits(value):
            raise RowRefused(f"{table}.{name}: expected {columns[name].expected}, found {_shown(value)}")
    if len(given) < len(columns) and _REQUIRED in row.values():
        missing = [name for name, value in row.items() if value is _REQUIRED]
        raise RowRefused(f"{table}: expected the columns {', '.join(missing)}, found nothing")
    if table == "vector":
        row["data"] = _vector(row["data"])
    return row


def compact(table: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """The row without what equals a default, a vector as base64."""
    defaults = _DEFAULTS[table]
    found = {name: value for name, value in row.items() if value != defaults[name]}
    if table == "vector":
        found["data"] = base64.b64encode(found["data"]).decode("ascii")
    return found


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"
