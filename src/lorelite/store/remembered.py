"""What was worked out from the file, as long as the file stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from lorelite.store.connection import Database

T = TypeVar("T")
_MOST = 8


class Remembered:
    """The answers to the last few questions that cost much and are asked again and again."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._answers: dict[Hashable, Any] = {}
        self._state: tuple[int, int] | None = None

    def answer(self, question: Hashable, find: Callable[[], T]) -> T:
        """What *find* gives, asked again only when this program or another has written to the file."""
        if self._db.in_transaction:
            # What is written here may be undone, and nothing would tell.
            return find()
        state = (self._db.changes, int(self._db.value("pragma data_version")))
        if state != self._state:
            self._answers.clear()
            self._state = state
        if question not in self._answers:
            if len(self._answers) >= _MOST:
                self._answers.pop(next(iter(self._answers)))
            self._answers[question] = find()
        found: T = self._answers[question]
        return found
