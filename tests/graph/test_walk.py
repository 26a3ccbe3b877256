"""The pure walk: order, parents, the cut, and independence of the order in which edges come."""

from __future__ import annotations

import itertools
import random

from lorelite.graph.walk import RANKINGS, Reached, Step, paths_of, strongest_first, walk


def stepper(edges, updated=None, seen=None):
    """steps() over (origin, id, weight, edge id) in both directions."""
    updated = updated or {}

    def steps(frontier):
        if seen is not None:
            seen.append(list(frontier))
        found = []
        for source, target, weight, edge in edges:
            if source in frontier:
                found.append(Step(source, target, updated.get(target, 0), weight, edge, "t"))
            if target in frontier:
                found.append(Step(target, source, updated.get(source, 0), weight, edge, "t"))
        return found

    return steps


DIAMOND = [("a", "b", 1.0, "1"), ("a", "c", 1.0, "2"), ("b", "d", 1.0, "3"), ("c", "d", 1.0, "4"), ("d", "e", 1.0, "5")]


def test_the_anchor_comes_first_alone_when_nothing_leads_on():
    assert walk(["a"], lambda frontier: [], max_depth=3, max_nodes=5) == ([Reached("a", 0, None, None)], False)


def test_each_node_is_reached_once_by_the_shortest_way():
    found, cut = walk(["a"], stepper(DIAMOND), max_depth=3, max_nodes=10)
    assert [(item.id, item.depth, item.parent, item.edge_id) for item in found] == [
        ("a", 0, None, None),
        ("b", 1, "a", "1"),
        ("c", 1, "a", "2"),
        ("d", 2, "b", "3"),
        ("e", 3, "d", "5"),
    ]
    assert not cut


def test_newer_nodes_come_first_and_become_parents_first():
    found, _ = walk(["a"], stepper(DIAMOND, updated={"c": 9}), max_depth=2, max_nodes=10)
    assert [item.id for item in found] == ["a", "c", "b", "d"]
    assert found[3].parent == "c"


def test_by_weight_the_sum_of_all_connections_counts():
    edges = [("a", "b", 2.0, "1"), ("a", "c", 1.5, "2"), ("a", "c", 1.5, "3")]
    found, _ = walk(["a"], stepper(edges), max_depth=1, max_nodes=10, ranking=strongest_first)
    assert [item.id for item in found] == ["a", "c", "b"]
    assert found[1].edge_id == "2"


def test_the_cut_is_told_exactly_when_something_was_cut():
    for limit in range(1, 7):
        found, cut = walk(["a"], stepper(DIAMOND), max_depth=3, max_nodes=limit)
        assert (len(found), cut) == (min(limit, 5), limit < 5)


def test_depth_beyond_reach_is_no_cut():
    assert walk(["a"], stepper(DIAMOND), max_depth=1, max_nodes=3)[1] is False


def test_a_level_that_is_full_ends_the_walk():
    seen: list[list[str]] = []
    walk(["a"], stepper(DIAMOND, seen=seen), max_depth=3, max_nodes=2)
    assert seen == [["a"]]


def test_the_order_in_which_edges_come_does_not_matter():
    chosen = random.Random(4)
    names = [f"n{number}" for number in range(12)]
    edges = [(*chosen.sample(names, 2), chosen.choice((1.0, 2.0)), f"e{number}") for number in range(30)]
    updated = {name: chosen.randrange(3) for name in names}
    for ranking in RANKINGS.values():
        expected = walk(["n0"], stepper(edges, updated), max_depth=4, max_nodes=9, ranking=ranking)
        for _ in range(10):
            chosen.shuffle(edges)
            assert walk(["n0"], stepper(edges, updated), max_depth=4, max_nodes=9, ranking=ranking) == expected


def test_several_anchors_come_first_and_depth_counts_from_the_nearest():
    found, cut = walk(["e", "a", "e"], stepper(DIAMOND), max_depth=1, max_nodes=10)
    assert [(item.id, item.depth, item.parent) for item in found] == [
        ("e", 0, None),
        ("a", 0, None),
        ("b", 1, "a"),
        ("c", 1, "a"),
        ("d", 1, "e"),
    ]
    assert not cut


def test_anchors_count_among_the_nodes():
    found, cut = walk(["e", "a"], stepper(DIAMOND), max_depth=1, max_nodes=1)
    assert ([item.id for item in found], cut) == (["e"], True)


def test_a_path_leads_from_the_anchor_of_a_node_to_it():
    found, _ = walk(["e", "a"], stepper(DIAMOND), max_depth=2, max_nodes=10)
    assert paths_of(found) == {"e": ("e",), "a": ("a",), "b": ("a", "b"), "c": ("a", "c"), "d": ("e", "d")}


def test_a_ranking_decides_who_comes_first_and_whose_child_a_node_is():
    def backwards(level):
        return sorted(level, key=lambda step: step.id, reverse=True)

    found, _ = walk(["a"], stepper(DIAMOND), max_depth=2, max_nodes=10, ranking=backwards)
    assert [(item.id, item.parent) for item in found] == [("a", None), ("c", "a"), ("b", "a"), ("d", "c")]


def test_the_walk_from_several_anchors_has_the_least_of_their_depths():
    chosen = random.Random(7)
    names = [f"n{number}" for number in range(15)]
    for _ in range(50):
        edges = [(*chosen.sample(names, 2), 1.0, f"e{number}") for number in range(18)]
        anchors = chosen.sample(names, 3)
        alone = [walk([anchor], stepper(edges), max_depth=3, max_nodes=100)[0] for anchor in anchors]
        least: dict[str, int] = {}
        for item in (item for found in alone for item in found):
            least[item.id] = min(item.depth, least.get(item.id, 99))
        together, _ = walk(anchors, stepper(edges), max_depth=3, max_nodes=100)
        assert {item.id: item.depth for item in together} == least
        paths = paths_of(together)
        joined = {frozenset(edge[:2]) for edge in edges}
        for item in together:
            path = paths[item.id]
            assert path[0] in anchors and path[-1] == item.id and len(path) == item.depth + 1
            assert all(frozenset(pair) in joined for pair in itertools.pairwise(path))
