"""Google's Gemini API (generateContent). The key goes in a header: addresses stand in logs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack
from urllib.parse import quote

from lorelite.errors import InvalidOption
from lorelite.models.diagnosis import refuses_system
from lorelite.models.events import Framing, ServerSentEvents
from lorelite.models.http_model import HttpModel, HttpOptions, response_words
from lorelite.models.openai import checked_model
from lorelite.models.protocol import (
    ChatProtocol,
    Settings,
    Written,
    first,
    mapping,
    messages,
    without_system,
    wrong_api,
)
from lorelite.models.transport import HttpRequest, Sent
from lorelite.models.wire import checked_key, json_request
from lorelite.ports import Finish, ModelRequest

GEMINI = "https://generativelanguage.googleapis.com/v1beta"
_FILTERS = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE")
_FINISHES: Mapping[Any, Finish] = {"MAX_TOKENS": "length", **dict.fromkeys(_FILTERS, "filter")}


class GeminiModel(HttpModel):
    """A model of Google's. The options are those of OpenAIModel."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str = GEMINI,
        api_key: str | None = None,
        timeout: float = 120.0,
        idle_timeout: float | None = None,
        temperature: float | None = 0.0,
        max_tokens: int | None = None,
        **options: Unpack[HttpOptions],
    ) -> None:
        settings = Settings(
            model=checked_model(model),
            url=gemini_url(base_url, model),
            api_key=checked_key(api_key),
            timeout=timeout,
            idle_timeout=idle_timeout,
            temperature=temperature,
            max_tokens=max_tokens,
        )
        super().__init__(GeminiContent(settings), **options)


def gemini_url(base_url: str, model: str) -> str:
    """The address of a model, to which ":generateContent" and the like are added."""
    base = base_url.strip().rstrip("/")
    if not base.startswith(("http://", "https://")):
        raise InvalidOption("base_url", f"an address such as {GEMINI}", base_url)
    if "/v1" not in base:
        base += "/v1beta"
    return f"{base}/models/{quote(model.strip().removeprefix('models/'), safe='.-_@')}"


@dataclass(frozen=True, slots=True)
class GeminiContent:
    """generateContent as a ChatProtocol."""

    settings: Settings
    json_mode: Literal["schema", "json", "none"] = "schema"
    has_system: bool = True

    def build(self, request: ModelRequest, *, stream: bool = False, said: str = "") -> HttpRequest:
        settings = self.settings
        request = request if self.has_system else without_system(request)
        wanted: dict[str, Any] = {}
        if settings.temperature is not None:
            wanted["temperature"] = settings.temperature
        if settings.max_tokens is not None:
            wanted["maxOutputTokens"] = settings.max_tokens
        if request.schema is not None and not said and self.json_mode != "none":
            wanted["responseMimeType"] = "application/json"
            if self.json_mode == "schema":
                wanted["responseJsonSchema"] = request.schema
        spoken = messages(replace(request, system=""), said, assistant="model")
        payload: dict[str, Any] = {
            "contents": [{"role": each["role"], "parts": [{"text": each["content"]}]} for each in spoken],
            "generationConfig": wanted,
        }
        if request.system:
            payload["systemInstruction"] = {"parts": [{"text": request.system}]}
        url = settings.url + (":streamGenerateContent?alt=sse" if stream else ":generateContent")
        headers = gemini_headers(settings.api_key)
        return json_request(url, payload, headers, settings.timeout, settings.idle_timeout if stream else None)

    def read(self, data: Mapping[str, Any], written: Written) -> None:
        if "candidates" not in data and "promptFeedback" not in data:
            raise wrong_api("a reply with candidates", data)
        written.text.append(self.take(data, written))

    def framing(self) -> Framing:
        return ServerSentEvents()

    def take(self, data: Mapping[str, Any], written: Written) -> str:
        blocked = mapping(data.get("promptFeedback")).get("blockReason")
        if blocked:
            written.finish, written.stopped, written.ended = "filter", f"the prompt was blocked: {blocked}", True
        candidate = first(data.get("candidates"))
        reason = candidate.get("finishReason")
        if reason and reason != "FINISH_REASON_UNSPECIFIED":
            written.finish, written.ended = _FINISHES.get(reason, "stop"), True
        counted = mapping(data.get("usageMetadata"))
        output = [counted.get(name) for name in ("candidatesTokenCount", "thoughtsTokenCount")]
        total = sum(each for each in output if isinstance(each, int)) if any(map(_is_count, output)) else None
        written.count(counted.get("promptTokenCount"), total)
        if isinstance(data.get("modelVersion"), str):
            written.model = data["modelVersion"]
        parts = mapping(candidate.get("content")).get("parts")
        parts = [mapping(part) for part in parts] if isinstance(parts, list) else []
        return "".join(str(part["text"]) for part in parts if part.get("text") and not part.get("thought"))

    def simpler(self, sent: Sent) -> ChatProtocol | None:
        words = response_words(sent)
        if self.has_system and refuses_system(words):
            return replace(self, has_system=False)
        if not any(word in words for word in ("schema", "mime")):
            return None
        if self.json_mode == "schema":
            return replace(self, json_mode="json")
        return replace(self, json_mode="none") if self.json_mode == "json" else None


def gemini_headers(api_key: str | None) -> dict[str, str]:
    return {"x-goog-api-key": api_key} if api_key else {}


def _is_count(value: object) -> bool:
    return isinstance(value, int)
