"""What holds of a knowledge graph in three stores beside the contract: ids, shared chunks, interruptions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import md5
from itertools import pairwise
from typing import Any

import pytest

from lorelite._drive import drive
from lorelite.adapters.in_memory import InMemoryGraph, InMemoryKV, InMemoryVector
from lorelite.errors import InvalidOption, UnsupportedStoreError
from lorelite.graph_records import ChunkQuestion, Community, CommunityReport, GraphDocument, GraphStats, Similarity
from lorelite.models.hash_embedder import HashEmbedder
from lorelite.pipeline.knowledge import Knowledge
from lorelite.pipeline.store_knowledge import StoreKnowledge
from lorelite.text.chunking import ChunkSpan
from lorelite.text.extraction import ExtractedEntity, ExtractedRelation, Extraction

ENTITIES = "chunkEntityGeneration"
CAROL = "Scrooge was the partner of Marley.\nBob worked for Scrooge."
SEQUEL = "Bob worked for Scrooge.\nTiny Tim is the son of Bob."


class Broken(Exception):
    pass


class Stores:
    """Three stores in memory, whose writes can be made to fail."""

    def __init__(self) -> None:
        self.graph, self.vectors, self.kv = InMemoryGraph("x"), InMemoryVector("x"), InMemoryKV("x")
        self.writes = 0
        self.fails_at: int | None = None
        for store in (self.graph, self.vectors, self.kv):
            for name in ("upsert", "delete", "upsert_nodes_batch", "upsert_edges_batch", "delete_nodes_batch",
                         "delete_edges_batch", "create_index"):  # fmt: skip
                if hasattr(store, name):
                    setattr(store, name, self._counted(getattr(store, name)))

    def _counted(self, act: Callable[..., Any]) -> Callable[..., Any]:
        async def counted(*args: Any, **more: Any) -> Any:
            self.writes += 1
            if self.writes == self.fails_at:
                raise Broken
            return await act(*args, **more)

        return counted

    def knowledge(self, embedder: Any = None) -> StoreKnowledge:
        return StoreKnowledge("x", self.graph, self.vectors, self.kv, embedder)

    def dump(self) -> Any:
        indexes = {name: drive(self.vectors.query(name, [1.0] * 64, 10_000, include_vector=True))
                   for name in drive(self.vectors.list_indexes())}  # fmt: skip
        values = {key: drive(self.kv.get_by_id(key)) for key in drive(self.kv.all_keys())}
        return drive(self.graph.all_nodes()), drive(self.graph.all_edges()), indexes, values


def insert(knowledge: Knowledge, id: str, text: str) -> None:
    spans, start = [], 0
    for line in text.split("\n"):
        spans.append(ChunkSpan(start, start + len(line), ""))
        start += len(line) + 1
    drive(knowledge.add_document(GraphDocument(id=id, content=text), spans))
    ids = drive(knowledge.unfinished(ENTITIES))
    found = [(chunk, extraction(chunk.content)) for chunk in drive(knowledge.chunks(ids))]
    drive(knowledge.add_extractions(found, processor=ENTITIES))
    drive(knowledge.complete_documents([id]))
    drive(knowledge.embed_new())


def extraction(text: str) -> Extraction:
    """Its capitalised words, each related to the next."""
    names = [word.strip(".") for word in text.split() if word[0].isupper()]
    return Extraction(
        entities=tuple(
            ExtractedEntity(name=name, type="person", description=f"{name} of {len(text)}") for name in names
        ),
        relations=tuple(
            ExtractedRelation(source=one, target=other, type="r", description="", weight=2.0)
            for one, other in pairwise(names)
        ),
    )


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


def scenario(knowledge: Knowledge) -> None:
    """Everything that writes, in the order of an insert, a new version and a deletion."""
    insert(knowledge, "carol", CAROL)
    insert(knowledge, "sequel", SEQUEL)
    first, second, *_ = drive(knowledge.chunk_ids())
    drive(knowledge.put_summaries({"SCROOGE": "A miser."}))
    drive(knowledge.add_similarities([Similarity(first, second, 0.5)]))
    drive(knowledge.add_questions([ChunkQuestion(id="q", question="Who?", chunk_id=first)]))
    drive(knowledge.mark_finished("other", [first]))
    drive(knowledge.put_communities([Community(id="0", level=0, entity_ids=("BOB", "SCROOGE"))]))
    drive(knowledge.put_reports([CommunityReport(community_id="0", level=0, title="T", summary="S")]))
    drive(knowledge.embed_new())
    insert(knowledge, "sequel", "Tim dances with Scrooge.")
    drive(knowledge.delete_documents(["carol"]))
    drive(knowledge.embed_new())


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


# -- vectors --------------------------------------------------------------------------------------------------------


def test_an_embedder_that_comes_later_catches_up_on_everything():
    late, early = Stores(), Stores()
    scenario(late.knowledge())
    scenario(early.knowledge(HashEmbedder(64)))
    drive(late.knowledge(HashEmbedder(64)).embed_new())
    assert late.dump()[2] == {name: found for name, found in early.dump()[2].items() if found}


def test_what_is_written_without_an_embedder_is_embedded_by_the_next_that_has_one():
    stores = Stores()
    insert(stores.knowledge(HashEmbedder(64)), "carol", CAROL)
    insert(stores.knowledge(), "sequel", SEQUEL)
    hits = drive(stores.knowledge(HashEmbedder(64)).nearest("chunks", "Tiny Tim, the son", 1))
    assert drive(stores.knowledge().chunks([hits[0].id]))[0].content == SEQUEL.split("\n")[1]


def test_only_what_changed_is_embedded_again():
    asked: list[str] = []

    class Spy(HashEmbedder):
        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            asked.extend(texts)
            return await super().embed(texts)

    stores = Stores()
    insert(stores.knowledge(Spy(64)), "carol", CAROL)
    asked.clear()
    insert(stores.knowledge(Spy(64)), "sequel", "Marley came back.")
    assert sorted(asked) == ["Marley Marley of 34\nMarley of 17", "Marley came back."]
    asked.clear()
    drive(stores.knowledge(Spy(64)).embed_new())
    assert asked == []


def test_a_text_without_words_has_no_vector_and_is_no_error():
    stores = Stores()
    knowledge = stores.knowledge(HashEmbedder(64))
    insert(knowledge, "marks", "?!\nScrooge.")
    marks, words = drive(knowledge.chunk_ids())
    assert [hit.id for hit in drive(knowledge.nearest("chunks", "Scrooge", 5))] == [words]
    assert drive(knowledge.nearest("chunks", "?!", 5)) == drive(knowledge.nearest_to_chunk(marks, 5)) == []


def test_words_are_kept_up_with_what_is_written_and_deleted():
    knowledge = Stores().knowledge()
    insert(knowledge, "carol", CAROL)
    assert len(drive(knowledge.nearest("chunks", "Scrooge", 5))) == 2
    insert(knowledge, "more", "Scrooge again.")
    assert len(drive(knowledge.nearest("chunks", "Scrooge", 5))) == 3
    drive(knowledge.delete_documents(["carol"]))
    assert len(drive(knowledge.nearest("chunks", "Scrooge", 5))) == 1
    assert [hit.id for hit in drive(knowledge.nearest("entities", "scrooge", 5))] == ["SCROOGE"]
    drive(knowledge.drop())
    assert drive(knowledge.nearest("chunks", "Scrooge", 5)) == []


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
