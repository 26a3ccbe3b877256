"""OpenAI's Responses API, the successor of chat completions; llama.cpp, LM Studio and Ollama speak it too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

from lorelite.models.events import Framing, ServerSentEvents
from lorelite.models.http_model import HttpModel, HttpOptions, response_words
from lorelite.models.openai import OPENAI, checked_model, schema_name
from lorelite.models.protocol import GO_ON, ChatProtocol, Settings, Written, mapping, wrong_api
from lorelite.models.transport import HttpRequest, Sent
from lorelite.models.wire import bearer, checked_key, endpoint, json_request, raise_error_in
from lorelite.ports import ModelRequest


class OpenAIResponsesModel(HttpModel):
    """A model behind an endpoint of the Responses API, where nothing is stored. Options are those of OpenAIModel."""

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
            url=endpoint(base_url, "/responses"),
            api_key=checked_key(api_key),
            timeout=timeout,
            idle_timeout=idle_timeout,
            temperature=temperature,
            max_tokens=max_tokens,
        )
        super().__init__(Responses(settings), **options)


@dataclass(frozen=True, slots=True)
class Responses:
    """The Responses API as a ChatProtocol."""

    settings: Settings
    sends_temperature: bool = True
    sends_schema: bool = True

    def build(self, request: ModelRequest, *, stream: bool = False, said: str = "") -> HttpRequest:
        settings = self.settings
        spoken: list[dict[str, Any]] = [{"role": "user", "content": request.user}]
        if said:
            part = {"type": "output_text", "text": said}
            spoken.append({"type": "message", "role": "assistant", "status": "completed", "content": [part]})
            spoken.append({"role": "user", "content": GO_ON})
        payload: dict[str, Any] = {
            "model": settings.model,
            "input": spoken,
            "store": False,
        }
        if request.system:
            payload["instructions"] = request.system
        if self.sends_temperature and settings.temperature is not None:
            payload["temperature"] = settings.temperature
        if settings.max_tokens is not None:
            payload["max_output_tokens"] = settings.max_tokens
        if request.schema is not None and not said and self.sends_schema:
            schema = {"type": "json_schema", "name": schema_name(request), "schema": request.schema, "strict": False}
            payload["text"] = {"format": schema}
        if stream:
            payload["stream"] = True
        headers = bearer(settings.api_key)
        return json_request(settings.url, payload, headers, settings.timeout, settings.idle_timeout if stream else None)

    def read(self, data: Mapping[str, Any], written: Written) -> None:
        output = data.get("output")
        if not isinstance(output, list):
            raise wrong_api("a response with output", data)
        for part in _parts(output):
            if part.get("type") == "refusal":
                written.finish, written.stopped = "refusal", str(part.get("refusal") or "")
            elif isinstance(part.get("text"), str):
                written.text.append(part["text"])
        self._note(data, written)

    def framing(self) -> Framing:
        return ServerSentEvents()

    def take(self, data: Mapping[str, Any], written: Written) -> str:
        kind = data.get("type")
        if kind == "response.output_text.delta":
            return str(data.get("delta") or "")
        if kind == "response.refusal.delta":
            written.finish = "refusal"
            written.stopped += str(data.get("delta") or "")
        elif kind in ("response.completed", "response.incomplete", "response.failed"):
            response = mapping(data.get("response"))
            raise_error_in(response, self.settings.url)
            self._note(response, written)
            written.ended = True
        elif kind == "error":
            raise_error_in({"error": data}, self.settings.url)
        return ""

    def simpler(self, sent: Sent) -> ChatProtocol | None:
        words = response_words(sent)
        if self.sends_temperature and "temperature" in words and "support" in words:
            return replace(self, sends_temperature=False)
        if self.sends_schema and any(word in words for word in ("text.format", "json_schema", "schema", "grammar")):
            return replace(self, sends_schema=False)
        return None

    def _note(self, response: Mapping[str, Any], written: Written) -> None:
        reason = mapping(response.get("incomplete_details")).get("reason")
        if reason == "content_filter":
            written.finish = "filter"
        elif response.get("status") == "incomplete":
            written.finish = "length"
        counted = mapping(response.get("usage"))
        written.count(counted.get("input_tokens"), counted.get("output_tokens"))
        most = self.settings.max_tokens
        if not written.finish and most is not None and written.output_tokens >= most:
            written.finish = "length"  # llama.cpp calls such a reply complete
        if isinstance(response.get("model"), str):
            written.model = response["model"]


def _parts(output: list[Any]) -> list[Mapping[str, Any]]:
    """The parts of the messages among what a response put out; its reasoning is left out."""
    said = [item for item in output if isinstance(item, Mapping) and item.get("type", "message") == "message"]
    return [mapping(part) for message in said for part in message.get("content") or ()]
