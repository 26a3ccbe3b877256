"""Any endpoint that speaks the OpenAI chat format: OpenAI, Ollama, llama.cpp, LM Studio, vLLM, OpenRouter, Groq …

`build_request` and `parse_reply` are pure; a transport carries the bytes.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from lorelite.errors import BadReply, InvalidOption, ModelError
from lorelite.models.retry import send_with_retries
from lorelite.models.transport import HttpRequest, HttpResponse, Sent, Transport, default_transport
from lorelite.models.wire import checked_key, endpoint, error_detail, json_of, json_request, read_json, without_key
from lorelite.ports import ModelReply, ModelRequest
from lorelite.records import Usage

OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Dialect:
    """Which optional parts of the format an endpoint understands."""

    json_mode: Literal["json_schema", "json_object", "none"] = "json_schema"
    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    sends_temperature: bool = True


class OpenAIModel:
    """A chat model behind an OpenAI-compatible endpoint.

    base_url: e.g. "http://localhost:11434/v1" (Ollama), "http://localhost:8080/v1" (llama.cpp).
    api_key: sent as a bearer token; never shown in an error, a repr or a log.
    max_parallel: requests under way at a time. timeout: seconds for one whole reply.
    max_retries: further attempts after a lost connection, status 429 or 5xx, waiting as the endpoint asks.

    Each reply carries its own error: ModelUnreachable, ModelRefused, or BadReply for anything but a finished text.
    Where the endpoint refuses a part of the format (JSON schemas, temperature), the request is sent again without
    it, and the model remembers.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI,
        api_key: str | None = None,
        transport: Transport | None = None,
        max_parallel: int = 4,
        timeout: float = 120.0,
        max_retries: int = 3,
        temperature: float = 0.0,
        max_tokens: int | None = None,
    ) -> None:
        if not model:
            raise InvalidOption("model", "the name of a model the endpoint serves", model)
        self.name = model
        self.url = endpoint(base_url, "/chat/completions")
        self.timeout = timeout
        self.max_retries = max_retries
        self.temperature = temperature
        self.max_tokens = max_tokens
        self.dialect = Dialect()
        self._api_key = checked_key(api_key)
        self._transport = transport or default_transport(max_parallel)

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r})"

    @property
    def blocking(self) -> bool:
        return self._transport.blocking

    @property
    def max_output_tokens(self) -> int | None:
        """The longest reply in tokens, where one was set: jobs ask about as much at a time as fits."""
        return self.max_tokens

    def as_blocking(self) -> OpenAIModel:
        if self.blocking:
            return self
        twin = copy.copy(self)
        twin._transport = self._transport.as_blocking()
        return twin

    async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        replies: dict[int, ModelReply] = {}
        waiting = dict(enumerate(requests))
        while waiting:
            dialect = self.dialect
            built = [self._build(request, dialect) for request in waiting.values()]
            refused = {}
            for (at, request), sent in zip(waiting.items(), await self._send(built), strict=True):
                simpler = simpler_dialect(dialect, sent)
                if simpler:
                    self.dialect = simpler
                    refused[at] = request
                else:
                    replies[at] = parse_reply(sent, self.url)
            waiting = refused
        return [replies[at] for at in range(len(requests))]

    def _build(self, request: ModelRequest, dialect: Dialect) -> HttpRequest:
        return build_request(
            request,
            model=self.name,
            url=self.url,
            api_key=self._api_key,
            timeout=self.timeout,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            dialect=dialect,
        )

    async def _send(self, requests: Sequence[HttpRequest]) -> list[Sent]:
        sent = await send_with_retries(self._transport, requests, self.max_retries)
        return [without_key(each, self._api_key) for each in sent]


def build_request(
    request: ModelRequest,
    *,
    model: str,
    url: str,
    api_key: str | None = None,
    timeout: float = 120.0,
    temperature: float = 0.0,
    max_tokens: int | None = None,
    dialect: Dialect = Dialect(),
) -> HttpRequest:
    """The HTTP request that asks *model* for one reply."""
    messages = [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}]
    payload: dict[str, Any] = {"model": model, "messages": [each for each in messages if each["content"]]}
    if dialect.sends_temperature:
        payload["temperature"] = temperature
    if max_tokens is not None:
        payload[dialect.limit_field] = max_tokens
    if request.schema is not None and dialect.json_mode == "json_schema":
        name = re.sub(r"[^A-Za-z0-9_-]", "_", request.purpose)[:64] or "reply"
        payload["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": name, "schema": request.schema},
        }
    elif request.schema is not None and dialect.json_mode == "json_object":
        payload["response_format"] = {"type": "json_object"}
    return json_request(url, payload, api_key, timeout)


def parse_reply(sent: Sent, url: str) -> ModelReply:
    """The reply a response holds, or the ModelError that says what it holds instead."""
    try:
        data = read_json(sent, url)
        return ModelReply(text=_text(data), usage=_usage(data))
    except ModelError as error:
        return ModelReply(error=error)


def simpler_dialect(dialect: Dialect, sent: Sent) -> Dialect | None:
    """The dialect to try next when a response refuses a part of the format; None when it does not."""
    if not isinstance(sent, HttpResponse) or sent.status not in (400, 404, 415, 422, 500, 501):
        return None
    detail = error_detail(json_of(sent.body.decode("utf-8", "replace"))).lower()
    if dialect.limit_field == "max_tokens" and "max_completion_tokens" in detail:
        return replace(dialect, limit_field="max_completion_tokens")
    if dialect.sends_temperature and "temperature" in detail and "support" in detail:
        return replace(dialect, sends_temperature=False)
    if any(word in detail for word in ("response_format", "json_schema", "json_object", "schema", "grammar")):
        if dialect.json_mode == "json_schema":
            return replace(dialect, json_mode="json_object")
        if dialect.json_mode == "json_object":
            return replace(dialect, json_mode="none")
    return None


def _text(data: dict[str, Any]) -> str:
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise BadReply("a reply with choices", json.dumps(data, ensure_ascii=False))
    choice = choices[0]
    message = choice.get("message")
    message = message if isinstance(message, dict) else {"content": choice.get("text")}
    text = _joined(message.get("content"))
    reason = choice.get("finish_reason")
    if message.get("refusal"):
        raise BadReply("a reply, not a refusal", str(message["refusal"]))
    if reason == "length":
        raise BadReply("a whole reply, not one cut off at the token limit (raise max_tokens)", text)
    if reason == "content_filter":
        raise BadReply("a whole reply, not one stopped by the endpoint's content filter", text)
    if not text.strip():
        raise BadReply("a text", f"an empty message (finish_reason {reason!r})")
    return text


def _joined(content: object) -> str:
    """The text of a message's content, which may be a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") if isinstance(part, dict) else str(part) for part in content)
    return content if isinstance(content, str) else ""


def _usage(data: dict[str, Any]) -> Usage:
    counted = data.get("usage")
    counted = counted if isinstance(counted, dict) else {}

    def tokens(name: str) -> int:
        value = counted.get(name)
        return int(value) if isinstance(value, int | float) and value >= 0 else 0

    return Usage(calls=1, input_tokens=tokens("prompt_tokens"), output_tokens=tokens("completion_tokens"))
