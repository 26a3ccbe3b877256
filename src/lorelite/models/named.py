"""Models and embedders by a name, such as "ollama:llama3.2": what a command line or a setting can hold.

PROVIDER:MODEL      a provider's own API, with the key that its environment variable holds
MODEL@URL           an OpenAI-compatible endpoint, with the key in LORELITE_API_KEY or OPENAI_API_KEY, if any
static              the built-in embedder
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import lorelite.models as known
from lorelite.errors import InvalidOption
from lorelite.ports import ChatModel, Embedder

COMPATIBLE_KEYS = ("LORELITE_API_KEY", "OPENAI_API_KEY")
KEYS: Mapping[str, tuple[str, ...]] = {
    "openai": COMPATIBLE_KEYS,
    "openai-responses": COMPATIBLE_KEYS,
    "anthropic": ("ANTHROPIC_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "ollama": ("OLLAMA_API_KEY",),
}
"""Provider → the environment variables that may hold its key, the first that does counts."""
MODELS: Mapping[str, str] = {
    "openai": "OpenAIModel",
    "openai-responses": "OpenAIResponsesModel",
    "anthropic": "AnthropicModel",
    "gemini": "GeminiModel",
    "ollama": "OllamaModel",
}
EMBEDDERS: Mapping[str, str] = {"openai": "OpenAIEmbedder", "gemini": "GeminiEmbedder", "ollama": "OllamaEmbedder"}


def named_model(name: str, field: str = "model", environment: Mapping[str, str] = os.environ) -> ChatModel:
    """The model of that name. Raises InvalidOption for a name that says no provider and no address."""
    model: ChatModel = _made(name, field, MODELS, "OpenAIModel", environment)
    return model


def named_embedder(name: str, field: str = "embedder", environment: Mapping[str, str] = os.environ) -> Embedder:
    """The embedder of that name. Raises InvalidOption likewise."""
    if name.strip() == "static":
        return known.StaticEmbedder()
    embedder: Embedder = _made(name, field, EMBEDDERS, "OpenAIEmbedder", environment, "static")
    return embedder


def model_of(provider: str, model: str, **options: Any) -> ChatModel:
    """A provider's model. Raises InvalidOption for another provider than those of `MODELS`."""
    made: ChatModel = getattr(known, _class_of(provider, MODELS))(model, **options)
    return made


def embedder_of(provider: str, model: str, **options: Any) -> Embedder:
    """A provider's embedder; of one that has none of its own, an OpenAI-compatible one."""
    made: Embedder = getattr(known, EMBEDDERS.get(provider, EMBEDDERS["openai"]))(model, **options)
    return made


def _class_of(provider: str, classes: Mapping[str, str]) -> str:
    if provider not in classes:
        raise InvalidOption("provider", f"one of {', '.join(classes)}", provider)
    return classes[provider]


def key_of(variables: tuple[str, ...], environment: Mapping[str, str]) -> str | None:
    """The key that the first of these variables holds."""
    return next((key for variable in variables if (key := environment.get(variable, "").strip())), None)


def _made(
    name: str, field: str, classes: Mapping[str, str], compatible: str, environment: Mapping[str, str], *others: str
) -> Any:
    model, at, url = name.strip().rpartition("@")
    if at and model and url.startswith(("http://", "https://")):
        return getattr(known, compatible)(model, base_url=url, api_key=key_of(COMPATIBLE_KEYS, environment))
    provider, colon, model = name.strip().partition(":")
    if colon and model.strip() and provider in classes:
        return getattr(known, classes[provider])(model.strip(), api_key=key_of(KEYS[provider], environment))
    forms = [*others, *(f"{each}:NAME" for each in classes), "NAME@URL of an OpenAI-compatible endpoint"]
    raise InvalidOption(field, f"{', '.join(forms[:-1])} or {forms[-1]}", name)
