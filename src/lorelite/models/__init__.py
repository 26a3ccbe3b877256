"""Language models, embedders and a vector ranker. Importing this package loads no HTTP library and no extension."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lorelite.browser.model import BrowserEmbedder, BrowserModel
    from lorelite.models.anthropic import AnthropicModel
    from lorelite.models.callable_embedder import CallableEmbedder
    from lorelite.models.callable_model import CallableModel
    from lorelite.models.gemini import GeminiModel
    from lorelite.models.hash_embedder import HashEmbedder
    from lorelite.models.more_embedders import GeminiEmbedder, OllamaEmbedder
    from lorelite.models.ollama import OllamaModel
    from lorelite.models.openai import OpenAIModel
    from lorelite.models.openai_embedder import OpenAIEmbedder
    from lorelite.models.openai_responses import OpenAIResponsesModel
    from lorelite.models.recorded import RecordedModel, request_key
    from lorelite.models.scripted import ScriptedModel
    from lorelite.models.static_embedder import StaticEmbedder
    from lorelite.models.transport import AsyncTransport, BlockingTransport, HttpRequest, HttpResponse, Transport
    from lorelite.store.sqlite_vec_ranker import SqliteVecRanker

# Each is imported when it is first asked for: a tab compiles every module it imports.
_LATER = {
    "AnthropicModel": "models.anthropic",
    "AsyncTransport": "models.transport",
    "BlockingTransport": "models.transport",
    "BrowserEmbedder": "browser.model",
    "BrowserModel": "browser.model",
    "CallableEmbedder": "models.callable_embedder",
    "CallableModel": "models.callable_model",
    "GeminiEmbedder": "models.more_embedders",
    "GeminiModel": "models.gemini",
    "HashEmbedder": "models.hash_embedder",
    "HttpRequest": "models.transport",
    "HttpResponse": "models.transport",
    "OllamaEmbedder": "models.more_embedders",
    "OllamaModel": "models.ollama",
    "OpenAIEmbedder": "models.openai_embedder",
    "OpenAIModel": "models.openai",
    "OpenAIResponsesModel": "models.openai_responses",
    "RecordedModel": "models.recorded",
    "ScriptedModel": "models.scripted",
    "SqliteVecRanker": "store.sqlite_vec_ranker",
    "StaticEmbedder": "models.static_embedder",
    "Transport": "models.transport",
    "request_key": "models.recorded",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"lorelite.{_LATER[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


__all__ = [
    "AnthropicModel",
    "AsyncTransport",
    "BlockingTransport",
    "BrowserEmbedder",
    "BrowserModel",
    "CallableEmbedder",
    "CallableModel",
    "GeminiEmbedder",
    "GeminiModel",
    "HashEmbedder",
    "HttpRequest",
    "HttpResponse",
    "OllamaEmbedder",
    "OllamaModel",
    "OpenAIEmbedder",
    "OpenAIModel",
    "OpenAIResponsesModel",
    "RecordedModel",
    "ScriptedModel",
    "SqliteVecRanker",
    "StaticEmbedder",
    "Transport",
    "request_key",
]
