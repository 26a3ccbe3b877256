"""Graphs with communities that are known beforehand: the same numbers give the same graph in every runtime."""

from __future__ import annotations

import random

Edges = list[tuple[str, str, float]]


def planted(
    nodes: int, edges: int, groups: int, *, mixing: float = 0.2, hubs: bool = True, seed: int = 1
) -> tuple[Edges, dict[str, int]]:
    """*edges* different edges of weight 1 … 9 among *nodes* nodes, and the group of each node, all equally large.

    mixing: of an edge's targets, the share that is drawn from all nodes and not from the source's group. hubs: some
    nodes of each group are drawn far more often than others, as 1/√x.
    """
    draw = random.Random(seed).random  # what Python promises to keep; products alone, since powers differ by platform
    size = nodes // groups

    def node() -> int:
        x = draw()
        return int((x * x if hubs else x) * size)

    found: dict[tuple[int, int], float] = {}
    while len(found) < edges:
        group = int(draw() * groups)
        source = group + groups * node()
        target = (int(draw() * groups) if draw() < mixing else group) + groups * node()
        weight = 1.0 + int(draw() * 9)
        if source != target:
            found.setdefault((min(source, target), max(source, target)), weight)
    links = [(f"n{source:06}", f"n{target:06}", weight) for (source, target), weight in found.items()]
    return links, {f"n{node:06}": node % groups for node in range(size * groups)}
