"""Embeddings from any endpoint that speaks the OpenAI format."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

from lorelite.errors import BadReply, InvalidOption
from lorelite.models.callable_embedder import checked_vectors
from lorelite.models.openai import OPENAI
from lorelite.models.retry import send_with_retries
from lorelite.models.transport import HttpRequest, Sent, Transport, default_transport
from lorelite.models.wire import checked_key, endpoint, json_request, read_json, without_key


class OpenAIEmbedder:
    """An embedding model behind an OpenAI-compatible endpoint; the options are those of `OpenAIModel`.

    dimensions: asks for shorter vectors, where the model can. batch_size: texts per HTTP request.
    `embed` raises ModelUnreachable, ModelRefused or BadReply.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI,
        api_key: str | None = None,
        transport: Transport | None = None,
        max_parallel: int = 4,
        timeout: float = 120.0,
        max_retries: int = 3,
        dimensions: int | None = None,
        batch_size: int = 64,
    ) -> None:
        if not model:
            raise InvalidOption("model", "the name of a model the endpoint serves", model)
        if batch_size < 1:
            raise InvalidOption("batch_size", "1 or more", batch_size)
        self.model = model
        self.dimensions = dimensions
        self.url = endpoint(base_url, "/embeddings")
        self.timeout = timeout
        self.max_retries = max_retries
        self.batch_size = batch_size
        self._api_key = checked_key(api_key)
        self._transport = transport or default_transport(max_parallel)

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self.model_id!r})"

    @property
    def model_id(self) -> str:
        return self.model if self.dimensions is None else f"{self.model}:{self.dimensions}"

    @property
    def blocking(self) -> bool:
        return self._transport.blocking

    def as_blocking(self) -> OpenAIEmbedder:
        if self.blocking:
            return self
        twin = copy.copy(self)
        twin._transport = self._transport.as_blocking()
        return twin

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        batches = [texts[at : at + self.batch_size] for at in range(0, len(texts), self.batch_size)]
        if not batches:
            return []
        requests = [self._build(batch) for batch in batches]
        sent = await send_with_retries(self._transport, requests, self.max_retries)
        vectors: list[list[float]] = []
        for batch, each in zip(batches, sent, strict=True):
            vectors += parse_embeddings(without_key(each, self._api_key), self.url, len(batch))
        return checked_vectors(vectors, len(texts), self.model_id)

    def _build(self, texts: Sequence[str]) -> HttpRequest:
        return build_embedding_request(
            texts,
            model=self.model,
            url=self.url,
            api_key=self._api_key,
            timeout=self.timeout,
            dimensions=self.dimensions,
        )


def build_embedding_request(
    texts: Sequence[str],
    *,
    model: str,
    url: str,
    api_key: str | None = None,
    timeout: float = 120.0,
    dimensions: int | None = None,
) -> HttpRequest:
    """The HTTP request for the vectors of *texts*. Endpoints refuse an empty text, so a space stands for it."""
    payload: dict[str, Any] = {"model": model, "input": [text or " " for text in texts]}
    if dimensions is not None:
        payload["dimensions"] = dimensions
    return json_request(url, payload, api_key, timeout)


def parse_embeddings(sent: Sent, url: str, count: int) -> list[list[float]]:
    """The *count* vectors of a response, in the order of the texts. Raises ModelError when they are not there."""
    data = read_json(sent, url)
    rows = data.get("data")
    if not isinstance(rows, list) or not all(isinstance(row, dict) and "embedding" in row for row in rows):
        raise BadReply("a list of embeddings", json.dumps(data, ensure_ascii=False))
    if all(isinstance(row.get("index"), int) for row in rows):
        rows = sorted(rows, key=lambda row: row["index"])  # some endpoints answer out of order
    return checked_vectors([row["embedding"] for row in rows], count, f"the embeddings of {url}")
