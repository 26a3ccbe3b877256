"""An embedding model behind HTTP: everything that does not depend on the API it speaks."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, Self, TypedDict

from lorelite.errors import InvalidOption
from lorelite.models.callable_embedder import checked_vectors
from lorelite.models.diagnosis import is_hopeless, is_local
from lorelite.models.pace import Pace
from lorelite.models.sending import Policy, send_patiently
from lorelite.models.tokens import estimated_tokens
from lorelite.models.transport import HttpRequest, Sent, Transport, default_transport
from lorelite.models.wire import read_json, without_key


class EmbeddingProtocol(Protocol):
    """One API, as one embedding model is asked through it. Pure."""

    @property
    def model_id(self) -> str: ...

    @property
    def url(self) -> str: ...

    @property
    def api_key(self) -> str | None: ...

    def build(self, texts: Sequence[str]) -> HttpRequest: ...

    def read(self, data: Mapping[str, Any], count: int) -> list[Any]:
        """The vectors, in the order of the texts, not yet checked. Raises BadReply for a body of another API."""
        ...


class EmbedderOptions(TypedDict, total=False):
    """The options of HttpEmbedder, which its subclasses hand on."""

    transport: Transport | None
    max_parallel: int
    max_retries: int
    requests_per_minute: float | None
    tokens_per_minute: float | None
    batch_size: int


class HttpEmbedder:
    """An Embedder that speaks *protocol*. The public embedders are subclasses.

    batch_size: texts in one request. The other options are those of HttpModel. `embed` raises ModelUnreachable,
    ModelRefused or BadReply: vectors of a part of the texts would be of no use.
    """

    def __init__(
        self,
        protocol: EmbeddingProtocol,
        *,
        transport: Transport | None = None,
        max_parallel: int = 4,
        max_retries: int = 3,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        batch_size: int = 64,
    ) -> None:
        if batch_size < 1:
            raise InvalidOption("batch_size", "1 or more", batch_size)
        self.protocol = protocol
        self.batch_size = batch_size
        self._pace = Pace(requests_per_minute, tokens_per_minute)
        self._policy = Policy(max_retries=max_retries)
        self._transport = transport or default_transport(max_parallel)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model_id!r})"

    @property
    def model_id(self) -> str:
        return self.protocol.model_id

    @property
    def url(self) -> str:
        return self.protocol.url

    @property
    def is_local(self) -> bool:
        """Does the model run on this machine? Then its calls cost nothing."""
        return is_local(self.url)

    @property
    def blocking(self) -> bool:
        return self._transport.blocking

    def as_blocking(self) -> Self:
        if self.blocking:
            return self
        twin = copy.copy(self)
        twin._transport = self._transport.as_blocking()
        return twin

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        batches = [texts[at : at + self.batch_size] for at in range(0, len(texts), self.batch_size)]
        jobs: list[Callable[[], Any]] = [partial(self._embed, batch) for batch in batches]
        results: list[list[list[float]]] = await self._transport.run_all(jobs)
        return checked_vectors([vector for vectors in results for vector in vectors], len(texts), self.model_id)

    async def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        # Endpoints refuse an empty text, so a space stands for it.
        built = self.protocol.build([text or " " for text in texts])
        sent: Sent = await send_patiently(
            self._transport,
            built,
            policy=self._policy,
            pace=self._pace,
            tokens=sum(map(estimated_tokens, texts)),
            is_hopeless=is_hopeless,
        )
        data = read_json(without_key(sent, self.protocol.api_key), self.url)
        return checked_vectors(self.protocol.read(data, len(texts)), len(texts), f"the embeddings of {self.url}")
