from random import Random

import pytest

from lorelite.graph.adapting import adapted
from lorelite.graph.hierarchy import Hierarchy, cluster, partition_by

divide = partition_by("leiden", "python", 7, 1.0)


def near(edges, previous, changed, **options):
    return adapted(edges, previous, changed, lambda graph: divide(graph, None), **options)


def planted(groups=30, size=8, seed=3):
    """Groups of nodes that are joined densely, each to two others by one edge."""
    random = Random(seed)
    names = [[f"{group:02}-{place}" for place in range(size)] for group in range(groups)]
    edges = []
    for number, members in enumerate(names):
        edges += [(a, b, 1.0) for a in members for b in members if a < b and random.random() < 0.7]
        edges += [(members[0], names[(number + step) % groups][1], 1.0) for step in (1, 5)]
    return edges


def sets(hierarchy, level=0):
    return {found.members for found in hierarchy.clusters if found.level == level}


def level_0(hierarchy):
    return {
        name: number for number, found in enumerate(hierarchy.clusters) if found.level == 0 for name in found.members
    }


def is_connected(edges, members):
    inside = set(members)
    reached, waiting = {members[0]}, [members[0]]
    while waiting:
        at = waiting.pop()
        for a, b, _ in edges:
            for here, there in ((a, b), (b, a)):
                if here == at and there in inside and there not in reached:
                    reached.add(there)
                    waiting.append(there)
    return reached == inside


def test_without_a_change_everything_stays():
    edges = planted()
    found = cluster(edges, seed=7, max_cluster_size=5)
    assert near(edges, found, (), max_cluster_size=5) == found


def test_a_new_node_joins_the_community_that_it_is_joined_to_and_the_others_stay():
    edges = planted()
    found = cluster(edges, seed=7)
    grown = [*edges, ("new", "03-1", 1.0), ("new", "03-2", 1.0), ("new", "03-4", 1.0)]
    after = near(grown, found, {"03-1", "03-2", "03-4"})
    own = next(members for members in sets(after) if "new" in members)
    assert {"03-1", "03-2", "03-4"} < set(own)
    assert len(sets(found) & sets(after)) == len(sets(found)) - 1


def test_new_nodes_among_themselves_become_communities_of_their_own():
    edges = planted()
    found = cluster(edges, seed=7)
    island = [(f"n{a}", f"n{b}", 1.0) for a in range(6) for b in range(a)]
    after = near([*edges, *island], found, ())
    assert sets(after) == {*sets(found), tuple(f"n{number}" for number in range(6))}


def test_a_community_that_falls_apart_is_divided():
    edges = [(a, b, 1.0) for side in ("abcd", "wxyz") for a in side for b in side if a < b]
    joined = [*edges, *[(a, w, 1.0) for a in "abcd" for w in "wxyz"]]
    found = cluster(joined, seed=7)
    assert sets(found) == {tuple("abcdwxyz")}
    assert sets(near(edges, found, set("abcdwxyz"))) == {tuple("abcd"), tuple("wxyz")}


def test_of_a_large_sparse_graph_only_what_is_near_the_change_is_found_anew():
    random = Random(5)
    names = [f"{number:04}" for number in range(900)]
    edges = [
        (name, names[int(random.random() * 40) + number // 45 * 45], 1.0)
        for number, name in enumerate(names)
        for _ in "ab"
    ]
    edges += [(name, names[int(random.random() * 900)], 1.0) for name in names[::5]]
    found = cluster(edges, seed=7, max_cluster_size=6)
    after = near([*edges, ("0007", "0011", 1.0)], found, {"0007", "0011"}, max_cluster_size=6)
    for level in range(3):
        lost = sets(found, level) - sets(after, level)
        assert len(lost) <= 4 < len(sets(found, level))


def test_nodes_that_are_gone_are_in_no_community():
    edges = planted()
    found = cluster(edges, seed=7)
    left = [edge for edge in edges if not {edge[0][:2], edge[1][:2]} & {"04"}]
    after = near(left, found, {"03-0", "29-0", "05-1", "09-1"})
    assert not any(name.startswith("04") for members in sets(after) for name in members)
    assert len(sets(found) & sets(after)) >= len(sets(found)) - 3


def test_communities_grow_together_when_what_joins_them_grows():
    edges = [(a, b, 1.0) for side in ("abc", "xyz", "def", "uvw") for a in side for b in side if a < b]
    edges += [("a", "x", 0.5), ("d", "u", 0.5), ("c", "d", 0.5)]
    found = cluster(edges, seed=7)
    assert tuple("abc") in sets(found)
    grown = [*edges, *[(a, x, 3.0) for a in "abc" for x in "xyz"]]
    assert tuple("abcxyz") in sets(near(grown, found, set("abcxyz")))


@pytest.mark.parametrize("seed", range(5))
def test_after_many_changes_communities_cover_all_are_connected_and_about_as_good_as_from_nothing(seed):
    random = Random(seed)
    edges = planted(seed=seed)
    found = cluster(edges, seed=7, max_cluster_size=6)
    for step in range(30):
        names = sorted({name for a, b, _ in edges for name in (a, b)})
        center = names[int(random.random() * len(names))]
        members = [found for found in names if found[:2] == center[:2]]
        fresh = [(f"{center[:2]}-n{step}", member, 1.0) for member in members if random.random() < 0.5]
        gone = edges.pop(int(random.random() * len(edges)))
        edges += fresh
        changed = {end for edge in (*fresh, gone) for end in edge[:2]}
        found = near(edges, found, changed, max_cluster_size=6)
    names = {name for a, b, _ in edges for name in (a, b)}
    assert set(level_0(found)) == names
    assert sum(each.level == 0 for each in found.clusters) == len(sets(found))
    for each in found.clusters:
        assert is_connected(edges, each.members)
        if each.parent is not None:
            assert set(each.members) < set(found.clusters[int(each.parent)].members)
        if not each.is_final:
            parts = [found.clusters[int(child)].members for child in each.children]
            assert sorted(name for part in parts for name in part) == sorted(each.members)
    assert found.modularity >= cluster(edges, seed=7).modularity - 0.01


def test_the_order_of_the_edges_does_not_matter():
    edges = planted()
    found = cluster(edges, seed=7)
    grown = [*edges, *[("new", f"0{number}-2", 1.0) for number in range(9)]]
    shuffled = [(b, a, weight) for a, b, weight in reversed(grown)]
    changed = [f"0{number}-2" for number in range(9)]
    assert near(grown, found, changed) == near(shuffled, found, set(changed))


def test_only_the_largest_part_is_kept_when_that_is_asked_for():
    edges = planted()
    found = cluster(edges, seed=7)
    after = near([*edges, ("p", "q", 1.0)], found, (), use_lcc=True)
    assert sets(after) == sets(found)


def test_an_empty_graph_has_no_communities():
    assert near([], cluster(planted(), seed=7), ()) == Hierarchy((), 0.0)
