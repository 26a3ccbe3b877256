"""HTTP through the browser's fetch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

import js
from pyodide.ffi import JsException, to_js

from lorelite.errors import AsyncOnlyModel
from lorelite.models.transport import (
    MAX_BODY,
    HttpRequest,
    HttpResponse,
    OnDone,
    OnPiece,
    Sent,
    Transport,
    Unreachable,
    run_at_a_time,
    too_large,
)

T = TypeVar("T")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class FetchTransport:
    """Sends with `fetch`, at most `max_parallel` requests at a time. Only the request's own headers are added,
    cookies are left out: any other header makes providers fail the browser's preflight. A cancelled task aborts its
    fetch."""

    blocking = False

    def __init__(self, max_parallel: int = 4) -> None:
        self.max_parallel = max(1, max_parallel)

    async def send(self, request: HttpRequest, on_piece: OnPiece | None = None) -> Sent:
        if _is_mixed(request.url):
            reason = f"a page on https may not ask {request.url.partition('?')[0]}, which is on http"
            return Unreachable(reason, cause="mixed_content")
        controller = js.AbortController.new()
        exchange = _Exchange(controller.signal, on_piece)
        try:
            async with asyncio.timeout(request.timeout):
                return await exchange.run(request)
        except TimeoutError:
            return TimeoutError(f"no complete answer within {request.timeout:g} s")
        except _Idle:
            where = f"after {exchange.length} bytes" if exchange.length else "before the first byte"
            return TimeoutError(f"nothing came for {request.idle_timeout:g} s {where}")
        except JsException as error:
            if exchange.status or exchange.length:
                return Unreachable(f"{error.message or error.name} (the answer was cut after {exchange.length} bytes)")
            return await _diagnosed(request.url, error)
        finally:
            controller.abort()

    async def run_all(
        self, jobs: Sequence[Callable[[], Coroutine[Any, Any, T]]], on_done: OnDone | None = None
    ) -> list[T]:
        return await run_at_a_time(jobs, self.max_parallel, on_done)

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def as_blocking(self) -> Transport:
        raise AsyncOnlyModel("the browser's fetch")


class _Idle(Exception):
    """Nothing came for too long."""


class _Exchange:
    """One fetch, and how far it came."""

    def __init__(self, signal: Any, on_piece: OnPiece | None) -> None:
        self.length = 0
        self.status = 0
        self._signal = signal
        self._on_piece = on_piece

    async def run(self, request: HttpRequest) -> Sent:
        idle = request.idle_timeout
        response = await _within(idle, js.fetch(request.url, _js_options(request, self._signal)))
        self.status = int(response.status)
        tells = self._on_piece is not None and 200 <= self.status <= 299
        kept = bytearray()
        reader = response.body.getReader() if response.body else None
        while reader is not None:
            part = await _within(idle, reader.read())
            if part.done:
                break
            piece = bytes(part.value.to_bytes())
            self.length += len(piece)
            if tells and self._on_piece is not None:
                self._on_piece(piece)
            else:
                kept += piece
            if len(kept) > MAX_BODY:
                return too_large()
        headers = {str(entry[0]).lower(): str(entry[1]) for entry in response.headers}
        return HttpResponse(status=self.status, headers=headers, body=bytes(kept))


async def _within(seconds: float | None, promise: Any) -> Any:
    if seconds is None:
        return await promise
    try:
        return await asyncio.wait_for(asyncio.ensure_future(promise), seconds)
    except TimeoutError:
        raise _Idle from None


async def _diagnosed(url: str, error: Any) -> Unreachable:
    """A fetch fails alike when nobody answers and when the origin is refused; one that hears nothing tells which."""
    said = str(error.message or error.name)
    try:
        await js.fetch(url, to_js({"method": "GET", "mode": "no-cors"}, dict_converter=js.Object.fromEntries))
    except JsException:
        return Unreachable(f"{said} (asked from {_origin()})")
    return Unreachable(f"it answers, but not to pages from {_origin()}", cause="origin")


def _is_mixed(url: str) -> bool:
    location = getattr(js, "location", None)
    parts = urlsplit(url)
    is_plain = parts.scheme == "http" and parts.hostname not in _LOOPBACK
    return location is not None and str(location.protocol) == "https:" and is_plain


def _js_options(request: HttpRequest, signal: Any) -> Any:
    options = {
        "method": "POST",
        "headers": request.headers,
        "body": request.body,
        "credentials": "omit",
        "signal": signal,
    }
    return to_js(options, dict_converter=js.Object.fromEntries)


def _origin() -> str:
    location = getattr(js, "location", None)
    return str(location.origin) if location else "this page"
