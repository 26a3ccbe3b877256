"""Time: integer milliseconds UTC, and half-open validity windows."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def now_ms() -> int:
    """The present, in milliseconds since 1970-01-01 UTC."""
    return time.time_ns() // 1_000_000


def iso(ms: int) -> str:
    """ISO 8601 in UTC with milliseconds, for example 2023-11-14T22:13:20.000Z."""
    moment = datetime.fromtimestamp(ms / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


def live_now(valid_from: int | None, valid_to: int | None, now: int) -> bool:
    """Is a row with this window held true at *now*? `[valid_from, valid_to)`; None is open-ended."""
    return (valid_from is None or valid_from <= now) and (valid_to is None or valid_to > now)


def live_as_of(created_at: int, valid_from: int | None, valid_to: int | None, when: int) -> bool:
    """Was a row with this window held true at *when*? It begins at `valid_from`, else when it was created."""
    begin = created_at if valid_from is None else valid_from
    return begin <= when and (valid_to is None or valid_to > when)
