from __future__ import annotations

from lorelite.graph.components import components, split_by_connection
from lorelite.graph.weighted import canonical


def test_components_come_largest_first_and_then_by_their_smallest_node():
    names, graph = canonical([("a", "z", 1), ("b", "y", 1), ("c", "x", 1), ("x", "w", 1)], ["lone"])
    found = [[names[node] for node in nodes] for nodes in components(graph)]
    assert found == [["c", "w", "x"], ["a", "z"], ["b", "y"], ["lone"]]


def test_a_long_path_is_one_component():
    names, graph = canonical([(f"{n:05}", f"{n + 1:05}", 1) for n in range(20_000)])
    assert [len(nodes) for nodes in components(graph)] == [len(names)]


def test_nothing_has_no_components():
    assert components(canonical([])[1]) == []


def test_a_community_that_hangs_together_only_through_others_falls_apart():
    _, graph = canonical([("a", "b", 1), ("b", "c", 1), ("c", "d", 1)])
    assert split_by_connection(graph, [7, 3, 7, 7]) == [0, 1, 2, 2]
