"""The call ledger: models and embedders whose calls are recorded, and answered from those recorded before."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from lorelite.call_records import Call, CallKind, CallStatus, RecordedCall, Replay
from lorelite.errors import CallNotRecorded, ModelRefused, ModelUnreachable, StoreError
from lorelite.models.nearest_call import nearest_call
from lorelite.ports import ChatModel, Clock, Embedder, ModelReply
from lorelite.text.clean import clean_text

_MOST_COMPARED = 200
"""Recorded calls that one which is not recorded is compared with."""


class CallLog(Protocol):
    """Where calls are kept; see store/calls.py."""

    def record(self, call: Call) -> int | None: ...

    def note_use(self, id: int) -> None: ...

    def judge(self, id: int, status: CallStatus) -> None: ...

    def answers(self, prompts: Iterable[str]) -> dict[str, list[RecordedCall]]: ...

    def newest(self, kind: CallKind) -> tuple[str, Mapping[str, Any]] | None: ...

    def alike(self, namespace: str, purpose: str, limit: int) -> list[RecordedCall]: ...


class PriceList(Protocol):
    """What models cost."""

    def cost(self, model: str, input_tokens: int, output_tokens: int) -> float | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLedger:
    """The recorded calls of one file, and how they are used."""

    calls: CallLog
    clock: Clock
    replay: Replay = "auto"
    """auto: a call that was recorded is answered from there; off: all are sent; only: none is."""
    records: bool = True
    prices: PriceList | None = None
    on_lost: Callable[[str, StoreError], None] = lambda namespace, error: None
    """Told of the namespace of a call that was answered, and could not be recorded."""

    def of(self, model: ChatModel | None) -> ChatModel:
        """The model, its calls recorded; None: recorded calls are all there is (replay "only")."""
        from lorelite.models.ledger_model import LedgerModel, ledger_model

        if isinstance(model, LedgerModel):
            if model.ledger is self:
                return model
            model = model.model
        return ledger_model(model, self)

    def embedding(self, embedder: Embedder | None) -> Embedder:
        """The embedder, its calls recorded unless it works in this process at no cost."""
        from lorelite.models.ledger_embedder import LedgerEmbedder

        if isinstance(embedder, LedgerEmbedder):
            if embedder.ledger is self:
                return embedder
            embedder = embedder.embedder
        if embedder is not None and getattr(embedder, "in_process", False):
            return embedder
        return LedgerEmbedder(embedder, self)

    def judge(self, reply: ModelReply, status: CallStatus) -> None:
        """See ports.Ledger."""
        if self.records and reply.call_id is not None:
            try:
                self.calls.judge(reply.call_id, status)
            except StoreError as error:
                self.on_lost("", error)

    def record(self, call: Call) -> int | None:
        """Keep a call; what the file has no room for is told, and the reply goes on without."""
        if not self.records:
            return None
        try:
            return self.calls.record(call)
        except StoreError as error:
            self.on_lost(call.namespace, error)
            return None

    def reuse(self, call: Call, found: Call, id: int | None) -> int | None:
        """Note that a recorded call answers this one; one of another namespace or document is kept for both, so that
        either can be forgotten. Gives the id of the call that stands for this one."""
        if self.records and (found.namespace, found.source_ref) != (call.namespace, call.source_ref):
            copy = replace(
                call,
                model=found.model,
                parameters=found.parameters,
                reply=found.reply,
                status=found.status,
                finish=found.finish,
                created_at=self.clock(),
                is_copy=True,
            )
            return self.record(copy)
        if id is not None:
            self.calls.note_use(id)
        return id

    def cost(self, model: str, input_tokens: int, output_tokens: int) -> float | None:
        """None: the model has no known price."""
        return None if self.prices is None else self.prices.cost(model, input_tokens, output_tokens)

    def missing(self, call: Call, *, by_model: bool) -> CallNotRecorded:
        """The error of a call that is not recorded, with the recorded one that comes nearest.

        by_model: does only a call of the same model answer it?
        """
        candidates = self.calls.alike(call.namespace, call.purpose, _MOST_COMPARED)
        return CallNotRecorded(call.prompt, call.purpose, nearest_call(call, candidates, by_model=by_model))


def error_kind(error: Exception) -> str:
    """Which error it is, and of which cause, in words that hold nothing of what was sent."""
    told = error.data if isinstance(error, ModelRefused | ModelUnreachable) else {}
    beside = [str(told[name]) for name in ("cause", "status") if name in told]
    return " ".join([type(error).__name__, *beside])


def as_stored(value: Mapping[str, Any]) -> dict[str, Any]:
    """The mapping as the file gives it back."""
    plain: dict[str, Any] = json.loads(json.dumps(dict(value), default=str), object_pairs_hook=_storable)
    return plain


def _storable(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {clean_text(name): _storable_value(value) for name, value in pairs}


def _storable_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_storable_value(each) for each in value]
    return clean_text(value) if isinstance(value, str) else value
