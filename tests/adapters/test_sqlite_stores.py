"""The contracts of stores, of those in a Lorelite file."""

from __future__ import annotations

from dataclasses import replace

import pytest
from graph_contract import GraphContract
from kv_contract import KVContract
from vector_contract import VectorContract

from lorelite import Wiki
from lorelite._drive import drive
from lorelite.adapters import sqlite
from lorelite.adapters.sqlite import sqlite_graph, sqlite_kv, sqlite_vector
from lorelite.errors import ClosedError, WriterLocked
from lorelite.store.store import Store


class InAFile:
    """Namespaces of one file."""

    @pytest.fixture(autouse=True)
    def store(self):
        self.file = Store(":memory:")
        yield
        self.file.close()


class TestGraph(InAFile, GraphContract):
    def open(self, namespace):
        return sqlite_graph(self.file, namespace)


class TestVectors(InAFile, VectorContract):
    def open(self, namespace):
        return sqlite_vector(self.file, namespace)


class TestValues(InAFile, KVContract):
    def open(self, namespace):
        return sqlite_kv(self.file, namespace)


def test_factories_have_the_names_of_the_sdk_too():
    assert sqlite.sqliteGraph is sqlite_graph
    assert sqlite.sqliteVector is sqlite_vector
    assert sqlite.sqliteKV is sqlite_kv


# -- the one graph of a file ----------------------------------------------------------------------------------------


@pytest.fixture
def file():
    store = Store(":memory:")
    yield store
    store.close()


@pytest.fixture
def wiki(file):
    return Wiki.open(":memory:", store=file)


def test_what_is_upserted_is_there_for_the_walks_and_searches_of_a_wiki(file, wiki):
    graph = sqlite_graph(file, "class")
    drive(graph.upsert_node("SCROOGE", {"name": "Scrooge", "entity_type": "person", "description": "A miser."}))
    drive(graph.upsert_node("MARLEY", {"name": "Marley", "description": "A ghost."}))
    drive(graph.upsert_edge("MARLEY", "SCROOGE", {"weight": 2.0, "description": "partners"}))
    [node] = wiki.read("class", query="miser", kinds=["entity"]).facts
    assert (node.title, node.node_type, node.body) == ("Scrooge", "person", "A miser.")
    walked = wiki.traverse_graph("class", source_id=node.id, direction="inbound")
    assert {each.title for each in walked.nodes} == {"Scrooge", "Marley"}
    [edge] = walked.edges
    assert (edge.edge_type, edge.weight, edge.description) == ("RELATES_TO", 2.0, "partners")


def test_what_a_wiki_wrote_is_there_by_its_id_and_by_its_name(file, wiki):
    wiki.upsert_graph(
        "class",
        source_ref="g",
        source_hash="0" * 64,
        nodes=[
            {"id": "n1", "title": "Ebenezer Scrooge", "type": "person", "body": "A miser.", "kind": "entity"},
            {"id": "n2", "title": "Marley", "kind": "entity"},
            {"id": "n3", "title": "Bah!"},
        ],
        edges=[{"type": "partner_of", "source_id": "n2", "target_id": "n1", "weight": 2.0, "description": "firm"}],
    )
    graph = sqlite_graph(file, "class")
    scrooge = {"label": "Entity", "name": "Ebenezer Scrooge", "entity_type": "person", "description": "A miser."}
    assert drive(graph.get_node("n1")) == drive(graph.get_node("EBENEZER SCROOGE")) == scrooge
    assert drive(graph.get_node("n3"))["label"] == "Fact"
    assert drive(graph.get_node("BAH")) is None
    assert drive(graph.get_edge("n1", "n2")) == {"type": "partner_of", "weight": 2.0, "description": "firm"}
    assert [id for id, _ in drive(graph.all_nodes("Entity"))] == ["n1", "n2"]
    assert drive(sqlite_graph(file, "other").get_node("n1")) is None


def test_a_node_that_comes_in_under_the_name_of_an_entity_is_that_entity(file, wiki):
    wiki.ingest_document("class", source_ref="carol.md", text="# Carol\n\n[[Ebenezer Scrooge]] is a miser.")
    [before] = wiki.read("class", query="Ebenezer Scrooge", kinds=["entity"]).facts
    graph = sqlite_graph(file, "class")
    drive(graph.upsert_node("EBENEZER SCROOGE", {"entity_type": "person", "own": 1}))
    [after] = wiki.read("class", query="Ebenezer Scrooge", kinds=["entity"]).facts
    assert (after.id, after.node_type) == (before.id, "person")
    assert drive(graph.get_node("EBENEZER SCROOGE"))["own"] == 1
    assert "EBENEZER SCROOGE" in dict(drive(graph.all_nodes("Entity")))
    assert before.id not in dict(drive(graph.all_nodes("Entity")))
    drive(graph.drop())
    assert wiki.read("class", query="Ebenezer Scrooge", kinds=["entity"]).facts
    assert drive(graph.get_node("EBENEZER SCROOGE")).get("own") is None


def test_what_a_wiki_changes_is_seen_by_the_store(file, wiki):
    graph = sqlite_graph(file, "class")
    drive(graph.upsert_node("SCROOGE", {"name": "Scrooge", "description": "A miser.", "own": 1}))
    drive(graph.upsert_node("MARLEY", {"name": "Marley"}))
    drive(graph.upsert_edge("SCROOGE", "MARLEY", {}))
    [node] = wiki.read("class", query="miser", kinds=["entity"]).facts
    file.nodes.put([replace(node, body="A generous man.")])
    assert drive(graph.get_node("SCROOGE"))["description"] == "A generous man."
    assert drive(graph.get_node("SCROOGE"))["own"] == 1
    wiki.forget("class", node_id=node.id)
    assert drive(graph.get_node("SCROOGE")) is None
    assert drive(graph.get_node_edges("MARLEY")) == []


def test_forgetting_a_document_does_not_take_what_a_store_put_there(file, wiki):
    graph = sqlite_graph(file, "class")
    drive(graph.upsert_node("SCROOGE", {"name": "Scrooge", "description": "A miser."}))
    wiki.ingest_document("class", source_ref="carol.md", text="# Carol\n\n[[Scrooge]] is a miser.")
    wiki.forget("class", source_ref="carol.md")
    assert drive(graph.get_node("SCROOGE")) == {"name": "Scrooge", "description": "A miser."}


def test_what_a_transaction_undoes_is_undone_in_all_three_stores(file, wiki):
    graph, vectors, kv = sqlite_graph(file, "a"), sqlite_vector(file, "a"), sqlite_kv(file, "a")
    drive(vectors.create_index("books", 2))
    drive(vectors.upsert("books", [[1.0, 0.0]], ids=["kept"]))
    with pytest.raises(ZeroDivisionError), wiki.transaction():
        drive(graph.upsert_node("gone", {}))
        drive(kv.upsert({"gone": 1}))
        drive(vectors.upsert("books", [[0.0, 1.0]], ids=["gone"]))
        assert len(drive(vectors.query("books", [1.0, 1.0]))) == 2
        raise ZeroDivisionError
    assert drive(graph.get_node("gone")) is None and drive(kv.get_by_id("gone")) is None
    assert [match["id"] for match in drive(vectors.query("books", [1.0, 1.0]))] == ["kept"]


def test_what_was_undone_is_not_mistaken_for_what_another_store_wrote_instead(file):
    one, other = sqlite_vector(file, "a"), sqlite_vector(file, "a")
    drive(one.create_index("books", 2))
    with pytest.raises(ZeroDivisionError), file.atomic():
        drive(one.upsert("books", [[1.0, 0.0]], ids=["undone"]))
        raise ZeroDivisionError
    drive(other.upsert("books", [[1.0, 0.0]], ids=["written"]))
    assert [match["id"] for match in drive(one.query("books", [1.0, 0.0]))] == ["written"]


def test_two_vector_stores_of_one_namespace_see_what_the_other_writes(file):
    one, other = sqlite_vector(file, "a"), sqlite_vector(file, "a")
    drive(one.create_index("books", 2))
    drive(one.upsert("books", [[1.0, 0.0]], ids=["first"]))
    assert len(drive(other.query("books", [1.0, 0.0]))) == 1
    drive(other.upsert("books", [[1.0, 0.0]], ids=["second"]))
    drive(one.delete("books", ["first"]))
    for vectors in (one, other):
        assert [match["id"] for match in drive(vectors.query("books", [1.0, 0.0]))] == ["second"]


# -- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.cpython_only
def test_i5_what_was_stored_is_there_after_reopening(tmp_path):
    path = tmp_path / "graph.db"
    graph, vectors, kv = sqlite_graph(path, "a"), sqlite_vector(path, "a"), sqlite_kv(path, "a")
    drive(graph.upsert_edge("x", "y", {"weight": 2.0}, create_missing=True))
    drive(vectors.create_index("books", 2, "euclidean"))
    drive(vectors.upsert("books", [[0.1, 0.2]], [{"n": 1}], ["v"]))
    drive(kv.upsert({"key": [1, "ü"]}))
    for store in (graph, vectors, kv):
        drive(store.close())
        drive(store.close())
        with pytest.raises(ClosedError):
            drive(store.drop())
    with Wiki.open(path) as wiki:
        assert wiki.get_status("a").entities == 2
    graph, vectors, kv = sqlite_graph(str(path), "a"), sqlite_vector(path, "a"), sqlite_kv(path, "a")
    assert drive(graph.get_edge("y", "x")) == {"weight": 2.0, "type": "RELATES_TO"}
    [match] = drive(vectors.query("books", [0.1, 0.2]))
    assert (match["id"], match["score"], match["metadata"]) == ("v", 1.0, {"n": 1})
    assert drive(kv.get_by_id("key")) == [1, "ü"]
    for store in (graph, vectors, kv):
        drive(store.close())


@pytest.mark.cpython_only
def test_the_last_store_to_close_lets_go_of_the_file(tmp_path):
    path = tmp_path / "graph.db"
    graph, kv = sqlite_graph(path, "a"), sqlite_kv(path, "b")
    with pytest.raises(WriterLocked):
        Wiki.open(path)
    drive(graph.close())
    drive(kv.upsert({"key": 1}))
    drive(kv.close())
    Wiki.open(path).close()


def test_a_store_that_was_handed_in_stays_open(file):
    kv = sqlite_kv(file, "a")
    drive(kv.close())
    drive(sqlite_kv(file, "a").upsert({"key": 1}))


def test_memory_is_of_each_store_alone():
    one, other = sqlite_kv(namespace="a"), sqlite_kv(":memory:", "a")
    drive(one.upsert({"key": 1}))
    assert drive(other.get_by_id("key")) is None
    for kv in (one, other):
        drive(kv.close())
