"""One graph for the same edges, in whatever order and direction they are told."""

from __future__ import annotations

import random
from math import inf, nan

from lorelite.graph.weighted import canonical, merged


def told(edges, entity_ids=()):
    names, graph = canonical(edges, entity_ids)
    return {
        (names[node], names[to]): weight
        for node, near in enumerate(graph.neighbours)
        for to, weight in zip(near, graph.weights[node], strict=True)
    }


def test_parallel_edges_are_one_in_both_directions_with_their_weights_summed():
    assert told([("a", "b", 1), ("b", "a", 2.5), ("a", "b", 3)]) == {("a", "b"): 6.5, ("b", "a"): 6.5}


def test_loops_and_weights_that_are_not_above_0_and_finite_are_left_out():
    edges = [("a", "a", 5), ("a", "b", 0), ("b", "c", -1), ("c", "d", nan), ("d", "e", inf), ("y", "z", 1)]
    assert canonical(edges)[0] == ["y", "z"]


def test_an_entity_without_an_edge_is_there_if_it_is_named():
    names, graph = canonical([("b", "c", 2)], ["a", "b"])
    assert names == ["a", "b", "c"]
    assert graph.neighbours == [[], [2], [1]]
    assert (graph.strengths, graph.total) == ([0.0, 2.0, 2.0], 4.0)


def test_the_order_of_the_edges_does_not_show_in_the_last_bit_of_a_sum():
    drawn = random.Random(3)
    edges = [
        (drawn.choice("abcd"), drawn.choice("abcd"), drawn.random() * 10 ** drawn.randint(-9, 9)) for _ in range(99)
    ]
    first = canonical(edges)
    for _ in range(50):
        drawn.shuffle(edges)
        assert canonical([edge if drawn.random() < 0.5 else (edge[1], edge[0], edge[2]) for edge in edges]) == first


def test_the_graph_of_some_nodes_keeps_the_edges_among_them():
    _, graph = canonical([("a", "b", 1), ("b", "c", 2), ("c", "d", 4), ("b", "d", 8)])
    part = graph.induced([1, 3])
    assert (part.neighbours, part.weights) == ([[1], [0]], [[8.0], [8.0]])
    assert (part.strengths, part.total) == ([8.0, 8.0], 16.0)


def test_merged_nodes_keep_what_joins_them_and_the_strength_of_what_lies_within():
    _, graph = canonical([("a", "b", 1), ("b", "c", 2), ("c", "d", 4), ("b", "d", 8)])
    both = merged(graph, [0, 0, 1, 1], 2)
    assert (both.neighbours, both.weights) == ([[1], [0]], [[10.0], [10.0]])
    assert (both.strengths, both.total) == ([12.0, 18.0], 30.0)


def test_no_edges_make_an_empty_graph():
    names, graph = canonical([])
    assert (names, len(graph), graph.total) == ([], 0, 0.0)
