"""Deleting documents: exactly what only they support goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest
from tests.pipeline.graphs import NOW, PLACES, Everybody, Names, Place, documents, insert_into, lines

from lorelite._drive import drive
from lorelite.errors import InsertAborted
from lorelite.graph_records import DeleteReport
from lorelite.pipeline.insert import Plan, delete_documents
from lorelite.pipeline.run import GraphEngine

CAROL = documents(one="Scrooge knew Marley.\nScrooge paid Cratchit.", two="Marley was a ghost.\nFred visited Scrooge.")


@pytest.fixture(params=PLACES)
def open_place(request: pytest.FixtureRequest) -> Callable[[], Place]:
    return PLACES[request.param]


@pytest.fixture
def place(open_place: Callable[[], Place]) -> Place:
    return open_place()


@dataclass
class Notebook:
    """Keeps something beside the knowledge, and forgets it when it is told to."""

    removed: list[str] = field(default_factory=list)
    name: ClassVar[str] = "notebook"
    version: ClassVar[int] = 1
    requires: ClassVar[tuple[str, ...]] = ()

    def options(self) -> Mapping[str, Any]:
        return {}

    async def process(self, run: GraphEngine, chunk_ids: Sequence[str]) -> Mapping[str, int]:
        await run.knowledge.mark_finished(self.name, chunk_ids)
        return {}

    async def remove(self, run: GraphEngine, chunk_ids: Sequence[str]) -> None:
        self.removed += [chunk.content for chunk in await run.knowledge.chunks(chunk_ids)]


def delete(place: Place, *ids: str, pipeline: Sequence[Any] = ()) -> DeleteReport:
    run = GraphEngine(knowledge=place.knowledge, clock=lambda: NOW)
    return drive(delete_documents(run, Plan(pipeline=tuple(pipeline), spans_of=lines), ids))


def picture(place: Place) -> tuple[Any, ...]:
    knowledge = place.knowledge
    ids = drive(knowledge.entity_ids())
    return (
        [chunk.content for chunk in drive(knowledge.chunks(drive(knowledge.chunk_ids())))],
        [(each.name, each.description, each.degree) for each in drive(knowledge.entities(ids))],
        [(each.source, each.target, each.weight) for each in drive(knowledge.relations_of(ids))],
        [each.entity_ids for each in drive(knowledge.communities())],
        drive(knowledge.stats()),
    )


def test_what_is_left_is_what_the_other_documents_alone_would_have_made(open_place):
    place, fresh = open_place(), open_place()
    pipeline = [Names(), Everybody()]
    insert_into(place, CAROL, pipeline)
    report = delete(place, "two", pipeline=pipeline)
    assert (report.documents, report.chunks, report.entities, report.relations) == (1, 2, 1, 1)
    insert_into(fresh, CAROL[:1], pipeline)
    assert picture(place) == picture(fresh)


def test_a_document_that_was_deleted_can_be_inserted_again(open_place):
    place, fresh = open_place(), open_place()
    pipeline = [Names(), Everybody()]
    insert_into(place, CAROL, pipeline)
    delete(place, "two", pipeline=pipeline)
    insert_into(place, CAROL, pipeline)
    insert_into(fresh, CAROL, pipeline)
    assert picture(place) == picture(fresh)


def test_deleting_everything_leaves_nothing(place):
    pipeline = [Names(), Everybody()]
    insert_into(place, CAROL, pipeline)
    delete(place, "one", "two", pipeline=pipeline)
    assert picture(place)[:4] == ([], [], [], [])


def test_ids_that_name_no_document_are_reported_and_nothing_is_written(place):
    everybody = Everybody()
    insert_into(place, CAROL, [Names(), everybody])
    before, runs = place.dump(), everybody.runs
    report = delete(place, "three", "three", pipeline=[Names(), everybody])
    assert (report.documents, report.unknown) == (0, ("three",))
    assert (place.dump(), everybody.runs) == (before, runs)


def test_processors_are_told_before_the_chunks_go(place):
    notebook = Notebook()
    insert_into(place, CAROL, [notebook])
    delete(place, "two", pipeline=[notebook])
    assert notebook.removed == ["Marley was a ghost.", "Fred visited Scrooge."]


def test_a_chunk_that_another_document_holds_too_is_not_among_those_that_go(place):
    notebook = Notebook()
    shared = documents(one="Shared line.\nOnly one.", two="Shared line.\nOnly two.")
    insert_into(place, shared, [notebook])
    before = [chunk.content for chunk in drive(place.knowledge.chunks(drive(place.knowledge.chunk_ids())))]
    delete(place, "two", "unknown", pipeline=[notebook])
    after = [chunk.content for chunk in drive(place.knowledge.chunks(drive(place.knowledge.chunk_ids())))]
    assert sorted(notebook.removed + after) == sorted(before)
    assert after == ["Shared line.", "Only one."]
    assert drive(place.knowledge.chunks_of([])) == drive(place.knowledge.chunks_of(["unknown"])) == []


def test_without_the_pipeline_communities_wait_for_the_next_insert_that_has_it(place):
    pipeline = [Names(), Everybody()]
    insert_into(place, CAROL, pipeline)
    delete(place, "two")
    insert_into(place, [], pipeline)
    [everybody] = drive(place.knowledge.communities())
    assert list(everybody.entity_ids) == drive(place.knowledge.entity_ids())
    assert len(everybody.entity_ids) == 3


def test_a_deletion_that_was_killed_is_made_good_when_it_is_called_again(open_place):
    for ends_at in ("delete_documents", "put_communities", "embed_new"):
        place, pipeline = open_place(), [Names(), Everybody()]
        insert_into(place, CAROL, pipeline)

        class Mortal:
            def __getattr__(self, name: str) -> Any:
                if name == ends_at:  # noqa: B023
                    raise KeyboardInterrupt
                return getattr(place.knowledge, name)  # noqa: B023

        run = GraphEngine(knowledge=Mortal(), clock=lambda: NOW)  # type: ignore[arg-type]
        with pytest.raises(KeyboardInterrupt):
            drive(delete_documents(run, Plan(pipeline=tuple(pipeline), spans_of=lines), ["two"]))
        delete(place, "two", pipeline=pipeline)
        fresh = open_place()
        insert_into(fresh, CAROL[:1], pipeline)
        assert picture(place) == picture(fresh)


def test_when_a_model_fails_afterwards_the_deletion_stands_and_the_next_insert_makes_it_good(open_place):
    class Failing(Everybody):
        async def process(self, run: GraphEngine, chunk_ids: Sequence[str]) -> Mapping[str, int]:
            run.failed("0", self.name, "no answer")
            return {}

    place, fresh = open_place(), open_place()
    insert_into(place, CAROL, [Names(), Everybody()])
    with pytest.raises(InsertAborted, match="no answer") as caught:
        delete(place, "two", pipeline=[Names(), Failing()])
    assert caught.value.data["report"].documents == 1
    insert_into(place, [], [Names(), Everybody()])
    insert_into(fresh, CAROL[:1], [Names(), Everybody()])
    assert picture(place) == picture(fresh)
