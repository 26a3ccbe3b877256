"""The kit's parts given what they cannot use: told with the argument's name, never an error of Python's own."""

from __future__ import annotations

import math

import pytest

from lorelite import InvalidOption, LoreliteError
from lorelite._drive import drive
from lorelite.adapters.in_memory import in_memory_graph
from lorelite.adapters.sqlite import sqlite_graph
from lorelite.toolkit import (
    CommunityRetriever,
    EntityExtractor,
    FusionRetriever,
    GraphBackedEntities,
    GraphBuildProcessor,
    GraphRetriever,
    InMemoryEntityStore,
    KitEntity,
    KitRelation,
    SearchResult,
    Synthesizer,
    detect_communities,
    resolve_entities,
)

JUNK = [None, 5, b"x", ["a"], object(), {"a": 1}, math.nan]


def told(system: str, user: str) -> str:
    return "Ada|person"


class Listed:
    def __init__(self, results):
        self.results = results

    async def retrieve(self, query):
        return self.results


STORES = [
    InMemoryEntityStore,
    lambda: GraphBackedEntities(in_memory_graph()),
    lambda: GraphBackedEntities(sqlite_graph()),
]


@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: type(junk).__name__)
def test_every_part_names_what_it_cannot_use(junk):
    store = InMemoryEntityStore()
    result = SearchResult(id="a", content="x", score=1.0)
    calls = [
        lambda: GraphRetriever(junk),
        lambda: drive(GraphRetriever(store).retrieve(junk)),
        lambda: drive(CommunityRetriever([], []).retrieve(junk)),
        lambda: GraphBackedEntities(junk),
        lambda: GraphBuildProcessor(junk, store),
        lambda: GraphBuildProcessor(EntityExtractor(told), junk),
        lambda: drive(EntityExtractor(told).extract(junk)),
        lambda: drive(detect_communities(junk)),
        lambda: drive(resolve_entities(junk)),
        lambda: FusionRetriever(junk),
        lambda: FusionRetriever([Listed([])], weights=junk or 5),
        lambda: drive(FusionRetriever([Listed(junk)]).retrieve("q")),
        lambda: drive(FusionRetriever([Listed([junk])]).retrieve("q")),
        lambda: drive(Synthesizer(told).synthesize(junk, [result])),
        lambda: drive(Synthesizer(told).synthesize("q", junk)),
        lambda: drive(Synthesizer(told).synthesize("q", [junk])),
        lambda: CommunityRetriever([junk], []),
    ]
    for call in calls:
        with pytest.raises(LoreliteError):
            call()


@pytest.mark.parametrize("make", STORES)
@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: type(junk).__name__)
def test_stores_refuse_fields_of_the_wrong_kind_and_keep_nothing_of_them(make, junk):
    store = make()
    drive(store.add_entity(KitEntity(id="a", name="Ada")))
    entities = [junk, *(KitEntity(**{"id": "b", "name": "B", field: junk}) for field in ("id", "name", "type"))]
    entities.append(KitEntity(id="b", name="half\ud800"))
    for entity in entities:
        with pytest.raises(InvalidOption, match="entity"):
            drive(store.add_entity(entity))
    relations = [junk, KitRelation(source_id="a", target_id=junk, type="t")]
    relations += [KitRelation(source_id="a", target_id="a", type=junk)]
    relations += [KitRelation(source_id="a", target_id="a", type="t", weight=math.inf)]
    for relation in relations:
        with pytest.raises(InvalidOption, match="relation"):
            drive(store.add_relation(relation))
    assert drive(store.size()) == 1 and drive(store.all_relations()) == []


@pytest.mark.parametrize("mode", ["rrf", "relative", "dist", "simple", "ensemble"])
def test_scores_that_are_no_numbers_order_nothing_wrongly(mode):
    results = [
        SearchResult(id="nan", content="nan", score=math.nan),
        SearchResult(id="good", content="good", score=0.9),
        SearchResult(id="most", content="most", score=math.inf),
        SearchResult(id="bad", content="bad", score=0.1),
    ]
    found = drive(FusionRetriever([Listed(results)], mode=mode).retrieve("q"))
    assert {each.id for each in found[:2]} == {"good", "most"} and all(math.isfinite(each.score) for each in found)
    huge = [SearchResult(id=str(score), content=str(score), score=score) for score in (1e308, 0.0, -1e308)]
    assert [each.id for each in drive(FusionRetriever([Listed(huge)], mode=mode).retrieve("q"))] == [
        "1e+308",
        "0.0",
        "-1e+308",
    ]


def test_ids_that_are_none_make_no_two_results_one():
    results = [SearchResult(id=name, content=name, score=1.0, metadata={"chunk_id": None}) for name in "ab"]
    assert len(drive(FusionRetriever([Listed(results)]).retrieve("q"))) == 2


@pytest.mark.parametrize("k", [0, -1, math.nan])
def test_a_k_that_divides_by_nothing_is_refused(k):
    with pytest.raises(InvalidOption, match="k: "):
        FusionRetriever([Listed([])], k=k)


def test_a_function_may_judge_and_what_it_breaks_stays_apart():
    async def merged(judge):
        store = InMemoryEntityStore()
        for id, name in (("a", "OpenAI"), ("b", "open ai"), ("c", "Open-AI")):
            await store.add_entity(KitEntity(id=id, name=name))
        return await resolve_entities(store, judge=judge)

    async def awaited(system, user):
        return '{"groups": [["a", "b"], ["b", "c"]]}'

    assert drive(merged(lambda system, user: "yes")) == 2 and drive(merged(awaited)) == 1
    for broken in (lambda system, user: None, lambda system, user: 1 / 0, lambda system, user: '{"groups": [[{}], 5]}'):
        assert drive(merged(broken)) == 0


def test_an_answer_without_end_does_not_make_the_next_question_endless():
    asked = []

    def endless(system, user):
        asked.append(len(user))
        return "word " * 200_000

    results = [SearchResult(id=str(place), content="word " * 3_000, score=1.0) for place in range(3)]
    drive(Synthesizer(endless, mode="refine", max_tokens=500).synthesize("q", results))
    assert len(asked) == 3 and max(asked) < 6_000
