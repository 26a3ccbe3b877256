"""Shortest paths between two nodes, read from the graph level by level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lorelite.graph.walk import Step, Steps


@dataclass(frozen=True, slots=True)
class Path:
    """Node ids from the one end to the other, both included, and the ids of the edges between them."""

    nodes: tuple[str, ...]
    edges: tuple[str, ...]


class TooWide(Exception):
    """A search met more nodes than it may."""


def shortest_path(
    source: str, target: str, forward: Steps, backward: Steps, *, max_depth: int, max_nodes: int
) -> Path | None:
    """A path of the fewest edges, at most *max_depth*; None: there is none.

    Breadth-first from both ends, each time from the one with fewer nodes to go on from (Pohl 1971). *forward* gives the
    steps that lead on from nodes, *backward* the steps from nodes to those that lead to them. Of several shortest
    paths the one whose node ids come first is taken, and of several edges between two nodes the heaviest, then by id.
    Raises TooWide when more than *max_nodes* nodes are met.
    """
    if source == target:
        return Path((source,), ())
    here, there = _Side(source, forward), _Side(target, backward)
    while here.depth + there.depth < max_depth:
        side, other = (here, there) if len(here.frontier) <= len(there.frontier) else (there, here)
        side.advance()
        # Nearer to the other end than its last level no node can be new.
        meeting = [id for id in side.frontier if other.depths.get(id) == other.depth]
        if meeting:
            return _first_path(source, target, meeting, here, there)
        if not side.frontier:
            return None
        if len(here.depths) + len(there.depths) > max_nodes:
            raise TooWide
    return None


def lightest_path(source: str, target: str, forward: Steps, *, max_depth: int, max_nodes: int) -> Path | None:
    """The path of the lowest cost, where an edge of weight w costs 1/w; at most *max_depth* edges; None: there is none.

    Rounds after Bellman (1958) and Ford: round n knows every node's cheapest path of at most n edges, so the bound on
    edges is kept exactly; what costs as much as a known path to the target is not followed. An edge whose weight is
    not above 0 is not crossed. Of paths that cost the same the one with fewer edges is taken, then the one whose node
    ids come first. Raises TooWide when more than *max_nodes* nodes are met.
    """
    best = {source: _Way(0.0, 0, (source,), ())}
    changed = best.copy()
    leading_on: dict[str, list[Step]] = {}
    for _ in range(max_depth):
        if target in best:
            changed = {id: way for id, way in changed.items() if way.cost < best[target].cost}
        unread = [id for id in changed if id not in leading_on]
        if not changed or source == target:
            break
        leading_on |= {id: [] for id in unread}
        for step in forward(unread) if unread else ():
            if step.weight > 0:
                leading_on[step.origin].append(step)
        new: dict[str, _Way] = {}
        for id, way in changed.items():
            for step in leading_on[id]:
                longer = way.and_then(step)
                if step.id not in best or longer < best[step.id]:
                    best[step.id] = new[step.id] = longer
        changed = new
        if len(best) > max_nodes:
            raise TooWide
    return Path(best[target].nodes, best[target].edges) if target in best else None


class _Way(NamedTuple):
    """Compared field by field: the smallest is the best."""

    cost: float
    length: int
    nodes: tuple[str, ...]
    edges: tuple[str, ...]

    def and_then(self, step: Step) -> _Way:
        return _Way(self.cost + 1 / step.weight, self.length + 1, (*self.nodes, step.id), (*self.edges, step.edge_id))


@dataclass(slots=True)
class _Side:
    """A breadth-first search from one of the ends."""

    end: str
    steps: Steps
    depth: int = 0
    frontier: list[str] = field(init=False)
    depths: dict[str, int] = field(init=False)
    nearer: dict[str, list[Step]] = field(default_factory=dict)
    """Node → the steps to it from nodes that are nearer to the end."""

    def __post_init__(self) -> None:
        self.frontier = [self.end]
        self.depths = {self.end: 0}

    def advance(self) -> None:
        self.depth += 1
        steps = self.steps(self.frontier)
        self.frontier = []
        for step in steps:
            if step.id not in self.depths:
                self.depths[step.id] = self.depth
                self.frontier.append(step.id)
            if self.depths[step.id] == self.depth:
                self.nearer.setdefault(step.id, []).append(step)


def _first_path(source: str, target: str, meeting: Sequence[str], here: _Side, there: _Side) -> Path:
    """Of all paths through the nodes where the two searches met, the first."""
    onward: dict[str, list[Step]] = {}
    level = set(meeting)
    for _ in range(here.depth):
        for id in level:
            for step in here.nearer[id]:
                onward.setdefault(step.origin, []).append(step)
        level = {step.origin for id in level for step in here.nearer[id]}
    level = set(meeting)
    for _ in range(there.depth):
        for id in level:
            onward.setdefault(id, []).extend(step._replace(origin=step.id, id=step.origin) for step in there.nearer[id])
        level = {step.origin for id in level for step in there.nearer[id]}
    nodes, edges = [source], []
    while nodes[-1] != target:
        step = min(onward[nodes[-1]], key=lambda step: (step.id, -step.weight, step.edge_id))
        nodes.append(step.id)
        edges.append(step.edge_id)
    return Path(tuple(nodes), tuple(edges))
