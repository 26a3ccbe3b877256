"""What retrievers yield, and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from lorelite.records import Node
from lorelite.store.nodes import Head

Listed = Head | Node
"""A node in a list of results: what places it is enough until it is shown."""
N = TypeVar("N", bound=Listed, covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which nodes a retriever may yield."""

    kinds: tuple[str, ...]
    exclude_drafts: bool = False
    as_of: int | None = None
    node_types: Mapping[str, Sequence[str]] | None = None
    """Namespace → types in the ontology's sense, compared without case; None: any, and nodes without one."""

    def has_type(self, node: Listed) -> bool:
        if self.node_types is None:
            return True
        wanted = self.node_types.get(node.namespace, ())
        return node.node_type is not None and node.node_type.casefold() in map(str.casefold, wanted)

    def admits(self, node: Node, now: int) -> bool:
        """Whether a node that is not deleted passes: the conditions that the store checks for those it finds."""
        if node.kind not in self.kinds or (self.exclude_drafts and node.lifecycle == "draft"):
            return False
        begin, moment = node.valid_from, now
        if self.as_of is not None:
            begin, moment = (node.created_at if begin is None else begin), self.as_of
        is_live = (begin is None or begin <= moment) and (node.valid_to is None or node.valid_to > moment)
        return is_live and self.has_type(node)


@dataclass(frozen=True, slots=True)
class Hit(Generic[N]):
    """A node and how well it fits; scores of one list compare, higher is better."""

    node: N
    score: float


def ranked(nodes: Mapping[str, N], scores: Mapping[str, float]) -> list[Hit[N]]:
    """Hits by score, then newest, then id: a total order."""
    hits = [Hit(nodes[id], score) for id, score in scores.items()]
    return sorted(hits, key=lambda hit: (-hit.score, -hit.node.updated_at, hit.node.id))
