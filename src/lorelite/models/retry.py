"""When to send a request again, and after how long."""

from __future__ import annotations

from collections.abc import Sequence
from email.utils import parsedate_to_datetime

from lorelite.models.transport import HttpRequest, HttpResponse, Sent, Transport

FIRST_DELAY = 0.5
MAX_DELAY = 60.0
"""Seconds; also the most that a Retry-After header can ask for."""

_RETRIED = frozenset({408, 425, 429})


async def send_with_retries(transport: Transport, requests: Sequence[HttpRequest], max_retries: int) -> list[Sent]:
    """The last outcome of each request. What failed is sent again up to *max_retries* times, together."""
    outcomes = await transport.send(requests)
    for attempt in range(max_retries):
        delays = {at: delay for at, sent in enumerate(outcomes) if (delay := retry_delay(sent, attempt)) is not None}
        if not delays:
            break
        await transport.pause(max(delays.values()))
        again = await transport.send([requests[at] for at in delays])
        for at, sent in zip(delays, again, strict=True):
            outcomes[at] = sent
    return outcomes


def retry_delay(sent: Sent, attempt: int) -> float | None:
    """Seconds to wait before sending again; None when the outcome stands.

    Lost connections, 408, 425, 429 and 5xx are worth another try; a request that timed out has cost enough.
    The delay doubles with each attempt (counted from 0), unless the endpoint names one.
    """
    if isinstance(sent, TimeoutError):
        return None
    if isinstance(sent, HttpResponse):
        if sent.status not in _RETRIED and not 500 <= sent.status <= 599:
            return None
        asked = _retry_after(sent)
        if asked is not None:
            return min(max(asked, 0.0), MAX_DELAY)
    return min(FIRST_DELAY * 2.0**attempt, MAX_DELAY)


def _retry_after(response: HttpResponse) -> float | None:
    """The Retry-After header in seconds; a date is taken relative to the response's own Date."""
    value = response.headers.get("retry-after", "").strip()
    if value.isascii() and value.replace(".", "", 1).isdigit():
        return float(value)
    try:
        return (parsedate_to_datetime(value) - parsedate_to_datetime(response.headers.get("date", ""))).total_seconds()
    except (ValueError, TypeError):
        return None
