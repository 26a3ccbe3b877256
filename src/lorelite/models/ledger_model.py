"""A language model whose calls are recorded, and answered from those that were recorded before."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

from lorelite.call_records import Call, CallStatus, RecordedCall
from lorelite.errors import BadReply, BudgetExceeded, ModelError, OnlyForeseen
from lorelite.models.ledger import CallLedger, as_stored, error_kind
from lorelite.models.tokens import estimated_tokens, request_tokens
from lorelite.ports import (
    ChatModel,
    Classified,
    Classifier,
    ClassifyRequest,
    ListenedModel,
    Listener,
    ModelReply,
    ModelRequest,
    Parametrised,
    StreamingModel,
)
from lorelite.records import Estimate, Usage
from lorelite.spending import Hold, admitted, count, foresee, is_foreseeing
from lorelite.text.clean import clean_text

REPLY_SHARES = (0.2, 1.2)
"""How long replies are taken to be at least and at most, as a share of their requests."""
UNNAMED = "recorded calls"
"""The name of a model that is none, where nothing is recorded either."""


class LedgerModel:
    """A ChatModel that answers from the ledger what is in it, asks *model* for the rest, and records each reply as it
    arrives: a process that is killed has paid for nothing that it has to ask again.

    Two equal requests of one batch are sent once. Errors are recorded by their kind, and answer nothing. A reply of
    which nothing could be read (`judge`) answers nothing either, unless replay is "only".
    """

    def __init__(self, model: ChatModel | None, ledger: CallLedger) -> None:
        self.model = model
        self.ledger = ledger
        last = ledger.calls.newest("text") if model is None else None
        self.name = model.name if model is not None else last[0] if last else UNNAMED
        self._recorded_parameters = last[1] if last else {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r})"

    @property
    def blocking(self) -> bool:
        return self.model is None or self.model.blocking

    @property
    def parameters(self) -> Mapping[str, Any]:
        return self.model.parameters if isinstance(self.model, Parametrised) else self._recorded_parameters

    @property
    def max_output_tokens(self) -> int | None:
        """The longest reply in tokens, where one was set."""
        if self.model is None:
            found = self._recorded_parameters.get("max_tokens")
            return found if isinstance(found, int) else None
        limit: int | None = getattr(self.model, "max_output_tokens", None)
        return limit

    def as_blocking(self) -> ChatModel:
        return self if self.model is None else self.ledger.of(self.model.as_blocking())

    async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        return await self.complete_telling(requests, Listener())

    async def complete_telling(self, requests: Sequence[ModelRequest], listener: Listener) -> list[ModelReply]:
        """As `complete`; a recorded reply is told as one piece."""
        batch = _Batch(self, requests, listener)
        batch.answer_recorded()
        await batch.ask()
        return batch.whole()

    def foresee(self, requests: Sequence[ModelRequest], shortest: float, longest: float) -> Estimate:
        """See ports.Foreseeing."""
        calls = {call.prompt: (call, request) for request in requests for call in [self.call_of(request)]}
        recorded = self.recorded([call for call, _ in calls.values()])
        tokens = [request_tokens(request) for prompt, (_, request) in calls.items() if prompt not in recorded]
        low, high = (sum(round(share * each) for each in tokens) for share in (shortest, longest))
        return Estimate(
            calls=len(tokens),
            reused=len(requests) - len(tokens),
            input_tokens=sum(tokens),
            output_tokens_low=low,
            output_tokens_high=high,
            cost_low=self.cost(sum(tokens), low),
            cost_high=self.cost(sum(tokens), high),
        )

    # -- parts --------------------------------------------------------------------------------------------------

    def call_of(self, request: ModelRequest) -> Call:
        """The call of a request, so far without a reply."""
        return Call(
            namespace=request.namespace,
            purpose=clean_text(request.purpose),
            source_ref=clean_text(request.source_ref),
            model=clean_text(self.name),
            parameters=as_stored(self.parameters),
            system=clean_text(request.system),
            user=clean_text(request.user),
            schema=None if request.schema is None else as_stored(request.schema),
        )

    def recorded(self, calls: Sequence[Call]) -> dict[str, RecordedCall]:
        """Prompt → the recorded call that answers it best."""
        if self.ledger.replay == "off":
            return {}
        answers = self.ledger.calls.answers({call.prompt for call in calls})
        chosen: dict[str, RecordedCall] = {}
        for call in calls:
            fitting = [found for found in answers.get(call.prompt, ()) if self._fits(call, found)]
            if fitting:
                # `max` takes the first of equals, and the newest come first.
                chosen[call.prompt] = max(fitting, key=lambda found: _rank(call, found))
        return chosen

    def cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """What so many tokens of this model cost; nothing where it runs on this machine."""
        if getattr(self.model, "is_local", False):
            return 0.0
        return self.ledger.cost(self.name, input_tokens, output_tokens)

    def _fits(self, call: Call, found: RecordedCall) -> bool:
        if found.status == "none" and self.ledger.replay != "only":
            return False
        return self.model is None or (found.model == call.model and found.parameters == call.parameters)

    def reused(self, call: Call, found: Call, id: int | None) -> ModelReply:
        """The reply of a call to another one like it."""
        usage = Usage(reused=1)
        count(usage)
        return ModelReply(
            text=found.reply,
            usage=usage,
            finish=found.finish,  # type: ignore[arg-type]  # as a reply had it
            model=found.model,
            reused=True,
            call_id=self.ledger.reuse(call, found, id),
        )

    def kept(self, call: Call, request: ModelRequest, reply: ModelReply, elapsed_ms: int) -> tuple[ModelReply, Call]:
        """The reply with what it cost, and its call, as they were recorded."""
        usage, is_estimated = reply.usage, False
        # Of a model that says it sent nothing, as one that replays recordings, nothing is counted.
        if usage.calls and reply.error is None and not (usage.input_tokens or usage.output_tokens):
            is_estimated = True
            usage = replace(usage, input_tokens=request_tokens(request), output_tokens=estimated_tokens(reply.text))
        cost = self.cost(usage.input_tokens, usage.output_tokens)
        if self.ledger.prices is not None:
            usage = replace(usage, cost=cost)
        status: CallStatus = "ok"
        error, text = "", clean_text(reply.text)
        if reply.error is not None:
            status, error, text = "error", error_kind(reply.error), clean_text(_reply_in(reply.error))
        call = replace(
            call,
            reply=text,
            status=status,
            error=error,
            finish=reply.finish,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            tokens_estimated=is_estimated,
            cost=cost,
            duration_ms=reply.duration_ms or elapsed_ms,
            created_at=self.ledger.clock(),
        )
        id = self.ledger.record(call)
        said = text if reply.error is None else reply.text
        return replace(reply, text=said, usage=usage, duration_ms=call.duration_ms, call_id=id), call


def _tells(model: ChatModel) -> TypeGuard[ListenedModel]:
    """Does the model tell of each reply? Not one whose own `complete` would be passed by, as that of a subclass."""
    if not isinstance(model, ListenedModel) or "complete" in getattr(model, "__dict__", {}):
        return False
    makers = [vars(each) for each in type(model).__mro__ if vars(each).keys() & {"complete", "complete_telling"}]
    return "complete_telling" in makers[0]


class _Batch:
    """Requests that are answered together."""

    def __init__(self, model: LedgerModel, requests: Sequence[ModelRequest], listener: Listener) -> None:
        self._model = model
        self._requests = requests
        self._listener = listener
        self._calls = [model.call_of(request) for request in requests]
        self._replies: list[ModelReply | None] = [None] * len(requests)
        self._places: list[list[int]] = []
        """Of each request that is sent: the places of those that it answers."""
        self._holds: dict[int, Hold] = {}
        """What the calls under way have set aside, by the place of the request."""
        self._since = time.monotonic()

    def answer_recorded(self) -> None:
        """Put in what is recorded, or with replay "only" the error of what is not; the rest is to be asked."""
        model, replay = self._model, self._model.ledger.replay
        recorded = model.recorded(self._calls)
        asked: dict[str, list[int]] = {}
        for at, call in enumerate(self._calls):
            found = recorded.get(call.prompt)
            if found is not None:
                self._put(at, model.reused(call, found, found.id), tells=True)
            elif replay == "only":
                self._put(at, ModelReply(error=model.ledger.missing(call, by_model=model.model is not None)))
            else:
                asked.setdefault(f"{at}" if replay == "off" else call.prompt, []).append(at)
        self._places = list(asked.values())

    async def ask(self) -> None:
        """Ask for the rest, and record each reply as it arrives."""
        self._admit()
        try:
            await self._ask()
        finally:
            # What a call that was cancelled cost is not known; nothing stays set aside for it.
            for hold in self._holds.values():
                hold.settle(Usage())

    async def _ask(self) -> None:
        model = self._model.model
        if not self._places or model is None:
            return
        requests = [self._requests[places[0]] for places in self._places]
        try:
            if _tells(model):
                on_text = self._tell if self._listener.on_text is not None else None
                replies = await model.complete_telling(requests, Listener(on_reply=self._arrived, on_text=on_text))
            else:
                replies = await model.complete(requests)
        except Exception as error:
            for number in self._open():
                self._arrived(number, ModelReply(error=error))
            raise
        is_whole = isinstance(replies, list) and len(replies) == len(requests)
        if not is_whole or not all(isinstance(reply, ModelReply) for reply in replies):
            raise ModelError(
                f"{self._model.name}: expected one ModelReply for each of {len(requests)} requests, found {replies!r}"
            )
        for number in self._open():
            self._arrived(number, replies[number])

    def _admit(self) -> None:
        """Of the requests that are to be sent, keep those that the budgets hold; the others get the error."""
        kept: list[list[int]] = []
        for places in self._places:
            request = self._requests[places[0]]
            if is_foreseeing():
                foresee(self._model.foresee([request], *REPLY_SHARES))
                for at in places:
                    self._put(at, ModelReply(error=OnlyForeseen(request.purpose)))
                continue
            try:
                self._holds[places[0]] = admitted(request_tokens(request), self._model.cost, request.purpose)
                kept.append(places)
            except BudgetExceeded as error:
                for at in places:
                    self._put(at, ModelReply(error=error))
        self._places = kept

    def whole(self) -> list[ModelReply]:
        """All replies, in order."""
        return [reply for reply in self._replies if reply is not None]

    def _open(self) -> list[int]:
        """The numbers of the requests that were sent and have no reply yet."""
        return [number for number, places in enumerate(self._places) if self._replies[places[0]] is None]

    def _arrived(self, number: int, reply: ModelReply) -> None:
        first, *rest = self._places[number]
        if not isinstance(reply, ModelReply) or self._replies[first] is not None:
            return
        now = time.monotonic()
        elapsed, self._since = round((now - self._since) * 1000), now
        kept, call = self._model.kept(self._calls[first], self._requests[first], reply, elapsed)
        self._holds.pop(first).settle(kept.usage)
        self._put(first, kept)
        for at in rest:
            again = kept if kept.error else self._model.reused(self._calls[at], call, kept.call_id)
            self._put(at, replace(again, usage=Usage()) if kept.error else again, tells=True)

    def _put(self, at: int, reply: ModelReply, *, tells: bool = False) -> None:
        self._replies[at] = reply
        if tells and reply.text and self._listener.on_text is not None:
            self._listener.on_text(at, reply.text)
        if self._listener.on_reply is not None:
            self._listener.on_reply(at, reply)

    def _tell(self, number: int, piece: str) -> None:
        assert self._listener.on_text is not None
        self._listener.on_text(self._places[number][0], piece)


class _Classifying(LedgerModel):
    """One whose model is a classifier. Its answers are no text, and are not recorded."""

    async def classify(self, requests: Sequence[ClassifyRequest]) -> list[Classified]:
        """As the model does."""
        assert isinstance(self.model, Classifier)
        return await self.model.classify(requests)


class _Streaming(LedgerModel):
    """One whose model gives a reply as it is written."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | Usage]:
        """The pieces of the reply, recorded when it has ended; a recorded one as one piece."""
        assert isinstance(self.model, StreamingModel)
        call = self.call_of(request)
        found = self.recorded([call]).get(call.prompt)
        if found is not None:
            reply = self.reused(call, found, found.id)
            yield reply.text
            yield reply.usage
            return
        if self.ledger.replay == "only":
            raise self.ledger.missing(call, by_model=True)
        if is_foreseeing():
            foresee(self.foresee([request], *REPLY_SHARES))
            raise OnlyForeseen(request.purpose)
        hold = admitted(request_tokens(request), self.cost, request.purpose)
        began, pieces, usage = time.monotonic(), list[str](), Usage(calls=1)
        parts = self.model.stream(request)
        try:
            try:
                async for part in parts:
                    if isinstance(part, Usage):
                        usage = part
                    else:
                        pieces.append(part)
                        yield part
            except Exception as error:
                elapsed = round((time.monotonic() - began) * 1000)
                kept, _ = self.kept(call, request, ModelReply(error=error, usage=usage), elapsed)
                usage = kept.usage
                raise
            elapsed = round((time.monotonic() - began) * 1000)
            kept, _ = self.kept(call, request, ModelReply(text="".join(pieces), usage=usage), elapsed)
            usage = kept.usage
            yield usage
        finally:
            hold.settle(usage)
            if isinstance(parts, AsyncGenerator):
                await parts.aclose()


class _ClassifyingStreaming(_Classifying, _Streaming):
    """Both."""


def ledger_model(model: ChatModel | None, ledger: CallLedger) -> LedgerModel:
    """A LedgerModel that can what its model can."""
    return _KINDS[isinstance(model, Classifier), isinstance(model, StreamingModel)](model, ledger)


_KINDS: Mapping[tuple[bool, bool], type[LedgerModel]] = {
    (False, False): LedgerModel,
    (True, False): _Classifying,
    (False, True): _Streaming,
    (True, True): _ClassifyingStreaming,
}
"""(is a classifier, can stream) → the class."""


def _reply_in(error: Exception) -> str:
    """What the model wrote, where that is what is wrong."""
    return str(error.data["reply"]) if isinstance(error, BadReply) else ""


def _rank(call: Call, found: RecordedCall) -> tuple[bool, bool, bool]:
    is_own = (found.namespace, found.source_ref) == (call.namespace, call.source_ref)
    return found.status != "none", found.model == call.model and found.parameters == call.parameters, is_own
