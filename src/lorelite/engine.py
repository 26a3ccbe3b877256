"""The one record every workflow takes: the store, the ports, the settings, the clock. Nobody rebinds it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from lorelite import asking
from lorelite.call_records import CallStatus
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
    Ledger,
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
    ledger: Ledger | None = None
    """What the model and the embedder are asked through."""

    def tell(self, *diagnostics: Diagnostic) -> None:
        """Hand diagnostics to the caller's hook; call it outside of transactions."""
        if self.hooks.on_diagnostic is None:
            return
        for diagnostic in diagnostics:
            with suppress(Exception):
                self.hooks.on_diagnostic(diagnostic)

    async def complete(self, namespace: str, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        """Ask the model. Raises TransactionError inside a transaction: none is held open while a model thinks."""
        if self.model is None:
            raise ModelError("no model was given; open the wiki with model=…")
        return await asking.complete(self.model, asking.of_namespace(namespace, requests), self._in_transaction)

    def judge(self, reply: ModelReply, status: CallStatus) -> None:
        """Say what could be read of a reply: see Ledger.judge."""
        if self.ledger is not None:
            self.ledger.judge(reply, status)

    async def classify(self, requests: Sequence[ClassifyRequest]) -> list[Classified]:
        """Ask the model's classifier; its answers are not checked. Raises TransactionError inside a transaction."""
        if not isinstance(self.model, Classifier):
            raise ModelError("the model has no classifier (a method classify)")
        asking.check_no_transaction(self.model.name, self._in_transaction)
        try:
            answers = await self.model.classify(requests)
        except Exception as error:
            raise asking.model_error(self.model.name, error) from error
        asking.check_still_alone(self.model.name, self._in_transaction)
        if not isinstance(answers, list) or len(answers) != len(requests):
            raise ModelError(f"{self.model.name}: expected a list of {len(requests)} answers, found {answers!r}")
        return answers

    async def embed(self, namespace: str, texts: Sequence[str], *, keep: bool = False) -> list[list[float]]:
        """Vectors for *texts*, in order. Raises TransactionError inside a transaction.

        keep: let the ledger keep them, as those of questions, which no node has.
        """
        if self.embedder is None:
            raise ModelError("no embedder was given; open the wiki with embedder=…")
        return await asking.embed(self.embedder, texts, self._in_transaction, namespace=namespace, keep=keep)

    async def nearest(
        self, namespace: str, vector: Sequence[float], candidate_ids: Sequence[str] | None, limit: int
    ) -> list[tuple[str, float]]:
        """What the vector ranker says. Raises RankerFailed, and TransactionError inside a transaction."""
        ranker = self._ranker_outside_transaction()
        failure: LoreliteError
        try:
            found = await ranker.nearest(namespace, vector, candidate_ids, limit)
            asking.check_still_alone(ranker.name, self._in_transaction)
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
        asking.check_no_transaction(self.ranker.name, self._in_transaction)
        return self.ranker

    def _ranker_error(self, name: str, error: Exception) -> RankerFailed:
        if self.config.sanitize_ranker_errors:
            return RankerFailed(name, type(error).__name__)
        failure = RankerFailed(name, type(error).__name__, str(error))
        failure.__cause__ = error
        return failure

    def _in_transaction(self) -> bool:
        return self.store.db.in_transaction
