"""Language models, embedders and a vector ranker. Importing this package loads no HTTP library and no extension."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lorelite.browser.model import BrowserEmbedder, BrowserModel
    from lorelite.models.callable_embedder import CallableEmbedder
    from lorelite.models.callable_model import CallableModel
    from lorelite.models.hash_embedder import HashEmbedder
    from lorelite.models.openai import OpenAIModel
    from lorelite.models.openai_embedder import OpenAIEmbedder
    from lorelite.models.recorded import RecordedModel, request_key
    from lorelite.models.scripted import ScriptedModel
    from lorelite.models.static_embedder import StaticEmbedder
    from lorelite.models.transport import AsyncTransport, BlockingTransport, HttpRequest, HttpResponse, Transport
    from lorelite.store.sqlite_vec_ranker import SqliteVecRanker

# Each is imported when it is first asked for: a tab compiles every module it imports.
_LATER = {
    "AsyncTransport": "models.transport",
    "BlockingTransport": "models.transport",
    "BrowserEmbedder": "browser.model",
    "BrowserModel": "browser.model",
    "CallableEmbedder": "models.callable_embedder",
    "CallableModel": "models.callable_model",
    "HashEmbedder": "models.hash_embedder",
    "HttpRequest": "models.transport",
    "HttpResponse": "models.transport",
    "OpenAIEmbedder": "models.openai_embedder",
    "OpenAIModel": "models.openai",
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
    "AsyncTransport",
    "BlockingTransport",
    "BrowserEmbedder",
    "BrowserModel",
    "CallableEmbedder",
    "CallableModel",
    "HashEmbedder",
    "HttpRequest",
    "HttpResponse",
    "OpenAIEmbedder",
    "OpenAIModel",
    "RecordedModel",
    "ScriptedModel",
    "SqliteVecRanker",
    "StaticEmbedder",
    "Transport",
    "request_key",
]
