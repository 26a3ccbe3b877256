"""Embeddings from any endpoint that speaks the OpenAI format."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

from lorelite.errors import BadReply
from lorelite.models.http_embedder import EmbedderOptions, HttpEmbedder
from lorelite.models.openai import OPENAI, checked_model
from lorelite.models.transport import HttpRequest
from lorelite.models.wire import bearer, checked_key, endpoint, json_request


class OpenAIEmbedder(HttpEmbedder):
    """An embedding model behind an OpenAI-compatible endpoint; the options are those of `OpenAIModel`.

    dimensions: asks for shorter vectors, where the model can. batch_size: texts per HTTP request.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI,
        api_key: str | None = None,
        timeout: float = 120.0,
        dimensions: int | None = None,
        **options: Unpack[EmbedderOptions],
    ) -> None:
        url = endpoint(base_url, "/embeddings")
        super().__init__(
            OpenAIEmbeddings(checked_model(model), url, checked_key(api_key), timeout, dimensions),
            **options,
        )


@dataclass(frozen=True, slots=True)
class OpenAIEmbeddings:
    """/embeddings as an EmbeddingProtocol."""

    model: str
    url: str
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 120.0
    dimensions: int | None = None

    @property
    def model_id(self) -> str:
        return self.model if self.dimensions is None else f"{self.model}:{self.dimensions}"

    def build(self, texts: Sequence[str]) -> HttpRequest:
        payload: dict[str, Any] = {"model": self.model, "input": list(texts)}
        if self.dimensions is not None:
            payload["dimensions"] = self.dimensions
        return json_request(self.url, payload, bearer(self.api_key), self.timeout)

    def read(self, data: Mapping[str, Any], count: int) -> list[Any]:
        rows = data.get("data")
        if not isinstance(rows, list) or not all(isinstance(row, dict) and "embedding" in row for row in rows):
            raise BadReply("a list of embeddings", json.dumps(data, ensure_ascii=False))
        if all(isinstance(row.get("index"), int) for row in rows):
            rows = sorted(rows, key=lambda row: row["index"])  # some endpoints answer out of order
        return [row["embedding"] for row in rows]
