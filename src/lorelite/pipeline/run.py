"""What one call on a knowledge graph works with: the knowledge, the models, and what it has cost so far."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal, Self

from lorelite import asking
from lorelite.call_records import CallStatus
from lorelite.errors import InsertAborted, ModelError
from lorelite.errors.base import shown
from lorelite.graph_records import InsertFailure
from lorelite.pipeline.knowledge import Knowledge
from lorelite.ports import ChatModel, Clock, Embedder, Ledger, ModelReply, ModelRequest, OnProgress
from lorelite.records import Progress, Usage

OnError = Literal["raise", "skip"]
MAX_ERRORS = 3


@dataclass(slots=True)
class Tally:
    """What a call has used and what went wrong; shared by all engines that `using` gives."""

    usage: Usage = field(default_factory=Usage)
    model_calls: int = 0
    """Requests sent, failed ones too."""
    failures: list[InsertFailure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEngine:
    """The one record that processors and strategies take; made anew for each call."""

    knowledge: Knowledge
    model: ChatModel | None = None
    """None: work without a model."""
    cheap_model: ChatModel | None = None
    """For summaries; None: `model`."""
    clock: Clock
    on_progress: OnProgress | None = None
    on_error: OnError = "raise"
    max_errors: int = MAX_ERRORS
    """More failures than these end a call that skips them."""
    blocking: bool = False
    """Is the caller one that cannot wait? Then models that are given to `using` must not suspend."""
    in_transaction: asking.InTransaction = lambda: False
    ledger: Ledger | None = None
    """What models are asked through, where the graph is kept in a file that records their calls."""
    tally: Tally = field(default_factory=Tally)

    @property
    def usage(self) -> Usage:
        return self.tally.usage

    @property
    def model_calls(self) -> int:
        return self.tally.model_calls

    @property
    def has_model(self) -> bool:
        return self.model is not None

    def using(
        self,
        *,
        model: ChatModel | None = None,
        cheap_model: ChatModel | None = None,
        embedder: Embedder | None = None,
    ) -> Self:
        """The same call with other models where they are given; what they use counts together.

        Raises AsyncOnlyModel for one that must be awaited when the caller cannot wait.
        """
        if self.blocking:
            model = model.as_blocking() if model else None
            cheap_model = cheap_model.as_blocking() if cheap_model else None
            embedder = embedder.as_blocking() if embedder else None
        if self.ledger is not None:
            model = self.ledger.of(model) if model else None
            cheap_model = self.ledger.of(cheap_model) if cheap_model else None
            embedder = self.ledger.embedding(embedder) if embedder else None
        return replace(
            self,
            model=model or self.model,
            cheap_model=cheap_model or self.cheap_model,
            knowledge=self.knowledge.with_embedder(embedder) if embedder else self.knowledge,
        )

    async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        """Ask the model: one reply for each request, in order, an error in its place where one failed.

        Raises ModelError without a model, and TransactionError inside a transaction.
        """
        return await self._ask(self.model, requests)

    async def cheap(self, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        """Ask the model for summaries; otherwise as `complete`."""
        return await self._ask(self.cheap_model or self.model, requests)

    def judge(self, reply: ModelReply, status: CallStatus) -> None:
        """Say what could be read of a reply: see Ledger.judge."""
        if self.ledger is not None:
            self.ledger.judge(reply, status)

    def failed(self, item_id: str, processor: str, error: Exception | str) -> None:
        """Note what could not be done with a chunk, or a community; call it when what could be done is stored.

        Raises InsertAborted under on_error="raise", and under "skip" when it is one more than `max_errors`.
        """
        reason = str(error) or type(error).__name__
        self.tally.failures.append(InsertFailure(item_id=item_id, processor=processor, reason=reason))
        count = len(self.tally.failures)
        if self.on_error == "skip" and count <= self.max_errors:
            return
        advice = "pass on_error='skip' to go on without it" if self.on_error == "raise" else "raise max_errors"
        raise InsertAborted(
            f"{processor} failed at {shown(item_id)}: {reason}"
            + (f" (failure {count} of at most {self.max_errors})" if self.on_error == "skip" else "")
            + f"; what was done is kept: insert again to go on from there, or {advice}",
            report=None,
        ) from (error if isinstance(error, Exception) else None)

    def warn(self, message: str) -> None:
        """Say in the report what the caller should know, each once."""
        if message not in self.tally.warnings:
            self.tally.warnings.append(message)

    def tell(self, stage: str, done: int, total: int, detail: str = "") -> None:
        """Hand a step to the caller's `on_progress`; what that raises is dropped."""
        if self.on_progress is not None:
            with suppress(Exception):
                self.on_progress(Progress(stage=stage, done=done, total=total, detail=detail))

    async def _ask(self, model: ChatModel | None, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        if model is None:
            raise ModelError("no model was given; pass model=… to create_graph, or open the wiki with model=…")
        if not requests:
            return []
        self.tally.model_calls += len(requests)
        replies = await asking.complete(
            model, asking.of_namespace(self.knowledge.namespace, requests), self.in_transaction
        )
        self.tally.usage = sum((reply.usage for reply in replies), self.tally.usage)
        return replies
