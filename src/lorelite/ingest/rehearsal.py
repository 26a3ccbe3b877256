"""What a change would do, without doing it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from lorelite.engine import Engine

T = TypeVar("T")


class _Rehearsal(Exception):
    """Unwinds a dry run."""


def rehearsed(engine: Engine, act: Callable[[], T]) -> T:
    """What *act* gives: everything is done, counted and undone."""
    given: list[T] = []
    with suppress(_Rehearsal), engine.store.atomic():
        given.append(act())
        raise _Rehearsal
    return given[0]
