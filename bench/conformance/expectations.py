"""What a better value is, and the checks that state one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Outcome = Mapping[str, Any]
"""{"ok": value} or {"error": class name}."""
Check = Callable[[Outcome, Outcome], bool]
"""(our outcome, the observed one) → is ours the better value?"""


@dataclass(frozen=True, slots=True)
class Better:
    """The value that is expected instead of the observed one, and why."""

    case: str
    step: int | str
    """The step's number from 0, or the name of a side value ("llmCalls", "diagnostics", "statuses" …)."""
    declared_by: str
    """The case name in the row of `differences.md` that declares the difference."""
    reason: str
    holds: Check


def error(name: str) -> Check:
    """This error."""
    return lambda ours, observed: ours.get("error") == name


def value(value: Any) -> Check:
    """Exactly this value."""
    return lambda ours, observed: ours.get("ok") == value


def walk(nodes: list[str], edges: list[str]) -> Check:
    """A walk with these nodes in this order, and these edges."""
    return lambda ours, observed: (
        "ok" in ours and ours["ok"]["nodes.id"] == nodes and sorted(ours["ok"]["edges.id"]) == sorted(edges)
    )


def rows(**columns: list[Any]) -> Check:
    """The rows of a query, by column."""
    return lambda ours, observed: all(
        [row[name] for row in ours.get("ok", ())] == values for name, values in columns.items()
    )
