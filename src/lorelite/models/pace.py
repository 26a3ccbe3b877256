"""How fast requests may follow one another: limits per minute, and what an endpoint asks to wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_MINUTE = 60.0


class Pace:
    """The turns of one model: every request takes one, and learns how long it has to wait for it.

    requests_per_minute, tokens_per_minute: None is no limit. Turns are spread by the leaky bucket (as the generic cell
    rate algorithm of ITU-T I.371 does it): after a pause some may follow at once, a tenth of a minute's worth.
    now: seconds; only differences count. Several threads may ask.
    """

    def __init__(
        self,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._requests = _Bucket(requests_per_minute)
        self._tokens = _Bucket(tokens_per_minute)
        self._held_until = 0.0

    def turn(self, tokens: int = 0) -> float:
        """Take the next turn for a request of about that many tokens; seconds until it comes."""
        with self._lock:
            now = self._now()
            begin = max(now, self._held_until)
            begin = max(begin, self._requests.free_from(begin), self._tokens.free_from(begin))
            self._requests.take(1, begin)
            self._tokens.take(tokens, begin)
            return begin - now

    def hold(self, seconds: float) -> None:
        """Nobody's turn comes before that: an endpoint asked for it."""
        with self._lock:
            self._held_until = max(self._held_until, self._now() + seconds)

    def held(self) -> float:
        """Seconds for which the endpoint still asked to wait."""
        with self._lock:
            return max(0.0, self._held_until - self._now())


class _Bucket:
    """Amounts against a limit per minute. `_full_at`: when all that was taken has leaked out."""

    def __init__(self, per_minute: float | None) -> None:
        self._each = 0.0 if per_minute is None else _MINUTE / per_minute
        self._full_at = 0.0

    def free_from(self, now: float) -> float:
        return max(now, self._full_at - _MINUTE / 10) if self._each else now

    def take(self, amount: float, begin: float) -> None:
        self._full_at = max(self._full_at, begin) + amount * self._each
