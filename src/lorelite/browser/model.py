"""Models that live in the page: a JavaScript function as a language model or an embedder."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from typing import Any, NoReturn

from lorelite.errors import AsyncOnlyModel, ContextOverflow, InvalidOption, ModelError, ModelUnreachable
from lorelite.models.callable_embedder import checked_vectors
from lorelite.ports import Listener, ModelReply, ModelRequest
from lorelite.records import Usage

_FINISHES = ("stop", "length", "filter", "refusal")
_TOO_LONG = re.compile(r"context (window|length|size)", re.IGNORECASE)


class BrowserModel:
    """A language model of the page: `complete(request, onText)`, an async function of JavaScript.

    complete: gets {system, user, schema, purpose, signal}: schema is a JSON Schema or null, signal an AbortSignal that
        fires when nobody waits any longer. It may call onText with each further piece of its text. It resolves to the
        text, or to {text, finish, model, input_tokens, output_tokens}; finish is "length" for a text that was cut.
    name: what the calls are recorded under. max_parallel: how many requests at a time; in-page models take one.

    What it throws becomes the error of that reply: ContextOverflow for a QuotaExceededError (the request is too long),
    else a ModelError. Lorelite's page and `lorelite.browser.in_page` bring such functions for the browser's own
    model, WebLLM, wllama and transformers.js.
    """

    blocking = False
    is_local = True
    """It costs nothing."""

    def __init__(self, complete: Any, *, name: str = "in-page model", max_parallel: int = 1) -> None:
        self.name = name
        self._complete = checked_function("complete", complete)
        self._turns = asyncio.Semaphore(max(1, max_parallel))

    def __repr__(self) -> str:
        return f"BrowserModel({self.name!r})"

    async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        return await self.complete_telling(requests, Listener())

    async def complete_telling(self, requests: Sequence[ModelRequest], listener: Listener) -> list[ModelReply]:
        """As `complete`; tells the pieces of a text as the function writes them, or the text as one piece."""
        return list(await asyncio.gather(*(self._answer(at, each, listener) for at, each in enumerate(requests))))

    def as_blocking(self) -> NoReturn:
        raise AsyncOnlyModel(self.name)

    async def _answer(self, at: int, request: ModelRequest, listener: Listener) -> ModelReply:
        async with self._turns:
            began = time.monotonic()
            reply = await self._reply(at, request, listener)
            reply = ModelReply(
                text=reply.text,
                usage=reply.usage,
                error=reply.error,
                finish=reply.finish,
                model=reply.model,
                duration_ms=round((time.monotonic() - began) * 1000),
            )
        if listener.on_reply is not None:
            listener.on_reply(at, reply)
        return reply

    async def _reply(self, at: int, request: ModelRequest, listener: Listener) -> ModelReply:
        from pyodide.ffi import JsException, create_proxy

        told: list[str] = []

        def tell(piece: str) -> None:
            told.append(piece)
            if listener.on_text is not None:
                listener.on_text(at, piece)

        on_text = create_proxy(tell)
        try:
            value = await _awaited(self._complete, request, on_text)
        except JsException as error:
            return ModelReply(error=failure(self.name, error))
        except ModelError as error:
            return ModelReply(error=error)
        finally:
            on_text.destroy()
        reply = _read(self.name, value)
        if not told and reply.text and listener.on_text is not None:
            listener.on_text(at, reply.text)
        return reply


class BrowserEmbedder:
    """An embedder of the page: `embed(texts)`, an async function of JavaScript from strings to arrays of numbers.

    model_id: names the vector space; vectors of another one are never compared with these. batch_size: texts a call.
    """

    blocking = False
    is_local = True
    """It costs nothing."""

    def __init__(self, embed: Any, *, model_id: str, batch_size: int = 16) -> None:
        if not model_id:
            raise InvalidOption("model_id", "the name of the vector space", model_id)
        self.model_id = model_id
        self.batch_size = batch_size
        self._embed = checked_function("embed", embed)

    def __repr__(self) -> str:
        return f"BrowserEmbedder({self.model_id!r})"

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        from pyodide.ffi import JsException, to_js

        vectors: list[list[float]] = []
        for begin in range(0, len(texts), self.batch_size):
            some = list(texts[begin : begin + self.batch_size])
            try:
                rows = (await self._embed(to_js(some))).to_py()
            except JsException as error:
                raise failure(self.model_id, error) from None
            vectors += checked_vectors([list(row) for row in rows], len(some), self.model_id)
        return vectors

    def as_blocking(self) -> NoReturn:
        raise AsyncOnlyModel(self.model_id)


def checked_function(name: str, given: Any) -> Any:
    """Raises InvalidOption for what is no function of JavaScript, and outside of a browser."""
    try:
        from pyodide.ffi import JsProxy
    except ImportError:
        raise InvalidOption(name, "a JavaScript function, which only a browser has", given) from None
    if not isinstance(given, JsProxy) or not callable(given):
        raise InvalidOption(name, "an async function of JavaScript", given)
    return given


async def _awaited(complete: Any, request: ModelRequest, on_text: Any) -> Any:
    """What the function resolves to; its signal fires when we are cancelled."""
    import js
    from pyodide.ffi import to_js

    controller = js.AbortController.new()
    asked = {
        "system": request.system,
        "user": request.user,
        "schema": request.schema,
        "purpose": request.purpose,
        "signal": controller.signal,
    }
    try:
        value = complete(to_js(asked, dict_converter=js.Object.fromEntries), on_text)
        return await value if hasattr(value, "then") else value
    except asyncio.CancelledError:
        controller.abort()
        raise


def _read(name: str, value: Any) -> ModelReply:
    if isinstance(value, str):
        return ModelReply(text=value, usage=Usage(calls=1), finish="stop")
    record = value.to_py() if hasattr(value, "to_py") else value
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        found = ModelError(f"{name}: expected a text, or an object with a text, found {record!r}", name=name)
        return ModelReply(error=found)
    finish = record.get("finish")
    usage = Usage(calls=1, input_tokens=_count(record, "input_tokens"), output_tokens=_count(record, "output_tokens"))
    return ModelReply(
        text=record["text"],
        usage=usage,
        finish=finish if finish in _FINISHES else "stop",
        model=str(record.get("model") or ""),
    )


def _count(record: dict[str, Any], name: str) -> int:
    value = record.get(name)
    return int(value) if isinstance(value, int | float) and value >= 0 else 0


def failure(name: str, error: Any) -> ModelError:
    """What a function of JavaScript threw, as one of ours."""
    kind, message = str(getattr(error, "name", "")), str(getattr(error, "message", "") or error)
    where = f"in this page ({name})"
    if kind == "QuotaExceededError" or _TOO_LONG.search(message):
        return ContextOverflow(where, 413, message, cause="context", advice="ask about less at a time")
    if kind in ("NotSupportedError", "InvalidStateError"):
        return ModelUnreachable(where, message, cause="model", advice="this browser has no such model ready")
    return ModelError(f"{name} failed: {kind or 'error'}: {message}", name=name)
