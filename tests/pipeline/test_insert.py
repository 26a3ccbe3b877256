"""Inserting documents: what is there already costs nothing, and what was interrupted goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.pipeline.graphs import (
    PLACES,
    Everybody,
    Killed,
    Mortal,
    Names,
    Place,
    capitals,
    documents,
    insert_into,
    scripted,
)

from lorelite._drive import drive
from lorelite.errors import InsertAborted, ModelError, UnreadableDocument
from lorelite.graph_records import GraphDocument
from lorelite.pipeline.chunking import Chunking
from lorelite.pipeline.processor import CHUNK_ENTITIES, ENTITY_COMMUNITIES
from lorelite.records import Progress

CAROL = documents(
    one="Scrooge knew Marley.\nScrooge paid Cratchit.\nTim is the son of Cratchit.",
    two="Marley came as a ghost.\nFred visited Scrooge.",
)


@pytest.fixture(params=PLACES)
def open_place(request: pytest.FixtureRequest) -> Callable[[], Place]:
    return PLACES[request.param]


@pytest.fixture
def place(open_place: Callable[[], Place]) -> Place:
    return open_place()


def names(place: Place) -> list[str]:
    knowledge = place.knowledge
    return sorted(entity.name.upper() for entity in drive(knowledge.entities(drive(knowledge.entity_ids()))))


def texts(place: Place) -> list[str]:
    return [chunk.content for chunk in drive(place.knowledge.chunks(drive(place.knowledge.chunk_ids())))]


def test_an_insert_reports_what_it_did(place):
    report = insert_into(place, CAROL, [Names(), Everybody()])
    assert (report.documents, report.skipped, report.chunks, report.failures) == (2, 0, 5, ())
    assert report.counters == {
        CHUNK_ENTITIES: {"entities": 5, "model_calls": 5},
        ENTITY_COMMUNITIES: {"communities": 1, "model_calls": 0},
    }
    assert report.usage.calls == 5
    assert names(place) == ["CRATCHIT", "FRED", "MARLEY", "SCROOGE", "TIM"]
    stats = drive(place.knowledge.stats())
    assert (stats.documents, stats.chunks, stats.entities, stats.communities) == (2, 5, 5, 1)


def test_a1_inserting_twice_adds_nothing_and_asks_no_model(place):
    insert_into(place, CAROL, [Names(), Everybody()])
    before = place.dump()
    model, everybody = scripted(), Everybody()
    report = insert_into(place, CAROL, [Names(), everybody], model=model)
    assert (report.documents, report.skipped, report.chunks, report.counters) == (0, 2, 0, {})
    assert model.requests == [] and everybody.runs == 0
    assert place.dump() == before


def test_a1_the_same_documents_in_two_inserts_or_in_one_make_the_same_graph(open_place):
    together, apart = open_place(), open_place()
    insert_into(together, CAROL, [Names(), Everybody()])
    for document in CAROL:
        insert_into(apart, [document], [Names(), Everybody()])
    assert texts(apart) == texts(together)
    assert drive(apart.knowledge.stats()) == drive(together.knowledge.stats())
    ids = drive(together.knowledge.entity_ids())
    assert drive(apart.knowledge.entities(ids)) == drive(together.knowledge.entities(ids))
    assert drive(apart.knowledge.relations_of(ids)) == drive(together.knowledge.relations_of(ids))
    assert drive(apart.knowledge.communities()) == drive(together.knowledge.communities())


def test_a2_documents_that_share_a_chunk(place):
    insert_into(place, documents(one="Shared line.\nOnly one.", two="Shared line.\nOnly two."))
    chunks = drive(place.knowledge.chunks(drive(place.knowledge.chunk_ids())))
    shared = [chunk.document_ids for chunk in chunks if chunk.content == "Shared line."]
    # In a file a chunk is a span of one document, with a place that can be cited; elsewhere a text of its own.
    assert shared in ([("one",), ("two",)], [("one", "two")])


def test_a3_chunks_slice_back_to_the_text_of_their_document(place):
    text = "".join(f"  Marley was dead: {year}.\n\nThere is no doubt about {year}.  " for year in range(1800, 1830))
    insert_into(place, documents(carol=text), chunking=Chunking(size=50, overlap=10))
    chunks = drive(place.knowledge.chunks(drive(place.knowledge.chunk_ids())))
    assert len(chunks) > 5
    assert [chunk.order for chunk in chunks] == list(range(len(chunks)))
    assert all(text[chunk.start : chunk.end] == chunk.content for chunk in chunks)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a4_a_run_killed_at_any_write_is_made_good_by_the_next_one(open_place, after):
    undisturbed = open_place()
    counting = Mortal(undisturbed.knowledge, 0, after=after)
    insert_into(undisturbed, CAROL, [Names(), Everybody()], knowledge=counting)
    assert counting.writes >= 10
    for ends_at in range(1, counting.writes + 1):
        place = open_place()
        with pytest.raises(Killed):
            mortal = Mortal(place.knowledge, ends_at, after=after)
            insert_into(place, CAROL, [Names(), Everybody()], knowledge=mortal)
        insert_into(place, CAROL, [Names(), Everybody()])
        assert place.dump() == undisturbed.dump(), f"killed at write {ends_at}"


def test_a4_a_chunk_whose_reply_was_stored_is_not_asked_for_again(place):
    with pytest.raises(Killed):
        insert_into(place, CAROL, [Names(batch=1)], knowledge=Mortal(place.knowledge, 6, after=True))
    model = scripted()
    insert_into(place, CAROL, [Names(batch=1)], model=model)
    assert [request.user for request in model.requests] == texts(place)[2:]


def failing(*bad: str) -> Callable[..., str | Exception]:
    return lambda request: ModelError("no answer") if any(each in request.user for each in bad) else capitals(request)


def test_a5_in_skip_mode_a_chunk_that_fails_is_reported_and_the_next_insert_completes_it(open_place):
    place, undisturbed = open_place(), open_place()
    report = insert_into(place, CAROL, [Names(), Everybody()], model=scripted(failing("Fred")), on_error="skip")
    [failure] = report.failures
    assert (failure.processor, failure.reason) == (CHUNK_ENTITIES, "no answer")
    assert drive(place.knowledge.chunks([failure.item_id]))[0].content == "Fred visited Scrooge."
    assert report.documents == 2 and "FRED" not in names(place)

    model = scripted()
    report = insert_into(place, CAROL, [Names(), Everybody()], model=model)
    assert [request.user for request in model.requests] == ["Fred visited Scrooge."]
    assert (report.documents, report.failures) == (0, ())
    insert_into(undisturbed, CAROL, [Names(), Everybody()])
    assert names(place) == names(undisturbed)
    assert len(drive(place.knowledge.communities())[0].entity_ids) == 5


def test_a5_by_default_the_first_failure_ends_the_insert_and_what_was_done_is_kept(place):
    with pytest.raises(InsertAborted, match=r"no answer.*insert again") as caught:
        insert_into(place, CAROL, [Names()], model=scripted(failing("Fred")))
    report = caught.value.data["report"]
    assert (report.documents, report.chunks, len(report.failures)) == (2, 5, 1)
    assert isinstance(caught.value.__cause__, ModelError)
    assert "SCROOGE" in names(place)
    model = scripted()
    insert_into(place, CAROL, [Names()], model=model)
    assert [request.user for request in model.requests] == ["Fred visited Scrooge."]


def test_a5_more_failures_than_allowed_end_an_insert_that_skips(place):
    model = scripted(failing("Scrooge", "Marley"))
    with pytest.raises(InsertAborted, match="at most 2") as caught:
        insert_into(place, CAROL, [Names()], model=model, on_error="skip", max_errors=2)
    assert len(caught.value.data["report"].failures) == 3


def test_another_text_under_an_id_that_is_there_replaces_the_earlier_one(open_place):
    place, fresh = open_place(), open_place()
    insert_into(place, CAROL, [Names(), Everybody()])
    later = documents(two="Belle left him.")
    report = insert_into(place, later, [Names(), Everybody()])
    assert (report.documents, report.chunks) == (1, 1)
    insert_into(fresh, [CAROL[0], *later], [Names(), Everybody()])
    assert texts(place) == texts(fresh)
    assert names(place) == names(fresh)
    assert [each.entity_ids for each in drive(place.knowledge.communities())] == [
        each.entity_ids for each in drive(fresh.knowledge.communities())
    ]


def test_a_shorter_text_under_an_id_brings_the_communities_up_to_date_too(place):
    insert_into(place, CAROL, [Names(), Everybody()])
    insert_into(place, documents(two="Marley came as a ghost."), [Names(), Everybody()])
    assert "FRED" not in names(place)
    assert len(drive(place.knowledge.communities())[0].entity_ids) == 4


def test_documents_without_anything_visible_are_skipped(place):
    report = insert_into(place, documents(one="", two=" \n ", three="Text."))
    assert (report.documents, report.skipped) == (1, 2)


def test_of_one_id_given_twice_in_a_batch_the_last_counts(place):
    report = insert_into(place, [*documents(one="First."), *documents(one="Second.")])
    assert (report.documents, report.skipped) == (1, 1)
    assert texts(place) == ["Second."]


def test_a_binary_document_is_an_error_or_in_skip_mode_a_failure(place):
    binary = documents(bad="\x01\x02\x03\x04" * 50, good="Text.")
    with pytest.raises(UnreadableDocument, match="bad"):
        insert_into(place, binary)
    report = insert_into(place, binary, on_error="skip")
    assert [failure.item_id for failure in report.failures] == ["bad"]
    assert texts(place) == ["Text."]


def test_what_stands_before_a_document_that_ends_an_insert_is_stored(place):
    given = [GraphDocument(id="a", content="Text."), GraphDocument(id="bad", content="a\0\1\2b" * 50)]
    with pytest.raises(UnreadableDocument):
        insert_into(place, given)
    assert texts(place) == ["Text."]


def test_documents_are_read_from_a_generator_a_batch_at_a_time(place):
    alive, most = 0, 0

    def stream() -> Iterator[GraphDocument]:
        nonlocal alive
        for number in range(450):
            alive += 1
            yield GraphDocument(id=f"d{number}", content=f"Text {number}.")

    class Watching:
        def __getattr__(self, name: str) -> Any:
            return getattr(place.knowledge, name)

        async def add_documents(self, documents: Any) -> Any:
            nonlocal alive, most
            most, alive = max(most, alive), alive - len(documents)
            return await place.knowledge.add_documents(documents)

    report = insert_into(place, stream(), knowledge=Watching())
    assert report.documents == 450
    assert most == 100


def test_every_step_is_told(place):
    told: list[Progress] = []
    insert_into(place, CAROL, [Names(), Everybody()], on_progress=told.append)
    stages = list(dict.fromkeys(step.stage for step in told))
    assert stages == ["documents", CHUNK_ENTITIES, ENTITY_COMMUNITIES]
    assert [(step.done, step.total) for step in told if step.stage == CHUNK_ENTITIES] == [(0, 5), (5, 5)]


def test_what_a_progress_hook_raises_does_not_end_the_insert(place):
    assert insert_into(place, CAROL, on_progress=lambda step: 1 / 0).documents == 2
