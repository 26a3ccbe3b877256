"""What a model is told of each tool, from the table and the signatures of the methods it calls."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from lorelite import options
from lorelite.tools.entry import TIMES, Entry, Scope
from lorelite.tools.schema import Schema, schema_of
from lorelite.tools.table import TABLE
from lorelite.wiki import AsyncWiki

__all__ = ["Scope", "Tool", "allowed", "tool_definitions"]

_MOMENT = "ISO 8601, for example 2026-03-01T12:00:00Z."
_NAMESPACE = "Which memory."


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A function that a model may call. `parameters` is a JSON schema of an object."""

    name: str
    description: str
    scope: Scope
    parameters: Mapping[str, Any]


def tool_definitions(*, scopes: Iterable[Scope] = ("read",), namespaces: Iterable[str] | None = None) -> list[Tool]:
    """The tools that an agent with these scopes may use.

    scopes: any of "read", "write", "maintain", "forget". namespaces: those it may use; None all. With one alone the
    tools have no argument for it. Give `dispatch_tool` the same two.
    """
    names = checked_namespaces(namespaces)
    return [_tool(entry, names) for entry in allowed(scopes)]


def allowed(scopes: Iterable[Scope]) -> list[Entry]:
    """The rows of the table for these scopes. Raises InvalidOption for an unknown one."""
    wanted = options.many_of("scopes", scopes, get_args(Scope))
    return [entry for entry in TABLE if entry.scope in wanted]


def checked_namespaces(namespaces: Iterable[str] | None) -> list[str] | None:
    """The allowed names, each once; None stays None."""
    return None if namespaces is None else options.namespaces(namespaces)


def _tool(entry: Entry, namespaces: list[str] | None) -> Tool:
    return Tool(
        name=entry.name,
        description=entry.description,
        scope=entry.scope,
        parameters=parameters_of(entry, None if namespaces is None else tuple(namespaces)),
    )


def parameters_of(entry: Entry, namespaces: tuple[str, ...] | None) -> Schema:
    """The schema of a tool's arguments."""
    signature = inspect.signature(getattr(AsyncWiki, entry.method)).parameters
    hints = typing.get_type_hints(getattr(AsyncWiki, entry.method))
    properties: Schema = {}
    required: list[str] = []
    if entry.has_namespace and (namespaces is None or len(namespaces) != 1):
        among = {} if namespaces is None else {"enum": list(namespaces)}
        properties["namespace"] = {"type": "string", "description": _NAMESPACE} | among
        required.append("namespace")
    for name, told in entry.parameters.items():
        schema = schema_of(hints[name]) if name in hints else {}
        if name in TIMES:
            nullable = isinstance(schema["type"], list)
            schema = {"type": ["string", "null"] if nullable else "string", "format": "date-time"}
            told = f"{told} {_MOMENT}"
        properties[name] = schema | {"description": told} | dict(entry.limits.get(name, {}))
        is_needed = name in signature and signature[name].default is inspect.Parameter.empty
        if is_needed or name in entry.required:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
