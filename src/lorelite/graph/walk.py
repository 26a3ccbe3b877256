"""Breadth-first walk by level with a visited set: cost grows with the edges touched, not with the paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

DAMPING = 0.6
"""The chance that a random walker goes on; measured together with the constants of `retrieve.pagerank`."""


class Step(NamedTuple):
    """One edge crossed: from the node *origin* to the node *id*."""

    origin: str
    id: str
    updated_at: int
    weight: float
    edge_id: str
    edge_type: str


@dataclass(frozen=True, slots=True)
class Reached:
    """A node of the walk, with the node and edge over which it was first reached."""

    id: str
    depth: int
    parent: str | None
    edge_id: str | None


Steps = Callable[[Sequence[str]], Sequence[Step]]
"""All steps that lead on from these nodes, in any order."""
Ranking = Callable[[Sequence[Step]], Sequence[Step]]
"""The steps to the nodes of one level, one a node, its weight that of all its connections; as they are to come."""
Order = Literal["recent", "weight"]


def newest_first(level: Sequence[Step]) -> Sequence[Step]:
    return sorted(level, key=lambda step: (-step.updated_at, step.id))


def strongest_first(level: Sequence[Step]) -> Sequence[Step]:
    return sorted(level, key=lambda step: (-step.weight, step.id))


RANKINGS: Mapping[Order, Ranking] = {"recent": newest_first, "weight": strongest_first}


def walk(
    anchors: Sequence[str], steps: Steps, *, max_depth: int, max_nodes: int, ranking: Ranking = newest_first
) -> tuple[list[Reached], bool]:
    """The nodes within *max_depth* of the nearest of *anchors*, at most *max_nodes*, and whether more were there.

    The anchors first, as they are given; then by depth, each level in the order of *ranking*. The parent is the
    earliest node of that order from which the node can be reached. The result does not depend on the order in which
    *steps* yields.
    """
    frontier = list(dict.fromkeys(anchors))
    found = [Reached(anchor, 0, None, None) for anchor in frontier]
    visited = set(frontier)
    for depth in range(1, max_depth + 1):
        # One node too many proves the cut; deeper levels cannot change what is before it.
        if not frontier or len(found) > max_nodes:
            break
        ranked = ranking(_level(frontier, steps(frontier), visited))
        frontier = [step.id for step in ranked]
        visited.update(frontier)
        found += [Reached(step.id, depth, step.origin, step.edge_id) for step in ranked]
    return found[:max_nodes], len(found) > max_nodes


def paths_of(reached: Sequence[Reached]) -> dict[str, tuple[str, ...]]:
    """Node id → the ids from its anchor to itself, both included."""
    paths: dict[str, tuple[str, ...]] = {}
    for item in reached:
        paths[item.id] = (item.id,) if item.parent is None else (*paths[item.parent], item.id)
    return paths


def _level(frontier: Sequence[str], steps: Sequence[Step], visited: set[str]) -> list[Step]:
    """The step from its parent to each new node, with the summed weight of all steps that lead to it."""
    rank = {id: position for position, id in enumerate(frontier)}
    best: dict[str, Step] = {}
    weights: dict[str, float] = {}
    for step in steps:
        if step.id in visited:
            continue
        weights[step.id] = weights.get(step.id, 0.0) + step.weight
        known = best.get(step.id)
        if known is None or (rank[step.origin], step.edge_id) < (rank[known.origin], known.edge_id):
            best[step.id] = step
    return [step if step.weight == weights[id] else step._replace(weight=weights[id]) for id, step in best.items()]
