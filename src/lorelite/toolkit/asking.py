"""A model asked, whatever the caller gave as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lorelite import asking
from lorelite.errors import InvalidOption
from lorelite.given import as_model
from lorelite.ports import ChatModel, ModelReply, ModelRequest


def required_model(given: Any) -> ChatModel:
    """The model, or a function (system, user) → text as one. Raises InvalidOption for None and anything else."""
    model = as_model(given)
    if model is None:
        raise InvalidOption("model", "a ChatModel or a function (system, user) -> text", given)
    return model


async def ask_all(model: ChatModel, requests: Sequence[ModelRequest]) -> list[ModelReply]:
    """A reply for each request, in order. Raises ModelError when the model as a whole fails."""
    return await asking.complete(model, requests, lambda: False)


async def ask_one(model: ChatModel, request: ModelRequest) -> str:
    """The text of the reply. Raises what took its place."""
    [reply] = await ask_all(model, [request])
    if reply.error is not None:
        raise reply.error
    return reply.text
