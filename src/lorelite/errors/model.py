"""The language model or the embedder failed."""

from __future__ import annotations

from typing import Literal

from lorelite.errors.base import LoreliteError, shown


class ModelError(LoreliteError):
    """The language model or the embedder failed."""


Cause = Literal[
    "key", "origin", "mixed_content", "network", "timeout", "model", "quota", "rate", "overload", "context", "request",
    "server",
]  # fmt: skip
"""What was at fault, in `data["cause"]` of ModelUnreachable and ModelRefused."""


class ModelUnreachable(ModelError):
    """No connection to the endpoint, or no answer in time. `data["cause"]` is one of Cause."""

    def __init__(self, url: str, reason: str, *, cause: Cause = "network", advice: str = "") -> None:
        super().__init__(
            f"the model endpoint {url} cannot be reached: {reason}; "
            + (advice or "check that it runs, the address, and (in a browser) that it allows this page's origin"),
            url=url,
            reason=reason,
            cause=cause,
        )


class ModelRefused(ModelError):
    """The endpoint answered with an error status. `data["cause"]` is one of Cause."""

    def __init__(self, url: str, status: int, detail: str, *, cause: Cause = "request", advice: str = "") -> None:
        hint = {
            401: "check the API key",
            403: "check the API key and the allowed origins",
            404: "check the address and the model's name",
            429: "wait, or lower the request rate",
        }.get(status, "see the endpoint's log")
        super().__init__(
            f"the model endpoint {url} answered with status {status}: {shown(detail, 300)}; {advice or hint}",
            url=url,
            status=status,
            detail=detail,
            cause=cause,
        )


class ContextOverflow(ModelRefused):
    """The request is longer than the model can read: ask about less at a time."""


class BadReply(ModelError):
    """The reply cannot be understood. `data["reply"]` holds its text.

    `data["empty"]` is True when it is sound JSON that holds none of what was asked for, such as {"answer": "sorry"}.
    """

    def __init__(self, expected: str, reply: str, *, empty: bool = False) -> None:
        super().__init__(
            f"the model's reply cannot be used: expected {expected}, found {shown(reply, 200)}",
            expected=expected,
            reply=reply,
            empty=empty,
        )


class Truncated(BadReply):
    """The reply was cut at the limit of tokens, and could not be continued: ask about less at a time."""


class BudgetExceeded(ModelError):
    """A call was not sent, because it would not have fitted the budget; what was done is kept, call again to go on."""

    def __init__(self, spent: str, budget: str, purpose: str) -> None:
        super().__init__(
            f"the budget of {budget} does not hold the next call ({purpose or 'unnamed'}): {spent} are spent; what was "
            "done is kept: call again with a larger budget to go on from there",
            spent=spent,
            budget=budget,
            purpose=purpose,
        )


class OnlyForeseen(ModelError):
    """A call was counted and not sent, within `foreseeing()`; what its reply would have led to is not known."""

    def __init__(self, purpose: str) -> None:
        super().__init__(
            f"this call (purpose {purpose or 'unnamed'}) was counted and not sent: within foreseeing() costs are only "
            "estimated; call again outside of it",
            purpose=purpose,
        )


class CallNotRecorded(ModelError):
    """Calls are answered from the file alone (replay="only"), and this one is not in it."""

    def __init__(self, key: str, purpose: str, nearest: str) -> None:
        super().__init__(
            f"no recorded call answers this one (purpose {purpose or 'unnamed'}, key {key}); {nearest}; "
            'open the wiki with a model and replay="auto" to record it',
            key=key,
            purpose=purpose,
            nearest=nearest,
        )


class RankerFailed(ModelError):
    """The vector ranker failed. Its own message is withheld unless `WikiConfig.sanitize_ranker_errors` is off."""

    def __init__(self, name: str, error: str, detail: str | None = None) -> None:
        reason = "its message is withheld, since it may hold keys or addresses; see WikiConfig.sanitize_ranker_errors"
        super().__init__(f"vector ranker {name} failed with {error}: {detail or reason}", name=name, error=error)


class AsyncOnlyModel(ModelError, TypeError):
    """A model, embedder or vector ranker that must be awaited was given to the blocking `Wiki`."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} must be awaited and cannot serve the blocking Wiki; use AsyncWiki", name=name)
