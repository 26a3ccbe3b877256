from collections.abc import Callable, Coroutine
from typing import Any

import pytest


@pytest.fixture
def run() -> Callable[[Coroutine[Any, Any, Any]], Any]:
    """Steps a coroutine once, as the blocking face does: it must not suspend."""

    def step(coroutine: Coroutine[Any, Any, Any]) -> Any:
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return stop.value
        coroutine.close()
        raise AssertionError("the coroutine suspended")

    return step
