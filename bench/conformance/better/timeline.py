"""Better values of calls/timeline.py."""

from __future__ import annotations

from bench.conformance.expectations import Better

BETTER: tuple[Better, ...] = ()
