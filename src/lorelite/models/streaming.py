"""What a call tells while it runs, as something to iterate over."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any, TypeVar

from lorelite._drive import drive

T = TypeVar("T")
Job = Callable[[Callable[[T], None]], Coroutine[Any, Any, object]]
"""Is given what to tell each item to."""

_THE_END = object()


def as_told(job: Job[T], *, blocking: bool) -> AsyncGenerator[T, None]:
    """The items that the job tells, as it tells them; then raises what the job raised.

    blocking: the generator never suspends, and the job runs in a thread, where it must not suspend either. When nobody
    iterates on, the job is cancelled; one in a thread ends where it tells its next item.
    """
    return _from_thread(job) if blocking else _from_task(job)


async def _from_task(job: Job[T]) -> AsyncGenerator[T, None]:
    items: asyncio.Queue[Any] = asyncio.Queue()

    async def run() -> None:
        try:
            await job(items.put_nowait)
        finally:
            items.put_nowait(_THE_END)

    task = asyncio.ensure_future(run())
    try:
        while (item := await items.get()) is not _THE_END:
            yield item
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _from_thread(job: Job[T]) -> AsyncGenerator[T, None]:
    items: queue.SimpleQueue[Any] = queue.SimpleQueue()
    given_up = threading.Event()
    failures: list[BaseException] = []

    def tell(item: T) -> None:
        if given_up.is_set():
            raise _GivenUp
        items.put(item)

    def run() -> None:
        try:
            drive(job(tell))
        except BaseException as error:  # told to whoever iterates
            failures.append(error)
        finally:
            items.put(_THE_END)

    threading.Thread(target=run, name="lorelite-stream", daemon=True).start()
    try:
        while (item := items.get()) is not _THE_END:
            yield item
        if failures:
            raise failures[0]
    finally:
        given_up.set()


class _GivenUp(Exception):
    """Nobody listens any more."""
