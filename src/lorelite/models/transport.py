"""Carrying HTTP requests, and nothing else: what they say is decided by the models, when to repeat them by `retry`.

`send` never raises for a request that failed: it puts a TimeoutError or ConnectionError in the place of its response.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import ssl

    import httpx

MAX_BODY = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """A POST. Headers are kept out of the repr, since they hold the key."""

    url: str
    headers: dict[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    timeout: float
    """Seconds until the whole response must have arrived."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """A response of any status. Header names are lower case."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


Sent = HttpResponse | TimeoutError | ConnectionError


class Transport(Protocol):
    """Sends a batch of requests and waits between two attempts."""

    @property
    def blocking(self) -> bool: ...

    async def send(self, requests: Sequence[HttpRequest]) -> list[Sent]: ...

    async def pause(self, seconds: float) -> None: ...

    def as_blocking(self) -> Transport:
        """A transport that never suspends; raises AsyncOnlyModel when there is none."""
        ...


class BlockingTransport:
    """httpx in threads, at most `max_parallel` requests at a time."""

    blocking = True

    def __init__(self, max_parallel: int = 4, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self.max_parallel = max_parallel
        self._sleep = sleep

    async def send(self, requests: Sequence[HttpRequest]) -> list[Sent]:
        import httpx

        with httpx.Client(verify=_certificates()) as client:
            if len(requests) <= 1 or self.max_parallel <= 1:
                return [_send_blocking(client, request) for request in requests]
            with ThreadPoolExecutor(min(self.max_parallel, len(requests))) as pool:
                return list(pool.map(lambda request: _send_blocking(client, request), requests))

    async def pause(self, seconds: float) -> None:
        self._sleep(seconds)

    def as_blocking(self) -> BlockingTransport:
        return self


class AsyncTransport:
    """httpx under asyncio, at most `max_parallel` requests at a time."""

    blocking = False

    def __init__(self, max_parallel: int = 4) -> None:
        self.max_parallel = max_parallel

    async def send(self, requests: Sequence[HttpRequest]) -> list[Sent]:
        import httpx

        turns = asyncio.Semaphore(max(1, self.max_parallel))
        async with httpx.AsyncClient(verify=_certificates()) as client:
            return list(await asyncio.gather(*(_send_async(client, request, turns) for request in requests)))

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def as_blocking(self) -> BlockingTransport:
        return BlockingTransport(self.max_parallel)


def default_transport(max_parallel: int = 4) -> Transport:
    """The transport of the place we run in: the browser's fetch, or httpx under asyncio."""
    if sys.platform == "emscripten":
        from lorelite.browser.fetch import FetchTransport

        return FetchTransport(max_parallel)
    return AsyncTransport(max_parallel)


@cache
def _certificates() -> ssl.SSLContext:
    """Made once: reading the certificates takes longer than a local request."""
    import httpx

    return httpx.create_ssl_context()


def _send_blocking(client: httpx.Client, request: HttpRequest) -> Sent:
    import httpx

    deadline = time.monotonic() + request.timeout
    try:
        with client.stream(
            "POST", request.url, headers=request.headers, content=request.body, timeout=request.timeout
        ) as response:
            body = bytearray()
            for piece in response.iter_bytes():
                body += piece
                if time.monotonic() > deadline:  # httpx limits each read, not their sum
                    return _timed_out(request)
                if len(body) > MAX_BODY:
                    return _too_large()
            return _response(response, bytes(body))
    except httpx.TimeoutException:
        return _timed_out(request)
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        return _failed(error)


async def _send_async(client: httpx.AsyncClient, request: HttpRequest, turns: asyncio.Semaphore) -> Sent:
    import httpx

    try:
        async with (
            turns,
            asyncio.timeout(request.timeout),
            client.stream(
                "POST", request.url, headers=request.headers, content=request.body, timeout=request.timeout
            ) as response,
        ):
            body = bytearray()
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > MAX_BODY:
                    return _too_large()
            return _response(response, bytes(body))
    except (httpx.TimeoutException, TimeoutError):
        return _timed_out(request)
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        return _failed(error)


def _response(response: httpx.Response, body: bytes) -> HttpResponse:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return HttpResponse(status=response.status_code, headers=headers, body=body)


def _timed_out(request: HttpRequest) -> TimeoutError:
    return TimeoutError(f"no complete answer within {request.timeout:g} s")


def _too_large() -> ConnectionError:
    return ConnectionError(f"the answer is longer than {MAX_BODY // 2**20} MiB")


def _failed(error: Exception) -> ConnectionError:
    # A fresh error: httpx's own holds the request, and with it the key.
    return ConnectionError(str(error) or type(error).__name__)
