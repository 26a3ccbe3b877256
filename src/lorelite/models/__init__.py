"""Language models and embedders. Importing this package loads no HTTP library."""

from lorelite.models.callable_embedder import CallableEmbedder
from lorelite.models.callable_model import CallableModel
from lorelite.models.hash_embedder import HashEmbedder
from lorelite.models.openai import OpenAIModel
from lorelite.models.openai_embedder import OpenAIEmbedder
from lorelite.models.recorded import RecordedModel, request_key
from lorelite.models.scripted import ScriptedModel
from lorelite.models.static_embedder import StaticEmbedder
from lorelite.models.transport import AsyncTransport, BlockingTransport, HttpRequest, HttpResponse, Transport

__all__ = [
    "AsyncTransport",
    "BlockingTransport",
    "CallableEmbedder",
    "CallableModel",
    "HashEmbedder",
    "HttpRequest",
    "HttpResponse",
    "OpenAIEmbedder",
    "OpenAIModel",
    "RecordedModel",
    "ScriptedModel",
    "StaticEmbedder",
    "Transport",
    "request_key",
]
