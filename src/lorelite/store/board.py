"""Who works in each namespace of an open file, who waits for a turn, and who wants to know.

The only part below the models' transport that waits for another task: a job whose turn has not come.
"""

from __future__ import annotations

from asyncio import Lock
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass

from lorelite.reports import Activity, JobStatus

Watcher = Callable[[Activity], None]


@dataclass(slots=True)
class Turn:
    """A job's place in the line."""

    job: JobStatus


class Board:
    def __init__(self) -> None:
        self._locks: dict[str, Lock] = {}
        self._turns: dict[str, list[Turn]] = {}
        self._ingesting: dict[str, int] = {}
        self._watchers: dict[str, list[Watcher]] = {}

    def activity(self, namespace: str) -> Activity:
        """What is going on there by this open file."""
        return Activity(
            namespace=namespace,
            ingesting=self._ingesting.get(namespace, 0) > 0,
            jobs=tuple(turn.job for turn in self._turns.get(namespace, ())),
        )

    def is_free(self, namespace: str) -> bool:
        """Would a job have its turn at once?"""
        return namespace not in self._locks

    @asynccontextmanager
    async def turn(self, job: JobStatus) -> AsyncIterator[Turn]:
        """Wait until the jobs posted before in the same namespace have ended. Does not suspend when there are none."""
        namespace = job.namespace
        # A lock belongs to the event loop that waited for it, so it lives only while somebody holds or awaits it.
        lock = self._locks.setdefault(namespace, Lock())
        line = self._turns.setdefault(namespace, [])
        turn = Turn(job)
        line.append(turn)
        try:
            self._changed(namespace)
            async with lock:
                yield turn
        finally:
            line[:] = [other for other in line if other is not turn]
            if not line:
                del self._turns[namespace], self._locks[namespace]
            self._changed(namespace)

    def post(self, turn: Turn, job: JobStatus) -> None:
        """Show how far a job has come."""
        turn.job = job
        self._changed(job.namespace)

    @contextmanager
    def ingesting(self, namespace: str) -> Iterator[None]:
        """Say that a document is being taken in."""
        self._count(namespace, 1)
        try:
            yield
        finally:
            self._count(namespace, -1)

    def _count(self, namespace: str, step: int) -> None:
        before = self._ingesting.get(namespace, 0)
        self._ingesting[namespace] = before + step
        if not self._ingesting[namespace]:
            del self._ingesting[namespace]
        if 0 in (before, before + step):
            self._changed(namespace)

    def watch(self, namespace: str, watcher: Watcher) -> Callable[[], None]:
        """Call *watcher* now and after each change; gives the function that ends it. One that raises is dropped."""
        watchers = self._watchers.setdefault(namespace, [])

        def tell(activity: Activity) -> None:
            try:
                watcher(activity)
            except Exception:
                stop()

        def stop() -> None:
            with suppress(ValueError):
                watchers.remove(tell)

        watchers.append(tell)
        tell(self.activity(namespace))
        return stop

    def _changed(self, namespace: str) -> None:
        for tell in list(self._watchers.get(namespace, ())):
            tell(self.activity(namespace))
