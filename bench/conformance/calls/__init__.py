"""The reference's calls, translated: one module per area, collected here.

A module may define any of these tables:

CALLS      method of the reference → function(session, *arguments)
FUNCTIONS  pure function of the reference → function(session, *arguments)
STEPS      kind of step ("op") → function(session, step)
CONFIG     key of the reference's config → field of WikiConfig, None (it means nothing here),
           or a function of the value that gives a dict of fields
OPEN       key of a case ("ranker" …) → function(session, value) that gives keyword arguments of Wiki.open,
           "config": more fields of WikiConfig
ERRORS     error name of the reference → name of ours
VIEWS      table of the reference → SELECT on our tables, in the reference's columns
SIDES      side value ("llmCalls" …) → function(session) that gives ours
JUDGED     group → names of the side values that are compared in it
READS_ONLY a set of methods that can be left out without changing what later steps see
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from bench.conformance import AREAS


def table(name: str) -> dict[str, Any]:
    """The tables *name* of all areas as one. Raises ValueError when two areas define the same entry."""
    found: dict[str, Any] = {}
    for area in AREAS:
        entries = getattr(import_module(f"bench.conformance.calls.{area}"), name, {})
        twice = found.keys() & entries.keys()
        if twice:
            raise ValueError(f"calls/{area}.py: {name} defines {sorted(twice)}, which another area defines already")
        found |= entries
    return found


def reads_only() -> frozenset[str]:
    """The methods that change nothing, of all areas."""
    modules = (import_module(f"bench.conformance.calls.{area}") for area in AREAS)
    return frozenset().union(*(getattr(module, "READS_ONLY", ()) for module in modules))
