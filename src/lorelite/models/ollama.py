"""Ollama's own API, which unlike its OpenAI-compatible one lets the context be as long as the prompt needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

from lorelite.errors import InvalidOption
from lorelite.models.events import Framing, JsonLines
from lorelite.models.http_model import HttpModel, HttpOptions
from lorelite.models.openai import checked_model
from lorelite.models.protocol import ChatProtocol, Settings, Written, mapping, messages, text_of, wrong_api
from lorelite.models.tokens import request_tokens
from lorelite.models.transport import HttpRequest, Sent
from lorelite.models.wire import bearer, checked_key, json_request
from lorelite.ports import ModelRequest

OLLAMA = "http://localhost:11434"
_ROOM_TO_WRITE = 4_096
_LEAST_CONTEXT = 8_192


class OllamaModel(HttpModel):
    """A model that Ollama serves.

    context: tokens of context to ask for; None: what the prompt and a reply need, 8,192 or twice that and so on, since
    Ollama loads a model anew for every other length. Its default is short, and what does not fit it is cut.
    max_parallel: one; a local model does one thing at a time. The other options are those of OpenAIModel.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OLLAMA,
        api_key: str | None = None,
        timeout: float = 600.0,
        idle_timeout: float | None = None,
        temperature: float | None = 0.0,
        max_tokens: int | None = None,
        context: int | None = None,
        **options: Unpack[HttpOptions],
    ) -> None:
        settings = Settings(
            model=checked_model(model),
            url=ollama_url(base_url, "/api/chat"),
            api_key=checked_key(api_key),
            timeout=timeout,
            idle_timeout=idle_timeout,
            temperature=temperature,
            max_tokens=max_tokens,
        )
        options.setdefault("max_parallel", 1)
        super().__init__(OllamaChat(settings, context), **options)


def ollama_url(base_url: str, path: str) -> str:
    """The address of *path*; an address that ends in /v1 or /api is taken as that of the server."""
    base = base_url.strip().rstrip("/")
    if not base.startswith(("http://", "https://")):
        raise InvalidOption("base_url", f"an address such as {OLLAMA}", base_url)
    return base.removesuffix("/v1").removesuffix("/api") + path


@dataclass(frozen=True, slots=True)
class OllamaChat:
    """/api/chat as a ChatProtocol."""

    settings: Settings
    context: int | None = None

    def build(self, request: ModelRequest, *, stream: bool = False, said: str = "") -> HttpRequest:
        settings = self.settings
        needed = request_tokens(request) + (settings.max_tokens or _ROOM_TO_WRITE)
        options: dict[str, Any] = {"num_ctx": self.context or _context_for(needed)}
        if settings.temperature is not None:
            options["temperature"] = settings.temperature
        if settings.max_tokens is not None:
            options["num_predict"] = settings.max_tokens
        payload: dict[str, Any] = {
            "model": settings.model,
            "messages": messages(request, said),
            "stream": stream,
            "options": options,
            # Too long a prompt is an error then, not cut; older servers take no notice.
            "truncate": False,
            "shift": False,
        }
        if request.schema is not None and not said:
            payload["format"] = request.schema
        headers = bearer(settings.api_key)
        return json_request(settings.url, payload, headers, settings.timeout, settings.idle_timeout if stream else None)

    def read(self, data: Mapping[str, Any], written: Written) -> None:
        if "message" not in data:
            raise wrong_api("a reply with a message", data)
        written.text.append(self.take(data, written))

    def framing(self) -> Framing:
        return JsonLines()

    def take(self, data: Mapping[str, Any], written: Written) -> str:
        if data.get("done"):
            written.ended = True
            written.finish = "length" if data.get("done_reason") == "length" else "stop"
            written.count(data.get("prompt_eval_count"), data.get("eval_count"))
        if isinstance(data.get("model"), str):
            written.model = data["model"]
        return text_of(mapping(data.get("message")).get("content"))

    def simpler(self, sent: Sent) -> ChatProtocol | None:
        return None


def _context_for(needed: int) -> int:
    context = _LEAST_CONTEXT
    while context < needed:
        context *= 2
    return context
