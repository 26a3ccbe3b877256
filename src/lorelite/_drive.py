"""Running a coroutine that never suspends, without an event loop."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def drive(coroutine: Coroutine[Any, Any, T]) -> T:
    """Step *coroutine* once: with blocking ports it returns before it could suspend, even inside a running loop."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        coroutine.close()
    raise RuntimeError("a blocking call suspended: one of its ports must be awaited; use AsyncWiki")
