"""A chat model behind HTTP: everything that does not depend on the API it speaks."""

from __future__ import annotations

import copy
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Any, Self, TypedDict

from lorelite.errors import InvalidOption, ModelError, ModelUnreachable, Truncated
from lorelite.models.diagnosis import is_hopeless, is_local
from lorelite.models.pace import Pace
from lorelite.models.protocol import ChatProtocol, StreamReader, Written, reply_of
from lorelite.models.seam import joined, whole_words
from lorelite.models.sending import Policy, send_patiently
from lorelite.models.streaming import as_told
from lorelite.models.tokens import request_tokens
from lorelite.models.transport import HttpRequest, HttpResponse, OnPiece, Sent, Transport, default_transport
from lorelite.models.wire import answered, read_json, shown, without_key
from lorelite.ports import Listener, ModelReply, ModelRequest
from lorelite.records import Usage
from lorelite.text import strict_json

MAX_CONTINUATIONS = 2

OnText = Callable[[str], None]


class HttpOptions(TypedDict, total=False):
    """The options of HttpModel, which its subclasses hand on."""

    transport: Transport | None
    max_parallel: int
    max_retries: int
    requests_per_minute: float | None
    tokens_per_minute: float | None
    max_continuations: int


class HttpModel:
    """A ChatModel that speaks *protocol*, an API, through *transport*. The public models are subclasses.

    max_parallel: requests under way at a time. max_retries: further attempts after a lost connection, status 429 or
    5xx, waiting as the endpoint asks. requests_per_minute, tokens_per_minute: None is no limit.
    max_continuations: how often a reply that was cut at the limit of tokens is asked to go on, unless it is streamed.

    Each reply carries its own error: ModelUnreachable, ModelRefused (ContextOverflow for too long a request), BadReply
    (Truncated for a reply that stayed cut) for anything but a finished text. Where the endpoint refuses a part of the
    API (JSON schemas, temperature), the request is sent again without it, and the model remembers.
    """

    def __init__(
        self,
        protocol: ChatProtocol,
        *,
        transport: Transport | None = None,
        max_parallel: int = 4,
        max_retries: int = 3,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        max_continuations: int = MAX_CONTINUATIONS,
    ) -> None:
        for name, value in (("max_parallel", max_parallel), ("timeout", protocol.settings.timeout)):
            if not value > 0:
                raise InvalidOption(name, "more than 0", value)
        for name, limit in (("requests_per_minute", requests_per_minute), ("tokens_per_minute", tokens_per_minute)):
            if limit is not None and not limit > 0:
                raise InvalidOption(name, "more than 0, or None", limit)
        self.protocol = protocol
        self.max_retries = max_retries
        self.max_continuations = max_continuations
        self._pace = Pace(requests_per_minute, tokens_per_minute)
        self._policy = Policy(max_retries=max_retries)
        self._transport = transport or default_transport(max_parallel)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def name(self) -> str:
        return self.protocol.settings.model

    @property
    def url(self) -> str:
        return self.protocol.settings.url

    @property
    def is_local(self) -> bool:
        """Does the model run on this machine? Then its calls cost nothing."""
        return is_local(self.url)

    @property
    def blocking(self) -> bool:
        return self._transport.blocking

    @property
    def parameters(self) -> Mapping[str, Any]:
        settings = self.protocol.settings
        return {"temperature": settings.temperature, "max_tokens": settings.max_tokens}

    @property
    def max_output_tokens(self) -> int | None:
        """The longest reply in tokens, where one was set: jobs ask about as much at a time as fits."""
        return self.protocol.settings.max_tokens

    def as_blocking(self) -> Self:
        if self.blocking:
            return self
        twin = copy.copy(self)
        twin._transport = self._transport.as_blocking()
        return twin

    async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        return await self.complete_telling(requests, Listener())

    async def complete_telling(self, requests: Sequence[ModelRequest], listener: Listener) -> list[ModelReply]:
        """As `complete`. With on_text the replies are streamed; blocking, one after the other, since their pieces come
        in the thread that works on them, and must come in the caller's."""
        on_text, on_reply = listener.on_text, listener.on_reply
        jobs = [
            partial(self._answer, request, partial(on_text, at) if on_text else None)
            for at, request in enumerate(requests)
        ]
        if on_text is None or not self.blocking:
            return await self._transport.run_all(jobs, on_reply)
        replies = list[ModelReply]()
        for at, job in enumerate(jobs):
            replies += await self._transport.run_all([job])
            if on_reply is not None:
                on_reply(at, replies[at])
        return replies

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | Usage]:
        """See ports.StreamingModel. Raises the error of the reply; a reply cut at the limit of tokens is one too."""

        async def ask(tell: Callable[[str | Usage], None]) -> None:
            [reply] = await self.complete_telling([request], Listener(on_text=lambda _, piece: tell(piece)))
            tell(reply.usage)
            if reply.error is not None:
                raise reply.error

        async with aclosing(as_told(ask, blocking=self.blocking)) as parts:
            async for part in parts:
                yield part

    async def _answer(self, request: ModelRequest, on_text: OnText | None) -> ModelReply:
        """A whole reply, continued where it was cut, or the error that took its place."""
        began = time.monotonic()
        said, usage, reply = "", Usage(), ModelReply()
        # What was told cannot be taken back, as words said again at a seam must be: a stream is not continued.
        for _ in range(1 if on_text else 1 + self.max_continuations):
            said = whole_words(said)
            reply = await self._ask(request, said, on_text)
            usage += reply.usage
            if reply.error is not None:
                break
            said = joined(said, reply.text)
            if reply.finish != "length" or not reply.text.strip():
                break
        reply = replace(reply, usage=usage, duration_ms=round((time.monotonic() - began) * 1000))
        if reply.error is not None:
            return reply
        fault = _cut(request, said, reply.finish, usage.calls)
        return replace(reply, text=said) if fault is None else replace(reply, text="", error=fault)

    async def _ask(self, request: ModelRequest, said: str, on_text: OnText | None) -> ModelReply:
        """One reply of the endpoint, with ever fewer parts of the API until it understands; what then was understood
        is remembered, so that one odd request spoils nothing for the others."""
        began = protocol = self.protocol
        while True:
            built = protocol.build(request, stream=on_text is not None, said=said)
            reader = StreamReader(protocol) if on_text is not None else None
            tell = partial(_tell, reader, on_text) if reader is not None and on_text is not None else None
            try:
                sent = await self._send(built, request_tokens(request), tell)
                simpler = protocol.simpler(sent)
                if simpler is None:
                    if isinstance(sent, HttpResponse) and 200 <= sent.status <= 299 and self.protocol == began:
                        self.protocol = protocol
                    return self._read(sent, reader, on_text)
            except ModelError as error:
                return ModelReply(error=error)
            protocol = simpler

    async def _send(self, built: HttpRequest, tokens: int, on_piece: OnPiece | None) -> Sent:
        sent = await send_patiently(
            self._transport,
            built,
            policy=self._policy,
            pace=self._pace,
            tokens=tokens,
            on_piece=on_piece,
            is_hopeless=is_hopeless,
        )
        return without_key(sent, self.protocol.settings.api_key)

    def _read(self, sent: Sent, reader: StreamReader | None, on_text: OnText | None) -> ModelReply:
        if reader is None:
            written = Written()
            self.protocol.read(read_json(sent, self.url), written)
            return reply_of(written)
        answered(sent, self.url)
        assert on_text is not None
        for piece in reader.close():
            on_text(piece)
        if not reader.written.ended:
            so_far = len("".join(reader.written.text))
            raise ModelUnreachable(shown(self.url), f"the stream ended too early, after {so_far} characters")
        return reply_of(reader.written)


def _tell(reader: StreamReader, on_text: OnText, piece: bytes) -> None:
    for text in reader.feed(piece):
        on_text(text)


def _cut(request: ModelRequest, text: str, finish: str, calls: int) -> Truncated | None:
    """The error of a reply that is not whole: still cut, or put together into what is no JSON where JSON was asked."""
    if finish == "length":
        return Truncated("a whole reply, not one cut off at the token limit (raise max_tokens)", text)
    if calls > 1 and request.schema is not None:
        try:
            strict_json.read_json(text)
        except ValueError:
            return Truncated("a reply whose parts, each cut at the token limit, make JSON together", text)
    return None


def response_words(sent: Sent) -> str:
    """What a refusing response says, in lower case; empty for any other outcome."""
    if not isinstance(sent, HttpResponse) or sent.status not in (400, 404, 415, 422, 500, 501):
        return ""
    return sent.body[:20_000].decode("utf-8", "replace").lower()
