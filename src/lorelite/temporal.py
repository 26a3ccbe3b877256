"""Time: integer milliseconds UTC."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime

DAY_MS = 86_400_000
LATEST = 253_402_300_799_999
"""The end of the year 9999: nothing later can be written as ISO 8601."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ISO = re.compile(r"(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*([Zz]|[+-]\d\d:?\d\d)?)?")


def now_ms() -> int:
    """The present, in milliseconds since 1970-01-01 UTC."""
    return time.time_ns() // 1_000_000


def iso(ms: int) -> str:
    """ISO 8601 in UTC with milliseconds, for example 2023-11-14T22:13:20.000Z."""
    moment = datetime.fromtimestamp(ms / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


def moment_of(value: object) -> int | None:
    """Milliseconds from a number or an ISO 8601 date or time, UTC unless it says otherwise; None for anything else."""
    if isinstance(value, str):
        value = _parsed(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LATEST:
        return None
    return int(value)


def _parsed(text: str) -> int | None:
    found = _ISO.fullmatch(text)
    if found is None:
        return None
    zone = "+00:00" if (found[3] or "Z") in "Zz" else found[3]
    try:
        elapsed = datetime.fromisoformat(f"{found[1]}T{found[2] or '00:00'}{zone}") - _EPOCH
    except ValueError:
        return None
    return elapsed.days * DAY_MS + elapsed.seconds * 1000 + elapsed.microseconds // 1000
