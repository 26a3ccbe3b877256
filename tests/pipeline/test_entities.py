"""C2, C5, C6: what `chunk_entity_generation` asks, and what of the replies is in the graph, wherever it is kept."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.pipeline.graphs import NOW, PLACES, Place, lines
from tests.pipeline.replies import END, by_text, entities_in, insert_by, model_of, relation, relations_in, reply

from lorelite._drive import drive
from lorelite.errors import InsertAborted, InvalidOption
from lorelite.models.scripted import Reply, ScriptedModel
from lorelite.pipeline.entities import chunk_entity_generation, chunkEntityGeneration
from lorelite.pipeline.insert import Plan, delete_documents
from lorelite.pipeline.processor import CHUNK_ENTITIES
from lorelite.pipeline.run import GraphEngine


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Place:
    return PLACES[request.param]()


# -- C2: rounds ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("max_gleanings", "answer", "calls"),
    [
        (0, "yes", {"extract_graph": 1}),
        (1, "yes", {"extract_graph": 1, "glean": 1}),
        (1, "no", {"extract_graph": 1, "glean": 1}),
        (2, "yes", {"extract_graph": 1, "glean": 2, "glean_more": 1}),
        (2, "No.", {"extract_graph": 1, "glean": 1, "glean_more": 1}),
        (2, "perhaps there are some", {"extract_graph": 1, "glean": 1, "glean_more": 1}),
        (3, "'YES'", {"extract_graph": 1, "glean": 3, "glean_more": 2}),
        (3, "no", {"extract_graph": 1, "glean": 1, "glean_more": 1}),
    ],
)
def test_c2_rounds_go_on_while_the_model_says_yes_and_never_ask_after_the_last(
    place: Place, max_gleanings: int, answer: str, calls: dict[str, int]
) -> None:
    model = model_of({"Scrooge met Marley.": reply("Scrooge")}, glean=reply("Marley"), glean_more=answer)

    report = insert_by(place, model, chunk_entity_generation(max_gleanings=max_gleanings), a="Scrooge met Marley.")

    assert Counter(request.purpose for request in model.requests) == calls
    assert set(entities_in(place)) == ({"Scrooge", "Marley"} if max_gleanings else {"Scrooge"})
    assert report.counters[CHUNK_ENTITIES]["model_calls"] == sum(calls.values())


def test_c2_a_round_is_one_batch_of_requests_about_the_chunks_that_go_on(place: Place) -> None:
    batches: list[list[str]] = []

    class Counting(ScriptedModel):
        async def complete(self, requests):  # type: ignore[no-untyped-def]
            batches.append([request.purpose for request in requests])
            return await super().complete(requests)

    model = Counting(
        {
            "extract_graph": by_text({"one": reply("One"), "two": reply("Two"), "three": reply("Three")}),
            "glean": END,
            "glean_more": lambda request: "yes" if "two" in request.user else "no",
        }
    )
    insert_by(place, model, chunk_entity_generation(max_gleanings=2), a="one\ntwo\nthree")

    assert batches == [["extract_graph"] * 3, ["glean"] * 3, ["glean_more"] * 3, ["glean"]]


def test_a_round_that_fails_leaves_what_the_first_one_found(place: Place) -> None:
    model = model_of({"Scrooge.": reply("Scrooge")}, glean=RuntimeError("overloaded"))

    report = insert_by(place, model, a="Scrooge.")

    assert set(entities_in(place)) == {"Scrooge"}
    assert report.failures == ()
    assert report.counters[CHUNK_ENTITIES]["gleanings_failed"] == 1


# -- C5: orphans --------------------------------------------------------------------------------------------------


def test_c5_the_end_of_a_relation_that_nobody_lists_becomes_an_entity_without_a_type(place: Place) -> None:
    model = model_of({"one": reply("Scrooge") + relation("Fred", "Scrooge", 5, "Fred is the nephew.")})

    report = insert_by(place, model, chunk_entity_generation(max_gleanings=0, orphan_relations="create"), a="one")

    assert entities_in(place)["Fred"].type == ""
    assert len(relations_in(place)) == 1
    assert report.counters[CHUNK_ENTITIES]["orphans"] == 1


def test_c5_or_the_relation_is_dropped_and_counted(place: Place) -> None:
    model = model_of(
        {
            "one": reply("Scrooge") + relation("Fred", "Scrooge", 5),
            "two": reply("Fred"),
            "three": relation("Fred", "Scrooge", 3),
        }
    )
    processor = chunk_entity_generation(max_gleanings=0, orphan_relations="drop")

    report = insert_by(place, model, processor, a="one\ntwo")
    assert set(entities_in(place)) == {"Scrooge", "Fred"}
    assert relations_in(place) == []
    assert report.counters[CHUNK_ENTITIES]["relations_dropped"] == 1

    # What an earlier insert listed counts as listed.
    insert_by(place, model, processor, b="three")
    assert [relation.weight for relation in relations_in(place)] == [3.0]


@pytest.mark.parametrize("batch_size", [1, 2, 32])
def test_c5_which_relations_are_dropped_does_not_depend_on_the_batch(batch_size: int) -> None:
    place = PLACES["stores"]()
    model = model_of({"one": reply("Scrooge") + relation("Fred", "Scrooge", 5), "two": reply("Fred")})

    insert_by(
        place,
        model,
        chunk_entity_generation(max_gleanings=0, orphan_relations="drop", batch_size=batch_size),
        a="one\ntwo",
    )

    assert relations_in(place) == []


# -- C6: chunks and their entities --------------------------------------------------------------------------------


def test_c6_a_chunk_has_exactly_the_entities_that_its_reply_names(place: Place) -> None:
    model = model_of(
        {
            "Scrooge met Marley.": reply("Scrooge", "Marley"),
            "Marley met nobody.": reply("Marley"),
            "Nothing.": END,
        }
    )
    insert_by(place, model, a="Scrooge met Marley.\nMarley met nobody.\nNothing.")

    ids = drive(place.knowledge.chunk_ids())
    names = {entity.id: entity.name for entity in entities_in(place).values()}
    told = drive(place.knowledge.entities_of(ids))
    assert [{names[entity_id] for entity_id, _ in told.get(chunk_id, [])} for chunk_id in ids] == [
        {"Scrooge", "Marley"},
        {"Marley"},
        set(),
    ]
    assert {name: len(entity.chunk_ids) for name, entity in entities_in(place).items()} == {"Scrooge": 1, "Marley": 2}


# -- failures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [RuntimeError("overloaded"), "I cannot do that."])
def test_a_chunk_that_fails_is_reported_the_others_are_stored_and_the_next_insert_completes_it(
    place: Place, fault: Reply
) -> None:
    replies: dict[str, Reply] = {"one": reply("One"), "two": fault, "three": reply("Three")}
    model = ScriptedModel({"extract_graph": by_text(replies), "glean": END})

    report = insert_by(place, model, on_error="skip", a="one\ntwo\nthree")
    assert [failure.processor for failure in report.failures] == [CHUNK_ENTITIES]
    assert set(entities_in(place)) == {"One", "Three"}

    replies["two"] = reply("Two")
    again = insert_by(place, model, on_error="skip", a="one\ntwo\nthree")
    assert again.failures == ()
    assert set(entities_in(place)) == {"One", "Two", "Three"}


def test_by_default_a_failure_ends_the_insert_and_what_was_read_is_kept(place: Place) -> None:
    model = ScriptedModel({"extract_graph": by_text({"one": reply("One"), "two": RuntimeError("no")}), "glean": END})

    with pytest.raises(InsertAborted):
        insert_by(place, model, a="one\ntwo")

    assert set(entities_in(place)) == {"One"}


def test_no_entity_anywhere_is_a_warning_and_no_error(place: Place) -> None:
    report = insert_by(place, model_of({"Nothing.": END}), a="Nothing.")

    assert report.documents == 1
    assert report.failures == ()
    assert any("no entity" in warning for warning in report.warnings)
    assert drive(place.knowledge.unfinished(CHUNK_ENTITIES)) == []


# -- without a model ----------------------------------------------------------------------------------------------

STORY = (
    "Ebenezer Scrooge was the partner of Jacob Marley for many years.\n"
    "Bob Cratchit worked for Scrooge in the cold office. Scrooge paid Bob Cratchit fifteen shillings.\n"
    "Tiny Tim is the son of Bob Cratchit. Tiny Tim walked with a crutch."
)


def test_without_a_model_rules_find_names_and_what_they_have_to_do_with_each_other(place: Place) -> None:
    report = insert_by(place, None, a=STORY)

    entities = entities_in(place)
    assert {"Bob Cratchit", "Tiny Tim", "Ebenezer Scrooge"} <= set(entities)
    pairs = {frozenset((relation.source, relation.target)) for relation in relations_in(place)}
    assert frozenset(("Tiny Tim", "Bob Cratchit")) in pairs
    assert all(relation.description for relation in relations_in(place))
    assert len(entities["Bob Cratchit"].chunk_ids) == 2
    assert report.counters[CHUNK_ENTITIES]["model_calls"] == 0


def test_without_a_model_too_inserting_again_changes_nothing_and_deleting_takes_all_away(place: Place) -> None:
    processor = chunk_entity_generation()
    insert_by(place, None, processor, a=STORY)
    before = place.dump()
    insert_by(place, None, processor, a=STORY)
    assert place.dump() == before

    run = GraphEngine(knowledge=place.knowledge, clock=lambda: NOW)
    drive(delete_documents(run, Plan(pipeline=(processor,), spans_of=lines), ["a"]))
    assert entities_in(place) == {}


# -- options ------------------------------------------------------------------------------------------------------


def test_options_can_be_given_by_the_names_of_the_sdk_and_are_those_that_the_result_depends_on() -> None:
    processor = chunkEntityGeneration(entityTypes=["ghost"], maxGleanings=0, summaryMaxTokens=99, batchSize=2)

    assert processor.options() == {
        "entity_types": ["ghost"],
        "allow_other_types": True,
        "max_gleanings": 0,
        "summary_max_tokens": 99,
        "language": None,
        "orphan_relations": "create",
        "record_limit": None,
        "model": None,
        "cheap_model": None,
        "prompt": None,
    }
    assert chunk_entity_generation(batch_size=1).options() == chunk_entity_generation(batch_size=9).options()
    assert chunk_entity_generation(prompt="Find ghosts.").options()["prompt"] != "Find ghosts."


@pytest.mark.parametrize(
    "options",
    [
        {"entity_types": "person"}, {"max_gleanings": -1}, {"max_gleanings": True}, {"summary_max_tokens": 0},
        {"orphan_relations": "keep"}, {"record_limit": 0}, {"batch_size": 0}, {"allow_other_types": "no"},
        {"language": 7},
    ],
)  # fmt: skip
def test_options_that_make_no_sense_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(InvalidOption):
        chunk_entity_generation(**options)  # type: ignore[arg-type]


def test_what_is_asked_for_is_in_the_request() -> None:
    place = PLACES["stores"]()
    model = model_of({"one": END})

    insert_by(
        place,
        model,
        chunk_entity_generation(
            entity_types=["ghost", "  living\nperson "],
            language="Welsh",
            record_limit=12,
            prompt="Find ghosts.",
            allow_other_types=False,
            max_gleanings=0,
        ),
        a="one",
    )

    (request,) = model.requests
    assert request.system.startswith("Find ghosts.")
    assert "one of ghost, living person." in request.system
    assert "Welsh" in request.system
    assert "12 records" in request.system
