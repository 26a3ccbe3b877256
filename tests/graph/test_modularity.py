"""Modularity by its definition, and by other libraries."""

from __future__ import annotations

import random

import pytest

from lorelite.graph.modularity import modularity
from lorelite.graph.weighted import canonical

TWO_TRIANGLES = [
    ("a", "b", 1),
    ("b", "c", 1),
    ("a", "c", 1),
    ("d", "e", 1),
    ("e", "f", 1),
    ("d", "f", 1),
    ("c", "d", 1),
]


def by_definition(edges, community, resolution):
    """Σ over pairs of (A_ij - resolution·k_i·k_j / 2m) / 2m where i and j share a community."""
    names = sorted({name for edge in edges for name in edge[:2]})
    weight = {(a, b): 0.0 for a in names for b in names}
    for a, b, w in edges:
        weight[a, b] += w
        weight[b, a] += w
    strength = {a: sum(weight[a, b] for b in names) for a in names}
    total = sum(strength.values())
    return sum(
        (weight[a, b] - resolution * strength[a] * strength[b] / total) / total
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if community[i] == community[j]
    )


def test_two_triangles_joined_by_an_edge():
    _, graph = canonical(TWO_TRIANGLES)
    assert modularity(graph, [0, 0, 0, 1, 1, 1]) == pytest.approx(6 / 7 - 1 / 2)
    assert modularity(graph, [4] * 6) == 0
    assert modularity(graph, [0, 0, 0, 1, 1, 1], resolution=2) == pytest.approx(6 / 7 - 1)


def test_a_graph_without_edges_has_none():
    assert modularity(canonical([], ["a", "b"])[1], [0, 1]) == 0
    assert modularity(canonical([])[1], []) == 0


@pytest.mark.parametrize("seed", range(20))
def test_it_is_what_its_definition_says(seed):
    drawn = random.Random(seed)
    edges = [(*drawn.sample("abcdefghij", 2), drawn.choice((0.3, 1, 4))) for _ in range(25)]
    names, graph = canonical(edges)
    community = [drawn.randrange(4) for _ in names]
    assert modularity(graph, community, 1.3) == pytest.approx(by_definition(edges, community, 1.3), abs=1e-12)
