"""The one record every workflow takes: the store, the ports, the settings, the clock. Nobody rebinds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lorelite.errors import ModelError, TransactionError
from lorelite.ports import ChatModel, Clock, Embedder, ModelReply, ModelRequest
from lorelite.settings import WikiConfig
from lorelite.store.store import Store


@dataclass(frozen=True, slots=True)
class Engine:
    store: Store
    model: ChatModel | None
    embedder: Embedder | None
    config: WikiConfig
    clock: Clock

    async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        """Ask the model. Raises TransactionError inside a transaction: none is held open while a model thinks."""
        if self.model is None:
            raise ModelError("no model was given; open the wiki with model=…")
        self._check_no_transaction(self.model.name)
        return await self.model.complete(requests)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors for *texts*, in order. Raises TransactionError inside a transaction."""
        if self.embedder is None:
            raise ModelError("no embedder was given; open the wiki with embedder=…")
        self._check_no_transaction(self.embedder.model_id)
        vectors = await self.embedder.embed(texts)
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) > 1:
            raise ModelError(
                f"embedder {self.embedder.model_id} must give one vector of one length for each text, "
                f"found {len(vectors)} for {len(texts)}"
            )
        return vectors

    def _check_no_transaction(self, name: str) -> None:
        if self.store.db.in_transaction:
            raise TransactionError(
                f"{name} was asked inside transaction(); a transaction is never held open while a model works: "
                "call this before or after it, or without a model"
            )
