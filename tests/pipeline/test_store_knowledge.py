"""What holds of a knowledge graph in three stores beside the contract: ids, shared chunks, interruptions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import md5
from typing import Any

import pytest
from failing_stores import CAROL, ENTITIES, SEQUEL, Broken, Stores, extraction, insert, scenario

from lorelite._drive import drive
from lorelite.errors import InvalidOption, UnsupportedStoreError
from lorelite.graph_records import ChunkQuestion, Community, CommunityReport, GraphDocument, GraphStats, Similarity
from lorelite.models.hash_embedder import HashEmbedder
from lorelite.pipeline.knowledge import Knowledge
from lorelite.pipeline.store_knowledge import StoreKnowledge
from lorelite.text.extraction import Extraction

# -- ids ------------------------------------------------------------------------------------------------------------


def test_ids_are_hashes_of_texts_and_names_in_capitals():
    stores = Stores()
    knowledge = stores.knowledge(HashEmbedder(64))
    insert(knowledge, "", "  Jacob  Marley's  ")
    [document] = [key for key in drive(stores.kv.all_keys()) if key.startswith("full_docs:")]
    assert document == f"full_docs:doc-{md5(b'Jacob  Marley' + chr(39).encode() + b's').hexdigest()}"
    assert drive(knowledge.chunk_ids()) == [f"chunk-{md5(b'  Jacob  Marley' + chr(39).encode() + b's  ').hexdigest()}"]
    assert drive(knowledge.entity_ids()) == ["JACOB", "MARLEY"]
    [match] = drive(stores.vectors.query("entities", HashEmbedder(64)._vector("Marley"), 1))
    assert match["id"] == f"ent-{md5(b'MARLEY').hexdigest()}"
    assert match["metadata"] == {"id": "MARLEY", "entity_name": "MARLEY", "entity_type": "person"}


def test_the_graph_holds_what_graphs_of_the_sdk_hold():
    stores = Stores()
    insert(stores.knowledge(), "carol", CAROL)
    first, second = drive(stores.knowledge().chunk_ids())
    assert drive(stores.graph.get_node("SCROOGE")) == {
        "label": "Entity",
        "name": "Scrooge",
        "entity_type": "person",
        "description": "Scrooge of 34\nScrooge of 23",
        "source_id": [first, second],
        "aliases": [],
    }
    assert drive(stores.graph.get_node(second)) == {"label": "Chunk", "chunk_id": second, "order": 1}
    assert drive(stores.graph.get_edge("SCROOGE", "BOB")) == {
        "type": "RELATES_TO",
        "weight": 2.0,
        "description": "",
        "relation": "r",
        "keywords": [],
        "source_id": [second],
        "order": 1,
        "direction": 1,
        "source": "BOB",
    }
    assert drive(stores.graph.get_edge(first, "MARLEY")) == {"type": "HAS_ENTITY", "weight": 1}


# -- shared chunks --------------------------------------------------------------------------------------------------


def test_a2_the_same_text_in_two_documents_is_one_chunk_with_both_ids():
    stores = Stores()
    knowledge = stores.knowledge()
    insert(knowledge, "carol", CAROL)
    insert(knowledge, "sequel", SEQUEL)
    _, shared, _ = chunks = drive(knowledge.chunks(drive(knowledge.chunk_ids())))
    assert [chunk.content for chunk in chunks] == [*CAROL.split("\n"), SEQUEL.split("\n")[1]]
    assert (shared.document_ids, shared.order, CAROL[shared.start : shared.end]) == (
        ("carol", "sequel"),
        1,
        shared.content,
    )
    [relation] = drive(knowledge.relations_of(["SCROOGE"]))[:1]
    assert (relation.source_id, relation.weight) == ("BOB", 2.0)
    report = drive(knowledge.delete_documents(["carol"]))
    assert (report.documents, report.chunks, report.entities) == (1, 1, 1)
    shared, _ = drive(knowledge.chunks(drive(knowledge.chunk_ids())))
    assert (shared.document_ids, shared.order, SEQUEL[shared.start : shared.end]) == (("sequel",), 0, shared.content)
    assert drive(knowledge.entity_ids()) == ["BOB", "SCROOGE", "TIM", "TINY"]
    assert drive(knowledge.delete_documents(["sequel"])).chunks == 2
    assert drive(knowledge.stats()) == GraphStats()


def test_a_text_that_stands_twice_in_a_document_is_one_chunk():
    knowledge = Stores().knowledge()
    insert(knowledge, "echo", "Hello.\nHello.\nBye.")
    assert [(chunk.content, chunk.order) for chunk in drive(knowledge.chunks(drive(knowledge.chunk_ids())))] == [
        ("Hello.", 0),
        ("Bye.", 2),
    ]
    drive(knowledge.delete_documents(["echo"]))
    assert drive(knowledge.chunk_ids()) == []


# -- interruptions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("embedder", [None, HashEmbedder(64)], ids=["words", "vectors"])
def test_a4_whatever_write_fails_the_same_calls_again_lead_to_the_same_stores(embedder):
    undisturbed = Stores()
    scenario(undisturbed.knowledge(embedder))
    expected, total = undisturbed.dump(), undisturbed.writes
    assert total > 40
    for place in range(1, total + 1):
        stores = Stores()
        steps = _steps(stores.knowledge(embedder))
        stores.fails_at = place
        for step in steps:
            try:
                step()
            except Broken:
                step()
        assert stores.dump() == expected, place


def _steps(knowledge: Knowledge) -> Sequence[Callable[[], Any]]:
    """The calls of `scenario`, each of which can be made again."""
    first = second = ""

    def learn() -> None:
        nonlocal first, second
        first, second, *_ = drive(knowledge.chunk_ids())

    return [
        lambda: insert(knowledge, "carol", CAROL),
        lambda: insert(knowledge, "sequel", SEQUEL),
        learn,
        lambda: drive(knowledge.put_summaries({"SCROOGE": "A miser."})),
        lambda: drive(knowledge.add_similarities([Similarity(first, second, 0.5)])),
        lambda: drive(knowledge.add_questions([ChunkQuestion(id="q", question="Who?", chunk_id=first)])),
        lambda: drive(knowledge.mark_finished("other", [first])),
        lambda: drive(knowledge.put_communities([Community(id="0", level=0, entity_ids=("BOB", "SCROOGE"))])),
        lambda: drive(knowledge.put_reports([CommunityReport(community_id="0", level=0, title="T", summary="S")])),
        lambda: drive(knowledge.embed_new()),
        lambda: insert(knowledge, "sequel", "Tim dances with Scrooge."),
        lambda: drive(knowledge.delete_documents(["carol"])),
        lambda: drive(knowledge.embed_new()),
    ]


def test_what_a_chunk_was_about_to_say_when_a_write_failed_leaves_no_trace():
    first, other = extraction("Fred met Belle"), extraction("Bob met Tim")
    undisturbed = Stores()
    insert(undisturbed.knowledge(), "carol", CAROL)
    _say(undisturbed, other)
    for place in range(1, 20):
        stores = Stores()
        insert(stores.knowledge(), "carol", CAROL)
        stores.fails_at = stores.writes + place
        with suppress(Broken):
            _say(stores, first)
        stores.fails_at = None
        _say(stores, other)
        assert stores.dump() == undisturbed.dump(), place


def _say(stores: Stores, said: Extraction) -> None:
    knowledge = stores.knowledge()
    [chunk] = drive(knowledge.chunks(drive(knowledge.chunk_ids())[:1]))
    drive(knowledge.add_extractions([(chunk, said)], processor=ENTITIES))


def test_inserting_twice_changes_no_byte_of_the_stores():
    stores = Stores()
    scenario(stores.knowledge(HashEmbedder(64)))
    before = stores.dump()
    insert(stores.knowledge(HashEmbedder(64)), "sequel", "Tim dances with Scrooge.")
    assert stores.dump() == before


def test_a_document_whose_deletion_broke_off_can_be_inserted_again():
    whole, broken = Stores(), Stores()
    for stores in (whole, broken):
        insert(stores.knowledge(), "sequel", SEQUEL)
        insert(stores.knowledge(), "carol", CAROL)
    broken.fails_at = broken.writes + 4
    with pytest.raises(Broken):
        drive(broken.knowledge().delete_documents(["carol"]))
    assert drive(broken.knowledge().known([GraphDocument(id="carol", content=CAROL)])) == [False]
    drive(whole.knowledge().delete_documents(["carol"]))
    for stores in (whole, broken):
        insert(stores.knowledge(), "carol", CAROL)
    assert broken.dump() == whole.dump()


# -- what others put into the stores --------------------------------------------------------------------------------


def test_what_was_in_the_graph_before_is_kept_and_added_to():
    stores = Stores()
    drive(stores.graph.upsert_node("BOB", {"label": "Entity", "description": "A clerk.", "own": 1}))
    drive(stores.graph.upsert_node("SCROOGE", {"name": "Mr Scrooge", "entity_type": "miser"}))
    drive(stores.graph.upsert_edge("BOB", "SCROOGE", {"weight": 5.0, "description": "fears"}))
    knowledge = stores.knowledge()
    insert(knowledge, "carol", CAROL)
    [bob] = drive(knowledge.entities(["BOB"]))
    assert (bob.name, bob.description) == ("BOB", "A clerk.\nBob of 23") and len(bob.chunk_ids) == 1
    assert drive(stores.graph.get_node("BOB"))["own"] == 1
    [works] = [each for each in drive(knowledge.relations_of(["BOB"])) if "SCROOGE" in (each.source_id, each.target_id)]
    assert works.weight == 7.0 and works.description == "fears" and len(works.chunk_ids) == 1
    report = drive(knowledge.delete_documents(["carol"]))
    assert (report.entities, report.relations) == (1, 1)
    [bob] = drive(knowledge.entities(["BOB"]))
    assert (bob.description, bob.chunk_ids) == ("A clerk.", ())
    [works] = drive(knowledge.relations_of(["BOB"]))
    assert (works.weight, works.chunk_ids) == (5.0, ())


# -- stores of a few methods ----------------------------------------------------------------------------------------


class Few:
    """An object with these methods of another, and no more."""

    def __init__(self, store: object, *names: str) -> None:
        for name in names:
            setattr(self, name, getattr(store, name))


def few(stores: Stores) -> tuple[Any, Any, Any]:
    """The three stores as the protocols ask for them."""
    return (
        Few(stores.graph, "upsert_node", "get_node", "upsert_edge", "get_edge", "get_node_edges", "clustering",
            "community_schema", "close"),
        Few(stores.vectors, "create_index", "list_indexes", "upsert", "query"),
        Few(stores.kv, "get_by_id", "get_by_ids", "upsert", "drop"),
    )  # fmt: skip


@pytest.mark.parametrize("embedder", [None, HashEmbedder(64)], ids=["words", "vectors"])
def test_stores_that_have_the_methods_of_the_protocols_alone_are_enough_to_build_and_to_search(embedder):
    whole, bare = Stores(), Stores()
    for knowledge in (whole.knowledge(embedder), StoreKnowledge("x", *few(bare), embedder)):
        insert(knowledge, "carol", CAROL)
        insert(knowledge, "sequel", SEQUEL)
        drive(knowledge.put_summaries({"SCROOGE": "A miser."}))
        first, second, _ = drive(knowledge.chunk_ids())
        drive(knowledge.add_similarities([Similarity(first, second, 0.5)]))
        drive(knowledge.put_communities([Community(id="0", level=0, entity_ids=("BOB", "SCROOGE"))]))
        drive(knowledge.embed_new())
    assert bare.dump() == whole.dump()
    assert drive(knowledge.weighted_edges()) == drive(whole.knowledge().weighted_edges())
    assert drive(knowledge.stats()) == drive(whole.knowledge().stats())
    assert drive(knowledge.nearest_to_chunk(first, 2)) == drive(whole.knowledge(embedder).nearest_to_chunk(first, 2))


def test_a_store_that_cannot_delete_says_so_before_anything_is_half_deleted():
    stores = Stores()
    knowledge = StoreKnowledge("x", *few(stores))
    insert(knowledge, "carol", CAROL)
    before = stores.dump()
    with pytest.raises(UnsupportedStoreError, match="Few is not able to delete: it needs delete_node, delete_edge"):
        drive(knowledge.delete_documents(["carol"]))
    assert stores.dump() == before


@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_is_no_store_is_refused(place):
    stores: Mapping[int, Any] = dict(enumerate(few(Stores()))) | {place: object()}
    with pytest.raises(InvalidOption, match=("graph", "vectors", "kv")[place]):
        StoreKnowledge("x", *stores.values())
    with pytest.raises(InvalidOption, match="namespace"):
        StoreKnowledge("", *few(Stores()))
