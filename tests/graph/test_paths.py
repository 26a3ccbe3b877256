"""Shortest paths on small graphs, and against every path there is."""

from __future__ import annotations

import itertools
import random

import pytest

from lorelite.graph.paths import Path, TooWide, lightest_path, shortest_path
from lorelite.graph.walk import Step


def along(edges):
    """Steps along (source, target, weight, edge id), and those against them."""

    def forward(frontier):
        return [Step(a, b, 0, weight, id, "t") for a, b, weight, id in edges if a in frontier]

    def backward(frontier):
        return [Step(b, a, 0, weight, id, "t") for a, b, weight, id in edges if b in frontier]

    return forward, backward


def shortest(edges, source, target, max_depth=6, max_nodes=1_000):
    return shortest_path(source, target, *along(edges), max_depth=max_depth, max_nodes=max_nodes)


def lightest(edges, source, target, max_depth=6, max_nodes=1_000):
    return lightest_path(source, target, along(edges)[0], max_depth=max_depth, max_nodes=max_nodes)


CHAIN = [(f"n{number}", f"n{number + 1}", 1.0, f"e{number}") for number in range(6)]


@pytest.mark.parametrize("find", [shortest, lightest])
def test_a_chain_is_its_own_path_when_it_is_short_enough(find):
    assert find(CHAIN, "n0", "n6") == Path(tuple(f"n{n}" for n in range(7)), tuple(f"e{n}" for n in range(6)))
    assert find(CHAIN, "n0", "n6", max_depth=5) is None
    assert find(CHAIN, "n0", "n1", max_depth=1) == Path(("n0", "n1"), ("e0",))
    assert find(CHAIN, "n1", "n0") is None


@pytest.mark.parametrize("find", [shortest, lightest])
def test_from_a_node_to_itself_no_edge_is_crossed(find):
    assert find([("a", "a", 1.0, "loop")], "a", "a") == Path(("a",), ())


@pytest.mark.parametrize("find", [shortest, lightest])
def test_loops_cycles_and_other_components_lead_nowhere(find):
    edges = [("a", "a", 1.0, "1"), ("a", "b", 1.0, "2"), ("b", "a", 1.0, "3"), ("x", "y", 1.0, "4")]
    assert find(edges, "a", "y") is None
    assert find(edges, "x", "a") is None


@pytest.mark.parametrize("find", [shortest, lightest])
def test_of_equal_paths_the_ids_that_come_first_are_taken_in_any_order_of_edges(find):
    edges = [
        ("s", "c", 1.0, "1"), ("s", "b", 1.0, "2"), ("c", "d", 1.0, "3"), ("b", "e", 1.0, "4"), ("b", "f", 1.0, "5"),
        ("d", "t", 1.0, "6"), ("e", "t", 1.0, "7"), ("f", "t", 1.0, "8"),
    ]  # fmt: skip
    for turn in range(20):
        random.Random(turn).shuffle(edges)
        assert find(edges, "s", "t") == Path(("s", "b", "e", "t"), ("2", "4", "7"))


@pytest.mark.parametrize("find", [shortest, lightest])
def test_of_parallel_edges_the_heaviest_is_crossed_then_the_first(find):
    edges = [("s", "t", 1.0, "1"), ("s", "t", 2.0, "3"), ("s", "t", 2.0, "2")]
    assert find(edges, "s", "t") == Path(("s", "t"), ("2",))


def test_heavy_edges_are_short_when_weights_count():
    edges = [("s", "t", 0.25, "direct"), ("s", "m", 1.0, "first"), ("m", "t", 1.0, "second")]
    assert shortest(edges, "s", "t") == Path(("s", "t"), ("direct",))
    assert lightest(edges, "s", "t") == Path(("s", "m", "t"), ("first", "second"))
    assert lightest(edges, "s", "t", max_depth=1) == Path(("s", "t"), ("direct",))


def test_the_bound_on_edges_is_kept_where_a_cheaper_way_to_a_node_is_longer():
    # m is reached most cheaply over two nodes, but then t is too far.
    edges = [
        ("s", "x", 10.0, "1"), ("x", "y", 10.0, "2"), ("y", "m", 10.0, "3"), ("s", "m", 1.0, "4"), ("m", "t", 1.0, "5"),
    ]  # fmt: skip
    assert lightest(edges, "s", "t", max_depth=4) == Path(("s", "x", "y", "m", "t"), ("1", "2", "3", "5"))
    assert lightest(edges, "s", "t", max_depth=3) == Path(("s", "m", "t"), ("4", "5"))


@pytest.mark.parametrize("weight", [0.0, -1.0])
def test_an_edge_that_weighs_nothing_is_not_crossed_when_weights_count(weight):
    assert lightest([("s", "t", weight, "1")], "s", "t") is None
    assert shortest([("s", "t", weight, "1")], "s", "t") == Path(("s", "t"), ("1",))


@pytest.mark.parametrize("find", [shortest, lightest])
def test_a_search_that_meets_too_many_nodes_gives_up(find):
    star = [("s", f"n{number}", 1.0, f"e{number}") for number in range(20)]
    back = [(f"m{number}", "t", 1.0, f"f{number}") for number in range(20)]
    with pytest.raises(TooWide):
        find([*star, *back], "s", "t", max_nodes=10)


def every_path(edges, source, target, max_depth):
    """(nodes, edges, cost) of every simple path."""
    found = []

    def go(nodes, ids, cost):
        if nodes[-1] == target:
            found.append((tuple(nodes), tuple(ids), cost))
        elif len(ids) < max_depth:
            for a, b, weight, id in edges:
                if a == nodes[-1] and b not in nodes:
                    go([*nodes, b], [*ids, id], cost + 1 / weight)

    go([source], [], 0.0)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_no_shorter_and_no_lighter_path_is_there(seed):
    chosen = random.Random(seed)
    names = "abcdefgh"
    edges = [
        (*chosen.sample(names, 2), chosen.choice((0.25, 0.5, 1.0, 2.0)), f"e{number:02}")
        for number in range(chosen.randrange(6, 22))
    ]
    for (source, target), max_depth in itertools.product(itertools.permutations("abc", 2), (1, 2, 3, 6)):
        every = every_path(edges, source, target, max_depth)
        found = shortest(edges, source, target, max_depth)
        least = min((len(path[1]) for path in every), default=None)
        assert (None if found is None else len(found.edges)) == least
        if found is not None:
            assert found.nodes == min(path[0] for path in every if len(path[1]) == least)
            assert (found.nodes, found.edges) in [path[:2] for path in every]
        cheap = lightest(edges, source, target, max_depth)
        best = min(every, key=lambda path: (path[2], len(path[1]), path[0]), default=None)
        assert (None if cheap is None else cheap.nodes) == (None if best is None else best[0])
