"""Entities that a query names, and what is connected to them."""

from __future__ import annotations

from collections import deque

import pytest

from lorelite import InvalidOption
from lorelite._drive import drive
from lorelite.toolkit import (
    GraphRetrieveProcessor,
    GraphRetriever,
    InMemoryEntityStore,
    KitEntity,
    KitRelation,
    SearchResult,
)

EDGES = [("ada", "lock"), ("lock", "canal"), ("canal", "mill"), ("ben", "canal"), ("ben", "ada"), ("mill", "mayor")]


def village() -> InMemoryEntityStore:
    store = InMemoryEntityStore()
    for name in ("Ada", "Lock", "Canal", "Mill", "Ben", "Mayor", "Alone"):
        drive(
            store.add_entity(
                KitEntity(id=name.lower(), name=name, type="thing", properties={"description": f"About {name}."})
            )
        )
    for source, target in EDGES:
        drive(store.add_relation(KitRelation(source_id=source, target_id=target, type="joins")))
    return store


def distances(start: str) -> dict[str, int]:
    """By breadth-first search of its own."""
    found, waiting = {start: 0}, deque([start])
    while waiting:
        here = waiting.popleft()
        for pair in EDGES:
            if here in pair:
                other = pair[1] if pair[0] == here else pair[0]
                if other not in found:
                    found[other] = found[here] + 1
                    waiting.append(other)
    return found


@pytest.mark.parametrize("hops", range(4))
def test_h5_every_entity_within_the_hops_is_one_result_with_a_shortest_chain(hops):
    found = drive(GraphRetriever(village()).retrieve("Ada", hops))
    expected = {id: hop for id, hop in distances("ada").items() if hop <= hops}
    assert {result.id: result.metadata["hop"] for result in found} == expected
    for result in found:
        chain = result.metadata["chain"]
        assert len(chain) == expected[result.id] and result.score == 0.5 ** len(chain)
        here = "Ada"
        for step in chain:
            ends = [step["source"], step["target"]]
            assert here == ends[0] if step["direction"] == "outbound" else here == ends[1]
            here = ends[1] if step["direction"] == "outbound" else ends[0]
        assert here == result.metadata["name"]


def test_h5_results_are_ordered_by_score_hop_and_id():
    found = drive(GraphRetriever(village(), hops=2).retrieve("Ada"))
    keys = [(-result.score, result.metadata["hop"], result.id) for result in found]
    assert keys == sorted(keys)


def test_h5_the_text_tells_name_type_description_and_relations():
    [seed] = drive(GraphRetriever(village()).retrieve("Lock", 0))
    assert seed.content == "Lock (thing)\nAbout Lock.\nLock -[joins]-> Canal\nAda -[joins]-> Lock" or set(
        seed.content.splitlines()
    ) == {"Lock (thing)", "About Lock.", "Lock -[joins]-> Canal", "Ada -[joins]-> Lock"}


def test_h5_the_better_seed_counts_where_two_lead_to_the_same_thing():
    found = {result.id: result for result in drive(GraphRetriever(village(), hops=1).retrieve("Ada Canal"))}
    assert found["lock"].score == pytest.approx(0.45) and found["lock"].metadata["hop"] == 1
    assert found["ada"].metadata["hop"] == found["canal"].metadata["hop"] == 0


def test_h5_nobody_named_gives_nothing_and_negative_hops_are_refused():
    assert drive(GraphRetriever(village()).retrieve("nothing of it")) == []
    with pytest.raises(InvalidOption):
        drive(GraphRetriever(village()).retrieve("Ada", -1))


def test_h5_results_are_limited():
    assert len(drive(GraphRetriever(village(), hops=3, max_nodes=3).retrieve("Ada"))) == 3


def test_h5_as_a_step_results_are_appended_to_the_message():
    before = SearchResult(id="x", content="before", score=1.0)
    message = drive(GraphRetrieveProcessor(village(), hops=0).process({"query": "Ada", "results": [before], "k": 1}))
    assert message["k"] == 1 and [result.id for result in message["results"]] == ["x", "ada"]
