"""What every entity store must do: the one in memory, and those over graph stores."""

from __future__ import annotations

import pytest

from lorelite import InvalidOption, NotFound
from lorelite._drive import drive
from lorelite.adapters.in_memory import in_memory_graph
from lorelite.adapters.sqlite import sqlite_graph
from lorelite.store.store import Store as LoreliteFile
from lorelite.toolkit import (
    Enumerable,
    GraphBackedEntities,
    InMemoryEntityStore,
    KitEntity,
    KitRelation,
    Merger,
    Triple,
)

Store = InMemoryEntityStore | GraphBackedEntities


@pytest.fixture(params=["memory", "graph", "file"])
def store(request: pytest.FixtureRequest) -> Store:
    if request.param == "memory":
        return InMemoryEntityStore()
    return GraphBackedEntities(in_memory_graph() if request.param == "graph" else sqlite_graph())


def filled(store: Store, *names: str) -> Store:
    for name in names:
        drive(store.add_entity(KitEntity(id=name.lower(), name=name)))
    return store


def relate(store: Store, source: str, kind: str, target: str, **fields: object) -> None:
    drive(store.add_relation(KitRelation(source_id=source, target_id=target, type=kind, **fields)))  # type: ignore[arg-type]


def drawn(store: Store, id: str) -> list[tuple[str, str, str, float]]:
    return [(each.source_id, each.type, each.target_id, each.weight) for each in drive(store.get_relations(id))]


def test_h1_an_entity_added_again_gains_what_is_new(store):
    drive(
        store.add_entity(
            KitEntity(id="a", name="Ada", type="person", properties={"born": 1815, "x": 1}, source_ids=("d1",))
        )
    )
    drive(
        store.add_entity(
            KitEntity(id="a", name="Ada Lovelace", type="unknown", properties={"x": 2}, source_ids=("d2", "d1"))
        )
    )
    assert drive(store.get_entity("a")) == KitEntity(
        id="a", name="Ada Lovelace", type="person", properties={"born": 1815, "x": 2}, source_ids=("d1", "d2")
    )
    assert drive(store.size()) == 1 and drive(store.get_entity("b")) is None


def test_h1_an_entity_needs_an_id_and_a_name(store):
    for entity in (KitEntity(id="", name="Ada"), KitEntity(id="a", name=" ")):
        with pytest.raises(InvalidOption):
            drive(store.add_entity(entity))


def test_h1_a_relation_needs_both_ends(store):
    with pytest.raises(NotFound, match="'b'"):
        relate(filled(store, "A"), "a", "knows", "b")


def test_h1_relations_come_outgoing_first_and_a_loop_once(store):
    filled(store, "A", "B")
    relate(store, "b", "knows", "a")
    relate(store, "a", "likes", "b")
    relate(store, "a", "is", "a")
    relate(store, "a", "likes", "b", weight=3.0)
    assert drawn(store, "a") == [("a", "is", "a", 1.0), ("a", "likes", "b", 3.0), ("b", "knows", "a", 1.0)]
    assert drawn(store, "nobody") == []


def test_h1_triples_are_found_by_id_and_by_name(store):
    filled(store, "Ada", "Lock", "Mill")
    triples = [
        Triple(subject="Ada", predicate="keeps", object="lock"),
        Triple(subject="x", predicate="y", object="Mill"),
    ]
    for triple in (*triples, *triples):
        drive(store.add_triple(triple))
    assert drive(store.get_triples("ada")) == drive(store.get_triples("lock")) == triples[:1]


def test_h1_the_best_names_come_first(store):
    filled(store, "Ada", "Ada Lovelace", "Lovelace Street", "Lock")
    found = drive(store.search_entities("Ada Lovelace", 0))
    assert [(entity.name, score) for entity, score in found] == [
        ("Ada Lovelace", 1.0),
        ("Ada", 0.9),
        ("Lovelace Street", 0.35),
    ]
    assert len(drive(store.search_entities("Ada Lovelace", 1))) == 1


def test_h1_it_can_list_and_merge(store):
    filled(store, "B", "A")
    assert isinstance(store, Enumerable) and isinstance(store, Merger)
    assert [entity.id for entity in drive(store.all_entities())] == ["a", "b"]


def test_h1_merging_points_everything_to_one_entity(store):
    filled(store, "A", "A2", "A3", "B", "C")
    relate(store, "a", "knows", "b", weight=1.0, source_ids=("d1",))
    relate(store, "a2", "knows", "b", weight=2.0, source_ids=("d2",))
    relate(store, "c", "knows", "a3")
    relate(store, "a", "same_as", "a2")
    drive(store.add_triple(Triple(subject="A2", predicate="keeps", object="b")))
    assert drive(store.merge_entities("a", ["a2", "a3", "a", "gone"])) == 2
    assert drawn(store, "a") == [("a", "knows", "b", 3.0), ("c", "knows", "a", 1.0)]
    assert drive(store.get_relations("a"))[0].source_ids == ("d1", "d2")
    assert drive(store.get_triples("a")) == [Triple(subject="a", predicate="keeps", object="b")]
    merged = drive(store.get_entity("a"))
    assert merged is not None and merged.properties["aliases"] == ["A2", "A3"]
    assert drive(store.size()) == 3 and drive(store.search_entities("A2")) == [(merged, 1.0)]
    with pytest.raises(NotFound):
        drive(store.merge_entities("gone", ["a"]))


def hub_of(store: Store, relations: int) -> Store:
    filled(store, "Hub", *(f"E{number:03d}" for number in range(relations)))
    for number in range(relations):
        relate(store, "hub", "ties", f"e{number:03d}")
    return store


def test_relations_of_a_hub_are_those_of_now_after_every_change(store):
    hub_of(store, 60)
    assert len(drive(store.get_relations("hub"))) == 60
    drive(store.get_relations("hub")).clear()
    assert len(drive(store.get_relations("hub"))) == 60
    filled(store, "New")
    relate(store, "new", "ties", "hub", weight=3.0)
    assert ("new", "ties", "hub", 3.0) in drawn(store, "hub")
    relate(store, "hub", "ties", "e000", weight=7.0)
    assert ("hub", "ties", "e000", 7.0) in drawn(store, "hub")
    drive(store.merge_entities("e001", ["e002"]))
    assert len(drawn(store, "hub")) == 60


def test_relations_of_a_hub_are_read_once_until_an_edge_changes(monkeypatch):
    for graph in (in_memory_graph(), sqlite_graph()):
        kit = GraphBackedEntities(graph)
        hub_of(kit, 60)
        asked: list[list[str]] = []
        read = graph.get_nodes_edges_batch

        async def counted(ids, type=None, read=read, asked=asked):
            asked.append(list(ids))
            return await read(ids, type)

        monkeypatch.setattr(graph, "get_nodes_edges_batch", counted)
        for _ in range(3):
            drive(kit.get_relations_of(["hub", "e001"]))
        assert [ids for ids in asked if "hub" in ids] == [["hub", "e001"]]
        drive(graph.delete_edge("hub", "e001"))
        assert len(drive(kit.get_relations("hub"))) == 59
        drive(graph.delete_node("e002"))
        assert len(drive(kit.get_relations("hub"))) == 58
        drive(graph.drop())
        assert drive(kit.get_relations("hub")) == []


def test_what_is_written_and_undone_again_is_not_remembered():
    file = LoreliteFile(":memory:")
    graph = sqlite_graph(file)
    kit = hub_of(GraphBackedEntities(graph), 60)
    with pytest.raises(ZeroDivisionError), file.atomic("test"):
        drive(graph.delete_edge("hub", "e001"))
        assert len(drive(kit.get_relations("hub"))) == 59
        raise ZeroDivisionError
    assert len(drive(kit.get_relations("hub"))) == 60
