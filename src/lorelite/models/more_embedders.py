"""Embeddings from Google's Gemini API and from Ollama's own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

from lorelite.errors import BadReply
from lorelite.models.gemini import GEMINI, gemini_headers, gemini_url
from lorelite.models.http_embedder import EmbedderOptions, HttpEmbedder
from lorelite.models.ollama import OLLAMA, ollama_url
from lorelite.models.openai import checked_model
from lorelite.models.transport import HttpRequest
from lorelite.models.wire import bearer, checked_key, json_request


class GeminiEmbedder(HttpEmbedder):
    """An embedding model of Google's; the options are those of `OpenAIEmbedder`."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str = GEMINI,
        api_key: str | None = None,
        timeout: float = 120.0,
        dimensions: int | None = None,
        **options: Unpack[EmbedderOptions],
    ) -> None:
        url = gemini_url(base_url, checked_model(model)) + ":batchEmbedContents"
        super().__init__(
            GeminiEmbeddings(model.removeprefix("models/"), url, checked_key(api_key), timeout, dimensions),
            **options,
        )


class OllamaEmbedder(HttpEmbedder):
    """An embedding model that Ollama serves; the options are those of `OpenAIEmbedder`."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OLLAMA,
        api_key: str | None = None,
        timeout: float = 600.0,
        **options: Unpack[EmbedderOptions],
    ) -> None:
        options.setdefault("max_parallel", 1)
        url = ollama_url(base_url, "/api/embed")
        super().__init__(
            OllamaEmbeddings(checked_model(model), url, checked_key(api_key), timeout),
            **options,
        )


@dataclass(frozen=True, slots=True)
class GeminiEmbeddings:
    """batchEmbedContents as an EmbeddingProtocol."""

    model: str
    url: str
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 120.0
    dimensions: int | None = None

    @property
    def model_id(self) -> str:
        return self.model if self.dimensions is None else f"{self.model}:{self.dimensions}"

    def build(self, texts: Sequence[str]) -> HttpRequest:
        size = {} if self.dimensions is None else {"outputDimensionality": self.dimensions}
        asked = [{"model": f"models/{self.model}", "content": {"parts": [{"text": text}]}, **size} for text in texts]
        return json_request(self.url, {"requests": asked}, gemini_headers(self.api_key), self.timeout)

    def read(self, data: Mapping[str, Any], count: int) -> list[Any]:
        rows = data.get("embeddings")
        if not isinstance(rows, list) or not all(isinstance(row, dict) and "values" in row for row in rows):
            raise BadReply("a list of embeddings", json.dumps(data, ensure_ascii=False))
        return [row["values"] for row in rows]


@dataclass(frozen=True, slots=True)
class OllamaEmbeddings:
    """/api/embed as an EmbeddingProtocol."""

    model: str
    url: str
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 600.0

    @property
    def model_id(self) -> str:
        return self.model

    def build(self, texts: Sequence[str]) -> HttpRequest:
        payload = {"model": self.model, "input": list(texts)}
        return json_request(self.url, payload, bearer(self.api_key), self.timeout)

    def read(self, data: Mapping[str, Any], count: int) -> list[Any]:
        rows = data.get("embeddings")
        if not isinstance(rows, list):
            raise BadReply("a list of embeddings", json.dumps(data, ensure_ascii=False))
        return rows
