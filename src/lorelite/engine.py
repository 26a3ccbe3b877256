"""The one record every workflow takes: the store, the ports, the settings, the clock. Nobody rebinds it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from lorelite.errors import LoreliteError, ModelError, RankerFailed, TransactionError
from lorelite.hooks import Diagnostic, Hooks
from lorelite.ports import (
    ChatModel,
    Classified,
    Classifier,
    ClassifyRequest,
    Clock,
    Embedder,
    GuardedRanker,
    ModelReply,
    ModelRequest,
)
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
    ranker: GuardedRanker | None = None

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

    async def classify(self, requests: Sequence[ClassifyRequest]) -> list[Classified]:
        """Ask the model's classifier; its answers are not checked. Raises TransactionError inside a transaction."""
        if not isinstance(self.model, Classifier):
            raise ModelError("the model has no classifier (a method classify)")
        self._check_no_transaction(self.model.name)
        try:
            answers = await self.model.classify(requests)
        except Exception as error:
            raise _model_error(self.model.name, error) from error
        self._check_still_alone(self.model.name)
        if not isinstance(answers, list) or len(answers) != len(requests):
            raise ModelError(f"{self.model.name}: expected a list of {len(requests)} answers, found {answers!r}")
        return answers

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
        fault = vectors_fault(vectors, len(texts))
        if fault:
            raise ModelError(
                f"embedder {name}: expected one vector of finite numbers, all of one length, for each of "
                f"{len(texts)} texts; found {type(vectors).__name__} {str(vectors)[:80]}",
                fault=fault,
            )
        return vectors

    async def nearest(
        self, namespace: str, vector: Sequence[float], candidate_ids: Sequence[str] | None, limit: int
    ) -> list[tuple[str, float]]:
        """What the vector ranker says. Raises RankerFailed, and TransactionError inside a transaction."""
        ranker = self._ranker_outside_transaction()
        failure: LoreliteError
        try:
            found = await ranker.nearest(namespace, vector, candidate_ids, limit)
            self._check_still_alone(ranker.name)
            return found
        except TransactionError:
            raise
        except Exception as error:
            failure = self._ranker_error(ranker.name, error)
        # Outside of the handler, or the withheld error would hang on as its context.
        raise failure

    async def tell_ranker(
        self, namespace: str, node_id: str, vector: Sequence[float] | None, timeout_ms: int | None = None
    ) -> None:
        """Tell the vector ranker of a vector, or with None that it must go. Raises as `nearest` does."""
        ranker = self._ranker_outside_transaction()
        failure: LoreliteError
        try:
            return await ranker.persisted(namespace, node_id, vector, timeout_ms)
        except Exception as error:
            failure = self._ranker_error(ranker.name, error)
        raise failure

    def checks_quotes_of(self, writer: str) -> bool:
        """Is what a model says as *writer*, for example "librarian", held against the words it quotes?"""
        return self.config.grounding == "draft" and writer in self.config.grounding_writers

    def _ranker_outside_transaction(self) -> GuardedRanker:
        assert self.ranker is not None
        self._check_no_transaction(self.ranker.name)
        return self.ranker

    def _ranker_error(self, name: str, error: Exception) -> RankerFailed:
        if self.config.sanitize_ranker_errors:
            return RankerFailed(name, type(error).__name__)
        failure = RankerFailed(name, type(error).__name__, str(error))
        failure.__cause__ = error
        return failure

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


def vectors_fault(vectors: object, count: int) -> str:
    """What is wrong with an embedder's answer to *count* texts: "invalid_vector", "float32_overflow", or "" nothing."""
    try:
        is_sound = (
            isinstance(vectors, Sequence)
            and len(vectors) == count
            and len({len(vector) for vector in vectors}) <= 1
            and all(len(vector) > 0 for vector in vectors)
        )
        if not is_sound or not all(all(map(math.isfinite, vector)) for vector in vectors):  # type: ignore[attr-defined]
            return "invalid_vector"
        fits = all(max(map(abs, vector)) < _MAX_FLOAT32 for vector in vectors)  # type: ignore[attr-defined]
        return "" if fits else "float32_overflow"
    except (TypeError, OverflowError):
        return "invalid_vector"


def _model_error(name: str, error: Exception) -> LoreliteError:
    if isinstance(error, LoreliteError):
        return error
    return ModelError(f"{name} failed: {type(error).__name__}: {error}")
