"""One tool: which method it calls, what an agent needs for it, and what the model is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Scope = Literal["read", "write", "maintain", "forget"]
Schema = dict[str, Any]
Adapt = Callable[[dict[str, Any]], dict[str, Any]]

TIMES = frozenset({"as_of", "valid_from", "valid_to", "stale_after", "t1", "t2"})
"""Arguments that are milliseconds for a method and ISO 8601 for a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A tool. The types of its parameters, and which of them are required, are those of the method's signature."""

    name: str
    method: str
    scope: Scope
    description: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Name → what the model is told of it."""
    limits: Mapping[str, Schema] = field(default_factory=dict)
    """Name → what the schema says beyond the signature; the whole schema of a parameter that the method lacks."""
    required: tuple[str, ...] = ()
    """Optional for the method, but not for this tool."""
    adapt: Adapt | None = None
    """Makes the method's arguments of the tool's, where they differ."""
    has_namespace: bool = True


TEXT: Schema = {"type": "string", "minLength": 1}
FEW: Schema = {"minimum": 1, "maximum": 50}
DRY_RUN = "Only tell what would be done."
