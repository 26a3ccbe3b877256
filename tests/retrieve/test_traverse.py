"""`traverse_graph` with each of its options."""

from __future__ import annotations

import pytest

from lorelite import Wiki, WikiConfig

NS = "class"


def walked(wiki: Wiki, source: str = "a", **options) -> list[tuple[str, int]]:
    return [(node.id, node.depth) for node in wiki.traverse_graph(NS, source_id=source, **options).nodes]


def ids(wiki: Wiki, source: str = "a", **options) -> list[str]:
    return [id for id, _ in walked(wiki, source, **options)]


def edges(wiki: Wiki, source: str = "a", **options) -> set[str]:
    return {edge.id for edge in wiki.traverse_graph(NS, source_id=source, **options).edges}


def set_field(wiki: Wiki, id: str, **fields: object) -> None:
    for name, value in fields.items():
        wiki._wiki._engine.store.db.run(f"update node set {name} = ? where id = ?", (value, id))


def test_levels_come_in_order_of_depth_then_newest_then_id(small_world, clock):
    assert walked(small_world, max_depth=3) == [("a", 0), ("b", 1), ("e", 1), ("c", 2), ("d", 3)]
    set_field(small_world, "e", updated_at=clock.now + 1)
    assert walked(small_world, max_depth=1) == [("a", 0), ("e", 1), ("b", 1)]


def test_the_parent_is_the_first_node_of_the_level_before(small_world, clock):
    parents = {node.id: node.parent for node in small_world.traverse_graph(NS, source_id="a", max_depth=3).nodes}
    assert parents == {"a": None, "b": "a", "e": "a", "c": "b", "d": "c"}
    set_field(small_world, "e", updated_at=clock.now + 1)
    graph = small_world.traverse_graph(NS, source_id="a", max_depth=3)
    assert {node.id: node.parent for node in graph.nodes}["c"] == "e"


@pytest.mark.parametrize(("depth", "reached"), [(-5, 3), (0, 3), (1, 3), (2, 4), (3, 5), (99, 5)])
def test_depth_is_clamped(small_world, depth, reached):
    assert len(walked(small_world, max_depth=depth)) == reached


def test_the_clamp_is_a_setting(open_wiki):
    wiki = open_wiki(config=WikiConfig(max_traversal_depth=5))
    chain = [{"id": f"n{number}", "title": "n"} for number in range(8)]
    links = [{"type": "t", "source_id": f"n{number}", "target_id": f"n{number + 1}"} for number in range(7)]
    wiki.upsert_graph(NS, source_ref="s", source_hash="a" * 64, nodes=chain, edges=links)
    assert len(walked(wiki, "n0", max_depth=100)) == 6


def test_direction_chooses_which_way_edges_are_crossed(small_world):
    assert ids(small_world, "c", direction="outbound") == ["c", "d"]
    assert ids(small_world, "c", direction="inbound") == ["c", "b", "e"]
    assert ids(small_world, "c", direction="both") == ["c", "b", "d", "e"]
    assert ids(small_world, "c") == ids(small_world, "c", direction="both")


def test_edge_types_choose_which_edges_are_crossed(small_world):
    assert ids(small_world, max_depth=3, edge_types=["next"]) == ["a", "b", "c", "d"]
    assert ids(small_world, max_depth=3, edge_types=["aside"]) == ["a", "e"]
    assert ids(small_world, edge_types=["nothing"]) == ["a"]
    assert small_world.traverse_graph(NS, source_id="a", edge_types=[]).edges == ()
    assert ids(small_world, edge_types=[]) == ["a"]


def test_max_nodes_counts_the_anchor_and_tells_of_the_rest(small_world):
    for limit in range(1, 5):
        graph = small_world.traverse_graph(NS, source_id="a", max_depth=3, max_nodes=limit)
        assert len(graph.nodes) == limit and graph.truncated
    graph = small_world.traverse_graph(NS, source_id="a", max_depth=3, max_nodes=5)
    assert len(graph.nodes) == 5 and not graph.truncated
    assert {edge.id for edge in graph.edges} == {"ab", "bc", "cd", "ae", "ec"}


def test_edges_are_all_among_the_nodes_or_only_those_that_were_crossed(small_world):
    assert edges(small_world, max_depth=2) == {"ab", "bc", "ae", "ec"}
    assert edges(small_world, max_depth=2, edges="walked") == {"ab", "ae", "bc"}
    assert edges(small_world, max_depth=2, max_nodes=2) == {"ab"}


def test_a_node_that_fails_a_filter_is_a_dead_end(small_world):
    set_field(small_world, "b", confidence="tentative")
    set_field(small_world, "e", confidence="inferred")
    assert ids(small_world, max_depth=3, min_confidence="inferred") == ["a", "e", "c", "d"]
    assert ids(small_world, max_depth=3, min_confidence="certain") == ["a"]
    assert len(ids(small_world, max_depth=3, min_confidence="tentative")) == 5


def test_source_types_drafts_and_kinds_are_filters_too(small_world):
    set_field(small_world, "b", source_type="user_stated")
    assert ids(small_world, exclude_source_types=["user_stated"]) == ["a", "e"]
    set_field(small_world, "e", lifecycle="draft")
    assert ids(small_world, exclude_drafts=True) == ["a", "b"]
    set_field(small_world, "b", kind="entity")
    assert ids(small_world, kinds=["entity"]) == ["a", "b"]
    assert ids(small_world, kinds=[]) == ["a"]


def test_the_anchor_passes_every_filter(small_world):
    set_field(small_world, "a", lifecycle="draft", confidence="tentative", source_type="user_stated")
    options = {"exclude_drafts": True, "min_confidence": "certain", "exclude_source_types": ["user_stated"]}
    assert ids(small_world, **options) == ["a", "b", "e"]


def test_a_window_of_validity_opens_and_closes_nodes_and_edges(small_world, clock):
    start = clock.now
    set_field(small_world, "b", valid_to=start + 100)
    small_world._wiki._engine.store.db.run("update edge set valid_from = ? where id = 'ae'", (start + 100,))
    assert ids(small_world) == ["a", "b"]
    assert ids(small_world, as_of=start + 100) == ["a", "e"]
    clock.tick(100)
    assert ids(small_world) == ["a", "e"]
    assert ids(small_world, as_of=start) == ["a", "b"]
    assert edges(small_world, as_of=start) == {"ab"}
    assert ids(small_world, as_of=0) == ["a"]


def test_a_token_budget_keeps_what_fits_and_cuts_the_anchor_to_fit(small_world):
    full = small_world.traverse_graph(NS, source_id="a", max_depth=3, token_budget=1_000)
    assert len(full.nodes) == 5 and not full.truncated
    some = small_world.traverse_graph(NS, source_id="a", max_depth=3, token_budget=12)
    assert 1 <= len(some.nodes) < 5 and some.truncated
    assert [node.id for node in small_world.traverse_graph(NS, source_id="a", token_budget=0).nodes] == ["a"]


def test_the_strongest_connection_may_come_first(wiki):
    wiki.upsert_graph(
        NS,
        source_ref="s",
        source_hash="a" * 64,
        nodes=[{"id": id, "title": id} for id in "axyz"],
        edges=[
            {"type": "t", "source_id": "a", "target_id": "x", "weight": 1},
            {"type": "t", "source_id": "a", "target_id": "y", "weight": 3},
            {"type": "t", "source_id": "a", "target_id": "z", "weight": 1},
            {"type": "u", "source_id": "z", "target_id": "a", "weight": 1},
        ],
    )
    assert ids(wiki, order="weight") == ["a", "y", "z", "x"]
    assert ids(wiki, order="weight", max_nodes=2) == ["a", "y"]


def test_a_loop_and_a_double_edge_are_walked_once(wiki):
    wiki.upsert_graph(
        NS,
        source_ref="s",
        source_hash="a" * 64,
        nodes=[{"id": id, "title": id} for id in "ab"],
        edges=[
            {"id": id, "type": kind, "source_id": source, "target_id": target}
            for id, kind, source, target in [
                ("1", "t", "a", "a"), ("2", "t", "a", "b"), ("3", "u", "a", "b"), ("4", "t", "b", "a"),
            ]
        ],
    )  # fmt: skip
    assert ids(wiki, max_depth=3) == ["a", "b"]
    assert edges(wiki, max_depth=3) == {"1", "2", "3", "4"}


@pytest.mark.parametrize("anchor", ["nobody", "b"])
def test_an_anchor_that_is_not_there_gives_an_empty_graph(small_world, anchor):
    small_world.forget(NS, node_id="b")
    graph = small_world.traverse_graph(NS, source_id=anchor)
    assert (graph.nodes, graph.edges, graph.truncated) == ((), (), False)


def test_a_walk_stays_in_its_namespace(small_world):
    small_world.write("other", title="x", node_id="x")
    small_world._wiki._engine.store.db.run("update edge set target_id = 'x' where id = 'ab'")
    assert ids(small_world) == ["a", "e"]
    assert small_world.traverse_graph("other", source_id="a").nodes == ()
