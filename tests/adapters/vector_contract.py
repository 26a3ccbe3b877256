"""What holds of every vector store. Subclass VectorContract and say how one is opened."""

from __future__ import annotations

import math
from collections.abc import Awaitable
from typing import Any, TypeVar

import pytest
from graph_contract import HOSTILE

from lorelite._drive import drive
from lorelite.adapters.base import VectorBase
from lorelite.errors import FilterError, IndexMismatchError, InvalidOption, NotFound, VectorDimensionError
from lorelite.store_ports import VectorStore

T = TypeVar("T")

BOOKS = {
    "carol": ([1.0, 0.0], {"author": "Dickens", "year": 1843, "tags": ["ghost", "christmas"], "in_print": True}),
    "emma": ([0.0, 1.0], {"author": "Austen", "year": 1815, "tags": []}),
    "bleak": ([1.0, 1.0], {"author": "Dickens", "year": 1853, "publisher": {"name": "Bradbury"}}),
    "ulysses": ([-1.0, 0.0], {"author": "Joyce", "year": None}),
}


class VectorContract:
    def open(self, namespace: str) -> VectorBase:
        """An empty store; every namespace of one test is kept in the same place."""
        raise NotImplementedError

    def run(self, call: Awaitable[T]) -> T:
        """What the call gives. Stores that wait for a server run it in an event loop."""
        return drive(call)  # type: ignore[arg-type]

    @pytest.fixture
    def vectors(self) -> Any:
        vectors = self.open("class")
        yield vectors
        self.run(vectors.close())

    @pytest.fixture
    def books(self, vectors: VectorBase) -> VectorBase:
        self.run(vectors.create_index("books", 2))
        rows = list(BOOKS.values())
        given = self.run(
            vectors.upsert("books", [row[0] for row in rows], [row[1] for row in rows], list(BOOKS), list(BOOKS))
        )
        assert given == list(BOOKS)
        return vectors

    def found(self, vectors: VectorBase, filter: Any = None, query: Any = (1.0, 0.0), **more: Any) -> list[str]:
        return [match["id"] for match in self.run(vectors.query("books", query, filter=filter, **more))]

    # -- indexes ------------------------------------------------------------------------------------------------

    def test_it_is_a_vector_store(self, vectors):
        assert isinstance(vectors, VectorStore)

    def test_an_index_is_made_once(self, vectors):
        self.run(vectors.create_index("b", 3))
        self.run(vectors.create_index("a", 2, "euclidean"))
        self.run(vectors.upsert("b", [[1.0, 0.0, 0.0]], ids=["x"]))
        self.run(vectors.create_index("b", 3, "cosine"))
        assert self.run(vectors.list_indexes()) == ["a", "b"]
        assert self.run(vectors.describe_index("b")) == {"dimension": 3, "count": 1, "metric": "cosine"}
        assert self.run(vectors.describe_index("a")) == {"dimension": 2, "count": 0, "metric": "euclidean"}

    @pytest.mark.parametrize(("dimension", "metric"), [(4, "cosine"), (3, "dotproduct")])
    def test_an_index_does_not_change_its_kind(self, vectors, dimension, metric):
        self.run(vectors.create_index("b", 3))
        with pytest.raises(IndexMismatchError, match=r"'b'.*3") as error:
            self.run(vectors.create_index("b", dimension, metric))
        assert error.value.data["stored"] == {"dimension": 3, "metric": "cosine"}
        assert self.run(vectors.describe_index("b"))["dimension"] == 3

    @pytest.mark.parametrize(
        ("name", "dimension", "metric"),
        [("", 3, "cosine"), ("a", 0, "cosine"), ("a", 2.0, "cosine"), ("a", True, "cosine"), ("a", 3, "manhattan")],
    )
    def test_what_is_no_index_is_refused(self, vectors, name, dimension, metric):
        with pytest.raises(InvalidOption):
            self.run(vectors.create_index(name, dimension, metric))
        assert self.run(vectors.list_indexes()) == []

    def test_an_unknown_index_is_named(self, vectors):
        self.run(vectors.create_index("known", 2))
        for call in (
            vectors.upsert("other", [[1.0, 0.0]]),
            vectors.query("other", [1.0, 0.0]),
            vectors.describe_index("other"),
            vectors.get_vectors("other", ["x"]),
        ):
            with pytest.raises(NotFound, match=r"'other'.*'known'"):
                self.run(call)
        assert self.run(vectors.delete("other", ["x"])) == 0

    def test_a_deleted_index_can_be_made_anew_with_another_dimension(self, books):
        self.run(books.delete_index("books"))
        self.run(books.delete_index("books"))
        assert self.run(books.list_indexes()) == []
        self.run(books.create_index("books", 3, "dotproduct"))
        assert self.run(books.query("books", [1.0, 0.0, 0.0])) == []

    # -- upserting ----------------------------------------------------------------------------------------------

    def test_ids_are_made_up_where_none_are_given(self, vectors):
        self.run(vectors.create_index("books", 2))
        ids = self.run(vectors.upsert("books", [[1.0, 0.0], [0.0, 1.0]]))
        assert len(set(ids)) == 2 and all(len(id) == 32 for id in ids)
        assert self.run(vectors.get_vectors("books", [ids[1], "unknown"])) == [[0.0, 1.0], None]

    def test_an_id_that_is_there_is_replaced_whole(self, books):
        self.run(books.upsert("books", [[0.0, 1.0]], [{"n": 1}], ["carol"]))
        [match] = self.run(books.query("books", [0.0, 1.0], filter={"n": 1}, include_vector=True))
        assert match["metadata"] == {"n": 1} and match["vector"] == [0.0, 1.0] and "document" not in match
        assert self.run(books.describe_index("books"))["count"] == 4

    @pytest.mark.parametrize(
        "bad",
        [[1.0], [1.0, 2.0, 3.0], [1.0, math.nan], [math.inf, 0.0], [0.0, 0.0], [1e39, 0.0], ["1", 0.0], [None, 1.0]],
    )
    def test_one_bad_vector_refuses_all(self, vectors, bad):
        self.run(vectors.create_index("books", 2))
        with pytest.raises(VectorDimensionError, match="'books'"):
            self.run(vectors.upsert("books", [[1.0, 0.0], bad], ids=["a", "b"]))
        with pytest.raises(VectorDimensionError):
            self.run(vectors.query("books", bad))
        assert self.run(vectors.describe_index("books"))["count"] == 0

    def test_a_zero_vector_has_no_direction_but_a_place(self, vectors):
        for metric in ("euclidean", "dotproduct"):
            self.run(vectors.create_index(metric, 2, metric))
            self.run(vectors.upsert(metric, [[0.0, 0.0]], ids=["origin"]))
            assert self.run(vectors.query(metric, [0.0, 0.0]))[0]["id"] == "origin"

    def test_lists_of_other_lengths_are_refused(self, vectors):
        self.run(vectors.create_index("books", 2))
        for given in ({"ids": ["a"]}, {"metadata": [{}, {}, {}]}, {"documents": []}):
            with pytest.raises(InvalidOption, match=next(iter(given))):
                self.run(vectors.upsert("books", [[1.0, 0.0], [0.0, 1.0]], **given))
        with pytest.raises(InvalidOption, match="metadata"):
            self.run(vectors.upsert("books", [[1.0, 0.0]], [{"x": {1}}]))
        assert self.run(vectors.describe_index("books"))["count"] == 0
        assert self.run(vectors.upsert("books", [])) == []

    # -- querying -----------------------------------------------------------------------------------------------

    def test_the_nearest_come_first_with_what_was_stored(self, books):
        found = self.run(books.query("books", [2.0, 0.0], top_k=2, include_vector=True))
        assert [match["id"] for match in found] == ["carol", "bleak"]
        assert found[0]["score"] == 1.0 and found[1]["score"] == pytest.approx(math.sqrt(0.5))
        assert found[0]["metadata"] == BOOKS["carol"][1] and found[0]["vector"] == [1.0, 0.0]
        assert found[0]["document"] == "carol"
        assert set(self.run(books.query("books", [2.0, 0.0]))[0]) == {"id", "score", "metadata", "document"}

    def test_metadata_is_a_copy(self, books):
        self.run(books.query("books", [1.0, 0.0]))[0]["metadata"]["tags"].append("more")
        assert self.run(books.query("books", [1.0, 0.0]))[0]["metadata"] == BOOKS["carol"][1]

    @pytest.mark.parametrize(
        ("metric", "scores"),
        [
            ("cosine", {"far": 1.0, "near": 1.0, "side": 0.6, "back": -1.0}),
            ("dotproduct", {"far": 20.0, "near": 2.0, "side": 6.0, "back": -2.0}),
            ("euclidean", {"far": 1 / 9, "near": 1 / 2, "side": 1 / (1 + math.sqrt(17)), "back": 1 / 4}),
        ],
    )
    def test_each_metric_has_its_score(self, vectors, metric, scores):
        places = {"far": [10.0, 0.0], "near": [1.0, 0.0], "side": [3.0, 4.0], "back": [-1.0, 0.0]}
        self.run(vectors.create_index("books", 2, metric))
        self.run(vectors.upsert("books", list(places.values()), ids=list(places)))
        found = self.run(vectors.query("books", [2.0, 0.0]))
        assert {match["id"]: match["score"] for match in found} == pytest.approx(scores)
        assert [match["id"] for match in found] == sorted(scores, key=lambda id: (-scores[id], id))

    def test_ties_are_in_the_order_of_their_ids(self, vectors):
        self.run(vectors.create_index("books", 2))
        self.run(vectors.upsert("books", [[1.0, 1.0]] * 5, ids=["c", "e", "a", "d", "b"]))
        assert self.found(vectors, top_k=3) == ["a", "b", "c"]

    def test_how_many_and_how_near(self, books):
        assert self.found(books, top_k=0) == []
        assert self.found(books, top_k=100) == ["carol", "bleak", "emma", "ulysses"]
        assert self.found(books, min_score=0.5) == ["carol", "bleak"]
        assert self.found(books, min_score=-1.0) == ["carol", "bleak", "emma", "ulysses"]
        for top_k in (-1, 1.5, True, "3"):
            with pytest.raises(InvalidOption, match="top_k"):
                self.found(books, top_k=top_k)

    @pytest.mark.parametrize(
        ("filter", "found"),
        [
            ({}, ["carol", "bleak", "emma", "ulysses"]),
            ({"author": "Dickens"}, ["carol", "bleak"]),
            ({"author": "Dickens", "year": 1843}, ["carol"]),
            ({"year": {"$eq": None}}, ["ulysses"]),
            ({"year": {"$ne": 1843}}, ["bleak", "emma", "ulysses"]),
            ({"year": {"$gt": 1815, "$lte": 1853}}, ["carol", "bleak"]),
            ({"year": {"$gte": 1815, "$lt": 1843}}, ["emma"]),
            ({"author": {"$gt": "B"}}, ["carol", "bleak", "ulysses"]),
            ({"author": {"$in": ["Joyce", "Austen"]}}, ["emma", "ulysses"]),
            ({"author": {"$nin": ["Joyce", "Austen"]}}, ["carol", "bleak"]),
            ({"in_print": {"$exists": True}}, ["carol"]),
            ({"in_print": {"$exists": False}}, ["bleak", "emma", "ulysses"]),
            ({"tags": {"$contains": "ghost"}}, ["carol"]),
            ({"author": {"$contains": "ick"}}, ["carol", "bleak"]),
            ({"publisher.name": "Bradbury"}, ["bleak"]),
            ({"tags": []}, ["emma"]),
            ({"$or": [{"author": "Joyce"}, {"year": 1815}]}, ["emma", "ulysses"]),
            ({"$and": [{"author": "Dickens"}, {"year": {"$lt": 1850}}]}, ["carol"]),
            ({"$not": {"author": "Dickens"}}, ["emma", "ulysses"]),
            ({"year": {"$not": {"$gt": 1820}}}, ["emma", "ulysses"]),
            ({"in_print": 1}, []),
        ],
    )
    def test_filters_choose_before_the_nearest_are_taken(self, books, filter, found):
        assert self.found(books, filter) == found
        if found:
            assert self.found(books, filter, top_k=1) == found[:1]

    @pytest.mark.parametrize("filter", [{"year": {"$near": 1}}, {"$xor": []}, {"$or": {}}, {"year": {"$gt": []}}, 5])
    def test_a_filter_that_says_nothing_is_refused(self, books, filter):
        with pytest.raises(FilterError, match="filter"):
            self.found(books, filter)

    # -- deleting -----------------------------------------------------------------------------------------------

    def test_vectors_go_by_id_or_by_filter(self, books):
        assert self.run(books.delete("books", ["carol", "unknown", "carol"])) == 1
        assert self.run(books.delete("books", filter={"author": "Dickens"})) == 1
        assert self.run(books.delete("books", ["emma"], {"author": "Joyce"})) == 0
        assert self.run(books.delete("books", [])) == 0
        assert self.found(books) == ["emma", "ulysses"]
        assert self.run(books.describe_index("books"))["count"] == 2
        with pytest.raises(InvalidOption):
            self.run(books.delete("books"))

    # -- namespaces ---------------------------------------------------------------------------------------------

    def test_i1_namespaces_see_nothing_of_each_other_and_go_one_by_one(self):
        stores = {name: self.open(name) for name in HOSTILE}
        for number, vectors in enumerate(stores.values()):
            self.run(vectors.create_index("books", 2))
            self.run(vectors.upsert("books", [[1.0, number / 10]], [{"n": number}], ["same"]))
        self.run(stores["a"].drop())
        assert self.run(stores["a"].list_indexes()) == []
        for number, (name, vectors) in enumerate(stores.items()):
            if name != "a":
                [match] = self.run(vectors.query("books", [1.0, 0.0]))
                assert match["metadata"] == {"n": number}
        for vectors in stores.values():
            self.run(vectors.drop())
            self.run(vectors.close())

    def test_i2_hostile_strings_are_stored_as_they_are(self, vectors):
        for number, text in enumerate(HOSTILE):
            self.run(vectors.create_index(text, 2))
            self.run(vectors.upsert(text, [[1.0, float(number)]], [{text: text, "of": text}], [text], [text]))
        assert self.run(vectors.list_indexes()) == sorted(HOSTILE)
        for text in HOSTILE:
            [match] = self.run(vectors.query(text, [1.0, 0.0], filter={"of": text}))
            assert (match["id"], match["document"]) == (text, text)
            assert match["metadata"] == {text: text, "of": text}
            assert self.run(vectors.delete(text, [text])) == 1
