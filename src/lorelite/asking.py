"""Asking models and embedders: no transaction is held open meanwhile, and what comes back has the shape it should."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar, cast

from lorelite.errors import (
    BadReply,
    BudgetExceeded,
    ContextOverflow,
    LoreliteError,
    ModelError,
    TransactionError,
    Truncated,
)
from lorelite.ports import ChatModel, Embedder, ModelReply, ModelRequest, RecordingEmbedder, StreamingModel
from lorelite.prompts.again import again
from lorelite.records import Usage
from lorelite.text.halving import middle_of

T = TypeVar("T")

InTransaction = Callable[[], bool]
"""Is a transaction open where the answers will be written?"""
Ask = Callable[[Sequence[ModelRequest]], Awaitable[list[ModelReply]]]
"""Sends requests: `complete` of an engine."""


def of_namespace(namespace: str, requests: Sequence[ModelRequest]) -> list[ModelRequest]:
    """The requests as calls of *namespace*."""
    return [replace(request, namespace=namespace) for request in requests]


async def complete(
    model: ChatModel, requests: Sequence[ModelRequest], in_transaction: InTransaction
) -> list[ModelReply]:
    """One reply for each request, in order.

    Raises ModelError, BudgetExceeded when a request was not sent, and TransactionError inside a transaction.
    """
    name = model.name
    check_no_transaction(name, in_transaction)
    try:
        replies = await model.complete(requests)
    except Exception as error:
        raise model_error(name, error) from error
    check_still_alone(name, in_transaction)
    is_whole = isinstance(replies, list) and len(replies) == len(requests)
    if not is_whole or not all(isinstance(reply, ModelReply) for reply in replies):
        raise ModelError(f"{name}: expected one ModelReply for each of {len(requests)} requests, found {replies!r}")
    for reply in replies:
        if isinstance(reply.error, BudgetExceeded):
            raise reply.error  # what was answered is recorded, and costs nothing when it is asked again
    return [_checked(name, reply) for reply in replies]


def _checked(name: str, reply: ModelReply) -> ModelReply:
    """The reply with an error of ours for any it carries, and for a text that was cut at the limit of tokens."""
    if reply.error is not None:
        return replace(reply, error=model_error(name, reply.error))
    if reply.finish == "length":
        cut = Truncated("a whole reply, not one cut off at the token limit", reply.text)
        return replace(reply, text="", error=cut)
    return reply


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """What was read of the reply to one request, or the error that took its place."""

    reply: ModelReply
    """The last; its usage is that of all."""
    value: T | None = None
    error: Exception | None = None
    unread: tuple[ModelReply, ...] = ()
    """Replies of which nothing could be read, to be judged where it is stored what became of them."""

    @property
    def result(self) -> T:
        """The value. Raises the error that took its place."""
        if self.error is not None:
            raise self.error
        return cast(T, self.value)


async def read_replies(
    ask: Ask, requests: Sequence[ModelRequest], read: Callable[[int, str], T], *, ask_again: bool = True
) -> list[Answered[T]]:
    """What *read* makes of the replies (place of the request, text), in order; it raises BadReply for an unusable one.

    Such a request is asked once more, with what was wrong, unless told not to; not one whose reply is sound and holds
    nothing. Where the second call fails, the first reply's error stands.
    """
    answered = [_read(at, reply, read) for at, reply in enumerate(await ask(requests))]
    unusable = {at: each.error for at, each in enumerate(answered) if each.unread and isinstance(each.error, BadReply)}
    unusable = {at: error for at, error in unusable.items() if not error.data["empty"]}
    if unusable and ask_again:
        replies = await ask([again(requests[at], error) for at, error in unusable.items()])
        for at, reply in zip(unusable, replies, strict=True):
            first, second = answered[at], _read(at, reply, read)
            usage = first.reply.usage + reply.usage
            if reply.error is not None:
                answered[at] = replace(first, reply=replace(first.reply, usage=usage))
            else:
                answered[at] = replace(
                    second, reply=replace(reply, usage=usage), unread=(*first.unread, *second.unread)
                )
    return answered


def _read(at: int, reply: ModelReply, read: Callable[[int, str], T]) -> Answered[T]:
    if reply.error is not None:
        return Answered(reply, error=reply.error)
    try:
        return Answered(reply, value=read(at, reply.text))
    except BadReply as error:
        return Answered(reply, error=error, unread=(reply,))


def is_too_much(error: Exception | None) -> bool:
    """Was more asked than the model can read, or answer in one reply?"""
    return isinstance(error, Truncated | ContextOverflow)


async def in_halves(
    text: str, start: int, end: int, ask_about: Callable[[Sequence[tuple[int, int]]], Awaitable[list[Answered[T]]]]
) -> list[Answered[T]]:
    """What is answered about both halves of a passage that was too much, and about halves of these, in order.

    ask_about: asks about spans of the text. Nothing, where the passage cannot be cut.
    """
    middle = middle_of(text, start, end)
    if middle is None:
        return []
    halves = [(start, middle), (middle, end)]
    found: list[Answered[T]] = []
    for span, answered in zip(halves, await ask_about(halves), strict=True):
        parts = await in_halves(text, *span, ask_about) if is_too_much(answered.error) else []
        found += parts or [answered]
    return found


async def stream(
    model: StreamingModel, request: ModelRequest, in_transaction: InTransaction
) -> AsyncGenerator[str | Usage, None]:
    """What the model streams. Raises as `complete` does; closed early, it ends the call."""
    name = getattr(model, "name", type(model).__name__)
    check_no_transaction(name, in_transaction)
    parts = model.stream(request)
    try:
        async for part in parts:
            check_still_alone(name, in_transaction)
            yield part
    except Exception as error:
        raise model_error(name, error) from error
    finally:
        if isinstance(parts, AsyncGenerator):
            await parts.aclose()


async def embed(
    embedder: Embedder,
    texts: Sequence[str],
    in_transaction: InTransaction,
    *,
    namespace: str = "",
    keep: bool = False,
) -> list[list[float]]:
    """One vector for each text, in order. Raises ModelError, and TransactionError inside a transaction.

    namespace: whose texts these are. keep: record the vectors, as those of questions, where calls are recorded.
    """
    name = embedder.model_id
    check_no_transaction(name, in_transaction)
    try:
        if isinstance(embedder, RecordingEmbedder):
            vectors = await embedder.embed_for(namespace, texts, keep=keep)
        else:
            vectors = await embedder.embed(texts)
    except Exception as error:
        raise model_error(name, error) from error
    check_still_alone(name, in_transaction)
    fault = _vectors_fault(vectors, len(texts))
    if fault:
        raise ModelError(
            f"embedder {name}: expected one vector of finite numbers, all of one length, for each of "
            f"{len(texts)} texts; found {type(vectors).__name__} {str(vectors)[:80]}",
            fault=fault,
        )
    return vectors


def check_no_transaction(name: str, in_transaction: InTransaction) -> None:
    """Raises TransactionError when a transaction is open."""
    if in_transaction():
        raise TransactionError(
            f"{name} was asked inside transaction(); a transaction is never held open while a model works: "
            "call this before or after it, or without a model"
        )


def check_still_alone(name: str, in_transaction: InTransaction) -> None:
    """Raises TransactionError when another task began a transaction meanwhile: our writes must not join it."""
    if in_transaction():
        raise TransactionError(
            f"another task began a transaction while {name} worked; call again when it has ended, "
            "what was stored before is kept"
        )


def model_error(name: str, error: Exception) -> LoreliteError:
    """An error of a model, as one of ours."""
    if isinstance(error, LoreliteError):
        return error
    return ModelError(f"{name} failed: {type(error).__name__}: {error}")


_MAX_FLOAT32 = 3.4e38


def _vectors_fault(vectors: object, count: int) -> str:
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
