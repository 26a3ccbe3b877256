"""Clusters within clusters, the same everywhere (D3, D4, D5), with what went before or without it."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from known_graphs import NAMES, in_one_piece_each, known_graph, ring_of_cliques

from lorelite.errors import ClusteringAlgorithmError, InvalidOption, NotFound
from lorelite.graph.hierarchy import ALGORITHMS, Hierarchy, cluster
from lorelite.graph.weighted import canonical

planted = pytest.importorskip("bench.planted", reason="the runners live beside the package, not in it").planted

PLANTED = {"1k": (300, 1_000, 15), "10k": (3_000, 10_000, 50)}
TWO_PARTS = [("a", "b", 1), ("b", "c", 1), ("a", "c", 1), ("x", "y", 1)]

# What CPython 3.11 finds; any other runtime must find the same.
DIGESTS = {
    ("1k", "leiden"): "f87bedc541b6746c",
    ("1k", "louvain"): "0696389cd57d7bbd",
    ("1k", "local-moving"): "6cbd818e83ee26c5",
    ("10k", "leiden"): "ed4f56c7d177812f",
    ("10k", "louvain"): "d4779447524deb5e",
    ("10k", "local-moving"): "727085d5e5606fe6",
}


def digest(hierarchy):
    lines = [f"{c.id} {c.level} {c.parent} {' '.join(c.members)}" for c in hierarchy.clusters]
    return hashlib.sha256("\n".join([*lines, repr(hierarchy.modularity)]).encode()).hexdigest()[:16]


def members(hierarchy, level=0):
    return [c.members for c in hierarchy.clusters if c.level == level]


def edges_of(name):
    return planted(*PLANTED[name])[0] if name in PLANTED else known_graph(name)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", [*NAMES, "1k"])
def test_d3_children_divide_their_parent_and_only_what_cannot_be_divided_is_too_large(name, algorithm):
    edges = edges_of(name)
    found = cluster(edges, algorithm=algorithm, max_cluster_size=8)
    by_id = {c.id: c for c in found.clusters}
    assert list(by_id) == [str(number) for number in range(len(found.clusters))]
    assert sorted(name for group in members(found) for name in group) == canonical(edges)[0]
    for c in found.clusters:
        assert list(c.members) == sorted(c.members)
        assert c.is_final == (not c.children)
        if c.children:
            parts = [by_id[child] for child in c.children]
            assert len(c.members) > 8 and len(parts) > 1
            assert {(part.parent, part.level) for part in parts} == {(c.id, c.level + 1)}
            assert sorted(name for part in parts for name in part.members) == list(c.members)
        elif len(c.members) > 8:
            inside = set(c.members)
            alone = [edge for edge in edges if edge[0] in inside and edge[1] in inside]
            assert len(members(cluster(alone, algorithm=algorithm, entity_ids=c.members))) == 1
        if c.parent is None:
            assert c.level == 0
    assert [c.level for c in found.clusters] == sorted(c.level for c in found.clusters)


def test_d3_a_clique_stays_whole_however_large():
    [c] = cluster(ring_of_cliques(1, 20)[0]).clusters
    assert (len(c.members), c.is_final, c.children) == (20, True, ())


@pytest.mark.parametrize("name", [*NAMES, "1k"])
def test_d3_every_leiden_cluster_is_connected_on_every_level(name):
    edges = edges_of(name)
    names, graph = canonical(edges)
    found = cluster(edges)
    for level in range(found.clusters[-1].level + 1):
        groups = members(found, level)
        label = {name: number for number, group in enumerate(groups) for name in group}
        nodes = [node for node, name in enumerate(names) if name in label]
        assert in_one_piece_each(graph.induced(nodes), [label[names[node]] for node in nodes])


@pytest.mark.parametrize(("size", "algorithm"), DIGESTS)
def test_d4_every_runtime_finds_the_same_clusters(size, algorithm):
    assert digest(cluster(edges_of(size), algorithm=algorithm)) == DIGESTS[size, algorithm]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_d4_the_order_of_the_edges_does_not_matter(algorithm):
    edges = planted(120, 400, 8)[0]
    first = cluster(edges, algorithm=algorithm)
    drawn = random.Random(9)
    for _ in range(20):
        drawn.shuffle(edges)
        assert cluster([(b, a, weight) for a, b, weight in edges], algorithm=algorithm) == first


@pytest.mark.cpython_only
def test_d4_the_seed_of_hashes_does_not_matter():
    code = (
        "from bench.planted import planted; from lorelite.graph.hierarchy import cluster; "
        "print(hash('a'), cluster(planted(300, 1000, 15)[0]))"
    )
    root = Path(__file__).resolve().parents[2]
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": f"{root}{os.pathsep}{root / 'src'}"},
            capture_output=True, text=True, check=True,
        ).stdout.split(" ", 1)
        for seed in ("1", "2")
    ]  # fmt: skip
    assert said[0][0] != said[1][0]
    assert said[0][1] == said[1][1]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_d5_all_components_are_clustered_or_only_the_largest(algorithm):
    assert members(cluster(TWO_PARTS, algorithm=algorithm)) == [("a", "b", "c"), ("x", "y")]
    only = cluster(TWO_PARTS, algorithm=algorithm, use_lcc=True)
    assert members(only) == [("a", "b", "c")]
    assert only.modularity == 0


def test_d5_of_components_equally_large_the_one_with_the_smallest_name_is_taken():
    assert members(cluster([("y", "b", 1), ("z", "a", 1)], use_lcc=True)) == [("a", "z")]


def test_entities_without_edges_are_communities_of_one_after_all_others():
    found = cluster(TWO_PARTS, entity_ids=["a", "lone", "m"])
    assert members(found) == [("a", "b", "c"), ("x", "y"), ("lone",), ("m",)]
    assert members(cluster(TWO_PARTS, entity_ids=["lone"], use_lcc=True)) == [("a", "b", "c")]


def test_no_edges_make_no_clusters():
    assert cluster([]) == cluster([], use_lcc=True) == Hierarchy((), 0.0)
    assert cluster([("a", "a", 1), ("a", "b", 0)]) == Hierarchy((), 0.0)


def test_without_a_largest_size_there_is_one_level():
    found = cluster(edges_of("1k"), max_cluster_size=None)
    assert {c.level for c in found.clusters} == {0}
    assert all(c.is_final for c in found.clusters)
    assert max(len(c.members) for c in found.clusters) > 10


def test_what_was_found_before_stays_when_nothing_has_changed():
    edges = edges_of("1k")
    first = cluster(edges)
    again = cluster(edges, previous=first)
    assert again.modularity >= first.modularity
    assert kept(first, again) > 0.9


def test_after_an_insert_most_clusters_stay_and_modularity_does_not_suffer():
    edges = edges_of("10k")
    before = cluster(edges[:-50])
    cold, warm = cluster(edges), cluster(edges, previous=before)
    assert warm.modularity > cold.modularity - 0.002
    assert kept(before, warm) > 0.7
    assert kept(before, cold) < 0.5


def test_names_that_are_gone_are_not_clustered_again():
    before = cluster([*TWO_PARTS, ("gone", "a", 1)])
    assert members(cluster(TWO_PARTS, previous=before)) == [("a", "b", "c"), ("x", "y")]
    assert cluster([], previous=before) == Hierarchy((), 0.0)


def kept(before, after):
    """The share of the clusters that have the same members as one before."""
    known = {c.members for c in before.clusters}
    return sum(c.members in known for c in after.clusters) / len(after.clusters)


@pytest.mark.parametrize("algorithm", ["leiden", "louvain"])
def test_igraph_finds_as_good_a_hierarchy_where_it_is_installed(algorithm):
    pytest.importorskip("igraph", reason="igraph is not installed")
    edges = edges_of("1k")
    ours, theirs = cluster(edges, algorithm=algorithm), cluster(edges, algorithm=algorithm, engine="igraph")
    assert theirs.modularity == pytest.approx(ours.modularity, abs=0.02)
    assert theirs == cluster(edges, algorithm=algorithm, engine="igraph")
    assert sum(c.is_final for c in theirs.clusters) > len(members(theirs))


def test_igraph_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "igraph", None)
    with pytest.raises(NotFound, match=r"igraph.*pip install 'lorelite\[igraph\]'"):
        cluster(TWO_PARTS, engine="igraph")


def test_igraph_has_no_local_moving():
    with pytest.raises(ClusteringAlgorithmError, match="leiden, louvain, found 'local-moving'"):
        cluster(TWO_PARTS, engine="igraph", algorithm="local-moving")


def test_an_unknown_algorithm_is_refused_with_the_known_ones():
    with pytest.raises(ClusteringAlgorithmError, match="leiden, louvain, local-moving, found 'walktrap'"):
        cluster([], algorithm="walktrap")


@pytest.mark.parametrize(
    "option",
    [
        {"engine": "numpy"},
        {"resolution": 0},
        {"resolution": float("nan")},
        {"resolution": float("inf")},
        {"max_cluster_size": 0},
        {"seed": None},
    ],
)
def test_an_option_out_of_its_range_is_refused_by_name(option):
    [name] = option
    with pytest.raises(InvalidOption, match=name):
        cluster(TWO_PARTS, **option)
