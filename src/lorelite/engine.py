"""The one record every workflow takes: the store, the ports, the settings, the clock. Nobody rebinds it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from lorelite.errors import LoreliteError, ModelError, TransactionError
from lorelite.hooks import Diagnostic, Hooks
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
    hooks: Hooks = field(default_factory=Hooks)

    def tell(self, *diagnostics: Diagnostic) -> None:
        """Hand diagnostics to the caller's hook; call it outside of transactions."""
        if self.hooks.on_diagnostic is None:
            return
        for diagnostic in diagnostics:
            with suppress(Exception):
                self.hooks.on_diagnostic(diagnostic)

    async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        """Ask the model. Raises TransactionError inside a transaction: none is held open while a model thinks."""
        if self.model is None:
            raise ModelError("no model was given; open the wiki with model=…")
        name = self.model.name
        self._check_no_transaction(name)
        try:
            replies = await self.model.complete(requests)
        except Exception as error:
            raise _model_error(name, error) from error
        self._check_still_alone(name)
        is_whole = isinstance(replies, list) and len(replies) == len(requests)
        if not is_whole or not all(isinstance(reply, ModelReply) for reply in replies):
            raise ModelError(f"{name}: expected one ModelReply for each of {len(requests)} requests, found {replies!r}")
        return [
            reply if reply.error is None else replace(reply, error=_model_error(name, reply.error)) for reply in replies
        ]

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors for *texts*, in order. Raises TransactionError inside a transaction."""
        if self.embedder is None:
            raise ModelError("no embedder was given; open the wiki with embedder=…")
        name = self.embedder.model_id
        self._check_no_transaction(name)
        try:
            vectors = await self.embedder.embed(texts)
        except Exception as error:
            raise _model_error(name, error) from error
        self._check_still_alone(name)
        if not _are_vectors(vectors, len(texts)):
            raise ModelError(
                f"embedder {name}: expected one vector of finite numbers, all of one length, for each of "
                f"{len(texts)} texts; found {type(vectors).__name__} {str(vectors)[:80]}"
            )
        return vectors

    def _check_still_alone(self, name: str) -> None:
        """Raises TransactionError when another task began a transaction meanwhile: our writes must not join it."""
        if self.store.db.in_transaction:
            raise TransactionError(
                f"another task began a transaction while {name} worked; call again when it has ended, "
                "what was stored before is kept"
            )

    def _check_no_transaction(self, name: str) -> None:
        if self.store.db.in_transaction:
            raise TransactionError(
                f"{name} was asked inside transaction(); a transaction is never held open while a model works: "
                "call this before or after it, or without a model"
            )


_MAX_FLOAT32 = 3.4e38


def _are_vectors(vectors: object, count: int) -> bool:
    try:
        return (
            isinstance(vectors, Sequence)
            and len(vectors) == count
            and len({len(vector) for vector in vectors}) <= 1
            and all(len(vector) > 0 for vector in vectors)
            and all(abs(number) < _MAX_FLOAT32 for vector in vectors for number in vector)
        )
    except TypeError:
        return False


def _model_error(name: str, error: Exception) -> LoreliteError:
    if isinstance(error, LoreliteError):
        return error
    return ModelError(f"{name} failed: {type(error).__name__}: {error}")
