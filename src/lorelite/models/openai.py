"""Any endpoint that speaks the OpenAI chat format: OpenAI, Ollama, llama.cpp, LM Studio, vLLM, OpenRouter, Groq …"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack

from lorelite.errors import InvalidOption
from lorelite.models.diagnosis import refuses_system
from lorelite.models.events import Framing, ServerSentEvents
from lorelite.models.http_model import HttpModel, HttpOptions, response_words
from lorelite.models.protocol import (
    ChatProtocol,
    Settings,
    Written,
    first,
    mapping,
    messages,
    text_of,
    without_system,
    wrong_api,
)
from lorelite.models.transport import HttpRequest, Sent
from lorelite.models.wire import bearer, checked_key, endpoint, json_request
from lorelite.ports import Finish, ModelRequest

OPENAI = "https://api.openai.com/v1"
_FINISHES: Mapping[Any, Finish] = {"length": "length", "content_filter": "filter", "stop": "stop"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """Which optional parts of the format an endpoint understands."""

    json_mode: Literal["json_schema", "json_object", "none"] = "json_schema"
    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    sends_temperature: bool = True
    has_system: bool = True
    counts_streams: bool = True
    """Does it understand stream_options, which ask for the tokens of a stream?"""


class OpenAIModel(HttpModel):
    """A chat model behind an OpenAI-compatible endpoint.

    base_url: e.g. "http://localhost:11434/v1" (Ollama), "http://localhost:8080/v1" (llama.cpp).
    api_key: sent as a bearer token; never shown in an error, a repr or a log.
    timeout: seconds for one whole reply. idle_timeout: seconds until its first piece and between two, when streamed.
    The other options and the errors are those of HttpModel.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI,
        api_key: str | None = None,
        timeout: float = 120.0,
        idle_timeout: float | None = None,
        temperature: float | None = 0.0,
        max_tokens: int | None = None,
        **options: Unpack[HttpOptions],
    ) -> None:
        settings = Settings(
            model=checked_model(model),
            url=endpoint(base_url, "/chat/completions"),
            api_key=checked_key(api_key),
            timeout=timeout,
            idle_timeout=idle_timeout,
            temperature=temperature,
            max_tokens=max_tokens,
        )
        super().__init__(OpenAIChat(settings), **options)


def checked_model(model: str) -> str:
    """The name. Raises InvalidOption for none."""
    if not isinstance(model, str) or not model.strip():
        raise InvalidOption("model", "the name of a model the endpoint serves", model)
    return model


@dataclass(frozen=True, slots=True)
class OpenAIChat:
    """The chat completions of OpenAI as a ChatProtocol."""

    settings: Settings
    dialect: Dialect = Dialect()

    def build(self, request: ModelRequest, *, stream: bool = False, said: str = "") -> HttpRequest:
        settings, dialect = self.settings, self.dialect
        request = request if dialect.has_system else without_system(request)
        payload: dict[str, Any] = {"model": settings.model, "messages": messages(request, said)}
        if dialect.sends_temperature and settings.temperature is not None:
            payload["temperature"] = settings.temperature
        if settings.max_tokens is not None:
            payload[dialect.limit_field] = settings.max_tokens
        # A reply that goes on is no JSON by itself.
        if request.schema is not None and not said and dialect.json_mode == "json_schema":
            schema = {"name": schema_name(request), "schema": request.schema}
            payload["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif request.schema is not None and not said and dialect.json_mode == "json_object":
            payload["response_format"] = {"type": "json_object"}
        if stream:
            payload["stream"] = True
            if dialect.counts_streams:
                payload["stream_options"] = {"include_usage": True}
        headers = bearer(settings.api_key)
        return json_request(settings.url, payload, headers, settings.timeout, settings.idle_timeout if stream else None)

    def read(self, data: Mapping[str, Any], written: Written) -> None:
        choice = first(data.get("choices"))
        if not choice:
            raise wrong_api("a reply with choices", data)
        message = mapping(choice.get("message")) or {"content": choice.get("text")}
        written.text.append(text_of(message.get("content")))
        self._note(data, choice, message, written)

    def framing(self) -> Framing:
        return ServerSentEvents()

    def take(self, data: Mapping[str, Any], written: Written) -> str:
        choice = first(data.get("choices"))
        delta = mapping(choice.get("delta")) or mapping(choice.get("message"))
        self._note(data, choice, delta, written)
        return text_of(delta.get("content"))

    def simpler(self, sent: Sent) -> ChatProtocol | None:
        words, dialect = response_words(sent), self.dialect
        if not words:
            return None
        if dialect.limit_field == "max_tokens" and "max_completion_tokens" in words:
            return replace(self, dialect=replace(dialect, limit_field="max_completion_tokens"))
        if dialect.sends_temperature and "temperature" in words and "support" in words:
            return replace(self, dialect=replace(dialect, sends_temperature=False))
        if dialect.has_system and refuses_system(words):
            return replace(self, dialect=replace(dialect, has_system=False))
        if dialect.counts_streams and "stream_options" in words:
            return replace(self, dialect=replace(dialect, counts_streams=False))
        if any(word in words for word in ("response_format", "json_schema", "json_object", "schema", "grammar")):
            if dialect.json_mode == "json_schema":
                return replace(self, dialect=replace(dialect, json_mode="json_object"))
            if dialect.json_mode == "json_object":
                return replace(self, dialect=replace(dialect, json_mode="none"))
        return None

    def _note(
        self, data: Mapping[str, Any], choice: Mapping[str, Any], message: Mapping[str, Any], written: Written
    ) -> None:
        """Why it ended, what it cost, and who wrote it."""
        reason = choice.get("finish_reason")
        if reason is not None:
            written.finish = _FINISHES.get(reason, "stop")
            written.ended = True
        if message.get("refusal"):
            written.finish = "refusal"
            written.stopped += str(message["refusal"])
        counted = mapping(data.get("usage"))
        written.count(counted.get("prompt_tokens"), counted.get("completion_tokens"))
        if isinstance(data.get("model"), str):
            written.model = data["model"]


def schema_name(request: ModelRequest) -> str:
    """A name for the schema of a request, of the characters that the APIs permit."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", request.purpose)[:64] or "reply"
