"""JSON schemas of Python annotations, and the check of a model's arguments against them."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args, get_origin

from lorelite.options import Unchanged
from lorelite.strategies.strategy import Strategy

Schema = dict[str, Any]

_PLAIN: Mapping[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def schema_of(annotation: Any) -> Schema:
    """The schema of an annotation of `AsyncWiki`. Of several possible kinds the widest is taken: a list of texts for a
    text or a list of them; a kind that only Python has is left out. None is possible where it says something else than
    leaving the argument out."""
    origin = get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        members = get_args(annotation)
        schemas = [schema_of(member) for member in members if member not in (type(None), Unchanged, Strategy)]
        widest = next((schema for schema in schemas if schema["type"] == "array"), schemas[-1])
        if type(None) in members and Unchanged in members:
            return widest | {"type": [widest["type"], "null"]}
        return widest
    if origin is Literal:
        return {"type": "string", "enum": list(get_args(annotation))}
    if origin in (Sequence, Iterable, list, tuple):
        return {"type": "array", "items": schema_of(get_args(annotation)[0])}
    if origin in (Mapping, dict) or annotation in (Mapping, dict):
        return {"type": "object"}
    return {"type": _PLAIN[annotation]}


def faults(value: object, schema: Mapping[str, Any], name: str = "arguments") -> list[str]:
    """What is wrong with a value, one sentence each: the argument, what was expected, what was found."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_is(value, kind) for kind in kinds):
        return [f"{name}: expected {' or '.join(kinds)}, found {seen(value)}"]
    if value is None:
        return []
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{name}: expected one of {', '.join(map(repr, schema['enum']))}, found {seen(value)}")
    if isinstance(value, str) and not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
        bounds = f"{schema.get('minLength', 0)} to {schema.get('maxLength', 'any number of')} characters"
        found.append(f"{name}: expected {bounds}, found {len(value)}")
    if isinstance(value, int | float) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        bounds = " and ".join(f"{word} {schema[word]}" for word in ("minimum", "maximum") if word in schema)
        found.append(f"{name}: expected {bounds}, found {seen(value)}")
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            found += faults(item, schema["items"], f"{name}[{number}]")
    if isinstance(value, dict) and "properties" in schema:
        found += _object_faults(value, schema)
    return found


def seen(value: object) -> str:
    """The value in a message, cut short."""
    try:
        return f"{value!r:.80}"
    except (ValueError, RecursionError):  # a number of thousands of digits, lists within lists within lists
        return f"a {type(value).__name__} that is too large"


def _object_faults(value: dict[str, Any], schema: Mapping[str, Any]) -> list[str]:
    known = schema["properties"]
    found = [f"{name}: is required" for name in schema.get("required", ()) if name not in value]
    for name, item in value.items():
        if name in known:
            found += faults(item, known[name], name)
        else:
            found.append(f"{seen(name)}: is no argument; there are {', '.join(known) or 'none'}")
    return found


def _is(value: object, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _KINDS[kind])
