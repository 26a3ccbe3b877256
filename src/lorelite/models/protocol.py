"""What HttpModel asks of an API: how a request is written, and how a reply, whole or as a stream, is read. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from lorelite.errors import BadReply, ModelError
from lorelite.models import transport
from lorelite.models.diagnosis import unreachable
from lorelite.models.events import Framing
from lorelite.models.transport import HttpRequest, Sent
from lorelite.models.wire import json_of, no_json, raise_error_in, shown
from lorelite.ports import Finish, ModelReply, ModelRequest
from lorelite.records import Usage

GO_ON = "Your reply was cut off. Go on exactly where it stops: no introduction, and nothing that is there already."


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What every API needs to know. The key is in no repr."""

    model: str
    url: str
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 120.0
    idle_timeout: float | None = None
    temperature: float | None = 0.0
    max_tokens: int | None = None


@dataclass(slots=True)
class Written:
    """What a reply has said so far."""

    text: list[str] = field(default_factory=list)
    finish: Finish = ""
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    ended: bool = False
    """Has the API said that this is all?"""
    stopped: str = ""
    """Why the text is none, where the API says so: a refusal, a filter."""

    def count(self, input_tokens: object, output_tokens: object) -> None:
        """Take counts that are numbers; what an API leaves out stays."""
        self.input_tokens = _number(input_tokens, self.input_tokens)
        self.output_tokens = _number(output_tokens, self.output_tokens)


class ChatProtocol(Protocol):
    """One API, as one model is asked through it. Immutable."""

    @property
    def settings(self) -> Settings: ...

    def build(self, request: ModelRequest, *, stream: bool = False, said: str = "") -> HttpRequest:
        """The HTTP request. said: the beginning of a reply that was cut; asks to go on from there."""
        ...

    def read(self, data: Mapping[str, Any], written: Written) -> None:
        """Take what a whole reply says into *written*. Raises BadReply for a body of another API."""
        ...

    def framing(self) -> Framing:
        """How the API cuts a stream into messages."""
        ...

    def take(self, data: Mapping[str, Any], written: Written) -> str:
        """Take one message of a stream into *written*, and give the text that it adds."""
        ...

    def simpler(self, sent: Sent) -> ChatProtocol | None:
        """The API without the part that a response refuses, which is to be tried next; None where it refuses none."""
        ...


class StreamReader:
    """Reads the body of a reply as it comes, framed or, from an endpoint that does not stream, as one JSON."""

    def __init__(self, protocol: ChatProtocol) -> None:
        self.written = Written()
        self._protocol = protocol
        self._framing = protocol.framing()
        self._raw = bytearray()
        self._open = 0
        """Bytes since the last message."""
        self._is_framed = False

    def feed(self, piece: bytes) -> list[str]:
        """The further pieces of text. Raises ModelError for an error among the messages, and where none comes to an
        end."""
        if not self._is_framed:
            self._raw += piece
        self._open += len(piece)
        if self._open > transport.MAX_BODY:
            raise unreachable(shown(self._protocol.settings.url), transport.too_large())
        return self._read(self._framing.feed(piece))

    def close(self) -> list[str]:
        pieces = self._read(self._framing.close())
        if not self._is_framed:
            text = self._raw.decode("utf-8", "replace")
            data = json_of(text)
            if not isinstance(data, dict):
                raise no_json(
                    f"a stream of messages, or a JSON object, from {shown(self._protocol.settings.url)}", text
                )
            raise_error_in(data, self._protocol.settings.url)
            self._protocol.read(data, self.written)
            self.written.ended = True
            pieces = self.written.text
        return pieces

    def _read(self, messages: Sequence[str]) -> list[str]:
        pieces: list[str] = []
        for message in messages:
            if message.strip() == "[DONE]":
                self._is_framed = self.written.ended = True
                continue
            data = json_of(message)
            if not isinstance(data, dict):
                continue
            self._is_framed = True
            self._raw.clear()
            self._open = 0
            raise_error_in(data, self._protocol.settings.url)
            text = self._protocol.take(data, self.written)
            if text:
                self.written.text.append(text)
                pieces.append(text)
        return pieces


def reply_of(written: Written) -> ModelReply:
    """The reply; a cut text has finish "length". A refusal, a filter or nothing at all is a BadReply, which has cost
    tokens all the same."""
    text = "".join(written.text)
    error = _fault(written, text)
    usage = Usage(calls=1, input_tokens=written.input_tokens, output_tokens=written.output_tokens)
    return ModelReply(
        text="" if error else text,
        usage=usage,
        error=error,
        finish=written.finish or "stop",
        model=written.model,
    )


def _fault(written: Written, text: str) -> BadReply | None:
    if written.finish == "refusal":
        return BadReply("a reply, not a refusal", written.stopped or text)
    if written.finish == "filter":
        return BadReply("a whole reply, not one stopped by the endpoint's content filter", written.stopped or text)
    if not text.strip() and written.finish != "length":
        return BadReply("a text", f"an empty message (finish {written.finish!r})")
    return None


def messages(request: ModelRequest, said: str, *, assistant: str = "assistant") -> list[dict[str, str]]:
    """System and user in chat form, and after a cut reply that and the wish to go on; empty ones left out."""
    spoken = [("system", request.system), ("user", request.user)]
    spoken += [(assistant, said), ("user", GO_ON)] if said else []
    return [{"role": role, "content": text} for role, text in spoken if text]


def without_system(request: ModelRequest) -> ModelRequest:
    """The request for a model that has no system role: the user says it all."""
    return replace(request, system="", user="\n\n".join(text for text in (request.system, request.user) if text))


def text_of(content: object) -> str:
    """The text of a message's content, which may be a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") if isinstance(part, dict) else str(part) for part in content)
    return content if isinstance(content, str) else ""


def wrong_api(expected: str, data: Mapping[str, Any]) -> ModelError:
    return BadReply(expected, json.dumps(data, ensure_ascii=False))


def mapping(value: object) -> Mapping[str, Any]:
    """A member that should be an object; an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def first(value: object) -> Mapping[str, Any]:
    """The first of a list of objects; an empty one where there is none."""
    return mapping(value[0]) if isinstance(value, list) and value else {}


def _number(value: object, default: int) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else default
