"""Many items, few calls: batches that shrink until the model's replies fit its output limit.

`Queue` decides what is asked next and knows nothing of models; `ask_in_batches` asks. A batch whose reply cannot be
used is halved, and later batches stay that small. One item alone whose reply is cut off is asked again with less
around it (levels 1 to 3, which `build` gives a meaning), then skipped. A batch that fails never takes others along.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from lorelite.engine import Engine
from lorelite.errors import BadReply, BudgetExceeded, ModelError, ModelRefused, OnlyForeseen
from lorelite.ports import ChatModel, ModelReply, ModelRequest
from lorelite.records import Usage

T = TypeVar("T")
R = TypeVar("R")

Reason = Literal["non_convergent", "call_error"]
"""non_convergent: no reply could be used, however little was asked; call_error: the call itself failed."""
Failure = Literal["truncated", "unreadable", "refused", "unavailable", "foreseen"]
"""foreseen: the call was only counted."""

FIRST_BATCH = 10
MAX_CHARS = 40_000
MAX_LEVEL = 3
_TOKENS_PER_ITEM = 150
_SILENT_WAVES = 2
"""After so many waves in a row without a single answer the endpoint is taken to be gone."""


@dataclass(frozen=True, slots=True)
class Batch(Generic[T]):
    items: tuple[T, ...]
    level: int = 0
    """How much to leave out: 0 nothing, 1 to 3 ever more. Above 0 there is one item."""


@dataclass(frozen=True, slots=True)
class Skipped(Generic[T]):
    item: T
    reason: Reason
    message: str


@dataclass(slots=True)
class Outcome(Generic[T]):
    """How the calls went. Each item was taken, or is in `skipped` or `unasked`."""

    skipped: list[Skipped[T]] = field(default_factory=list)
    degraded: list[tuple[T, int]] = field(default_factory=list)
    """Items that were answered only after something was left out, with the level."""
    unasked: list[T] = field(default_factory=list)
    """Items that were not tried because the model had stopped to answer."""
    usage: Usage = field(default_factory=Usage)


class Queue(Generic[T]):
    """What is still to be asked.

    fits: whether a batch, built at a level, is within the limit of characters.
    """

    def __init__(self, items: Sequence[T], size: int, fits: Callable[[Sequence[T], int], bool]) -> None:
        self.size = max(1, size)
        self._fits = fits
        self._waiting: deque[Batch[T]] = deque([Batch(tuple(items))] if items else [])

    def __len__(self) -> int:
        return sum(len(batch.items) for batch in self._waiting)

    def next(self, count: int = 1) -> list[Batch[T]]:
        """Up to *count* batches, in the order of their items."""
        found: list[Batch[T]] = []
        while self._waiting and len(found) < count:
            first = self._waiting.popleft()
            batch = first if first.level else self._cut_to_fit(first.items[: self.size])
            if rest := first.items[len(batch.items) :]:
                self._waiting.appendleft(Batch(rest))
            found.append(batch)
        return found

    def failed(self, batch: Batch[T], failure: Failure, message: str) -> list[Skipped[T]]:
        """Take a batch back whose reply could not be used; gives the items that are given up."""
        alone = len(batch.items) == 1
        if failure in ("unavailable", "foreseen") or (alone and failure == "refused"):
            return [Skipped(item, "call_error", message) for item in batch.items]
        if not alone:
            half = (len(batch.items) + 1) // 2
            # A refusal is about what one of the items says; the others need no smaller batches.
            if failure != "refused":
                self.size = min(self.size, half)
            self._waiting.extendleft([Batch(batch.items[half:]), Batch(batch.items[:half])])
            return []
        if failure == "truncated" and batch.level < MAX_LEVEL:
            self._waiting.appendleft(Batch(batch.items, batch.level + 1))
            return []
        return [Skipped(item, "non_convergent", message) for item in batch.items]

    def rest(self) -> list[T]:
        """Empty the queue."""
        items = [item for batch in self._waiting for item in batch.items]
        self._waiting.clear()
        return items

    def _cut_to_fit(self, items: tuple[T, ...]) -> Batch[T]:
        """The longest beginning of *items* that fits; one item that does not fit goes with less around it."""
        if self._fits(items, 0):
            return Batch(items)
        low, high = 1, len(items) - 1
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._fits(items[:middle], 0) else (low, middle - 1)
        chosen = items[: max(1, low)]
        if len(chosen) > 1:
            return Batch(chosen)
        level = next((level for level in range(MAX_LEVEL) if self._fits(chosen, level)), MAX_LEVEL)
        return Batch(chosen, level)


async def ask_in_batches(
    engine: Engine,
    namespace: str,
    items: Sequence[T],
    *,
    build: Callable[[Sequence[T], int], ModelRequest],
    read: Callable[[Sequence[T], str], tuple[R, bool]],
    take: Callable[[Sequence[T], R], None],
    size: int | None = None,
    max_chars: int = MAX_CHARS,
    wave: int | None = None,
) -> Outcome[T]:
    """Ask the engine's model about *items*, a wave of batches at a time, until all are answered or given up.

    build: the request for some items at a level (0 whole; 1 to 3 for one item alone, leaving out ever more).
    read: what a reply says about these items, and whether the reply was whole; raises BadReply when it says nothing.
    take: called outside of transactions with each answered batch, in order, before the next wave is sent.
    size: items in the first batch, by default 10, or more when the model names a larger `max_output_tokens`.
    max_chars: the most characters of a request. wave: batches sent together; WikiConfig.model_batch by default.
    """
    queue = Queue(items, size or first_size(engine.model), lambda some, level: _length(build(some, level)) <= max_chars)
    outcome: Outcome[T] = Outcome()
    silent = 0
    while len(queue):
        batches = queue.next(wave or engine.config.model_batch)
        replies = await _replies(engine, namespace, [build(batch.items, batch.level) for batch in batches])
        failed: list[tuple[Batch[T], _Failed]] = []
        for batch, reply in zip(batches, replies, strict=True):
            outcome.usage += reply.usage
            answer = _answer(batch, reply, read)
            if isinstance(answer, _Failed):
                if reply.error is None:
                    engine.judge(reply, "none")
                failed.append((batch, answer))
            else:
                take(batch.items, answer)
                outcome.degraded += [(item, batch.level) for item in batch.items if batch.level]
        # Backwards, since each goes to the front of the queue.
        given_up = [queue.failed(batch, why.failure, why.message) for batch, why in reversed(failed)]
        outcome.skipped += [skipped for some in reversed(given_up) for skipped in some]
        unavailable = sum(why.failure == "unavailable" for _, why in failed)
        silent = silent + 1 if unavailable == len(batches) else 0
        if silent == _SILENT_WAVES:
            outcome.unasked = queue.rest()
    return outcome


@dataclass(frozen=True, slots=True)
class _Failed:
    failure: Failure
    message: str


async def _replies(engine: Engine, namespace: str, requests: Sequence[ModelRequest]) -> list[ModelReply]:
    try:
        return await engine.complete(namespace, requests)
    except BudgetExceeded:
        raise
    except ModelError as error:
        return [ModelReply(error=error) for _ in requests]


def _answer(batch: Batch[T], reply: ModelReply, read: Callable[[Sequence[T], str], tuple[R, bool]]) -> R | _Failed:
    if reply.error is not None:
        return _Failed(failure_of(reply.error), str(reply.error))
    try:
        value, is_whole = read(batch.items, reply.text)
    except BadReply as error:
        return _Failed("unreadable", str(error))
    # With nothing more to leave out, whole members of a cut reply are better than none.
    return value if is_whole or batch.level == MAX_LEVEL else _Failed("truncated", "the reply was cut off")


def first_size(model: ChatModel | None) -> int:
    """Items in the first batch: as many as the model's limit of output tokens lets it answer, at least 10."""
    limit = getattr(model, "max_output_tokens", None)
    if isinstance(limit, bool) or not isinstance(limit, int):
        return FIRST_BATCH
    return max(FIRST_BATCH, limit * 4 // 5 // _TOKENS_PER_ITEM)


def failure_of(error: Exception) -> Failure:
    """What an error of a call says about the batch: cut off, unreadable, refused for what it holds, or not answered."""
    if isinstance(error, OnlyForeseen):
        return "foreseen"
    said = error.data["expected"] if isinstance(error, BadReply) else str(error)
    if is_truncation(said):
        return "truncated"
    if isinstance(error, BadReply):
        return "unreadable"
    is_refusal = isinstance(error, ModelRefused) and error.data["status"] in _ABOUT_CONTENT
    return "refused" if is_refusal else "unavailable"


def is_truncation(message: str) -> bool:
    """Whether a message speaks of a reply or a prompt that was too long; a setting beyond its limit is not that."""
    if _TOO_LONG.search(message):
        return True
    return bool(_CUT.search(message)) and not _BEYOND_A_SETTING.search(message)


_ABOUT_CONTENT = frozenset({400, 413, 422})
_TOO_LONG = re.compile(
    r"context (?:length|window|size)|prompt (?:is )?too long|too many (?:input )?tokens", re.IGNORECASE
)
_CUT = re.compile(
    r"truncat|cut off|token limit|max(?:imum)?[ _-]?(?:output[ _-]?|completion[ _-]?)?tokens|output limit|length limit"
    r"|finish[ _-]?reason\W{0,4}(?:length|max)",
    re.IGNORECASE,
)
_BEYOND_A_SETTING = re.compile(r"exceed\w*\b.{0,80}\blimit|rate limit|quota", re.IGNORECASE | re.DOTALL)


def _length(request: ModelRequest) -> int:
    return len(request.system) + len(request.user)
