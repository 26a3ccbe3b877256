"""Filling in where nodes and edges are supported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from lorelite.engine import Engine
from lorelite.records import Edge, GraphNode, Node

T = TypeVar("T", Node, GraphNode, Edge)


def cited(engine: Engine, items: Sequence[T], per_owner: int = 5) -> list[T]:
    """The same nodes or edges, each with its first citations in document order."""
    found = engine.store.documents.citations([item.id for item in items], per_owner)
    return [replace(item, citations=found[item.id]) if item.id in found else item for item in items]
