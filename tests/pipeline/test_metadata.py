"""A graph belongs to the pipeline that built it: another one changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest
from tests.pipeline.graphs import NOW, PLACES, Everybody, Names, Place, documents, insert_into, lines, scripted

from lorelite._drive import drive
from lorelite.errors import ConfigError, PipelineConfigMismatchError, PipelineOrderError
from lorelite.models.hash_embedder import HashEmbedder
from lorelite.pipeline.insert import Plan, delete_documents
from lorelite.pipeline.metadata import VectorSpace, described, stored_pipeline
from lorelite.pipeline.processor import CHUNK_ENTITIES, ENTITY_COMMUNITIES, checked_pipeline
from lorelite.pipeline.run import GraphEngine
from lorelite.records import Usage

FIRST = documents(one="Scrooge knew Marley.")
SECOND = documents(two="Fred visited Scrooge.")
SPACE = VectorSpace("hash", 64)


@pytest.fixture(params=PLACES)
def open_place(request: pytest.FixtureRequest) -> Callable[[], Place]:
    return PLACES[request.param]


@pytest.fixture
def place(open_place: Callable[[], Place]) -> Place:
    return open_place()


@dataclass
class Counter:
    """Counts chunks; needs no other processor."""

    name: str = "counter"
    version: int = 1
    requires: ClassVar[tuple[str, ...]] = ()

    def options(self) -> Mapping[str, Any]:
        return {}

    async def process(self, run: GraphEngine, chunk_ids: Sequence[str]) -> Mapping[str, int]:
        await run.knowledge.mark_finished(self.name, chunk_ids)
        return {"counted": len(chunk_ids)}

    async def remove(self, run: GraphEngine, chunk_ids: Sequence[str]) -> None:
        """Counts are not kept."""


def entities(place: Place) -> int:
    return drive(place.knowledge.stats()).entities


def test_b1_the_same_pipeline_goes_on(place):
    insert_into(place, FIRST, [Names(), Everybody()], space=SPACE)
    assert insert_into(place, SECOND, [Names(), Everybody()], space=SPACE).documents == 1
    record = drive(stored_pipeline(place.knowledge))
    assert record is not None
    assert record.names == (CHUNK_ENTITIES, ENTITY_COMMUNITIES)
    assert (record.embedding, record.created_at) == (SPACE, NOW)


def test_b2_an_empty_pipeline_adds_chunks_alone_and_they_are_found(place):
    insert_into(place, FIRST, [Names()])
    model = scripted()
    report = insert_into(place, SECOND, [], model=model)
    assert (report.documents, report.chunks, report.counters, model.requests) == (1, 1, {}, [])
    assert entities(place) == 2
    [hit] = drive(place.knowledge.nearest("chunks", "Fred visited Scrooge", 1))
    assert drive(place.knowledge.chunks([hit.id]))[0].content == "Fred visited Scrooge."
    assert drive(stored_pipeline(place.knowledge)).names == (CHUNK_ENTITIES,)


DIFFERENT: Mapping[str, tuple[Sequence[Any], VectorSpace, Sequence[str]]] = {
    "option": ([Names(limit=5), Counter()], SPACE, ["chunkEntityGeneration.limit was 10 and is 5"]),
    "version": ([Names(), Counter(version=2)], SPACE, ["counter.version was 1 and is 2"]),
    "order": (
        [Counter(), Names()],
        SPACE,
        ["processors were chunkEntityGeneration, counter and are counter, chunkEntityGeneration"],
    ),
    "missing processor": (
        [Names()],
        SPACE,
        ["processors were chunkEntityGeneration, counter and are chunkEntityGeneration"],
    ),
    "another processor": (
        [Names(), Counter(), Counter(name="again")],
        SPACE,
        ["processors were chunkEntityGeneration, counter and are chunkEntityGeneration, counter, again"],
    ),
    "dimension": ([Names(), Counter()], VectorSpace("hash", 128), ["embedding.dimension was 64 and is 128"]),
    "embedder": ([Names(), Counter()], VectorSpace("other", 64), ['embedding.id was "hash" and is "other"']),
    "embedder of an empty pipeline": ([], VectorSpace("other", 64), ['embedding.id was "hash" and is "other"']),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_b3_another_pipeline_or_embedder_is_an_error_that_says_what_differs_and_nothing_is_written(place, what):
    insert_into(place, FIRST, [Names(), Counter()], space=SPACE)
    before = place.dump()
    pipeline, space, diff = DIFFERENT[what]
    with pytest.raises(PipelineConfigMismatchError, match="nothing was written") as caught:
        insert_into(place, SECOND, pipeline, space=space)
    assert list(caught.value.data["diff"]) == diff
    assert [each["name"] for each in caught.value.data["stored"]["processors"]] == [CHUNK_ENTITIES, "counter"]
    plan = Plan(pipeline=tuple(pipeline), spans_of=lines, embedding=space)
    with pytest.raises(PipelineConfigMismatchError):
        drive(delete_documents(GraphEngine(knowledge=place.knowledge, clock=lambda: NOW), plan, ["one"]))
    assert place.dump() == before


def test_b4_how_fast_a_processor_works_is_no_mismatch(place):
    insert_into(place, FIRST, [Names(concurrency=4)])
    before = drive(stored_pipeline(place.knowledge))
    assert insert_into(place, SECOND, [Names(concurrency=32, batch=1)], max_errors=9, on_error="skip").documents == 1
    assert drive(stored_pipeline(place.knowledge)) == before


def test_b5_a_first_pipeline_works_on_what_was_inserted_without_one(place):
    insert_into(place, FIRST)
    insert_into(place, SECOND)
    assert entities(place) == 0
    model = scripted()
    report = insert_into(place, documents(three="Belle left."), [Names(), Everybody()], model=model)
    assert (report.documents, report.chunks) == (1, 1)
    assert [request.user for request in model.requests] == [
        "Scrooge knew Marley.",
        "Fred visited Scrooge.",
        "Belle left.",
    ]
    assert entities(place) == 4


def test_b5_an_insert_without_documents_works_on_the_backlog_too(place):
    insert_into(place, FIRST)
    report = insert_into(place, [], [Names(), Everybody()])
    assert (report.documents, report.counters[CHUNK_ENTITIES]["entities"]) == (0, 2)


@pytest.mark.parametrize("pipeline", [[Everybody(), Names()], [Everybody()]])
def test_b6_a_processor_before_the_one_it_needs_is_refused(pipeline):
    with pytest.raises(PipelineOrderError, match="entityCommunityGeneration needs chunkEntityGeneration"):
        checked_pipeline(pipeline)


@pytest.mark.parametrize(
    ("pipeline", "path"),
    [("chunkEntityGeneration", "pipeline"), ([Names(), 7], "pipeline[1]"), ([Names()] * 2, "pipeline[1]")],
)
def test_what_is_no_pipeline_is_an_error_that_says_where(pipeline, path):
    with pytest.raises(ConfigError) as caught:
        checked_pipeline(pipeline)
    assert caught.value.data["path"] == path


def test_an_embedder_that_comes_later_or_is_left_out_is_no_mismatch(place):
    insert_into(place, FIRST, [Names()])
    insert_into(place, SECOND, [Names()], space=SPACE)
    assert drive(stored_pipeline(place.knowledge)).embedding == SPACE
    insert_into(place, documents(three="Belle left."), [Names()])
    assert drive(stored_pipeline(place.knowledge)).embedding == SPACE


def test_a_graph_without_chunks_takes_any_pipeline(place):
    insert_into(place, FIRST, [Names()])
    drive(place.knowledge.delete_documents(["one"]))
    insert_into(place, FIRST, [Names(limit=3)])
    assert drive(stored_pipeline(place.knowledge)).processors[0]["options"] == {"limit": 3}


def test_the_fingerprint_goes_by_names_versions_and_options_alone():
    def fingerprint(*pipeline: Any) -> str:
        return replace(record, processors=described(pipeline)).fingerprint

    place = PLACES["file"]()
    insert_into(place, FIRST, [Names()])
    record = drive(stored_pipeline(place.knowledge))
    assert record is not None
    assert fingerprint(Names(concurrency=9)) == record.fingerprint
    assert len({fingerprint(Names()), fingerprint(Names(limit=1)), fingerprint(Names(), Counter()), ""}) == 4
    assert fingerprint() == ""


def test_options_that_are_no_json_are_an_error():
    with pytest.raises(ConfigError, match=r"chunkEntityGeneration\.options\(\)"):
        described([Names(limit={1, 2})])  # type: ignore[arg-type]


def test_what_models_used_is_counted_by_any_name_a_processor_gives_them():
    place = PLACES["file"]()
    other = scripted()
    run = GraphEngine(knowledge=place.knowledge, model=scripted(), clock=lambda: NOW)
    drive(run.using(model=other).complete([]))
    assert run.using(embedder=HashEmbedder(8)).tally is run.tally
    assert run.usage == Usage() and run.model_calls == 0
