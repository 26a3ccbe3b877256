"""The language model or the embedder failed."""

from __future__ import annotations

from lorelite.errors.base import LoreliteError, shown


class ModelError(LoreliteError):
    """The language model or the embedder failed."""


class ModelUnreachable(ModelError):
    """No connection to the endpoint, or no answer in time."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(
            f"the model endpoint {url} cannot be reached: {reason}; "
            "check that it runs, the address, and (in a browser) that it allows this page's origin",
            url=url,
            reason=reason,
        )


class ModelRefused(ModelError):
    """The endpoint answered with an error status."""

    def __init__(self, url: str, status: int, detail: str) -> None:
        hint = {
            401: "check the API key",
            403: "check the API key and the allowed origins",
            404: "check the address and the model's name",
            429: "wait, or lower the request rate",
        }.get(status, "see the endpoint's log")
        super().__init__(
            f"the model endpoint {url} answered with status {status}: {shown(detail, 300)}; {hint}",
            url=url,
            status=status,
            detail=detail,
        )


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


class RankerFailed(ModelError):
    """The vector ranker failed. Its own message is withheld unless `WikiConfig.sanitize_ranker_errors` is off."""

    def __init__(self, name: str, error: str, detail: str | None = None) -> None:
        reason = "its message is withheld, since it may hold keys or addresses; see WikiConfig.sanitize_ranker_errors"
        super().__init__(f"vector ranker {name} failed with {error}: {detail or reason}", name=name, error=error)


class AsyncOnlyModel(ModelError, TypeError):
    """A model, embedder or vector ranker that must be awaited was given to the blocking `Wiki`."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} must be awaited and cannot serve the blocking Wiki; use AsyncWiki", name=name)
