"""What holds of every graph store. Subclass GraphContract and say how one is opened."""

from __future__ import annotations

from collections.abc import Awaitable
from itertools import pairwise
from typing import Any, TypeVar

import pytest

from lorelite._drive import drive
from lorelite.adapters.base import GraphBase
from lorelite.errors import ClusteringAlgorithmError, InvalidOption, NotFound
from lorelite.store_ports import HAS_ENTITY, RELATES_TO, SIMILAR_TO, GraphStore

T = TypeVar("T")

HOSTILE = (
    "a:b", "a*", "a", "`x`", "x' or 1=1 --", '"; drop table node; --', "{braces}", "$where", "back\\slash", "%_",
    "ü→雪", "MATCH (n) DETACH DELETE n", "<SEP>", "a/b?c=d#e", " spaced ",
)  # fmt: skip
"""Strings that a store could take for something else. No two may meet."""


class GraphContract:
    def open(self, namespace: str) -> GraphBase:
        """An empty store; every namespace of one test is kept in the same place."""
        raise NotImplementedError

    def run(self, call: Awaitable[T]) -> T:
        """What the call gives. Stores that wait for a server run it in an event loop."""
        return drive(call)  # type: ignore[arg-type]

    @pytest.fixture
    def graph(self) -> Any:
        graph = self.open("class")
        yield graph
        self.run(graph.close())

    def fill(self, graph: GraphBase, *pairs: tuple[str, str]) -> None:
        self.run(graph.upsert_nodes_batch({end: {"label": "Entity"} for pair in pairs for end in pair}))
        self.run(graph.upsert_edges_batch([(*pair, {"weight": 1.0}) for pair in pairs]))

    def picture(self, graph: GraphBase) -> Any:
        return self.run(graph.all_nodes()), self.run(graph.all_edges())

    # -- nodes --------------------------------------------------------------------------------------------------

    def test_it_is_a_graph_store(self, graph):
        assert isinstance(graph, GraphStore)

    def test_a_node_is_given_back_as_it_was_put(self, graph):
        data = {
            "label": "Entity",
            "name": "Ebenezer Scrooge",
            "entity_type": "person",
            "description": "A miser.\n'Bah!' \"Humbug!\"",
            "source_id": ["chunk-1", "chunk-2"],
            "clusters": [{"level": 0, "cluster": "3"}],
            "own": {"deep": [1, 2.5, None, True]},
        }
        self.run(graph.upsert_node("SCROOGE", data))
        assert self.run(graph.get_node("SCROOGE")) == data
        assert self.run(graph.get_node("MARLEY")) is None
        self.run(graph.upsert_node("BARE", {}))
        assert self.run(graph.get_node("BARE")) == {}

    def test_given_keys_win_and_others_stay(self, graph):
        self.run(graph.upsert_node("a", {"name": "A", "entity_type": "person", "n": 1}))
        self.run(graph.upsert_node("a", {"entity_type": "ghost", "n": None, "m": ""}))
        assert self.run(graph.get_node("a")) == {"name": "A", "entity_type": "ghost", "n": None, "m": ""}

    def test_a_node_is_a_copy(self, graph):
        data = {"source_id": ["one"]}
        self.run(graph.upsert_node("a", data))
        data["source_id"].append("two")
        self.run(graph.get_node("a"))["source_id"].append("three")
        assert self.run(graph.get_node("a")) == {"source_id": ["one"]}

    def test_ids_that_differ_in_case_or_spaces_are_different_nodes(self, graph):
        ids = ["Scrooge", "SCROOGE", "scrooge", "scrooge ", " scrooge"]
        for number, id in enumerate(ids):
            self.run(graph.upsert_node(id, {"n": number}))
        assert [self.run(graph.get_node(id)) for id in ids] == [{"n": number} for number in range(len(ids))]
        assert self.run(graph.get_node("sCROOGE")) is None

    def test_what_is_no_data_is_refused(self, graph):
        for data in ({"x": float("nan")}, {"x": {1}}, {"x": b"bytes"}, {1: "x"}, ["x"]):
            with pytest.raises(InvalidOption, match="node_data"):
                self.run(graph.upsert_node("a", data))
        with pytest.raises(InvalidOption, match="node_id"):
            self.run(graph.upsert_node("", {}))
        assert self.run(graph.get_node("a")) is None

    def test_all_nodes_are_listed_by_id_and_label(self, graph):
        for id, label in (("b", "Entity"), ("c1", "Chunk"), ("a", "Entity")):
            self.run(graph.upsert_node(id, {"label": label, "order": 1}))
        assert [id for id, _ in self.run(graph.all_nodes())] == ["a", "b", "c1"]
        assert self.run(graph.all_nodes("Chunk")) == [("c1", {"label": "Chunk", "order": 1})]
        assert [id for id, _ in self.run(graph.all_nodes("Entity"))] == ["a", "b"]

    # -- edges --------------------------------------------------------------------------------------------------

    def test_an_edge_is_found_from_both_ends(self, graph):
        self.fill(graph, ("b", "a"))
        data = {"type": RELATES_TO, "weight": 2.5, "description": 'is "next" to', "keywords": ["x"], "direction": -1}
        self.run(graph.upsert_edge("b", "a", data))
        assert self.run(graph.get_edge("b", "a")) == self.run(graph.get_edge("a", "b")) == data
        assert self.run(graph.get_edge("a", "c")) is None
        assert self.run(graph.get_node_edges("a")) == [("a", "b")]
        assert self.run(graph.get_node_edges("b")) == [("b", "a")]

    def test_there_is_one_edge_of_each_type_between_two_nodes(self, graph):
        self.fill(graph, ("a", "b"))
        self.run(graph.upsert_edge("a", "b", {"weight": 3.0, "description": "first"}))
        self.run(graph.upsert_edge("b", "a", {"weight": 4.0}))
        self.run(graph.upsert_edge("a", "b", {"type": SIMILAR_TO, "weight": 0.5}))
        assert self.run(graph.get_edge("a", "b")) == {"type": RELATES_TO, "weight": 4.0, "description": "first"}
        assert self.run(graph.get_edge("a", "b", SIMILAR_TO)) == {"type": SIMILAR_TO, "weight": 0.5}
        assert self.run(graph.get_edge("a", "b", HAS_ENTITY)) is None
        assert self.run(graph.get_node_edges("a")) == [("a", "b")]
        self.run(graph.delete_edge("a", "b"))
        assert self.run(graph.get_edge("b", "a")) == {"type": SIMILAR_TO, "weight": 0.5}

    def test_the_edges_of_a_node_come_with_their_data(self, graph):
        self.fill(graph, ("a", "c"), ("b", "a"), ("b", "c"))
        self.run(graph.upsert_edge("a", "b", {"type": SIMILAR_TO, "weight": 0.5}))
        found = self.run(graph.edges_of("a"))
        assert [(edge.source, edge.target, edge.data["type"]) for edge in found] == [
            ("a", "b", RELATES_TO),
            ("a", "b", SIMILAR_TO),
            ("a", "c", RELATES_TO),
        ]
        assert [edge.target for edge in self.run(graph.edges_of("a", SIMILAR_TO))] == ["b"]
        assert found[1].data == {"type": SIMILAR_TO, "weight": 0.5} and found[1].pair == ("a", "b")

    def test_a_lonely_node_has_no_edges_and_an_unknown_one_none(self, graph):
        self.run(graph.upsert_node("a", {}))
        assert self.run(graph.get_node_edges("a")) == self.run(graph.edges_of("a")) == []
        assert self.run(graph.get_node_edges("b")) is None
        assert self.run(graph.edges_of("b")) is None

    def test_an_edge_needs_its_nodes_unless_they_are_to_be_made(self, graph):
        self.run(graph.upsert_node("a", {"n": 1}))
        with pytest.raises(NotFound, match="node 'b'"):
            self.run(graph.upsert_edge("a", "b", {"weight": 1.0}))
        assert self.run(graph.get_node("b")) is None
        self.run(graph.upsert_edge("a", "b", {"weight": 1.0}, create_missing=True))
        assert self.run(graph.get_node("b")) == {} and self.run(graph.get_node("a")) == {"n": 1}
        assert self.run(graph.get_node_edges("b")) == [("b", "a")]

    def test_a_batch_of_edges_is_stored_as_a_whole_or_not(self, graph):
        self.fill(graph, ("a", "b"))
        with pytest.raises(NotFound):
            self.run(graph.upsert_edges_batch([("a", "b", {"weight": 9.0}), ("a", "nobody", {})]))
        assert self.run(graph.get_edge("a", "b"))["weight"] == 1.0

    def test_a_node_may_be_joined_to_itself(self, graph):
        self.fill(graph, ("a", "a"), ("a", "b"))
        assert self.run(graph.get_node_edges("a")) == [("a", "a"), ("a", "b")]
        assert len(self.run(graph.all_edges())) == 2
        assert self.run(graph.delete_node("a"))
        assert self.run(graph.all_edges()) == []

    def test_all_edges_are_listed_once(self, graph):
        self.fill(graph, ("b", "a"), ("c", "a"))
        self.run(graph.upsert_edge("a", "b", {"type": SIMILAR_TO, "weight": 0.5}))
        edges = self.run(graph.all_edges())
        assert [(edge.pair, edge.data["type"]) for edge in edges] == [
            (("a", "b"), RELATES_TO),
            (("a", "b"), SIMILAR_TO),
            (("a", "c"), RELATES_TO),
        ]
        assert (edges[0].source, edges[0].target) == ("b", "a")
        assert [edge.pair for edge in self.run(graph.all_edges(SIMILAR_TO))] == [("a", "b")]

    def test_batches_give_what_single_calls_give(self, graph):
        self.fill(graph, ("a", "b"), ("b", "c"))
        ids = ["c", "unknown", "a", "c"]
        assert self.run(graph.get_nodes_batch(ids)) == [self.run(graph.get_node(id)) for id in ids]
        pairs = [("b", "a"), ("a", "c"), ("b", "c"), ("x", "y")]
        assert self.run(graph.get_edges_batch(pairs)) == [self.run(graph.get_edge(*pair)) for pair in pairs]
        assert self.run(graph.get_nodes_edges_batch(ids)) == [self.run(graph.edges_of(id)) for id in ids]
        assert self.run(graph.node_degrees(["b", "a", "unknown"])) == [2, 1, 0]
        assert self.run(graph.node_degrees(["b"], SIMILAR_TO)) == [0]
        for empty in (graph.get_nodes_batch, graph.get_edges_batch, graph.get_nodes_edges_batch, graph.node_degrees):
            assert self.run(empty([])) == []
        self.run(graph.upsert_nodes_batch({}))
        self.run(graph.upsert_edges_batch([]))

    def test_doing_it_twice_is_doing_it_once(self, graph):
        self.fill(graph, ("a", "b"), ("b", "c"))
        before = self.picture(graph)
        self.fill(graph, ("a", "b"), ("c", "b"))
        after = self.picture(graph)
        assert after[0] == before[0]
        assert [(edge.pair, edge.data) for edge in after[1]] == [(edge.pair, edge.data) for edge in before[1]]

    # -- deleting -----------------------------------------------------------------------------------------------

    def test_a_node_goes_with_its_edges_and_does_not_bring_them_back(self, graph):
        self.fill(graph, ("a", "b"), ("b", "c"))
        assert self.run(graph.delete_node("b")) is True
        assert self.run(graph.delete_node("b")) is False
        assert self.run(graph.get_node("b")) is None and self.run(graph.get_node_edges("a")) == []
        self.run(graph.upsert_node("b", {"n": 1}))
        assert self.run(graph.get_node("b")) == {"n": 1} and self.run(graph.get_node_edges("b")) == []

    def test_deleting_in_batches_counts_what_was_there(self, graph):
        self.fill(graph, ("a", "b"), ("b", "c"), ("c", "d"))
        assert self.run(graph.delete_edges_batch([("b", "a"), ("a", "d"), ("x", "y")])) == 1
        assert self.run(graph.delete_edges_batch([("b", "c")], SIMILAR_TO)) == 0
        assert [edge.pair for edge in self.run(graph.all_edges())] == [("b", "c"), ("c", "d")]
        assert self.run(graph.delete_nodes_batch(["c", "unknown", "d"])) == 2
        assert [id for id, _ in self.run(graph.all_nodes())] == ["a", "b"]

    # -- communities --------------------------------------------------------------------------------------------

    def two_triangles(self, graph: GraphBase) -> None:
        left, right = [("a1", "a2"), ("a2", "a3"), ("a1", "a3")], [("b1", "b2"), ("b2", "b3"), ("b1", "b3")]
        self.fill(graph, *left, *right, ("a1", "b1"))
        chunks = {"a1": ["chunk-1"], "a2": ["chunk-1", "chunk-2"], "b1": ["chunk-3"]}
        self.run(graph.upsert_nodes_batch({id: {"source_id": ids} for id, ids in chunks.items()}))
        self.run(graph.upsert_node("chunk-1", {"label": "Chunk"}))
        self.run(graph.upsert_edge("chunk-1", "a1", {"type": HAS_ENTITY, "weight": 9.0}))

    @pytest.mark.parametrize("algorithm", ["leiden", "louvain", "local-moving"])
    def test_clusters_are_found_and_told_of(self, graph, algorithm):
        self.two_triangles(graph)
        assert self.run(graph.community_schema()) == {}
        self.run(graph.clustering(algorithm))
        schema = self.run(graph.community_schema())
        assert [community["nodes"] for community in schema.values()] == [["a1", "a2", "a3"], ["b1", "b2", "b3"]]
        first, second = schema.values()
        assert first["title"] == f"Cluster {first['id']}" and first["level"] == 0 and first["parent"] is None
        assert first["edges"] == [("a1", "a2"), ("a1", "a3"), ("a1", "b1"), ("a2", "a3")]
        assert first["chunk_ids"] == ["chunk-1", "chunk-2"] and first["occurrence"] == 1.0
        assert second["chunk_ids"] == ["chunk-3"] and second["occurrence"] == 0.5
        assert self.run(graph.get_node("a1"))["clusters"] == [{"level": 0, "cluster": first["id"]}]
        assert "clusters" not in self.run(graph.get_node("chunk-1"))

    def test_clusters_are_divided_again_where_they_are_too_large(self, graph):
        corners = [[f"{number:02}{corner}" for corner in "abc"] for number in range(10)]
        joined = [(corners[number][0], corners[(number + 1) % 10][1]) for number in range(10)]
        self.fill(graph, *joined, *(pair for a, b, c in corners for pair in ((a, b), (b, c), (a, c))))
        self.run(graph.clustering("leiden", max_cluster_size=4))
        schema = self.run(graph.community_schema())
        large = [each for each in schema.values() if len(each["nodes"]) == 6]
        assert len(large) == 4 and next(iter(schema)) == "0"
        for above in large:
            below = [schema[id] for id in above["sub_communities"]]
            assert [each["level"] for each in below] == [1, 1]
            assert [each["parent"] for each in below] == [above["id"], above["id"]]
            assert sorted(node for each in below for node in each["nodes"]) == above["nodes"]

    def test_weights_that_are_text_count_as_the_numbers_that_they_are_and_others_as_1(self, graph):
        self.fill(graph, ("a", "b"), ("b", "c"), ("c", "d"))
        for pair, weight in ((("a", "b"), "5"), (("b", "c"), "heavy"), (("c", "d"), "5.5")):
            self.run(graph.upsert_edge(*pair, {"weight": weight}))
        assert self.run(graph.get_edge("a", "b"))["weight"] == "5"
        self.run(graph.clustering("leiden"))
        assert [each["nodes"] for each in self.run(graph.community_schema()).values()] == [["a", "b"], ["c", "d"]]

    def test_a_new_clustering_takes_the_place_of_the_old(self, graph):
        self.two_triangles(graph)
        self.run(graph.clustering("leiden"))
        self.run(graph.delete_edges_batch([("b1", "b2"), ("b1", "b3"), ("a1", "b1")]))
        self.run(graph.clustering("leiden", use_lcc=True))
        assert [each["nodes"] for each in self.run(graph.community_schema()).values()] == [["a1", "a2", "a3"]]
        assert self.run(graph.get_node("b1"))["clusters"] == []

    def test_an_unknown_algorithm_is_named(self, graph):
        with pytest.raises(ClusteringAlgorithmError, match="leiden"):
            self.run(graph.clustering("guessing"))
        with pytest.raises(ValueError):
            self.run(graph.clustering("guessing"))

    def test_an_empty_graph_has_no_communities(self, graph):
        self.run(graph.clustering("leiden"))
        assert self.run(graph.community_schema()) == {}

    # -- namespaces ---------------------------------------------------------------------------------------------

    def test_i1_namespaces_see_nothing_of_each_other_and_go_one_by_one(self):
        graphs = {name: self.open(name) for name in HOSTILE}
        for number, graph in enumerate(graphs.values()):
            self.run(graph.upsert_nodes_batch({"a": {"n": number}, "b": {"description": f"of {number}"}}))
            self.run(graph.upsert_edge("a", "b", {"weight": float(number)}))
        pictures = {name: self.picture(graph) for name, graph in graphs.items()}
        for number, name in enumerate(graphs):
            assert self.run(graphs[name].get_node("a")) == {"n": number}
            assert self.run(graphs[name].get_edge("b", "a"))["weight"] == float(number)
        gone = "a"
        self.run(graphs[gone].drop())
        assert self.picture(graphs[gone]) == ([], [])
        for name, graph in graphs.items():
            if name != gone:
                assert self.picture(graph) == pictures[name]
        for graph in graphs.values():
            self.run(graph.drop())
            self.run(graph.close())

    def test_i2_hostile_strings_are_stored_as_they_are(self, graph):
        for text in HOSTILE:
            self.run(graph.upsert_node(text, {"label": "Entity", "name": text, "description": text, text: text}))
        for one, other in pairwise(HOSTILE):
            self.run(graph.upsert_edge(one, other, {"type": one, "description": other, other: one}))
        for text in HOSTILE:
            assert self.run(graph.get_node(text)) == {
                "label": "Entity",
                "name": text,
                "description": text,
                text: text,
            }
        for one, other in pairwise(HOSTILE):
            assert self.run(graph.get_edge(other, one, one)) == {"type": one, "description": other, other: one}
        assert len(self.run(graph.all_nodes())) == len(HOSTILE)

    @pytest.mark.parametrize("name", ["", "x" * 129, "a\nb", "a\x00b", "\x7f", "\ud800", 7, None])
    def test_a_namespace_is_a_line_of_at_most_128_characters(self, name):
        with pytest.raises(InvalidOption, match="namespace"):
            self.open(name)

    def test_a_dropped_namespace_can_be_filled_again(self, graph):
        self.fill(graph, ("a", "b"))
        before = self.picture(graph)
        self.run(graph.drop())
        self.run(graph.drop())
        self.fill(graph, ("a", "b"))
        assert self.picture(graph) == before
