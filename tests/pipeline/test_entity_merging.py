"""C4: what chunks say is merged, and summed up when it gets long, wherever the graph is kept."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from tests.pipeline.graphs import NOW, PLACES, Killed, Mortal, Place, documents, insert_into, lines
from tests.pipeline.replies import another, entities_in, insert_by, model_of, relation, relations_in, reply

from lorelite._drive import drive
from lorelite.models.scripted import ScriptedModel
from lorelite.pipeline.entities import chunk_entity_generation
from lorelite.pipeline.insert import Plan, delete_documents
from lorelite.pipeline.processor import CHUNK_ENTITIES
from lorelite.pipeline.run import GraphEngine


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Place:
    return PLACES[request.param]()


def test_c4_what_chunks_say_is_merged(place: Place) -> None:
    model = model_of(
        {
            "one": reply(("Scrooge", "person", "A miser."), ("Marley", "person", "Dead."))
            + relation("Marley", "Scrooge", 8),
            "two": reply(("SCROOGE", "event", "Changed.")) + relation("Scrooge", "Marley", 2, "Visited."),
            "three": reply(("Scrooge", "event", "A miser.")),
        }
    )
    insert_by(place, model, chunk_entity_generation(max_gleanings=0), a="one\ntwo\nthree")

    scrooge = entities_in(place)["Scrooge"]
    (joined,) = relations_in(place)
    assert scrooge.type == "event"
    assert scrooge.description.split("\n") == ["A miser.", "Changed."]
    assert len(scrooge.chunk_ids) == 3
    assert scrooge.degree == 1
    assert joined.weight == 10.0
    assert not joined.is_directed
    assert {joined.source, joined.target} == {"Scrooge", "Marley"}
    assert len(joined.chunk_ids) == 2


def test_c4_inserting_again_asks_nothing_and_counts_no_weight_twice(place: Place) -> None:
    model = model_of({"one": reply("Scrooge", "Marley") + relation("Scrooge", "Marley", 8)})
    insert_by(place, model, a="one")
    before = place.dump()
    asked = len(model.requests)

    insert_by(place, model, a="one")

    assert len(model.requests) == asked
    assert place.dump() == before


@pytest.mark.parametrize(("words", "asked"), [(7, 0), (30, 1)])
def test_c4_a_summary_is_written_when_descriptions_reach_the_limit_and_not_below(
    place: Place, words: int, asked: int
) -> None:
    model = model_of(
        {
            "one": reply(("Scrooge", "person", "miser " * words)),
            "two": reply(("Scrooge", "person", "partner " * words)),
        },
        summarise_entity="Scrooge is a miser and a partner.",
    )
    report = insert_by(place, model, chunk_entity_generation(max_gleanings=0, summary_max_tokens=50), a="one\ntwo")

    assert Counter(request.purpose for request in model.requests)["summarise_entity"] == asked
    whole = f"{('miser ' * words).strip()}\n{('partner ' * words).strip()}"
    assert entities_in(place)["Scrooge"].description == ("Scrooge is a miser and a partner." if asked else whole)
    assert report.counters[CHUNK_ENTITIES].get("summaries", 0) == asked


def test_c4_eight_descriptions_are_summarised_however_short(place: Place) -> None:
    texts = {f"line {n}": reply(("Scrooge", "person", f"Fact {n}.")) for n in range(8)}
    model = model_of(texts, summarise_entity="Scrooge, summed up.")

    insert_by(place, model, chunk_entity_generation(max_gleanings=0), a="\n".join(list(texts)[:7]))
    assert "Fact 6." in entities_in(place)["Scrooge"].description

    insert_by(place, model, chunk_entity_generation(max_gleanings=0), b="line 7")
    assert entities_in(place)["Scrooge"].description == "Scrooge, summed up."


def test_c4_a_summary_that_fails_leaves_the_descriptions_cut_to_the_limit(place: Place) -> None:
    model = model_of(
        {"one": reply(("Scrooge", "person", "m" * 300)), "two": reply(("Scrooge", "person", "p" * 300))},
        summarise_entity=RuntimeError("overloaded"),
    )
    report = insert_by(place, model, chunk_entity_generation(max_gleanings=0, summary_max_tokens=100), a="one\ntwo")

    assert entities_in(place)["Scrooge"].description == f"{'m' * 300}\n{'p' * 99}"
    assert report.failures == ()
    assert report.counters[CHUNK_ENTITIES]["summaries_failed"] == 1


def test_the_cheap_model_summarises(place: Place) -> None:
    texts = {f"line {n}": reply(("Scrooge", "person", f"Fact {n}.")) for n in range(8)}
    cheap = ScriptedModel({"summarise_entity": "Summed up."}, name="cheap")
    model = model_of(texts)

    insert_by(place, model, chunk_entity_generation(max_gleanings=0, cheap_model=cheap), a="\n".join(texts))

    assert [request.purpose for request in cheap.requests] == ["summarise_entity"]
    assert "summarise_entity" not in {request.purpose for request in model.requests}
    assert entities_in(place)["Scrooge"].description == "Summed up."


def test_when_a_document_goes_the_summaries_that_it_was_part_of_are_written_anew(place: Place) -> None:
    texts = {f"line {n}": reply(("Scrooge", "person", f"Fact {n}.")) for n in range(10)}
    model = model_of(
        texts, summarise_entity=lambda request: "Sum of " + " ".join(re.findall(r"Fact (\d)", request.user))
    )
    processor = chunk_entity_generation(max_gleanings=0)
    insert_by(place, model, processor, a="\n".join(list(texts)[:8]), b="\n".join(list(texts)[8:]))
    assert entities_in(place)["Scrooge"].description == "Sum of 0 1 2 3 4 5 6 7 8 9"

    run = GraphEngine(knowledge=place.knowledge, model=model, clock=lambda: NOW)
    drive(delete_documents(run, Plan(pipeline=(processor,), spans_of=lines), ["b"]))

    assert entities_in(place)["Scrooge"].description == "Sum of 0 1 2 3 4 5 6 7"


def test_a_new_version_of_a_document_is_summed_up_without_what_the_earlier_one_said(place: Place) -> None:
    texts = {f"line {n}": reply(("Scrooge", "person", f"Fact {n}."), ("Fred", "person", f"So {n}.")) for n in range(18)}
    texts |= {f"only {n}": reply(("Scrooge", "person", f"Fact {n}.")) for n in range(2)}
    model = model_of(
        texts, summarise_entity=lambda request: "Sum of " + " ".join(re.findall(r" (\d+)\.", request.user))
    )
    processor = chunk_entity_generation(max_gleanings=0)
    first, second = list(texts)[:9], list(texts)[9:18]
    insert_by(place, model, processor, a="\n".join(first), b="\n".join(second))
    assert entities_in(place)["Fred"].description == "Sum of 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17"

    insert_by(place, model, processor, a="only 0\nonly 1")

    # Fred, whom the new version does not name, is summed up anew as well.
    assert entities_in(place)["Scrooge"].description == "Sum of 9 10 11 12 13 14 15 16 17 0 1"
    assert entities_in(place)["Fred"].description == "Sum of 9 10 11 12 13 14 15 16 17"


@pytest.mark.parametrize("after", [False, True])
def test_summaries_that_a_killed_call_left_open_are_written_by_the_next(place: Place, after: bool) -> None:
    texts = {f"line {n}": reply(("Scrooge", "person", f"Fact {n}.")) for n in range(8)}
    text = "\n".join(texts)
    processor = chunk_entity_generation(max_gleanings=0)
    model = model_of(texts, summarise_entity="Summed up.")
    insert_by(place, model, processor, a=text)
    undisturbed = place.dump()
    for write in range(1, 40):
        fresh = another(place)
        mortal = Mortal(fresh.knowledge, write, after=after)
        try:
            insert_into(fresh, documents(a=text), [processor], model=model, knowledge=mortal)
        except Killed:
            insert_by(fresh, model, processor, a=text)
            assert fresh.dump() == undisturbed, write
        else:
            break
    assert write > 5
