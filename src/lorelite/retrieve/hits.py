"""What retrievers yield, and how two lists of hits become one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lorelite.records import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which nodes a retriever may yield."""

    kinds: tuple[str, ...]
    exclude_drafts: bool = False
    as_of: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A node and how well it fits; scores of one list compare, higher is better."""

    node: Node
    score: float


def ranked(nodes: Mapping[str, Node], scores: Mapping[str, float]) -> list[Hit]:
    """Hits by score, then newest, then id: a total order."""
    hits = [Hit(nodes[id], score) for id, score in scores.items()]
    return sorted(hits, key=lambda hit: (-hit.score, -hit.node.updated_at, hit.node.id))
