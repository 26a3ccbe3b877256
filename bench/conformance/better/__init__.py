"""The better values: one module per area, each with a tuple BETTER, collected here."""

from __future__ import annotations

from importlib import import_module

from bench.conformance import AREAS
from bench.conformance.expectations import Better


def all_better() -> tuple[Better, ...]:
    """Those of all areas."""
    return tuple(better for area in AREAS for better in import_module(f"bench.conformance.better.{area}").BETTER)


def general() -> tuple[Better, ...]:
    """Those that hold wherever they fit: differences of a kind of value, not of a case. Tuples GENERAL, where given."""
    modules = (import_module(f"bench.conformance.better.{area}") for area in AREAS)
    return tuple(better for module in modules for better in getattr(module, "GENERAL", ()))


def for_case(name: str) -> dict[int | str, Better]:
    """Those of a case, by step."""
    return {better.step: better for better in all_better() if better.case == name}
