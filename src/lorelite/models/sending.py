"""Sending a request until it is answered, or until trying again is pointless."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from lorelite.models.pace import Pace
from lorelite.models.transport import HttpRequest, HttpResponse, OnPiece, Sent, Transport

_TRANSIENT = frozenset({408, 409, 425, 429})
_ASK_TO_WAIT = frozenset({429, 503, 529})
_RETRY_DELAY = re.compile(rb'"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """When a request is sent again, and after how many seconds.

    The wait doubles with each attempt and is spread by `jitter` (a share of it, in both directions), so that many
    clients do not come back at the same moment; an endpoint's Retry-After is kept, up to max_delay.
    """

    max_retries: int = 3
    first_delay: float = 0.5
    max_delay: float = 60.0
    jitter: float = 0.25
    random: Callable[[], float] = field(default=random.random, repr=False)
    """From 0 to 1."""


async def send_patiently(
    transport: Transport,
    request: HttpRequest,
    *,
    policy: Policy,
    pace: Pace,
    tokens: int = 0,
    on_piece: OnPiece | None = None,
    is_hopeless: Callable[[Sent], bool] = lambda sent: False,
) -> Sent:
    """The last outcome. tokens: about how many the request counts against the limits of its model.

    Sent again are: what never reached the endpoint or was lost on the way, 408, 409, 425, 429 and 5xx; never a request
    that timed out, which has cost enough, nor one whose answer had begun to be told to on_piece, nor what is_hopeless
    says. After a Retry-After every request of the same pace waits.
    """
    begun = False

    def tell(piece: bytes) -> None:
        nonlocal begun
        begun = True
        assert on_piece is not None
        on_piece(piece)

    attempt = 0
    while True:
        wait = pace.turn(tokens)
        while wait > 0:
            await transport.pause(wait)
            wait = pace.held()  # what another request was told meanwhile
        sent = await transport.send(request, None if on_piece is None else tell)
        asked = asked_to_wait(sent)
        if asked is not None:
            pace.hold(min(asked, policy.max_delay))
        if attempt >= policy.max_retries or begun or not is_transient(sent) or is_hopeless(sent):
            return sent
        if asked is None:
            await transport.pause(_delay(policy, attempt))
        attempt += 1


def is_transient(sent: Sent) -> bool:
    """Is it worth trying again?"""
    if isinstance(sent, HttpResponse):
        return sent.status in _TRANSIENT or (500 <= sent.status <= 599 and sent.status != 501)
    return not isinstance(sent, TimeoutError) and getattr(sent, "cause", "network") == "network"


def asked_to_wait(sent: Sent) -> float | None:
    """The seconds of a Retry-After header, a date being taken relative to the response's own Date; without that header
    those that Gemini states in its body."""
    if not isinstance(sent, HttpResponse) or sent.status not in _ASK_TO_WAIT:
        return None
    value = sent.headers.get("retry-after", "").strip()
    if value.isascii() and value.replace(".", "", 1).isdigit():
        return float(value)
    stated = _RETRY_DELAY.search(sent.body[:20_000])
    if not value and stated is not None:
        return float(stated[1])
    try:
        until = parsedate_to_datetime(value) - parsedate_to_datetime(sent.headers.get("date", ""))
        return max(0.0, until.total_seconds())
    except (ValueError, TypeError):
        return None


def _delay(policy: Policy, attempt: int) -> float:
    spread = 1 + policy.jitter * (2 * policy.random() - 1)
    return min(policy.first_delay * 2.0**attempt, policy.max_delay) * spread
