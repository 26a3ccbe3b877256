"""The fields a caller may give a fact or a task, each with its check."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, get_args

from lorelite import options
from lorelite.errors import InvalidOption
from lorelite.records import Confidence, Lifecycle, SourceType, TaskStatus
from lorelite.text.clean import clean_text
from lorelite.text.strict_json import MAX_DEPTH, read_json
from lorelite.text.title_key import title_key

MAX_DESCRIPTION_CHARS = 4_000
MAX_NAME_CHARS = 200

Check = Callable[[str, object], Any]


def checked_fact(given: Mapping[str, object]) -> dict[str, Any]:
    """The fields of a fact that were given, cleaned. Raises InvalidOption by the field's name."""
    return _checked(given, _FACT)


def checked_task(given: Mapping[str, object]) -> dict[str, Any]:
    """The fields of a task that were given, cleaned. Raises InvalidOption by the field's name."""
    return _checked(given, _TASK)


def check_window(valid_from: int | None, valid_to: int | None) -> None:
    """Raises InvalidOption when a window ends before it has begun."""
    if valid_from is not None and valid_to is not None and valid_to <= valid_from:
        raise InvalidOption("valid_to", f"a moment after valid_from ({valid_from})", valid_to)


def some_text(field: str, value: object, limit: int) -> str:
    """Text of 1 to *limit* characters, one of them visible, cleaned, without space around it."""
    text = _visible(field, value)
    if len(text) > limit:
        raise InvalidOption(field, f"1 to {limit:,} characters", f"{len(text):,} characters")
    return text


def name_of(field: str, value: object) -> str:
    """Who did something, or what something is called: a short text."""
    return some_text(field, value, MAX_NAME_CHARS)


def _checked(given: Mapping[str, object], checks: Mapping[str, Check]) -> dict[str, Any]:
    unknown = sorted(map(str, set(given) - set(checks)))
    if unknown:
        raise InvalidOption("fields", f"only {', '.join(checks)}", unknown)
    return {name: checks[name](name, value) for name, value in given.items()}


def _visible(field: str, value: object) -> str:
    text = clean_text(options.text(field, value)).strip()
    if not title_key(text):
        raise InvalidOption(field, "some text that can be seen", value)
    return text


def _body(field: str, value: object) -> str:
    return clean_text(options.text(field, value))


def _tags(field: str, value: object) -> tuple[str, ...]:
    return tuple(map(clean_text, options.texts(field, value)))


def _one_of(kind: Any) -> Check:
    return lambda field, value: options.one_of(field, value, get_args(kind))


def _or_none(check: Check) -> Check:
    return lambda field, value: None if value is None else check(field, value)


def _sources(field: str, value: object) -> tuple[Mapping[str, Any], ...]:
    return tuple(_plain(f"{field}[]", source) for source in options.mappings(field, value))


def _plain(field: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """What JSON makes of a mapping: what is stored is what was given."""
    try:
        stored: dict[str, Any] = read_json(
            clean_text(json.dumps(value, allow_nan=False, ensure_ascii=False)), max_depth=MAX_DEPTH // 2
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidOption(field, "a mapping of texts, numbers, lists and mappings", value) from error
    return stored


def _usage_window(field: str, value: object) -> tuple[int | None, int | None]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise InvalidOption(field, "(from, to), each milliseconds or None", value)
    start, end = (options.moment(field, part) for part in value)
    if start is not None and end is not None and end < start:
        raise InvalidOption(field, "(from, to) in this order", value)
    return start, end


_SHARED: Mapping[str, Check] = {
    "body": _body,
    "node_type": _or_none(name_of),
    "lifecycle": _one_of(Lifecycle),
    "stale_after": options.moment,
    "generated_by": _or_none(name_of),
    "sources": _sources,
    "usage_window": _or_none(_usage_window),
}
_FACT: Mapping[str, Check] = {
    "title": _visible,
    "tags": _tags,
    "confidence": _one_of(Confidence),
    "source_type": _one_of(SourceType),
    "valid_from": options.moment,
    "valid_to": options.moment,
    **_SHARED,
}
_TASK: Mapping[str, Check] = {
    "description": lambda field, value: some_text(field, value, MAX_DESCRIPTION_CHARS),
    "status": _one_of(TaskStatus),
    "priority": lambda field, value: options.whole_number(field, value, 0, 10),
    "related_node_id": _or_none(options.node_id),
    **_SHARED,
}
