"""What was forgotten is gone from the past, and stays so when it is taken in again; taking it back brings it back."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import pytest

from lorelite import Wiki, WikiConfig

NS = "class"


@pytest.fixture(params=["fts5", "memory"])
def indexed(request, open_wiki) -> Wiki:
    return open_wiki(config=WikiConfig(keyword_index=request.param, maintenance="off"))


def graph(wiki: Wiki, version: int, ids: str = "ab") -> None:
    wiki.upsert_graph(
        NS,
        source_ref="graph",
        source_hash=hashlib.sha256(f"{version}{ids}".encode()).hexdigest(),
        nodes=[{"id": id, "title": f"Node {id}", "body": f"version {version}"} for id in ids],
        edges=[{"type": "next", "source_id": one, "target_id": two} for one, two in pairwise(ids)],
    )


def past(wiki: Wiki, moment: int | None, query: str = "") -> dict[str, str]:
    return {node.id: node.body for node in wiki.read(NS, query, as_of=moment).facts}


def step(clock) -> int:
    clock.tick()
    return clock.now


def removed_by(wiki: Wiki, cause: str, id: str) -> None:
    store = wiki._wiki._engine.store
    with store.atomic(cause):
        store.nodes.delete(NS, [id])


def test_a_forgotten_source_stays_out_of_the_past_when_its_ids_are_taken_in_again(indexed, clock):
    then = clock.now
    graph(indexed, 1)
    later = step(clock)
    graph(indexed, 3, "abc")
    step(clock)
    indexed.forget(NS, source_ref="graph")
    again = step(clock)
    graph(indexed, 4, "ab")
    step(clock)
    graph(indexed, 5, "ab")
    for moment in (then, later):
        assert past(indexed, moment) == past(indexed, moment, "version") == {}
        assert indexed.traverse_graph(NS, source_id="a", as_of=moment, edges="walked").edges == ()
    assert past(indexed, again) == {"a": "version 4", "b": "version 4"}
    assert [held.body for held in indexed.history(NS, node_id="a")] == ["version 4", "version 5"]


def test_a_node_that_a_source_had_dropped_before_it_was_forgotten_stays_out_of_the_past_too(indexed, clock):
    then = clock.now
    graph(indexed, 1, "ab")
    step(clock)
    graph(indexed, 2, "a")
    step(clock)
    indexed.forget(NS, source_ref="graph")
    step(clock)
    graph(indexed, 3, "ab")
    assert past(indexed, then) == {}
    assert [held.body for held in indexed.history(NS, node_id="b")] == ["version 3"]


def test_a_fact_written_again_after_it_was_forgotten_begins_anew(indexed, clock):
    then = clock.now
    indexed.write(NS, title="Secret", body="old", node_id="secret")
    step(clock)
    indexed.forget(NS, node_id="secret")
    again = step(clock)
    indexed.write(NS, title="Secret", body="new", node_id="secret")
    step(clock)
    indexed.write(NS, title="Secret", body="newer", node_id="secret")
    assert past(indexed, then) == {}
    assert past(indexed, again) == {"secret": "new"}
    assert [held.body for held in indexed.history(NS, node_id="secret")] == ["new", "newer"]


def test_an_undone_forget_hides_nothing(indexed, clock):
    then = clock.now
    graph(indexed, 1)
    step(clock)
    graph(indexed, 2)
    step(clock)
    indexed.forget(NS, source_ref="graph")
    step(clock)
    indexed.undo(NS)
    step(clock)
    graph(indexed, 3)
    assert past(indexed, then) == {"a": "version 1", "b": "version 1"}
    assert len(indexed.traverse_graph(NS, source_id="a", as_of=then, edges="walked").edges) == 1
    assert [held.body for held in indexed.history(NS, node_id="a")] == ["version 1", "version 2", "version 3"]


def test_a_restore_to_before_a_forget_brings_the_past_back_even_after_the_ids_were_used_again(indexed, clock):
    then = clock.now
    graph(indexed, 1)
    step(clock)
    indexed.forget(NS, source_ref="graph")
    between = step(clock)
    graph(indexed, 2)
    step(clock)
    graph(indexed, 3)
    step(clock)
    indexed.restore(NS, between)
    assert past(indexed, then) == {}
    step(clock)
    indexed.restore(NS, then)
    assert past(indexed, then) == {"a": "version 1", "b": "version 1"}


@pytest.mark.parametrize("cause", ["heal", "librarian", "import"])
@pytest.mark.parametrize("how", [{"node_id": "bridge"}, {"clear_all": True}])
def test_forgetting_what_something_else_had_taken_out_takes_it_out_of_the_past(indexed, clock, cause, how):
    then = clock.now
    indexed.write(NS, title="Bridge", body="closed", node_id="bridge")
    step(clock)
    removed_by(indexed, cause, "bridge")
    assert past(indexed, then) == {"bridge": "closed"}
    indexed.forget(NS, **how)
    assert past(indexed, then) == past(indexed, then, "closed") == {}
    assert not indexed.forget(NS, node_id="bridge").nodes
    indexed.undo(NS)
    assert past(indexed, then) == {"bridge": "closed"}


def test_the_past_quotes_no_forgotten_document(indexed, clock):
    indexed.ingest_document(NS, source_ref="one.txt", text="Ada Marsh keeps Heron Lock.")
    indexed.ingest_document(NS, source_ref="two.txt", text="Ada Marsh owes forty pounds.")
    then = clock.now
    step(clock)
    indexed.ingest_document(NS, source_ref="two.txt", text="Ada Marsh owes fifty shillings.")
    step(clock)
    indexed.forget(NS, source_ref="two.txt")
    found = indexed.read(NS, "Ada Marsh", as_of=then, kinds=["entity", "fact", "chunk"], max_results=100).facts
    assert found
    quotes = [citation.quote for node in found for citation in node.citations]
    assert not [quote for quote in [*quotes, *(node.body for node in found)] if "owes" in quote]
