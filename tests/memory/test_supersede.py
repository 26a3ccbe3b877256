"""One fact in the place of another, and what was held before."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from lorelite import InvalidOption, LoreliteError, NotFound, SupersedeError

NS = "class"
HASH = "a" * 64


@pytest.fixture
def anna(wiki, clock):
    """Anna works at the harbour; a minute later somebody says she works at the lighthouse."""
    wiki.write(NS, node_id="harbour", title="Anna", body="works at the harbour")
    clock.tick(60_000)
    return wiki


def refused(call) -> str:
    with pytest.raises(SupersedeError) as caught:
        call()
    return caught.value.reason


def test_the_new_fact_holds_and_the_old_one_held_until_then(anna, clock):
    before = clock.now - 1
    report = anna.supersede(NS, node_id="harbour", by={"title": "Anna", "body": "works at the lighthouse"})
    assert (report.old_id, report.valid_from) == ("harbour", clock.now)
    old, new = anna.history(NS, node_id="harbour")
    assert (old.valid_to, old.superseded_by, old.superseded_at) == (clock.now, report.new_id, clock.now)
    assert (new.id, new.valid_from, new.valid_to) == (report.new_id, clock.now, None)
    assert (new.confidence, new.source_type, new.origin) == ("certain", "user_stated", "stated")
    assert [fact.id for fact in anna.read(NS, "Anna").facts] == [report.new_id]
    assert [fact.id for fact in anna.read(NS, "Anna", as_of=before).facts] == ["harbour"]


def test_a_fact_that_is_there_may_take_the_place_and_keeps_a_beginning_of_its_own(anna, clock):
    anna.write(NS, node_id="lighthouse", title="Anna", body="works at the lighthouse", valid_from=7)
    anna.write(NS, node_id="ferry", title="Anna", body="works on the ferry")
    moment = clock.now + 5_000
    assert anna.supersede(NS, node_id="harbour", by="lighthouse", valid_from=moment).new_id == "lighthouse"
    old, new = sorted(anna.history(NS, node_id="lighthouse"), key=lambda fact: fact.id)
    assert (old.valid_to, new.valid_from) == (moment, 7)
    assert len(anna.read(NS, "harbour").facts) == 1, "it holds until then"
    clock.tick(5_000)
    assert anna.read(NS, "harbour").facts == ()
    anna.supersede(NS, node_id="lighthouse", by="ferry", valid_from=moment)
    assert {fact.id: fact.valid_from for fact in anna.history(NS, node_id="harbour")} == {
        "harbour": None, "lighthouse": 7, "ferry": moment,
    }  # fmt: skip


def test_the_new_fact_takes_any_field_of_write(anna):
    report = anna.supersede(
        NS,
        node_id="harbour",
        by={"node_id": "new", "title": "Anna", "body": "moved", "tags": ["work"], "confidence": "tentative",
            "source_type": "user_confirmed", "valid_from": 3, "lifecycle": "draft"},
    )  # fmt: skip
    new = next(fact for fact in anna.history(NS, node_id="harbour") if fact.id == "new")
    assert report.new_id == "new"
    assert (new.tags, new.confidence, new.source_type, new.valid_from, new.lifecycle) == (
        ("work",), "tentative", "user_confirmed", 3, "draft",
    )  # fmt: skip


def test_the_edges_of_the_old_fact_stay_with_it_and_are_not_walked_now(wiki, clock):
    wiki.write(NS, node_id="old", title="Anna")
    edge = {"type": "mentions", "source_id": "doc", "target_id": "old"}
    wiki.upsert_graph(NS, source_ref="d", source_hash=HASH, nodes=[{"id": "doc", "title": "Doc"}], edges=[edge])
    before = clock.tick()
    clock.tick()
    wiki.supersede(NS, node_id="old", by={"title": "Anna", "body": "moved"})
    assert [node.id for node in wiki.traverse_graph(NS, source_id="doc").nodes] == ["doc"]
    assert [node.id for node in wiki.traverse_graph(NS, source_id="doc", as_of=before).nodes] == ["doc", "old"]


def test_every_refusal_has_its_reason_and_writes_nothing(anna, picture):
    anna.write(NS, node_id="gone", title="gone")
    anna.forget(NS, node_id="gone")
    anna.write("other", node_id="foreign", title="foreign")
    anna.upsert_graph(NS, source_ref="d", source_hash=HASH, nodes=[{"id": "stated", "title": "Doc"}])
    anna.write(NS, node_id="next", title="next")
    anna.write(NS, node_id="last", title="last")
    anna.supersede(NS, node_id="harbour", by="next")
    before = picture(anna)

    def reason(node_id, by):
        return refused(lambda: anna.supersede(NS, node_id=node_id, by=by))

    assert reason("nobody", "last") == "not_found"
    assert reason("gone", "last") == "not_found"
    assert reason("foreign", "last") == "cross_namespace"
    assert reason("harbour", "last") == "already_superseded"
    assert reason("stated", "last") == "immutable_target"
    assert reason("last", "last") == "cycle"
    assert reason("next", "harbour") == "cycle"
    assert reason("last", "nobody") == "not_found"
    assert reason("last", "gone") == "not_found"
    assert reason("last", "foreign") == "cross_namespace"
    assert picture(anna) == before


def test_a_long_chain_has_no_cycle_and_is_told_whole_from_any_of_its_facts(wiki, clock):
    wiki.write(NS, node_id="0", title="version 0")
    for number in range(1, 151):
        clock.tick()
        fact = {"node_id": str(number), "title": f"version {number}", "body": "b"}
        wiki.supersede(NS, node_id=str(number - 1), by=fact)
    assert refused(lambda: wiki.supersede(NS, node_id="150", by="0")) == "cycle"
    for id in ("0", "75", "150"):
        assert [fact.id for fact in wiki.history(NS, node_id=id)] == [str(number) for number in range(151)]


def test_a_fact_whose_successor_was_forgotten_may_be_superseded_again(anna):
    wrong = anna.supersede(NS, node_id="harbour", by={"title": "Anna", "body": "retired"}).new_id
    assert (
        refused(lambda: anna.supersede(NS, node_id="harbour", by={"title": "x", "body": "y"})) == "already_superseded"
    )
    anna.forget(NS, node_id=wrong)
    right = anna.supersede(NS, node_id="harbour", by={"title": "Anna", "body": "works at the lighthouse"}).new_id
    assert [held.id for held in anna.history(NS, node_id="harbour")] == ["harbour", right]


def test_a_fact_that_gets_no_end_holds_again_and_was_not_superseded(anna):
    wrong = anna.supersede(NS, node_id="harbour", by={"title": "Anna", "body": "retired"}).new_id
    anna.forget(NS, node_id=wrong)
    again = anna.update_fact(NS, node_id="harbour", valid_to=None)
    assert (again.valid_to, again.superseded_by, again.superseded_at) == (None, None, None)
    assert [fact.id for fact in anna.read(NS, "Anna").facts] == ["harbour"]


def test_a_fact_that_has_ended_may_take_a_place_and_what_followed_it_holds(anna, clock):
    anna.write(NS, node_id="also", title="Anna", body="is at the harbour by day")
    clock.tick()
    new = anna.supersede(NS, node_id="harbour", by={"title": "Anna", "body": "left"}).new_id
    clock.tick()
    anna.supersede(NS, node_id="also", by="harbour")
    assert [fact.id for fact in anna.read(NS, "Anna").facts] == [new]
    assert {held.id for held in anna.history(NS, node_id="also")} == {"harbour", "also", new}


def test_a_fact_that_had_ended_before_does_not_hold_longer_for_being_superseded(anna, clock):
    ended = clock.now
    anna.update_fact(NS, node_id="harbour", valid_to=ended)
    clock.tick(1_000)
    anna.supersede(NS, node_id="harbour", by={"title": "Anna", "body": "retired"})
    assert anna.history(NS, node_id="harbour")[0].valid_to == ended
    assert anna.read(NS, "Anna", as_of=ended + 1).facts == ()


def test_a_fact_may_take_the_place_of_several(anna):
    anna.write(NS, node_id="also", title="Anna", body="is at the harbour by day")
    new = anna.supersede(NS, node_id="harbour", by={"title": "Anna", "body": "left"}).new_id
    anna.supersede(NS, node_id="also", by=new)
    assert {fact.id for fact in anna.history(NS, node_id="also")} == {"harbour", "also", new}


def test_a_documents_fact_may_take_the_place_of_another(anna, clock):
    anna.upsert_graph(NS, source_ref="d", source_hash=HASH, nodes=[{"id": "stated", "title": "Anna"}])
    anna.supersede(NS, node_id="harbour", by="stated")
    assert [fact.id for fact in anna.read(NS, "Anna").facts] == ["stated"]


def test_what_was_forgotten_is_gone_from_the_history_too(anna):
    middle = anna.supersede(NS, node_id="harbour", by={"title": "Anna", "body": "lighthouse"}).new_id
    last = anna.supersede(NS, node_id=middle, by={"title": "Anna", "body": "ferry"}).new_id
    anna.forget(NS, node_id=middle)
    assert [fact.id for fact in anna.history(NS, node_id=last)] == ["harbour", last]
    with pytest.raises(NotFound, match="node"):
        anna.history(NS, node_id=middle)


def test_earlier_wordings_of_a_fact_are_told_with_the_time_they_were_held(anna, clock):
    stated, moved = clock.now - 60_000, clock.now
    anna.update_fact(NS, node_id="harbour", body="works at the old harbour", tags=["work"])
    clock.tick()
    anna.update_fact(NS, node_id="harbour", confidence="tentative")
    ended = clock.tick()
    new = anna.supersede(NS, node_id="harbour", by={"title": "Anna", "body": "retired"}).new_id
    told = [(held.id, held.body, held.held_from, held.held_to) for held in anna.history(NS, node_id=new)]
    assert told == [
        ("harbour", "works at the harbour", stated, moved),
        ("harbour", "works at the old harbour", moved, ended),
        (new, "retired", ended, None),
    ]
    for id, body, begin, end in told:
        for moment in (begin, begin if end is None else end - 1):
            [held] = anna.read(NS, "Anna", as_of=moment).facts
            assert (held.id, held.body) == (id, body), "what a read of the past shows"


def test_history_tells_what_reads_of_the_past_show_whatever_was_done(open_wiki, clock):
    for seed in range(12):
        chosen, wiki, ids, moments = random.Random(seed), open_wiki(), [], []
        for step in range(25):
            moments.append(clock.tick(10))
            new, some = {"title": "Anna", "body": f"did {step}"}, chosen.choice(ids) if ids else None
            with suppress(SupersedeError):
                if some is None or (turn := chosen.randrange(4)) == 0:
                    ids.append(wiki.write(NS, **new).id)
                elif turn == 1:
                    wiki.update_fact(NS, node_id=some, body=new["body"])
                elif turn == 2:
                    ids.append(wiki.supersede(NS, node_id=some, by=new).new_id)
                else:
                    wiki.supersede(NS, node_id=some, by=chosen.choice(ids))
        told = {(held.id, held.held_from): held for id in ids for held in wiki.history(NS, node_id=id)}.values()
        for moment in moments:
            shown = {(fact.id, fact.body) for fact in wiki.read(NS, "", as_of=moment, max_results=100).facts}
            held = [fact for fact in told if fact.held_from <= moment and (fact.held_to or moment + 1) > moment]
            assert {(fact.id, fact.body) for fact in held} == shown, (seed, moment)


def test_the_wordings_of_what_was_forgotten_do_not_come_back_with_its_id(anna, clock):
    anna.update_fact(NS, node_id="harbour", body="works at the old harbour")
    anna.forget(NS, node_id="harbour")
    clock.tick()
    anna.write(NS, node_id="harbour", title="Anna", body="is back")
    clock.tick()
    anna.update_fact(NS, node_id="harbour", body="is back again")
    assert [held.body for held in anna.history(NS, node_id="harbour")] == ["is back", "is back again"]


def test_the_history_of_a_fact_alone_is_that_fact(anna):
    assert [fact.id for fact in anna.history(NS, node_id="harbour")] == ["harbour"]
    with pytest.raises(NotFound):
        anna.history(NS, node_id="nobody")


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"by": {"title": "x"}}, "by"),
        ({"by": {"body": "x"}}, "by"),
        ({"by": {"title": "x", "body": None}}, "by"),
        ({"by": {"title": "x", "body": "y", "colour": "red"}}, "fields"),
        ({"by": {"title": "x", "body": "y", "node_id": "harbour"}}, "by.node_id"),
        ({"by": {"title": "x", "body": "y", "valid_from": 2, "valid_to": 1}}, "valid_to"),
        ({"by": {"title": "x", "body": "y", "valid_to": 1}}, "valid_to"),
        ({"by": 5}, "by"),
        ({"by": ["x"]}, "by"),
        ({"by": "next", "valid_from": -1}, "valid_from"),
        ({"by": "next", "valid_from": float("nan")}, "valid_from"),
        ({"by": "next", "node_id": ""}, "node_id"),
    ],
)
def test_an_odd_argument_is_refused_by_name_and_writes_nothing(anna, picture, arguments, field):
    anna.write(NS, node_id="next", title="next")
    before = picture(anna)
    with pytest.raises(InvalidOption) as caught:
        anna.supersede(NS, **({"node_id": "harbour"} | arguments))
    assert caught.value.data["field"] == field
    assert picture(anna) == before


def test_the_id_of_another_namespace_is_not_given_to_the_new_fact(anna):
    anna.write("other", node_id="foreign", title="x")
    with pytest.raises(LoreliteError, match="foreign"):
        anna.supersede(NS, node_id="harbour", by={"node_id": "foreign", "title": "x", "body": "y"})
    assert len(anna.read(NS, "harbour").facts) == 1
