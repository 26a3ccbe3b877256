"""The past: supersede, history, diff, restore; the outbox."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

CALLS: dict[str, Callable[..., Any]] = {}
