"""The user's own function as a language model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from lorelite.errors import AsyncOnlyModel, ModelError
from lorelite.ports import Listener, ModelReply, ModelRequest
from lorelite.records import Usage


class CallableModel:
    """Calls `fn(system, user)`, or `fn(request)` when it takes one argument, for each request in turn.

    `fn` returns the reply's text and may be `async def`. An exception it raises becomes that reply's error.
    """

    def __init__(self, fn: Callable[..., Any], *, name: str | None = None) -> None:
        self.name = name or getattr(fn, "__name__", None) or type(fn).__name__
        self.blocking = not is_async(fn)
        self._fn = fn
        self._takes_request = _positional(fn) == 1

    def __repr__(self) -> str:
        return f"CallableModel({self.name})"

    async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        return await self.complete_telling(requests, Listener())

    async def complete_telling(self, requests: Sequence[ModelRequest], listener: Listener) -> list[ModelReply]:
        """As `complete`, telling each reply before the next request is answered."""
        return [told(listener, at, await self._answer(request)) for at, request in enumerate(requests)]

    def as_blocking(self) -> CallableModel:
        if not self.blocking:
            raise AsyncOnlyModel(self.name)
        return self

    async def _answer(self, request: ModelRequest) -> ModelReply:
        arguments = (request,) if self._takes_request else (request.system, request.user)
        try:
            result = self._fn(*arguments)
            text = result if self.blocking else await result
        except Exception as error:
            return ModelReply(error=_failed(self.name, error))
        if isinstance(text, str):
            return ModelReply(text=text, usage=Usage(calls=1))
        return ModelReply(error=not_returned(self.name, "a str", text))


def told(listener: Listener, at: int, reply: ModelReply) -> ModelReply:
    """The reply, which the listener was told of, its text as one piece."""
    if reply.text and listener.on_text is not None:
        listener.on_text(at, reply.text)
    if listener.on_reply is not None:
        listener.on_reply(at, reply)
    return reply


def is_async(fn: Callable[..., Any]) -> bool:
    """Whether calling *fn* gives something to await."""
    return inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(getattr(fn, "__call__", None))  # noqa: B004


def not_returned(name: str, expected: str, found: object) -> ModelError:
    """The error of a function that returned *found*, which may be a coroutine nobody awaited."""
    hint = ""
    if inspect.isawaitable(found):
        if inspect.iscoroutine(found):
            found.close()
        hint = "; write the function with async def"
    return ModelError(f"{name}: expected {expected}, found {type(found).__name__}{hint}", name=name)


def _failed(name: str, error: Exception) -> Exception:
    if isinstance(error, ModelError):
        return error
    failure = ModelError(f"{name} failed: {type(error).__name__}: {error}", name=name)
    failure.__cause__ = error
    return failure


def _positional(fn: Callable[..., Any]) -> int:
    """How many arguments *fn* must be given by position; 2 when it does not tell."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return 2
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters):
        return 2
    return sum(each.kind in kinds and each.default is inspect.Parameter.empty for each in parameters)
