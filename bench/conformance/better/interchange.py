"""Better values of calls/interchange.py."""

from __future__ import annotations

from bench.conformance.expectations import Better

BETTER: tuple[Better, ...] = ()
