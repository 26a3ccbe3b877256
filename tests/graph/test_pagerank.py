"""Personalised PageRank by pushing against the same by dense power iteration, and the laws that both keep."""

from __future__ import annotations

import random

import pytest

from lorelite.graph.pagerank import personalised_pagerank


def reading(graph, asked=None):
    def neighbours(nodes):
        if asked is not None:
            asked.append(list(nodes))
        return {node: graph[node] for node in nodes if node in graph}

    return neighbours


def ranks(graph, seeds, restart=0.4, tolerance=1e-9, max_nodes=1_000):
    return personalised_pagerank(seeds, reading(graph), restart=restart, tolerance=tolerance, max_nodes=max_nodes)


def by_power_iteration(graph, seeds, restart, rounds=400):
    """x ← restart·seeds + (1 - restart)·Pᵀx, with what ends in a node without neighbours given back to the seeds."""
    names = sorted({*graph, *seeds, *(to for links in graph.values() for to, _ in links)})
    total = sum(seeds.values())
    start = {name: seeds.get(name, 0.0) / total for name in names}
    now = dict(start)
    for _ in range(rounds):
        then = {name: restart * start[name] for name in names}
        for name in names:
            links = graph.get(name) or [(to, share) for to, share in start.items() if share]
            weight = sum(share for _, share in links)
            for to, share in links:
                then[to] += (1 - restart) * now[name] * share / weight
        now = then
    return now


def some_graph(seed, size=14, links=30):
    chosen = random.Random(seed)
    names = [f"n{number:02}" for number in range(size)]
    graph: dict[str, list[tuple[str, float]]] = {}
    for _ in range(links):
        graph.setdefault(chosen.choice(names), []).append((chosen.choice(names), chosen.choice((0.3, 1.0, 2.5))))
    return graph, {name: chosen.random() for name in chosen.sample(names, 3)}


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("restart", [0.1, 0.4, 0.9])
def test_pushing_comes_to_what_power_iteration_comes_to(seed, restart):
    graph, seeds = some_graph(seed)
    expected = by_power_iteration(graph, seeds, restart)
    found = ranks(graph, seeds, restart)
    for node, share in expected.items():
        assert found.get(node, 0.0) == pytest.approx(share, abs=1e-6)


@pytest.mark.parametrize("tolerance", [1e-9, 1e-3, 0.05, 1.0])
@pytest.mark.parametrize("max_nodes", [0, 1, 3, 1_000])
def test_shares_sum_to_one_however_early_it_stops(tolerance, max_nodes):
    graph, seeds = some_graph(3)
    found = ranks(graph, seeds, tolerance=tolerance, max_nodes=max_nodes)
    assert sum(found.values()) == pytest.approx(1.0)
    assert all(share >= 0 for share in found.values())


def test_a_walker_that_always_starts_anew_stays_at_the_seeds():
    graph, _ = some_graph(5)
    assert ranks(graph, {"n01": 3.0, "n02": 1.0, "n03": 0.0}, restart=1.0) == {"n01": 0.75, "n02": 0.25}


def test_nodes_that_look_alike_rank_alike():
    ring = {f"{number}": [(f"{(number + 1) % 6}", 1.0), (f"{(number - 1) % 6}", 1.0)] for number in range(6)}
    found = ranks(ring, {"0": 1.0})
    assert found["1"] == pytest.approx(found["5"]) and found["2"] == pytest.approx(found["4"])
    assert found["0"] > found["1"] > found["2"] > found["3"] > 0
    assert ranks(ring, dict.fromkeys(ring, 1.0)) == pytest.approx(dict.fromkeys(ring, 1 / 6))


def test_known_shares_of_two_nodes():
    # x_a = r + (1-r)·x_b and x_b = (1-r)·x_a, so x_a = 1 / (2 - r).
    found = ranks({"a": [("b", 1.0)], "b": [("a", 1.0)]}, {"a": 1.0}, restart=0.5)
    assert found == pytest.approx({"a": 2 / 3, "b": 1 / 3}, abs=1e-6)


def test_heavier_links_carry_more():
    found = ranks({"a": [("b", 3.0), ("c", 1.0)]}, {"a": 1.0})
    assert found["b"] == pytest.approx(3 * found["c"], rel=1e-6)


@pytest.mark.parametrize("seeds", [{}, {"a": 0.0}])
def test_without_seeds_nobody_walks(seeds):
    assert ranks({"a": [("b", 1.0)]}, seeds) == {}


def test_a_loop_and_an_island_do_no_harm():
    found = ranks({"a": [("a", 1.0)], "x": [("y", 1.0)]}, {"a": 1.0})
    assert found == pytest.approx({"a": 1.0})


def test_each_node_is_asked_once_and_no_more_of_them_than_may_be():
    graph, seeds = some_graph(9, size=40, links=160)
    asked: list[list[str]] = []
    personalised_pagerank(seeds, reading(graph, asked), restart=0.2, tolerance=1e-6, max_nodes=12)
    flat = [node for nodes in asked for node in nodes]
    assert len(flat) == len(set(flat)) == 12
    assert set(asked[0]) == set(seeds)


def test_a_star_is_read_no_further_than_mass_flows():
    star = {"hub": [(f"leaf{number}", 1.0) for number in range(1_000)]}
    asked: list[list[str]] = []
    found = personalised_pagerank({"hub": 1.0}, reading(star, asked), restart=0.4, tolerance=0.002, max_nodes=400)
    assert [node for nodes in asked for node in nodes] == ["hub"]
    assert found["hub"] > 0.3 and found["leaf7"] == pytest.approx(found["leaf900"])


def test_the_same_question_has_the_same_answer_to_the_last_bit():
    graph, seeds = some_graph(11)
    assert len({tuple(ranks(graph, seeds, tolerance=1e-4).items()) for _ in range(5)}) == 1
