"""Names found in an index, however many there are and whatever is written to the store meanwhile."""

from __future__ import annotations

import pytest

from lorelite._drive import drive
from lorelite.adapters.in_memory import InMemoryGraph
from lorelite.adapters.sqlite import sqlite_graph
from lorelite.toolkit import GraphBackedEntities, GraphRetriever, InMemoryEntityStore, KitEntity, KitRelation
from lorelite.toolkit.entity_names import AskedName, form_of


def name_score(query, name):
    return AskedName(query).score(form_of(name))


class CountedGraph(InMemoryGraph):
    """Counts what reads all of it."""

    scans = 0

    async def all_nodes(self, label=None):
        self.scans += 1
        return await super().all_nodes(label)

    async def entity_names(self):
        self.scans += 1
        return await super().entity_names()


@pytest.fixture(params=[InMemoryEntityStore, lambda: GraphBackedEntities(InMemoryGraph()),
                        lambda: GraphBackedEntities(sqlite_graph())])  # fmt: skip
def store(request):
    return request.param()


def found(store, query):
    return [(entity.id, score) for entity, score in drive(store.search_entities(query))]


def test_what_is_written_after_a_search_is_found_by_the_next(store):
    drive(store.add_entity(KitEntity(id="a", name="Ada Marsh")))
    assert found(store, "Ada Marsh") == [("a", 1.0)]
    drive(store.add_entity(KitEntity(id="b", name="Ada Rook", properties={"aliases": ["The Miller"]})))
    assert found(store, "The Miller") == [("b", 1.0)] and len(found(store, "Ada")) == 2
    drive(store.add_entity(KitEntity(id="a", name="Berta Marsh")))
    assert found(store, "Ada Marsh") == [("b", 0.35), ("a", 0.35)]
    drive(store.merge_entities("a", ["b"]))
    assert found(store, "Ada Rook") == [("a", 1.0)]


def test_a_name_without_words_is_found_by_itself(store):
    drive(store.add_entity(KitEntity(id="a", name="!!!")))
    assert found(store, "!!!") == [("a", 1.0)] and found(store, "???") == []


def test_an_alias_that_is_no_list_is_no_alias(store):
    drive(store.add_entity(KitEntity(id="a", name="Ada", properties={"aliases": "Lock"})))
    assert found(store, "Lock") == [] and found(store, "Ada") == [("a", 1.0)]


def test_all_nodes_are_read_once_however_often_is_searched():
    graph = CountedGraph()
    store = GraphBackedEntities(graph)
    drive(store.add_entity(KitEntity(id="a", name="Ada")))
    for _ in range(5):
        assert found(store, "Ada") == [("a", 1.0)]
    assert graph.scans == 1


@pytest.mark.parametrize(
    ("query", "name", "score"),
    [
        ("北京大学在哪里", "北京大学", 0.9),
        ("东京", "东京大学", 0.75),
        ("สถานีกรุงเทพอยู่ที่ไหน", "กรุงเทพ", 0.9),
        ("राम मोहन कौन है?", "राम मोहन", 0.9),
        ("من هو محمد علي؟", "محمد علي", 0.9),
        ("Кто такой Иван Петров?", "иван петров", 0.9),
    ],
)
def test_a_name_of_any_script_is_found_inside_a_question(query, name, score):
    assert name_score(query, name) == score


def test_a_store_with_the_fewest_methods_gives_the_same_as_one_that_reads_in_batches():
    whole = InMemoryEntityStore()

    class Fewest:
        def __getattr__(self, name):
            if name in ("search_entities", "get_entity", "get_relations"):
                return getattr(whole, name)
            raise AttributeError(name)

    async def both():
        for number in range(60):
            await whole.add_entity(KitEntity(id=f"e{number:02d}", name=f"Lock {number}"))
        for number in range(60):
            for step in (1, 7):
                target = f"e{(number + step) % 60:02d}"
                await whole.add_relation(KitRelation(source_id=f"e{number:02d}", target_id=target, type="feeds"))
        return [
            await GraphRetriever(store, hops=3, max_nodes=40).retrieve("Lock 7 and Lock 30")
            for store in (whole, Fewest())
        ]

    batched, single = drive(both())
    assert batched == single and len(batched) == 40


def test_of_an_entity_with_very_many_relations_a_hundred_are_told():
    store = InMemoryEntityStore()

    async def hub():
        await store.add_entity(KitEntity(id="hub", name="Hub"))
        for number in range(1_500):
            await store.add_entity(KitEntity(id=f"e{number}", name=f"Lock {number}"))
            await store.add_relation(KitRelation(source_id="hub", target_id=f"e{number}", type="feeds"))
        return await GraphRetriever(store, hops=1, max_nodes=5).retrieve("Hub")

    results = drive(hub())
    lines = results[0].content.splitlines()
    assert len(results) == 5 and len(lines) == 102 and lines[-1] == "and 1,400 more relations"
