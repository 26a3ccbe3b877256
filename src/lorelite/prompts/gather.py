"""Finding the lists of entities, relations and facts wherever a reply put them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lorelite.errors import BadReply
from lorelite.prompts import keys
from lorelite.text.loose_json import parse_loose_json

_NAMING = frozenset({*keys.NAME, *keys.ID, *keys.LABEL}) - {"text", "value"}
_TELLING = _NAMING | {*keys.TYPE, *keys.DESCRIPTION, *keys.ALIASES}
_SCHEMA_KEYS = frozenset({"items", "$ref", "anyOf", "allOf"})
_MAX_DEPTH = 8


@dataclass(slots=True)
class Sections:
    """The items of a reply, not yet understood. `found` says whether the reply has any of the wanted lists."""

    entities: list[object] = field(default_factory=list)
    relations: list[object] = field(default_factory=list)
    facts: list[object] = field(default_factory=list)
    found: bool = False


def gather_sections(value: object) -> Sections:
    """Every entity, relation and fact in *value*: under the wanted keys, wrapped in others, in lists, or bare."""
    sections = Sections()
    if value == []:
        sections.found = True
    _gather(value, sections, _MAX_DEPTH)
    return sections


def first_of(record: dict[str, Any], names: Sequence[str]) -> object:
    """The first of the named members that says something, else None."""
    return next((record[name] for name in names if record.get(name) not in (None, "", [], {})), None)


def _gather(value: object, sections: Sections, depth: int) -> None:
    if depth <= 0:
        return
    if isinstance(value, dict):
        _gather_record(value, sections, depth)
    elif isinstance(value, list):
        _gather_list(value, sections, depth)
    elif isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            _gather(parse_loose_json(value), sections, depth - 1)
        except BadReply:
            return


def _gather_list(values: list[object], sections: Sections, depth: int) -> None:
    if values and all(isinstance(each, str) for each in values) and depth == _MAX_DEPTH:
        sections.entities += values
        return
    for each in values:
        if isinstance(each, list) and len(each) == 3 and all(isinstance(part, str) for part in each):
            sections.relations.append(each)
        elif isinstance(each, dict | list):
            _gather(each, sections, depth - 1)


def _gather_record(record: dict[str, object], sections: Sections, depth: int) -> None:
    if _is_schema(record):
        _gather_named(record.get("properties"), sections)
        return
    named = {keys.plain(key): value for key, value in record.items()}
    if _is_typed_fact(named):
        sections.facts.append(record)
        return
    if _gather_named(record, sections):
        return
    if (arguments := first_of(named, keys.CALLED_WITH)) is not None:
        _gather(arguments, sections, depth - 1)
    elif _joins_two(named):
        sections.relations.append(record)
    elif named.keys() & set(keys.BODY):
        sections.facts.append(record)
    elif named.keys() & _NAMING and len(named.keys() & _TELLING) > 1:
        sections.entities.append(record)
    else:
        for each in record.values():
            _gather(each, sections, depth - 1)


def _gather_named(record: object, sections: Sections) -> bool:
    """Take the wanted lists of *record*; False when it has none of them."""
    found = False
    for key, value in record.items() if isinstance(record, dict) else ():
        name = keys.plain(key)
        for wanted, items in (
            (keys.ENTITIES, sections.entities),
            (keys.RELATIONS, sections.relations),
            (keys.FACTS, sections.facts),
        ):
            if name in wanted and _is_section(name, value):
                items += _items(value)
                found = True
    sections.found = sections.found or found
    return found


def _is_section(name: str, value: object) -> bool:
    """Whether a value under a wanted name is a list in some form. Text under a singular name is a mere member."""
    if isinstance(value, dict):
        return not (_SCHEMA_KEYS & value.keys())
    return isinstance(value, list) or (name.endswith("s") and (value is None or isinstance(value, str)))


def _items(value: object) -> list[object]:
    """The members of a section: a list, an object by name or by type, JSON in a string, or lines of text."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return _items_of_object(value)
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return _items(parse_loose_json(value))
        except BadReply:
            return []
    if isinstance(value, str):
        lines = (line.strip(" -*•\t") for line in re.split(r"[\n;]|,(?![^()]{0,200}\))", value))
        return [line for line in lines if line]
    return []


def _items_of_object(record: dict[str, object]) -> list[object]:
    named = {keys.plain(key): value for key, value in record.items()}
    if named.keys() & _NAMING or _joins_two(named):
        return [record]
    items: list[object] = []
    for key, value in record.items():
        if isinstance(value, list):
            items += [{"type": key, **(each if isinstance(each, dict) else {"name": each})} for each in value]
        else:
            items.append({"name": key, **(value if isinstance(value, dict) else {"type": value})})
    return items


def _joins_two(named: dict[str, object]) -> bool:
    return bool(named.keys() & set(keys.SOURCE) and named.keys() & set(keys.TARGET))


def _is_typed_fact(named: dict[str, object]) -> bool:
    """Whether a record is one fact whose "edges" are its own, not the list of a whole reply."""
    return named.keys() >= {"title", "body"} and bool(named.keys() & {"okftype", "edges"})


def _is_schema(record: dict[str, object]) -> bool:
    """Whether the reply is an echo of a JSON Schema."""
    is_object = record.get("type") == "object" and isinstance(record.get("properties"), dict)
    return is_object or bool(record.keys() & {"$defs", "definitions", "$schema"})
