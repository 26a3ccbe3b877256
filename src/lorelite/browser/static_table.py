"""The StaticEmbedder of a page whose wheel was made without the table: the table is fetched at the first text."""

from __future__ import annotations

from collections.abc import Sequence

import js
from pyodide.ffi import JsException

from lorelite.errors import AsyncOnlyModel, ModelRefused, ModelUnreachable
from lorelite.models import StaticEmbedder
from lorelite.ports import Embedder


class FetchedEmbedder:
    """A StaticEmbedder with the table at *url*. A table that did not come is fetched again for the next text."""

    blocking = False
    in_process = True
    model_id = StaticEmbedder.model_id

    def __init__(self, url: str) -> None:
        self.url = url
        self._embedder: StaticEmbedder | None = None

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self._embedder is None:
            self._embedder = StaticEmbedder(await _fetched(self.url))
        return await self._embedder.embed(texts)

    def as_blocking(self) -> Embedder:
        raise AsyncOnlyModel("the browser's fetch")


async def _fetched(url: str) -> bytes:
    try:
        response = await js.fetch(url)
        body = (await response.arrayBuffer()).to_bytes()
    except JsException as error:
        raise ModelUnreachable(url, error.message or error.name) from error
    if not response.ok:
        raise ModelRefused(url, int(response.status), "the table of StaticEmbedder is not there")
    return bytes(body)
