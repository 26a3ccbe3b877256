"""HTTP through the browser's fetch."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import js
from pyodide.ffi import JsException, to_js

from lorelite.errors import AsyncOnlyModel
from lorelite.models.transport import HttpRequest, HttpResponse, Sent, Transport


class FetchTransport:
    """Sends with `fetch`, at most `max_parallel` requests at a time. Only the request's own headers are added,
    cookies are left out: any other header makes providers fail the browser's preflight."""

    blocking = False

    def __init__(self, max_parallel: int = 4) -> None:
        self.max_parallel = max_parallel

    async def send(self, requests: Sequence[HttpRequest]) -> list[Sent]:
        turns = asyncio.Semaphore(max(1, self.max_parallel))
        return list(await asyncio.gather(*(_send(request, turns) for request in requests)))

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def as_blocking(self) -> Transport:
        raise AsyncOnlyModel("the browser's fetch")


async def _send(request: HttpRequest, turns: asyncio.Semaphore) -> Sent:
    async with turns:
        try:
            js_response = await js.fetch(request.url, _js_options(request))
            body = (await js_response.arrayBuffer()).to_bytes()
        except JsException as error:
            if error.name in ("TimeoutError", "AbortError"):
                return TimeoutError(f"no complete answer within {request.timeout:g} s")
            # A browser does not tell a refused origin from a server that is off.
            return ConnectionError(f"{error.message or error.name} (asked from {_origin()})")
    headers = {str(entry[0]).lower(): str(entry[1]) for entry in js_response.headers}
    return HttpResponse(status=int(js_response.status), headers=headers, body=body)


def _js_options(request: HttpRequest) -> Any:
    options = {
        "method": "POST",
        "headers": request.headers,
        "body": request.body,
        "credentials": "omit",
        "signal": js.AbortSignal.timeout(int(request.timeout * 1000)),
    }
    return to_js(options, dict_converter=js.Object.fromEntries)


def _origin() -> str:
    location = getattr(js, "location", None)
    return str(location.origin) if location else "this page"
