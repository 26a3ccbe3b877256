"""Breadth-first walk by level with a visited set: cost grows with the edges touched, not with the paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple


class Step(NamedTuple):
    """One edge crossed: from the node *origin* to the node *id*."""

    origin: str
    id: str
    updated_at: int
    weight: float
    edge_id: str


@dataclass(frozen=True, slots=True)
class Reached:
    """A node of the walk, with the node and edge over which it was first reached."""

    id: str
    depth: int
    parent: str | None
    edge_id: str | None


Order = Literal["recent", "weight"]


def walk(
    anchor: str,
    steps: Callable[[Sequence[str]], Sequence[Step]],
    *,
    max_depth: int,
    max_nodes: int,
    order: Order = "recent",
) -> tuple[list[Reached], bool]:
    """The nodes within *max_depth* of *anchor*, at most *max_nodes*, and whether more were there.

    Ordered by depth, then newest first ("recent") or strongest connection first ("weight"), then id. The parent is
    the earliest node of that order from which the node can be reached. The result does not depend on the order in
    which *steps* yields.
    """
    found = [Reached(anchor, 0, None, None)]
    visited = {anchor}
    frontier = [anchor]
    for depth in range(1, max_depth + 1):
        level = _level(frontier, steps(frontier), visited)
        if order == "recent":
            ranked = sorted(level.values(), key=lambda step: (-step.updated_at, step.id))
        else:
            ranked = sorted(level.values(), key=lambda step: (-step.weight, step.id))
        visited |= level.keys()
        frontier = [step.id for step in ranked]
        found += [Reached(step.id, depth, step.origin, step.edge_id) for step in ranked]
        # One node too many proves the cut; deeper levels cannot change what is before it.
        if not frontier or len(found) > max_nodes:
            break
    return found[:max_nodes], len(found) > max_nodes


def _level(frontier: Sequence[str], steps: Sequence[Step], visited: set[str]) -> dict[str, Step]:
    """New node → the step from its parent, with the summed weight of all steps that lead to it."""
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
    return {id: step._replace(weight=weights[id]) for id, step in best.items()}
