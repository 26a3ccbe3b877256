"""Carrying out what a model asks for: checked, bounded, and without an exception for anything a model can do wrong."""

from __future__ import annotations

import json
from collections.abc import Coroutine, Iterable, Mapping
from typing import Any, overload

from lorelite import options
from lorelite.blocking import Wiki
from lorelite.errors import InvalidOption, LoreliteError, NotFound, SupersedeError
from lorelite.prompts.fence import NOTICE, fence_for
from lorelite.temporal import moment_of
from lorelite.text.strict_json import read_json
from lorelite.tools.definitions import allowed, checked_namespaces, parameters_of
from lorelite.tools.entry import TIMES, Entry, Scope
from lorelite.tools.schema import faults, seen
from lorelite.tools.shown import bounded, shown
from lorelite.wiki import AsyncWiki

Result = dict[str, Any]

DEFAULT_TOKEN_BUDGET = 4_000
_WRONG_CALL = "InvalidArguments"


class _Refused(Exception):
    """What the model asked for cannot be tried."""


@overload
def dispatch_tool(
    wiki: Wiki,
    name: str,
    arguments: Mapping[str, Any] | str | None,
    *,
    scopes: Iterable[Scope] = ...,
    namespaces: Iterable[str] | None = ...,
    token_budget: int = ...,
) -> Result: ...


@overload
def dispatch_tool(
    wiki: AsyncWiki,
    name: str,
    arguments: Mapping[str, Any] | str | None,
    *,
    scopes: Iterable[Scope] = ...,
    namespaces: Iterable[str] | None = ...,
    token_budget: int = ...,
) -> Coroutine[Any, Any, Result]: ...


def dispatch_tool(
    wiki: Wiki | AsyncWiki,
    name: str,
    arguments: Mapping[str, Any] | str | None,
    *,
    scopes: Iterable[Scope] = ("read",),
    namespaces: Iterable[str] | None = None,
    token_budget: int = DEFAULT_TOKEN_BUDGET,
) -> Result | Coroutine[Any, Any, Result]:
    """Call a tool as a model asked for it; with an AsyncWiki the result is to be awaited.

    arguments: the model's, as a mapping or as JSON. scopes, namespaces: those that `tool_definitions` was given; what
    lies outside of them is refused here too. token_budget: about how many tokens the result may take.
    Gives {"ok": True, "result": …, "truncated": bool} or {"ok": False, "error": {"type", "message"}}, made of what JSON
    has. Nothing that a model passes raises; an option of yours that is wrong raises InvalidOption.
    """
    entries = {entry.name: entry for entry in allowed(scopes)}
    names = checked_namespaces(namespaces)
    budget = options.whole_number("token_budget", token_budget, 50)
    if isinstance(wiki, Wiki):
        return wiki._run(_call(wiki._wiki, entries, name, arguments, names, budget))
    if isinstance(wiki, AsyncWiki):
        return _call(wiki, entries, name, arguments, names, budget)
    raise InvalidOption("wiki", "a Wiki or an AsyncWiki", wiki)


def tool_text(result: Mapping[str, Any]) -> str:
    """A result as text for a model, with what was remembered between fences as data that commands nothing."""
    if not result["ok"]:
        kind, message = result["error"]["type"], result["error"]["message"]
        # What is wrong with a call quotes that call; other errors may quote a document's name or a model's reply.
        return f"{kind}: {message}" if kind == _WRONG_CALL else f"{kind}. {fenced(message)}"
    cut = "\nMore was found than fits: ask for less, or more precisely." if result["truncated"] else ""
    return fenced(json.dumps(result["result"], ensure_ascii=False, indent=1)) + cut


def fenced(text: str) -> str:
    """Text that others wrote, between lines longer than any in it, under the notice that it is data."""
    fence = fence_for([text])
    return f"{NOTICE}\n{fence}\n{text}\n{fence}"


async def _call(
    wiki: AsyncWiki,
    entries: Mapping[str, Entry],
    name: object,
    arguments: object,
    namespaces: list[str] | None,
    budget: int,
) -> Result:
    try:
        entry = entries.get(name) if isinstance(name, str) else None
        if entry is None:
            raise _Refused(f"there is no tool {seen(name)} here; there are {', '.join(entries) or 'none'}")
        given = _checked(entry, arguments, namespaces)
        found = await _carried_out(wiki, entry, given, namespaces)
    except _Refused as error:
        return _error(_WRONG_CALL, str(error))
    except LoreliteError as error:
        return _error(type(error).__name__, _told(error))
    result, truncated = bounded(shown(found), budget)
    return {"ok": True, "result": result, "truncated": truncated}


async def _carried_out(wiki: AsyncWiki, entry: Entry, given: dict[str, Any], namespaces: list[str] | None) -> Any:
    method = getattr(wiki, entry.method)
    if not entry.has_namespace:
        found = await method(**given)
        return found if namespaces is None else [name for name in found if name in namespaces]
    namespace = given.pop("namespace") if namespaces is None or len(namespaces) != 1 else namespaces[0]
    return await method(namespace, **(given if entry.adapt is None else entry.adapt(given)))


def _checked(entry: Entry, arguments: object, namespaces: list[str] | None) -> dict[str, Any]:
    given = _read(arguments)
    schema = parameters_of(entry, None if namespaces is None else tuple(namespaces))
    # Models fill what they leave out with null.
    properties = schema["properties"]
    given = {
        name: value
        for name, value in given.items()
        if value is not None or name not in properties or "null" in properties[name]["type"]
    }
    found = faults(given, schema)
    if found:
        raise _Refused("; ".join(found[:5]))
    return {name: _moment(name, value) if name in TIMES else value for name, value in given.items()}


def _read(arguments: object) -> dict[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = read_json(arguments or "{}")
        except ValueError as error:
            raise _Refused(f"the arguments are no JSON: {error}") from error
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        raise _Refused(f"the arguments must be one JSON object, found {seen(arguments)}")
    return {str(name): value for name, value in arguments.items()}


def _moment(name: str, value: str | None) -> int | None:
    """ISO 8601 to milliseconds; without a time zone it is UTC."""
    if value is None:
        return None
    moment = moment_of(value)
    if moment is None or moment < 0:
        raise _Refused(f"{name}: expected a time from 1970 on such as 2026-03-01T12:00:00Z, found {seen(value)}")
    return moment


def _told(error: LoreliteError) -> str:
    """The message, or another one where it would tell of namespaces that an agent may not know of."""
    if isinstance(error, NotFound) and error.data["kind"] == "namespace":
        return f"nothing is remembered in namespace {error.data['name']!r} yet; it comes to be with the first write"
    if isinstance(error, SupersedeError) and error.data["reason"] == "cross_namespace":
        return str(SupersedeError("not_found", error.data["node_id"], "it is not there, or was forgotten"))
    return str(error)


def _error(kind: str, message: str) -> Result:
    return {"ok": False, "error": {"type": kind, "message": message}}
