"""What the engine asks of the outside world, as small protocols.

A port's coroutine may suspend only when `blocking` is False. The blocking `Wiki` asks each port for its blocking
twin (`as_blocking`) and then steps coroutines once, so it also works inside a running event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from lorelite.records import Progress, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One call of a language model. `schema` is the JSON Schema of the wanted reply, None for prose."""

    system: str
    user: str
    schema: dict[str, Any] | None = None
    purpose: str = ""
    """What the call is for, e.g. "extract" or "answer": scripted models choose by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """The text of a reply, or the error that took its place (a batch never fails as a whole)."""

    text: str = ""
    usage: Usage = field(default_factory=Usage)
    error: Exception | None = None


@runtime_checkable
class ChatModel(Protocol):
    """A text generator. A batch of requests goes in, as many replies come out, in order."""

    @property
    def name(self) -> str: ...

    @property
    def blocking(self) -> bool: ...

    async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]: ...

    def as_blocking(self) -> ChatModel:
        """A model that never suspends; raises AsyncOnlyModel when there is none."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """A vector maker. `model_id` names the vector space: vectors of different ids are never compared."""

    @property
    def model_id(self) -> str: ...

    @property
    def blocking(self) -> bool: ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]: ...

    def as_blocking(self) -> Embedder: ...


Clock = Callable[[], int]
"""Milliseconds since 1970-01-01 UTC."""

OnProgress = Callable[[Progress], None]
