"""D2: Leiden and Louvain against igraph, against planted communities, and against what must hold of any graph."""

from __future__ import annotations

import random
from collections import Counter
from math import log

import pytest
from known_graphs import NAMES, graph_of, in_one_piece_each, known_graph, ring_of_cliques, sizes

from lorelite.graph import leiden as leiden_module
from lorelite.graph.by_igraph import igraph_partition
from lorelite.graph.hierarchy import SEED
from lorelite.graph.leiden import leiden
from lorelite.graph.local_moving import local_moving
from lorelite.graph.louvain import louvain, shuffled
from lorelite.graph.modularity import modularity
from lorelite.graph.weighted import canonical

planted = pytest.importorskip("bench.planted", reason="the runners live beside the package, not in it").planted

BEST = {"karate": (0.4449, 4), "les_miserables": (0.5667, 6), "florentine": (0.3987, 3), "davis": (0.3360, 3)}
PLANTED = {"1k": (300, 1_000, 15), "10k": (3_000, 10_000, 50)}


def by_igraph(graph):
    """The best of 20 runs, each with another seed."""
    pytest.importorskip("igraph", reason="igraph, to compare with, is not installed")
    return max(modularity(graph, igraph_partition("leiden", seed, 1.0)(graph, None)) for seed in range(20))


def shared_information(first, second):
    """Normalised mutual information of two partitions: 1 if they are the same, 0 if one tells nothing of the other."""
    count = len(first)
    a, b, both = Counter(first), Counter(second), Counter(zip(first, second, strict=True))
    mutual = sum(n / count * log(n * count / (a[x] * b[y])) for (x, y), n in both.items())
    entropy = [-sum(n / count * log(n / count) for n in sizes.values()) for sizes in (a, b)]
    return 2 * mutual / sum(entropy)


@pytest.mark.parametrize("name", NAMES)
def test_d2_leiden_finds_the_best_known_partition_of_the_known_graphs(name):
    graph = graph_of(known_graph(name))
    community = leiden(graph, seed=SEED)
    assert modularity(graph, community) == pytest.approx(BEST[name][0], abs=6e-5)
    assert len(set(community)) == BEST[name][1]
    assert modularity(graph, community) > by_igraph(graph) - 0.005


@pytest.mark.parametrize("size", PLANTED)
def test_d2_leiden_is_within_0005_of_igraph_on_planted_graphs(size):
    graph = graph_of(planted(*PLANTED[size])[0])
    assert modularity(graph, leiden(graph, seed=SEED)) > by_igraph(graph) - 0.005


@pytest.mark.parametrize(("nodes", "edges", "groups"), [(500, 5_000, 20), (1_000, 10_000, 25)])
def test_d2_planted_communities_are_found_again(nodes, edges, groups):
    links, label = planted(nodes, edges, groups, hubs=False)
    names, graph = canonical(links)
    assert shared_information(leiden(graph, seed=SEED), [label[name] for name in names]) >= 0.98


@pytest.mark.parametrize("seed", range(40))
def test_d2_every_community_is_connected_whatever_the_start(seed):
    drawn = random.Random(seed)
    edges = [(f"n{drawn.randrange(60)}", f"n{drawn.randrange(60)}", drawn.random()) for _ in range(90)]
    _, graph = canonical(edges)
    starts = [None, [0] * len(graph), [drawn.randrange(5) for _ in range(len(graph))]]
    for start in starts:
        for resolution in (0.05, 1.0, 4.0):
            community = leiden(graph, seed=seed, start=start, resolution=resolution)
            assert in_one_piece_each(graph, community)
            assert sorted(set(community)) == list(range(max(community) + 1))


def test_d2_a_community_that_fell_apart_is_divided_even_where_refinement_merges_nothing(monkeypatch):
    monkeypatch.setattr(leiden_module, "_refined", lambda graph, *_: list(range(len(graph))))
    graph = graph_of([("a", "b", 1), ("b", "c", 1), ("a", "c", 1), ("x", "y", 1), ("y", "z", 1), ("x", "z", 1)])
    assert leiden(graph, seed=SEED, start=[0] * 6) == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("method", [leiden, louvain])
def test_cliques_in_a_ring_are_communities(method):
    edges, clique = ring_of_cliques(12, 6)
    community = method(graph_of(edges), seed=SEED)
    assert community == clique


def test_a_start_that_is_wrong_costs_next_to_nothing():
    links, _ = planted(300, 1_000, 15)
    graph = graph_of(links)
    cold = modularity(graph, leiden(graph, seed=SEED))
    drawn = random.Random(2)
    for groups in (1, 5, 100):
        start = [drawn.randrange(groups) for _ in range(len(graph))]
        assert modularity(graph, leiden(graph, seed=SEED, start=start)) > cold - 0.01


@pytest.mark.parametrize("name", NAMES)
def test_louvain_is_better_than_its_first_phase(name):
    graph = graph_of(known_graph(name))
    best = BEST[name][0]
    assert modularity(graph, local_moving(graph)) < modularity(graph, louvain(graph, seed=SEED)) <= best + 6e-5
    assert modularity(graph, louvain(graph, seed=SEED)) > best - 0.03


def test_a_higher_resolution_makes_smaller_communities():
    graph = graph_of(planted(300, 1_000, 15)[0])
    largest = [max(sizes(leiden(graph, seed=SEED, resolution=resolution))) for resolution in (0.2, 1.0, 5.0)]
    assert largest == sorted(largest, reverse=True)
    assert len(set(largest)) == 3


@pytest.mark.parametrize("method", [leiden, louvain])
def test_graphs_of_nothing_one_node_and_no_edges(method):
    assert method(canonical([])[1], seed=1) == []
    assert method(canonical([], ["a"])[1], seed=1) == [0]
    assert method(canonical([], ["a", "b"])[1], seed=1) == [0, 1]
    assert method(canonical([("a", "b", 1e-300)], ["c"])[1], seed=1) == [0, 0, 1]


def test_the_order_of_nodes_is_that_of_a_seed_and_of_no_version_of_python():
    assert shuffled(12, random.Random(SEED)) == [11, 2, 6, 1, 7, 8, 9, 4, 3, 10, 5, 0]
    assert shuffled(0, random.Random(SEED)) == []
