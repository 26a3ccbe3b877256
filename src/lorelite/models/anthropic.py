"""Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

from lorelite.models.events import Framing, ServerSentEvents
from lorelite.models.http_model import HttpModel, HttpOptions, response_words
from lorelite.models.openai import checked_model
from lorelite.models.protocol import ChatProtocol, Settings, Written, mapping, messages, wrong_api
from lorelite.models.transport import HttpRequest, Sent
from lorelite.models.wire import checked_key, endpoint, json_request
from lorelite.ports import Finish, ModelRequest

ANTHROPIC = "https://api.anthropic.com/v1"
_VERSION = "2023-06-01"
_FINISHES: Mapping[Any, Finish] = {
    "max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "refusal",
}  # fmt: skip


class AnthropicModel(HttpModel):
    """A model of Anthropic's, or one behind an endpoint that speaks its API.

    max_tokens: the API asks for a limit; a reply that reaches it is continued. The header that lets browsers call the
    API is sent always: the page's key is the user's own. The other options are those of OpenAIModel.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = ANTHROPIC,
        api_key: str | None = None,
        timeout: float = 120.0,
        idle_timeout: float | None = None,
        temperature: float | None = 0.0,
        max_tokens: int = 8_192,
        **options: Unpack[HttpOptions],
    ) -> None:
        settings = Settings(
            model=checked_model(model),
            url=endpoint(base_url, "/messages"),
            api_key=checked_key(api_key),
            timeout=timeout,
            idle_timeout=idle_timeout,
            temperature=temperature,
            max_tokens=max_tokens,
        )
        super().__init__(AnthropicMessages(settings), **options)


@dataclass(frozen=True, slots=True)
class AnthropicMessages:
    """The Messages API as a ChatProtocol."""

    settings: Settings
    sends_temperature: bool = True
    sends_schema: bool = True

    def build(self, request: ModelRequest, *, stream: bool = False, said: str = "") -> HttpRequest:
        settings = self.settings
        payload: dict[str, Any] = {
            "model": settings.model,
            "max_tokens": settings.max_tokens,
            # The API wants no space at the end of what the assistant said.
            "messages": messages(replace(request, system=""), said.rstrip()),
        }
        if request.system:
            payload["system"] = request.system
        if self.sends_temperature and settings.temperature is not None:
            payload["temperature"] = settings.temperature
        # The API takes no other schemas, and one that it refuses says nothing about the next.
        if request.schema is not None and not said and self.sends_schema and _is_closed(request.schema):
            payload["output_config"] = {"format": {"type": "json_schema", "schema": request.schema}}
        if stream:
            payload["stream"] = True
        headers = {"anthropic-version": _VERSION, "anthropic-dangerous-direct-browser-access": "true"}
        if settings.api_key:
            headers["x-api-key"] = settings.api_key
        return json_request(settings.url, payload, headers, settings.timeout, settings.idle_timeout if stream else None)

    def read(self, data: Mapping[str, Any], written: Written) -> None:
        content = data.get("content")
        if not isinstance(content, list):
            raise wrong_api("a message with content", data)
        texts = (mapping(block).get("text") for block in content if mapping(block).get("type") == "text")
        written.text.append("".join(text for text in texts if isinstance(text, str)))
        self._note(data, written)

    def framing(self) -> Framing:
        return ServerSentEvents()

    def take(self, data: Mapping[str, Any], written: Written) -> str:
        kind = data.get("type")
        if kind == "content_block_delta":
            delta = mapping(data.get("delta"))
            return str(delta.get("text") or "") if delta.get("type") == "text_delta" else ""
        if kind == "message_start":
            self._note(mapping(data.get("message")), written)
        elif kind == "message_delta":
            self._note({**mapping(data.get("delta")), "usage": data.get("usage")}, written)
        elif kind == "message_stop":
            written.ended = True
        return ""

    def simpler(self, sent: Sent) -> ChatProtocol | None:
        words = response_words(sent)
        if self.sends_temperature and "temperature" in words:
            return replace(self, sends_temperature=False)
        if self.sends_schema and any(
            word in words for word in ("output_config", "output_format", "json_schema", "schema")
        ):
            return replace(self, sends_schema=False)
        return None

    def _note(self, message: Mapping[str, Any], written: Written) -> None:
        reason = message.get("stop_reason")
        if reason is not None:
            written.finish = _FINISHES.get(reason, "stop")
        counted = mapping(message.get("usage"))
        cached = [counted.get(name) for name in ("cache_creation_input_tokens", "cache_read_input_tokens")]
        fresh = counted.get("input_tokens")
        if isinstance(fresh, int):
            fresh += sum(each for each in cached if isinstance(each, int))
        written.count(fresh, counted.get("output_tokens"))
        if isinstance(message.get("model"), str):
            written.model = message["model"]


def _is_closed(schema: object) -> bool:
    """Does every object of the schema forbid further properties?"""
    if isinstance(schema, list):
        return all(map(_is_closed, schema))
    if not isinstance(schema, dict):
        return True
    is_open = "object" in schema.get("type", ()) and schema.get("additionalProperties") is not False
    return not is_open and all(map(_is_closed, schema.values()))
