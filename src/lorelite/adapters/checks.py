"""What every store asks of what it is given, so that all refuse the same things in the same words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from lorelite.errors import IndexMismatchError, InvalidOption, NotFound, VectorDimensionError
from lorelite.search.metrics import fault
from lorelite.store_ports import METRICS, RELATES_TO, Metric

_JSON = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
MOST_CHARS = 128
"""Of the name of a namespace."""


def namespace(value: object) -> str:
    """1 to 128 characters, none of them a control character. Raises InvalidOption."""
    is_sound = isinstance(value, str) and 0 < len(value) <= MOST_CHARS and _is_text(value)
    if not is_sound or any(character < " " or "\x7f" <= character <= "\x9f" for character in str(value)):
        raise InvalidOption("namespace", f"1 to {MOST_CHARS} characters, none of them a control character", value)
    return str(value)


def key(field: str, value: object) -> str:
    """An id or a name: any text but "". Raises InvalidOption."""
    if not isinstance(value, str) or not value or not _is_text(value):
        raise InvalidOption(field, "text that is not empty and that UTF-8 can hold", value)
    return value


def _is_text(value: str) -> bool:
    return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)


def as_json(field: str, value: object) -> str:
    """The value as JSON. Raises InvalidOption for what is none, NaN and keys that are no texts included."""
    return _text_and_copy(field, value)[0]


def data(field: str, value: object) -> dict[str, Any]:
    """Node data, edge data or metadata: a copy that shares nothing. Raises InvalidOption."""
    if not isinstance(value, Mapping):
        raise InvalidOption(field, "a mapping", value)
    copied: dict[str, Any] = _text_and_copy(field, dict(value))[1]
    return copied


def _text_and_copy(field: str, value: object) -> tuple[str, Any]:
    try:
        text = _JSON.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidOption(field, f"JSON ({error})", value) from None
    copied = json.loads(text)
    if copied != value:
        _check_keys(field, value)
    return text, copied


def _check_keys(field: str, value: object) -> None:
    # json.dumps writes 1 and None as texts, and two values could become one.
    members: Iterable[object] = ()
    if isinstance(value, dict):
        for name in value:
            if not isinstance(name, str):
                raise InvalidOption(field, "JSON, whose keys are texts", name)
        members = value.values()
    elif isinstance(value, list | tuple):
        members = value
    for member in members:
        _check_keys(field, member)


def edge_type(edge_data: Mapping[str, Any]) -> str:
    """RELATES_TO where none is given."""
    return key("type", edge_data.get("type", RELATES_TO))


def no_node(node_id: str, namespace: str) -> NotFound:
    return NotFound("node", node_id, f"upsert it in namespace {namespace!r} first, or pass create_missing=True")


def no_index(index_name: str, known: Sequence[str]) -> NotFound:
    return NotFound("vector index", index_name, f"known: {', '.join(map(repr, known)) or 'none'}; create it first")


def index_options(index_name: object, dimension: object, metric: object) -> tuple[str, int, Metric]:
    """Raises InvalidOption."""
    if not isinstance(dimension, int) or isinstance(dimension, bool) or not 0 < dimension <= 65_536:
        raise InvalidOption("dimension", "a whole number from 1 to 65536", dimension)
    for known in METRICS:
        if metric == known:
            return key("index_name", index_name), dimension, known
    raise InvalidOption("metric", "one of " + ", ".join(METRICS), metric)


def same_index(index_name: str, stored: tuple[int, str], given: tuple[int, str]) -> None:
    """Raises IndexMismatchError unless both (dimension, metric) are equal."""
    if stored != given:
        names = ("dimension", "metric")
        raise IndexMismatchError(
            index_name, dict(zip(names, stored, strict=True)), dict(zip(names, given, strict=True))
        )


def vector(index_name: str, metric: str, dimension: int, numbers: Sequence[float]) -> None:
    """Raises VectorDimensionError for one that the index cannot take."""
    found = fault(metric, numbers, dimension)
    if found is not None:
        raise VectorDimensionError(index_name, *found)


def rows(
    index_name: str,
    metric: str,
    dimension: int,
    vectors: Sequence[Sequence[float]],
    metadata: Sequence[Mapping[str, Any]] | None,
    ids: Sequence[str] | None,
    documents: Sequence[str] | None,
) -> list[tuple[str, str, str | None]]:
    """Of each vector (id, metadata as JSON, document). Raises InvalidOption, and VectorDimensionError for one that the
    index cannot take."""
    for numbers in vectors:
        vector(index_name, metric, dimension, numbers)
    for field, values in (("metadata", metadata), ("ids", ids), ("documents", documents)):
        if values is not None and len(values) != len(vectors):
            raise InvalidOption(field, f"one for each of {len(vectors)} vectors", f"{len(values)}")
    return [
        (
            uuid4().hex if ids is None else key("ids", ids[place]),
            "{}" if metadata is None else as_json("metadata", data("metadata", metadata[place])),
            None if documents is None else documents[place],
        )
        for place in range(len(vectors))
    ]


def top_k(value: object) -> int:
    """Raises InvalidOption unless it is a whole number of at least 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InvalidOption("top_k", "a whole number of at least 0", value)
    return value
