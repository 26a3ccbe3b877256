"""Time: integer milliseconds UTC."""

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
