"""D1: local moving to the letter, by the values of the known graphs and by a slow oracle in exact numbers."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from known_graphs import NAMES, graph_of, known_graph, sizes

from lorelite.graph.local_moving import local_moving
from lorelite.graph.modularity import modularity
from lorelite.graph.weighted import canonical

VALUES = {"karate": 0.3607, "les_miserables": 0.5644, "florentine": 0.3725, "davis": 0.2742}
SIZES = {"karate": [10, 6, 5, 4, 3, 2, 2, 2], "les_miserables": [22, 15, 11, 10, 9, 6, 2, 2]}


@pytest.mark.parametrize("name", NAMES)
def test_d1_local_moving_finds_the_values_of_the_known_graphs(name):
    graph = graph_of(known_graph(name))
    community = local_moving(graph)
    assert modularity(graph, community) == pytest.approx(VALUES[name], abs=5e-5)
    assert name not in SIZES or sizes(community) == SIZES[name]


@pytest.mark.parametrize("name", NAMES)
def test_d1_neither_order_nor_direction_of_the_edges_matters(name):
    edges = known_graph(name)
    first = local_moving(graph_of(edges))
    drawn = random.Random(1)
    for _ in range(200):
        drawn.shuffle(edges)
        turned = [(b, a, weight) if drawn.random() < 0.5 else (a, b, weight) for a, b, weight in edges]
        assert local_moving(graph_of(turned)) == first


def by_trial(edges, resolution):
    """The same by taking every node to every neighbouring community and computing modularity anew, in fractions."""
    names = sorted({name for edge in edges for name in edge[:2]})
    total = sum(2 * Fraction(weight) for _, _, weight in edges)

    def value(community):
        inside = sum(2 * Fraction(weight) for a, b, weight in edges if community[a] == community[b])
        strength = dict.fromkeys(community.values(), Fraction(0))
        for a, b, weight in edges:
            strength[community[a]] += Fraction(weight)
            strength[community[b]] += Fraction(weight)
        return inside / total - resolution * sum(x * x for x in strength.values()) / total**2

    community = {name: number for number, name in enumerate(names)}
    for _ in range(100):
        before = dict(community)
        for name in names:
            near = {community[b if a == name else a] for a, b, _ in edges if name in (a, b)}
            stays = value(community)
            gains = {label: value({**community, name: label}) - stays for label in near}
            best = max(gains.values())
            if best > 0:
                community[name] = min(label for label, gain in gains.items() if gain == best)
        if community == before:
            break
    return list(community.values())


@pytest.mark.parametrize("seed", range(60))
def test_it_moves_as_trying_every_move_does(seed):
    drawn = random.Random(seed)
    names = [f"n{number}" for number in range(9)]
    edges = [(*drawn.sample(names, 2), drawn.choice((1, 1, 2, 3))) for _ in range(drawn.randint(5, 20))]
    resolution = drawn.choice((Fraction(1), Fraction(1, 2), Fraction(2)))
    _, graph = canonical(edges)
    assert local_moving(graph, float(resolution)) == by_trial(edges, resolution)


def test_a_node_that_would_gain_as_much_elsewhere_stays():
    _, graph = canonical([("b", "d", 2), ("d", "e", 3), ("c", "e", 1)])
    assert local_moving(graph) == [2, 3, 2, 3]  # to e, 1 - 4·1/12 with c is worth 3 - 4·7/12 with b and d


def test_a_node_without_edges_is_alone():
    _, graph = canonical([("a", "b", 1)], ["c", "d"])
    assert local_moving(graph) == [1, 1, 2, 3]
    assert local_moving(canonical([], ["a", "b"])[1]) == [0, 1]
