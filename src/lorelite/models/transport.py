"""Carrying HTTP requests, and nothing else: what they say is decided by the models, when to repeat them by `sending`.

`send` never raises for a request that failed: it gives a TimeoutError or ConnectionError in the place of its response.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from lorelite._drive import drive

if TYPE_CHECKING:
    import ssl

    import httpx

T = TypeVar("T")
OnPiece = Callable[[bytes], None]
OnDone = Callable[[int, Any], None]

MAX_BODY = 64 * 1024 * 1024
CONNECT_TIMEOUT = 15.0
"""Seconds for a connection to come about, where a request allows for more in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """A POST. Headers are kept out of the repr, since they hold the key."""

    url: str
    headers: dict[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    timeout: float
    """Seconds until the whole response must have arrived."""
    idle_timeout: float | None = None
    """Seconds that may pass until the first piece of the response, and between two pieces; None: as long as timeout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """A response of any status. Header names are lower case."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


class Unreachable(ConnectionError):
    """No exchange came about. cause: "network", or what a browser forbids: "origin" (CORS), "mixed_content"."""

    def __init__(self, reason: str, cause: str = "network") -> None:
        super().__init__(reason)
        self.cause = cause


Sent = HttpResponse | TimeoutError | ConnectionError


class Transport(Protocol):
    """Carries requests, runs several at a time, and waits."""

    @property
    def blocking(self) -> bool: ...

    async def send(self, request: HttpRequest, on_piece: OnPiece | None = None) -> Sent:
        """One exchange. on_piece: told each piece of a 2xx body as it comes; the response's body is then empty."""
        ...

    async def run_all(
        self, jobs: Sequence[Callable[[], Coroutine[Any, Any, T]]], on_done: OnDone | None = None
    ) -> list[T]:
        """The results in the order of the jobs, at most max_parallel of which run at a time.

        on_done: told the place and the result of each in the caller's thread, as soon as it has ended.
        """
        ...

    async def pause(self, seconds: float) -> None: ...

    def as_blocking(self) -> Transport:
        """A transport that never suspends; raises AsyncOnlyModel when there is none."""
        ...


class BlockingTransport:
    """httpx in threads, at most `max_parallel` requests at a time; connections are kept while a batch runs."""

    blocking = True

    def __init__(self, max_parallel: int = 4, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self.max_parallel = max(1, max_parallel)
        self._sleep = sleep
        self._clients = _Clients(lambda: _httpx().Client(verify=_certificates(), limits=_limits(self.max_parallel)))

    async def send(self, request: HttpRequest, on_piece: OnPiece | None = None) -> Sent:
        with self._clients as client:
            return _send_blocking(client, request, on_piece)

    async def run_all(
        self, jobs: Sequence[Callable[[], Coroutine[Any, Any, T]]], on_done: OnDone | None = None
    ) -> list[T]:
        with self._clients:
            if len(jobs) <= 1 or self.max_parallel == 1:
                return [_told(at, drive(job()), on_done) for at, job in enumerate(jobs)]
            with ThreadPoolExecutor(min(self.max_parallel, len(jobs))) as pool:
                return _in_threads(pool, jobs, self.max_parallel, on_done)

    async def pause(self, seconds: float) -> None:
        self._sleep(seconds)

    def as_blocking(self) -> BlockingTransport:
        return self


class AsyncTransport:
    """httpx under asyncio, at most `max_parallel` requests at a time. A cancelled task closes its connection."""

    blocking = False

    def __init__(self, max_parallel: int = 4) -> None:
        self.max_parallel = max(1, max_parallel)
        self._clients: dict[int, _AsyncClients] = {}

    async def send(self, request: HttpRequest, on_piece: OnPiece | None = None) -> Sent:
        async with self._client() as client:
            return await _send_async(client, request, on_piece)

    async def run_all(
        self, jobs: Sequence[Callable[[], Coroutine[Any, Any, T]]], on_done: OnDone | None = None
    ) -> list[T]:
        async with self._client():
            return await run_at_a_time(jobs, self.max_parallel, on_done)

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def as_blocking(self) -> BlockingTransport:
        return BlockingTransport(self.max_parallel)

    def _client(self) -> _AsyncClients:
        """Of the running loop: a client serves the loop it was made in."""
        loop = id(asyncio.get_running_loop())
        if loop not in self._clients:
            self._clients[loop] = _AsyncClients(self.max_parallel, lambda: self._clients.pop(loop, None))
        return self._clients[loop]


async def run_at_a_time(
    jobs: Sequence[Callable[[], Coroutine[Any, Any, T]]], max_parallel: int, on_done: OnDone | None = None
) -> list[T]:
    """`Transport.run_all` under asyncio. When one raises, the others are cancelled and have ended before it does."""
    turns = asyncio.Semaphore(max_parallel)

    async def run(at: int, job: Callable[[], Coroutine[Any, Any, T]]) -> T:
        async with turns:
            return _told(at, await job(), on_done)

    tasks = [asyncio.ensure_future(run(at, job)) for at, job in enumerate(jobs)]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def default_transport(max_parallel: int = 4) -> Transport:
    """The transport of the place we run in: the browser's fetch, or httpx under asyncio."""
    if sys.platform == "emscripten":
        from lorelite.browser.fetch import FetchTransport

        return FetchTransport(max_parallel)
    return AsyncTransport(max_parallel)


def _driven(job: Callable[[], Coroutine[Any, Any, T]]) -> T:
    return drive(job())


def _in_threads(
    pool: ThreadPoolExecutor,
    jobs: Sequence[Callable[[], Coroutine[Any, Any, T]]],
    max_parallel: int,
    on_done: OnDone | None,
) -> list[T]:
    """`Transport.run_all` in threads. A job begins when one before it was told, not when it ended: whoever keeps what
    is told has at most max_parallel results to lose."""
    waiting = iter(enumerate(jobs))
    running: dict[Future[T], int] = {}
    results: dict[int, T] = {}

    def begin(count: int) -> None:
        running.update({pool.submit(_driven, job): at for at, job in islice(waiting, count)})

    try:
        begin(max_parallel)
        while running:
            for ended in wait(running, return_when=FIRST_COMPLETED).done:
                at = running[ended]
                results[at] = _told(at, ended.result(), on_done)
                del running[ended]
                begin(1)
    except BaseException:
        # What is under way is waited for in any case, and was paid for.
        for ended, at in running.items():
            with suppress(Exception):
                _told(at, ended.result(), on_done)
        raise
    return [results[at] for at in range(len(jobs))]


def _told(at: int, result: T, on_done: OnDone | None) -> T:
    if on_done is not None:
        on_done(at, result)
    return result


class _Clients:
    """One client, open while anybody uses it."""

    def __init__(self, make: Callable[[], httpx.Client]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._users = 0
        self._client: httpx.Client | None = None

    def __enter__(self) -> httpx.Client:
        with self._lock:
            self._client = self._client or self._make()
            self._users += 1
            return self._client

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if not self._users and self._client is not None:
                self._client.close()
                self._client = None


class _AsyncClients:
    """One client of a loop, open while anybody uses it."""

    def __init__(self, max_parallel: int, forget: Callable[[], object]) -> None:
        self._max_parallel = max_parallel
        self._forget = forget
        self._users = 0
        self._client: httpx.AsyncClient | None = None

    async def __aenter__(self) -> httpx.AsyncClient:
        if self._client is None:
            self._client = _httpx().AsyncClient(verify=_certificates(), limits=_limits(self._max_parallel))
        self._users += 1
        return self._client

    async def __aexit__(self, *_: object) -> None:
        self._users -= 1
        if not self._users and self._client is not None:
            client, self._client = self._client, None
            self._forget()
            await client.aclose()


def _httpx() -> Any:
    import httpx

    return httpx


@cache
def _certificates() -> ssl.SSLContext:
    """Made once: reading the certificates takes longer than a local request."""
    context: ssl.SSLContext = _httpx().create_ssl_context()
    return context


def _limits(max_parallel: int) -> httpx.Limits:
    limits: httpx.Limits = _httpx().Limits(max_connections=max_parallel, max_keepalive_connections=max_parallel)
    return limits


def _timeouts(request: HttpRequest) -> httpx.Timeout:
    idle = min(request.timeout, request.idle_timeout or request.timeout)
    timeouts: httpx.Timeout = _httpx().Timeout(idle, connect=min(CONNECT_TIMEOUT, request.timeout))
    return timeouts


def _send_blocking(client: httpx.Client, request: HttpRequest, on_piece: OnPiece | None) -> Sent:
    import httpx

    deadline = time.monotonic() + request.timeout
    body = _Body(on_piece)
    try:
        with client.stream(
            "POST", request.url, headers=request.headers, content=request.body, timeout=_timeouts(request)
        ) as response:
            body.begin(response.status_code)
            for piece in response.iter_bytes():
                if not body.take(piece):
                    return too_large()
                if time.monotonic() > deadline:  # httpx limits each read, not their sum
                    return _timed_out(request, body.length)
            return _response(response, body.whole)
    except httpx.TimeoutException as error:
        return _timed_out(request, body.length, is_idle=time.monotonic() < deadline, connecting=_connecting(error))
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        return _failed(error, body.length)


async def _send_async(client: httpx.AsyncClient, request: HttpRequest, on_piece: OnPiece | None) -> Sent:
    import httpx

    body = _Body(on_piece)
    try:
        async with (
            asyncio.timeout(request.timeout),
            client.stream(
                "POST", request.url, headers=request.headers, content=request.body, timeout=_timeouts(request)
            ) as response,
        ):
            body.begin(response.status_code)
            async for piece in response.aiter_bytes():
                if not body.take(piece):
                    return too_large()
            return _response(response, body.whole)
    except TimeoutError:
        return _timed_out(request, body.length)
    except httpx.TimeoutException as error:
        return _timed_out(request, body.length, is_idle=True, connecting=_connecting(error))
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        return _failed(error, body.length)


class _Body:
    """A body as it comes: told piece by piece where somebody listens, and else kept, up to MAX_BODY."""

    def __init__(self, on_piece: OnPiece | None) -> None:
        self._on_piece = on_piece
        self._tells = False
        self._kept = bytearray()
        self.length = 0

    def begin(self, status: int) -> None:
        self._tells = self._on_piece is not None and 200 <= status <= 299

    def take(self, piece: bytes) -> bool:
        """False when it has grown too large."""
        self.length += len(piece)
        if self._tells and self._on_piece is not None:
            self._on_piece(piece)
            return True
        self._kept += piece
        return len(self._kept) <= MAX_BODY

    @property
    def whole(self) -> bytes:
        return bytes(self._kept)


def _connecting(error: Exception) -> bool:
    return isinstance(error, _httpx().ConnectTimeout)


def _response(response: httpx.Response, body: bytes) -> HttpResponse:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return HttpResponse(status=response.status_code, headers=headers, body=body)


def _timed_out(request: HttpRequest, length: int, *, is_idle: bool = False, connecting: bool = False) -> Sent:
    if connecting:
        return Unreachable(f"no connection within {min(CONNECT_TIMEOUT, request.timeout):g} s")
    if is_idle and request.idle_timeout is not None and request.idle_timeout < request.timeout:
        where = f"after {length} bytes" if length else "before the first byte"
        return TimeoutError(f"nothing came for {request.idle_timeout:g} s {where}")
    return TimeoutError(f"no complete answer within {request.timeout:g} s")


def too_large() -> Unreachable:
    """What takes the place of a body longer than MAX_BODY."""
    return Unreachable(f"the answer is longer than {MAX_BODY // 2**20} MiB", cause="server")


def _failed(error: Exception, length: int) -> Unreachable:
    # A fresh error: httpx's own holds the request, and with it the key.
    cut = f" (the answer was cut after {length} bytes)" if length else ""
    return Unreachable((str(error) or type(error).__name__) + cut)
