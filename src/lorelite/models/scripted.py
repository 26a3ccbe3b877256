"""A model whose replies are written beforehand: for tests, examples and lessons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lorelite.errors import ModelError
from lorelite.models.callable_model import told
from lorelite.ports import Listener, ModelReply, ModelRequest
from lorelite.records import Usage

Reply = str | Exception
Script = Reply | Sequence[Reply] | Callable[[ModelRequest], Reply]


class ScriptedModel:
    """Answers by the purpose of a request ("extract", "answer" …).

    A purpose's script is one reply for every request, a list used up in turn, or a function of the request.
    An exception in the place of a reply becomes the error of that reply. `requests` holds what was asked, in order.
    A purpose without a script, or a list used up, is a ModelError of that reply.
    """

    blocking = True

    def __init__(self, script: Mapping[str, Script], *, name: str = "scripted") -> None:
        self.name = name
        self.requests: list[ModelRequest] = []
        self._script = {
            purpose: replies if isinstance(replies, str | Exception) or callable(replies) else list(replies)
            for purpose, replies in script.items()
        }

    async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        return await self.complete_telling(requests, Listener())

    async def complete_telling(self, requests: Sequence[ModelRequest], listener: Listener) -> list[ModelReply]:
        """As `complete`, telling each reply before the next request is answered."""
        return [told(listener, at, self._answer(request)) for at, request in enumerate(requests)]

    def as_blocking(self) -> ScriptedModel:
        return self

    def _answer(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        reply = self._next(request)
        if isinstance(reply, Exception):
            return ModelReply(error=reply)
        return ModelReply(text=reply, usage=Usage(calls=1))

    def _next(self, request: ModelRequest) -> Reply:
        purpose = request.purpose
        if purpose not in self._script:
            return ModelError(
                f"{self.name} has no script for purpose {purpose!r}; expected one of {sorted(self._script)}",
                purpose=purpose,
            )
        script = self._script[purpose]
        if isinstance(script, list):
            if not script:
                return ModelError(
                    f"{self.name} has used up its replies for purpose {purpose!r}; script one reply per request",
                    purpose=purpose,
                )
            return script.pop(0)
        return script(request) if callable(script) else script
