"""`shortest_path` with each of its options."""

from __future__ import annotations

import pytest

from lorelite import InvalidOption, NotFound, Wiki
from lorelite.retrieve import paths

NS = "class"


def found(wiki: Wiki, source: str = "a", target: str = "d", **options) -> list[str]:
    return [node.id for node in wiki.shortest_path(NS, source_id=source, target_id=target, **options).nodes]


def set_field(wiki: Wiki, id: str, table: str = "node", **fields: object) -> None:
    for name, value in fields.items():
        wiki._wiki._engine.store.db.run(f"update {table} set {name} = ? where id = ?", (value, id))


def test_the_nodes_come_in_the_order_of_the_path_with_what_lies_before_them(small_world):
    graph = small_world.shortest_path(NS, source_id="a", target_id="d")
    assert [(node.id, node.depth, node.parent, node.path) for node in graph.nodes] == [
        ("a", 0, None, ("a",)),
        ("b", 1, "a", ("a", "b")),
        ("c", 2, "b", ("a", "b", "c")),
        ("d", 3, "c", ("a", "b", "c", "d")),
    ]
    assert [edge.id for edge in graph.edges] == ["ab", "bc", "cd"]
    assert not graph.truncated


def test_from_a_node_to_itself_there_is_the_node_alone(small_world):
    graph = small_world.shortest_path(NS, source_id="a", target_id="a", max_depth=1)
    assert ([node.id for node in graph.nodes], graph.edges) == (["a"], ())


def test_direction_says_which_way_edges_are_crossed(small_world):
    assert found(small_world, "d", "a") == ["d", "c", "b", "a"]
    assert found(small_world, "d", "a", direction="outbound") == []
    assert found(small_world, "d", "a", direction="inbound") == ["d", "c", "b", "a"]
    assert found(small_world, direction="outbound") == ["a", "b", "c", "d"]
    assert found(small_world, direction="inbound") == []


def test_a_path_longer_than_max_depth_is_none(small_world):
    assert found(small_world, max_depth=3) == ["a", "b", "c", "d"]
    assert found(small_world, max_depth=2) == []


def test_edge_types_and_kinds_choose_what_is_crossed(small_world):
    assert found(small_world, "a", "c", edge_types=["next"]) == ["a", "b", "c"]
    assert found(small_world, "a", "c", edge_types=["aside", "back"]) == ["a", "e", "c"]
    assert found(small_world, "a", "c", edge_types=["aside"]) == []
    assert found(small_world, edge_types=[]) == []
    set_field(small_world, "e", kind="entity")
    assert found(small_world, "a", "c", kinds=["entity"]) == ["a", "e", "c"]
    assert found(small_world, "a", "c", kinds=[]) == []


def test_the_two_ends_pass_every_filter_and_others_do_not(small_world, clock):
    for id in ("a", "c"):
        set_field(small_world, id, confidence="tentative", lifecycle="draft", source_type="user_stated", valid_to=1)
    strict = {"min_confidence": "certain", "exclude_drafts": True, "exclude_source_types": ["user_stated"]}
    for weighted in (False, True):
        assert found(small_world, "a", "c", weighted=weighted, **strict) == ["a", "b", "c"]
        assert found(small_world, "a", "b", weighted=weighted, **strict) == ["a", "b"]
        set_field(small_world, "b", lifecycle="draft")
        assert found(small_world, "a", "c", weighted=weighted, exclude_drafts=True) == ["a", "e", "c"]
        set_field(small_world, "b", lifecycle="stable", confidence="tentative")
        assert found(small_world, "a", "c", weighted=weighted, min_confidence="inferred") == ["a", "e", "c"]
        set_field(small_world, "b", confidence="certain")
        # c is over and is no end here.
        assert found(small_world, "a", "d", weighted=weighted) == []


def test_weights_make_a_longer_way_the_lighter_one(small_world):
    set_field(small_world, "ae", "edge", weight=5.0)
    set_field(small_world, "ec", "edge", weight=5.0)
    assert found(small_world) == ["a", "b", "c", "d"]
    assert found(small_world, weighted=True) == ["a", "e", "c", "d"]
    set_field(small_world, "ab", "edge", weight=0.2)
    assert found(small_world, "a", "b") == ["a", "b"]
    assert found(small_world, "a", "b", weighted=True) == ["a", "e", "c", "b"]
    assert found(small_world, "a", "b", weighted=True, max_depth=2) == ["a", "b"]


def test_a_path_is_of_the_moment_asked_for(small_world, clock):
    then = clock.tick()
    clock.tick()
    without_b = [{"id": id, "title": id} for id in "acde"]
    links = [("a", "e"), ("e", "c"), ("c", "d")]
    small_world.upsert_graph(
        NS,
        source_ref="graph",
        source_hash="b" * 64,
        nodes=without_b,
        edges=[{"type": "way", "source_id": source, "target_id": target} for source, target in links],
    )
    for weighted in (False, True):
        assert found(small_world, weighted=weighted) == ["a", "e", "c", "d"]
        assert found(small_world, as_of=then, weighted=weighted) == ["a", "b", "c", "d"]
        assert found(small_world, "a", "b", as_of=then, kinds=[], weighted=weighted) == ["a", "b"]
    assert found(small_world, "a", "b") == []
    assert found(small_world, as_of=0) == []


@pytest.mark.parametrize("id", ["nobody", "x' or 1=1 --", "a,b", "%"])
def test_an_end_that_is_not_there_gives_an_empty_graph(small_world, id):
    for source, target in (("a", id), (id, "a"), (id, id)):
        graph = small_world.shortest_path(NS, source_id=source, target_id=target)
        assert (graph.nodes, graph.edges, graph.truncated) == ((), (), False)


def test_a_path_stays_in_its_namespace(small_world):
    small_world.write("other", title="x", node_id="x")
    for edge, end in (("ab", "target_id"), ("bc", "source_id")):
        set_field(small_world, edge, "edge", **{end: "x"})
    for weighted in (False, True):
        assert found(small_world, weighted=weighted) == ["a", "e", "c", "d"]
    assert found(small_world, "a", "x") == []
    assert small_world.shortest_path("other", source_id="x", target_id="a").nodes == ()


def test_a_search_that_gives_up_says_so(small_world, monkeypatch):
    monkeypatch.setattr(paths, "MOST_MET", 3)
    for weighted in (False, True):
        graph = small_world.shortest_path(NS, source_id="a", target_id="d", weighted=weighted)
        assert (graph.nodes, graph.truncated) == ((), True)


@pytest.mark.parametrize(
    "options",
    [
        {"max_depth": 0}, {"max_depth": 101}, {"max_depth": 1.5}, {"direction": "up"}, {"weighted": 1},
        {"kinds": ["x"]}, {"edge_types": "next"}, {"source_id": ""}, {"target_id": None}, {"as_of": "now"},
        {"min_confidence": "sure"}, {"source_id": ["a"]},
    ],
)  # fmt: skip
def test_odd_options_are_refused_by_name(small_world, options):
    with pytest.raises(InvalidOption, match=next(iter(options))):
        small_world.shortest_path(NS, **({"source_id": "a", "target_id": "d"} | options))


def test_an_unknown_namespace_is_told(small_world):
    with pytest.raises(NotFound):
        small_world.shortest_path("nowhere", source_id="a", target_id="d")
