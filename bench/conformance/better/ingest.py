"""Better values of calls/ingest.py."""

from __future__ import annotations

from bench.conformance.expectations import Better

BETTER: tuple[Better, ...] = ()
