"""`traverse_graph` with each of its options."""

from __future__ import annotations

import pytest

from lorelite import InvalidOption, Wiki, WikiConfig
from lorelite.models import CallableEmbedder

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


def test_several_anchors_are_walked_from_at_once(small_world):
    assert walked(small_world, ["d", "a"]) == [("d", 0), ("a", 0), ("b", 1), ("c", 1), ("e", 1)]
    graph = small_world.traverse_graph(NS, source_id=["d", "a"], max_depth=2)
    assert {node.id: node.path for node in graph.nodes} == {
        "d": ("d",),
        "a": ("a",),
        "b": ("a", "b"),
        "c": ("d", "c"),
        "e": ("a", "e"),
    }
    assert [node.parent for node in graph.nodes] == [None, None, "a", "d", "a"]


def test_anchors_that_are_not_there_are_left_out(small_world):
    assert ids(small_world, ["nobody", "d", "d", "a'; drop table node; --"]) == ["d", "c"]
    assert small_world.traverse_graph(NS, source_id=["nobody", "nothing"]).nodes == ()
    small_world.write("other", title="x", node_id="x")
    assert ids(small_world, ["x", "d"]) == ["d", "c"]


@pytest.mark.parametrize("anchors", [[], [""], ["d", 3], [f"n{number}" for number in range(1_001)], None, 5, b"d"])
def test_odd_anchors_are_refused(small_world, anchors):
    with pytest.raises(InvalidOption, match="source_id"):
        small_world.traverse_graph(NS, source_id=anchors)


def test_ids_with_commas_and_quotes_are_walked_like_others(wiki):
    odd = ["a,b", "a", 'say "a"', "%", "[1]", "日本"]
    links = [{"type": "t", "source_id": "a,b", "target_id": id} for id in odd[1:]]
    wiki.upsert_graph(
        NS, source_ref="s", source_hash="a" * 64, nodes=[{"id": id, "title": id} for id in odd], edges=links
    )
    assert sorted(ids(wiki, "a,b")) == sorted(odd)
    assert ids(wiki, odd)[: len(odd)] == odd


@pytest.fixture
def library(open_wiki):
    """A shelf that holds 40 books, the two about eels the oldest; one of them leads on to a note about eels."""
    made = []

    def make(**options):
        wiki = open_wiki(**options)
        books = [{"id": f"b{number:02}", "title": f"Book {number}", "body": "Of birds."} for number in range(38)]
        books += [
            {"id": "eel 1", "title": "The eel", "body": "The silver eel leaves the river in autumn. Eel upon eel."},
            {"id": "eel 2", "title": "Rivers", "body": "A book of rivers, with one eel in it and much else."},
        ]
        wiki.upsert_graph(
            NS,
            source_ref="s",
            source_hash="a" * 64,
            nodes=[
                {"id": "shelf", "title": "Shelf"},
                *books,
                {"id": "note", "title": "A note", "body": "On the eel."},
                {"id": "blank", "title": "Another note", "body": "On nothing."},
            ],
            edges=[
                *({"type": "holds", "source_id": "shelf", "target_id": book["id"]} for book in books),
                {"type": "has", "source_id": "b07", "target_id": "note"},
                {"type": "has", "source_id": "eel 2", "target_id": "blank"},
            ],
        )
        for id in ("eel 1", "eel 2"):
            set_field(wiki, id, updated_at=1)
        made.append(wiki)
        return wiki

    return make


def test_by_relevance_what_fits_the_query_comes_first_in_its_level(library):
    wiki = library()
    assert ids(wiki, "shelf", max_nodes=3) == ["shelf", "b00", "b01"]
    relevant = {"order": "relevance", "query": "when does the eel leave"}
    assert ids(wiki, "shelf", max_nodes=3, **relevant) == ["shelf", "eel 1", "eel 2"]
    everything = walked(wiki, "shelf", max_depth=2, max_nodes=100, **relevant)
    assert everything[:4] == [("shelf", 0), ("eel 1", 1), ("eel 2", 1), ("b00", 1)]
    assert everything[-2:] == [("note", 2), ("blank", 2)]
    assert ids(wiki, "shelf", max_nodes=3, query=relevant["query"]) == ["shelf", "eel 1", "eel 2"]
    assert {id for id, _ in everything} == set(ids(wiki, "shelf", max_depth=2, max_nodes=100))


def test_by_relevance_what_fits_nothing_comes_newest_first(library):
    wiki = library()
    set_field(wiki, "b20", updated_at=2_000_000_000_000)
    assert ids(wiki, "shelf", max_nodes=3, order="relevance", query="zeppelin") == ["shelf", "b20", "b00"]
    assert ids(wiki, "shelf", max_nodes=2, order="relevance", query='"" - * ((') == ["shelf", "b20"]


def test_with_an_embedder_relevance_knows_meaning_too(library):
    wiki = library(embedder=CallableEmbedder(lambda texts: [[0.0, 1.0] if "Book 9" in text or "anguilla" in text
                                                            else [1.0, 0.0] for text in texts], "taste"))  # fmt: skip
    wiki.run_reembed(NS)
    assert ids(wiki, "shelf", max_nodes=2, order="relevance", query="anguilla") == ["shelf", "b09"]


def test_relevance_in_the_past_is_of_what_was_said_then(library, clock):
    wiki = library()
    wiki.write(NS, title="A pond", body="Nothing of fish.", node_id="pond")
    wiki.write(NS, title="A lake", body="An eel, an eel and an eel.", node_id="lake")
    wiki.upsert_graph(
        NS,
        source_ref="places",
        source_hash="b" * 64,
        nodes=[{"id": "place", "title": "Place"}],
        edges=[{"type": "has", "source_id": "place", "target_id": id} for id in ("pond", "lake")],
    )
    then = clock.tick()
    clock.tick()
    wiki.update_fact(NS, node_id="pond", body="An eel.")
    wiki.update_fact(NS, node_id="lake", body="Dry.")
    relevant = {"order": "relevance", "query": "eel", "max_nodes": 2}
    assert ids(wiki, "place", **relevant) == ["place", "pond"]
    assert ids(wiki, "place", as_of=then, **relevant) == ["place", "lake"]


@pytest.mark.parametrize(
    "options", [{"order": "relevance"}, {"query": " "}, {"order": "recent", "query": "eel"}, {"query": 5}]
)
def test_a_query_goes_with_the_order_of_relevance_and_with_no_other(small_world, options):
    with pytest.raises(InvalidOption, match="query"):
        small_world.traverse_graph(NS, source_id="a", **options)


@pytest.mark.parametrize(("options", "statements"), [({}, 8), ({"max_depth": 3}, 10)])
def test_a_walk_takes_two_statements_a_level(small_world, options, statements):
    asked: list[str] = []
    small_world._wiki._engine.store.db.connection.set_trace_callback(asked.append)
    small_world.traverse_graph(NS, source_id=["a", "d"], **options)
    small_world._wiki._engine.store.db.connection.set_trace_callback(None)
    assert len(asked) == statements
