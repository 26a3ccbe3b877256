"""Language models, embedders and a vector ranker. Importing this package loads no HTTP library and no extension."""

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
    "SqliteVecRanker",
    "StaticEmbedder",
    "Transport",
    "request_key",
]
