"""What the kit's parts ask of what they are given, so that all refuse the same things in the same words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from lorelite import options
from lorelite.errors import InvalidOption, UnsupportedStoreError
from lorelite.toolkit.records import KitEntity, KitRelation

T = TypeVar("T")


def many(field: str, values: object) -> list[Any]:
    """A list of what is given. Raises InvalidOption for a text, a mapping, and what cannot be gone through."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InvalidOption(field, "a list", values)
    return list(values)


def all_of(field: str, values: object, kind: type[T]) -> list[T]:
    """A list of what is given, each of that kind. Raises InvalidOption."""
    found = many(field, values)
    for value in found:
        if not isinstance(value, kind):
            raise InvalidOption(f"{field}[]", f"a {kind.__name__}", value)
    return found


def able(store: object, capability: str, *methods: str) -> None:
    """Raises UnsupportedStoreError unless the store has these methods."""
    if not all(callable(getattr(store, method, None)) for method in methods):
        raise UnsupportedStoreError(store, capability, methods)


def entity(given: object, *, is_known: bool) -> KitEntity:
    """Raises InvalidOption for what is no entity, or has no id; or no name, unless it is known already."""
    if not isinstance(given, KitEntity):
        raise InvalidOption("entity", "a KitEntity", given)
    for field, value, is_needed in (
        ("id", given.id, True),
        ("name", given.name, not is_known),
        ("type", given.type, False),
    ):
        _text(f"entity.{field}", value, is_needed)
    _about("entity", given.properties, given.source_ids)
    return given


def relation(given: object) -> KitRelation:
    """Raises InvalidOption for what is no relation."""
    if not isinstance(given, KitRelation):
        raise InvalidOption("relation", "a KitRelation", given)
    for field in ("source_id", "target_id", "type", "id"):
        _text(f"relation.{field}", getattr(given, field), field.endswith("_id"))
    options.finite("relation.weight", given.weight)
    _about("relation", given.properties, given.source_ids)
    return given


def _text(field: str, value: object, is_needed: bool) -> None:
    given = options.text(field, value)
    if is_needed and not given.strip():
        raise InvalidOption(field, "some text", value)
    if any("\ud800" <= character <= "\udfff" for character in given):
        raise InvalidOption(field, "a text without lone surrogates", value)


def _about(field: str, properties: object, source_ids: object) -> None:
    if not isinstance(properties, Mapping):
        raise InvalidOption(f"{field}.properties", "a mapping", properties)
    options.texts(f"{field}.source_ids", source_ids)
