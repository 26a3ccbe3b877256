"""C2, C4, C5, C6: what `chunk_entity_generation` asks, and what of the replies is in the graph, wherever it is kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest
from tests.pipeline.graphs import NOW, PLACES, Killed, Mortal, Place, documents, insert_into, lines

from lorelite._drive import drive
from lorelite.errors import InsertAborted, InvalidOption
from lorelite.graph_records import GraphEntity, GraphRelation, InsertReport
from lorelite.models.scripted import Reply, Script, ScriptedModel
from lorelite.pipeline.entities import chunk_entity_generation, chunkEntityGeneration
from lorelite.pipeline.insert import Plan, delete_documents
from lorelite.pipeline.processor import CHUNK_ENTITIES, Processor
from lorelite.pipeline.run import GraphEngine, OnError
from lorelite.ports import ModelRequest

END = "<|COMPLETE|>"


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
    model = _model({"Scrooge met Marley.": _reply("Scrooge")}, glean=_reply("Marley"), glean_more=answer)

    report = _insert(place, model, chunk_entity_generation(max_gleanings=max_gleanings), a="Scrooge met Marley.")

    assert Counter(request.purpose for request in model.requests) == calls
    assert set(_entities(place)) == ({"Scrooge", "Marley"} if max_gleanings else {"Scrooge"})
    assert report.counters[CHUNK_ENTITIES]["model_calls"] == sum(calls.values())


def test_c2_a_round_is_one_batch_of_requests_about_the_chunks_that_go_on(place: Place) -> None:
    batches: list[list[str]] = []

    class Counting(ScriptedModel):
        async def complete(self, requests):  # type: ignore[no-untyped-def]
            batches.append([request.purpose for request in requests])
            return await super().complete(requests)

    model = Counting(
        {
            "extract_graph": _by_text({"one": _reply("One"), "two": _reply("Two"), "three": _reply("Three")}),
            "glean": END,
            "glean_more": lambda request: "yes" if "two" in request.user else "no",
        }
    )
    _insert(place, model, chunk_entity_generation(max_gleanings=2), a="one\ntwo\nthree")

    assert batches == [["extract_graph"] * 3, ["glean"] * 3, ["glean_more"] * 3, ["glean"]]


def test_a_round_that_fails_leaves_what_the_first_one_found(place: Place) -> None:
    model = _model({"Scrooge.": _reply("Scrooge")}, glean=RuntimeError("overloaded"))

    report = _insert(place, model, a="Scrooge.")

    assert set(_entities(place)) == {"Scrooge"}
    assert report.failures == ()
    assert report.counters[CHUNK_ENTITIES]["gleanings_failed"] == 1


# -- C4: merging --------------------------------------------------------------------------------------------------


def test_c4_what_chunks_say_is_merged(place: Place) -> None:
    model = _model(
        {
            "one": _reply(("Scrooge", "person", "A miser."), ("Marley", "person", "Dead."))
            + _relation("Marley", "Scrooge", 8),
            "two": _reply(("SCROOGE", "event", "Changed.")) + _relation("Scrooge", "Marley", 2, "Visited."),
            "three": _reply(("Scrooge", "event", "A miser.")),
        },
        max_gleanings=0,
    )
    _insert(place, model, chunk_entity_generation(max_gleanings=0), a="one\ntwo\nthree")

    scrooge = _entities(place)["Scrooge"]
    (relation,) = _relations(place)
    assert scrooge.type == "event"
    assert scrooge.description.split("\n") == ["A miser.", "Changed."]
    assert len(scrooge.chunk_ids) == 3
    assert scrooge.degree == 1
    assert relation.weight == 10.0
    assert not relation.is_directed
    assert {relation.source, relation.target} == {"Scrooge", "Marley"}
    assert len(relation.chunk_ids) == 2


def test_c4_inserting_again_asks_nothing_and_counts_no_weight_twice(place: Place) -> None:
    model = _model({"one": _reply("Scrooge", "Marley") + _relation("Scrooge", "Marley", 8)})
    _insert(place, model, a="one")
    before = place.dump()
    asked = len(model.requests)

    _insert(place, model, a="one")

    assert len(model.requests) == asked
    assert place.dump() == before


@pytest.mark.parametrize(("words", "asked"), [(7, 0), (30, 1)])
def test_c4_a_summary_is_written_when_descriptions_reach_the_limit_and_not_below(
    place: Place, words: int, asked: int
) -> None:
    model = _model(
        {
            "one": _reply(("Scrooge", "person", "miser " * words)),
            "two": _reply(("Scrooge", "person", "partner " * words)),
        },
        summarise_entity="Scrooge is a miser and a partner.",
    )
    report = _insert(place, model, chunk_entity_generation(max_gleanings=0, summary_max_tokens=50), a="one\ntwo")

    assert Counter(request.purpose for request in model.requests)["summarise_entity"] == asked
    whole = f"{('miser ' * words).strip()}\n{('partner ' * words).strip()}"
    assert _entities(place)["Scrooge"].description == ("Scrooge is a miser and a partner." if asked else whole)
    assert report.counters[CHUNK_ENTITIES].get("summaries", 0) == asked


def test_c4_eight_descriptions_are_summarised_however_short(place: Place) -> None:
    texts = {f"line {n}": _reply(("Scrooge", "person", f"Fact {n}.")) for n in range(8)}
    model = _model(texts, summarise_entity="Scrooge, summed up.")

    _insert(place, model, chunk_entity_generation(max_gleanings=0), a="\n".join(list(texts)[:7]))
    assert "Fact 6." in _entities(place)["Scrooge"].description

    _insert(place, model, chunk_entity_generation(max_gleanings=0), b="line 7")
    assert _entities(place)["Scrooge"].description == "Scrooge, summed up."


def test_c4_a_summary_that_fails_leaves_the_descriptions_cut_to_the_limit(place: Place) -> None:
    model = _model(
        {"one": _reply(("Scrooge", "person", "m" * 300)), "two": _reply(("Scrooge", "person", "p" * 300))},
        summarise_entity=RuntimeError("overloaded"),
    )
    report = _insert(place, model, chunk_entity_generation(max_gleanings=0, summary_max_tokens=100), a="one\ntwo")

    assert _entities(place)["Scrooge"].description == f"{'m' * 300}\n{'p' * 99}"
    assert report.failures == ()
    assert report.counters[CHUNK_ENTITIES]["summaries_failed"] == 1


def test_the_cheap_model_summarises(place: Place) -> None:
    texts = {f"line {n}": _reply(("Scrooge", "person", f"Fact {n}.")) for n in range(8)}
    cheap = ScriptedModel({"summarise_entity": "Summed up."}, name="cheap")
    model = _model(texts)

    _insert(place, model, chunk_entity_generation(max_gleanings=0, cheap_model=cheap), a="\n".join(texts))

    assert [request.purpose for request in cheap.requests] == ["summarise_entity"]
    assert "summarise_entity" not in {request.purpose for request in model.requests}
    assert _entities(place)["Scrooge"].description == "Summed up."


def test_when_a_document_goes_the_summaries_that_it_was_part_of_are_written_anew(place: Place) -> None:
    texts = {f"line {n}": _reply(("Scrooge", "person", f"Fact {n}.")) for n in range(10)}
    model = _model(texts, summarise_entity=lambda request: "Sum of " + " ".join(re.findall(r"Fact (\d)", request.user)))
    processor = chunk_entity_generation(max_gleanings=0)
    _insert(place, model, processor, a="\n".join(list(texts)[:8]), b="\n".join(list(texts)[8:]))
    assert _entities(place)["Scrooge"].description == "Sum of 0 1 2 3 4 5 6 7 8 9"

    run = GraphEngine(knowledge=place.knowledge, model=model, clock=lambda: NOW)
    drive(delete_documents(run, Plan(pipeline=(processor,), spans_of=lines), ["b"]))

    assert _entities(place)["Scrooge"].description == "Sum of 0 1 2 3 4 5 6 7"


# -- C5: orphans --------------------------------------------------------------------------------------------------


def test_c5_the_end_of_a_relation_that_nobody_lists_becomes_an_entity_without_a_type(place: Place) -> None:
    model = _model({"one": _reply("Scrooge") + _relation("Fred", "Scrooge", 5, "Fred is the nephew.")})

    report = _insert(place, model, chunk_entity_generation(max_gleanings=0, orphan_relations="create"), a="one")

    assert _entities(place)["Fred"].type == ""
    assert len(_relations(place)) == 1
    assert report.counters[CHUNK_ENTITIES]["orphans"] == 1


def test_c5_or_the_relation_is_dropped_and_counted(place: Place) -> None:
    model = _model(
        {
            "one": _reply("Scrooge") + _relation("Fred", "Scrooge", 5),
            "two": _reply("Fred"),
            "three": _relation("Fred", "Scrooge", 3),
        }
    )
    processor = chunk_entity_generation(max_gleanings=0, orphan_relations="drop")

    report = _insert(place, model, processor, a="one\ntwo")
    assert set(_entities(place)) == {"Scrooge", "Fred"}
    assert _relations(place) == []
    assert report.counters[CHUNK_ENTITIES]["relations_dropped"] == 1

    # What an earlier insert listed counts as listed.
    _insert(place, model, processor, b="three")
    assert [relation.weight for relation in _relations(place)] == [3.0]


@pytest.mark.parametrize("batch_size", [1, 2, 32])
def test_c5_which_relations_are_dropped_does_not_depend_on_the_batch(batch_size: int) -> None:
    place = PLACES["stores"]()
    model = _model({"one": _reply("Scrooge") + _relation("Fred", "Scrooge", 5), "two": _reply("Fred")})

    _insert(
        place,
        model,
        chunk_entity_generation(max_gleanings=0, orphan_relations="drop", batch_size=batch_size),
        a="one\ntwo",
    )

    assert _relations(place) == []


# -- C6: chunks and their entities --------------------------------------------------------------------------------


def test_c6_a_chunk_has_exactly_the_entities_that_its_reply_names(place: Place) -> None:
    model = _model(
        {
            "Scrooge met Marley.": _reply("Scrooge", "Marley"),
            "Marley met nobody.": _reply("Marley"),
            "Nothing.": END,
        }
    )
    _insert(place, model, a="Scrooge met Marley.\nMarley met nobody.\nNothing.")

    ids = drive(place.knowledge.chunk_ids())
    names = {entity.id: entity.name for entity in _entities(place).values()}
    told = drive(place.knowledge.entities_of(ids))
    assert [{names[entity_id] for entity_id, _ in told.get(chunk_id, [])} for chunk_id in ids] == [
        {"Scrooge", "Marley"},
        {"Marley"},
        set(),
    ]
    assert {name: len(entity.chunk_ids) for name, entity in _entities(place).items()} == {"Scrooge": 1, "Marley": 2}


# -- failures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [RuntimeError("overloaded"), "I cannot do that."])
def test_a_chunk_that_fails_is_reported_the_others_are_stored_and_the_next_insert_completes_it(
    place: Place, fault: Reply
) -> None:
    replies: dict[str, Reply] = {"one": _reply("One"), "two": fault, "three": _reply("Three")}
    model = ScriptedModel({"extract_graph": _by_text(replies), "glean": END})

    report = _insert(place, model, on_error="skip", a="one\ntwo\nthree")
    assert [failure.processor for failure in report.failures] == [CHUNK_ENTITIES]
    assert set(_entities(place)) == {"One", "Three"}

    replies["two"] = _reply("Two")
    again = _insert(place, model, on_error="skip", a="one\ntwo\nthree")
    assert again.failures == ()
    assert set(_entities(place)) == {"One", "Two", "Three"}


def test_by_default_a_failure_ends_the_insert_and_what_was_read_is_kept(place: Place) -> None:
    model = ScriptedModel({"extract_graph": _by_text({"one": _reply("One"), "two": RuntimeError("no")}), "glean": END})

    with pytest.raises(InsertAborted):
        _insert(place, model, a="one\ntwo")

    assert set(_entities(place)) == {"One"}


@pytest.mark.parametrize("after", [False, True])
def test_summaries_that_a_killed_call_left_open_are_written_by_the_next(place: Place, after: bool) -> None:
    texts = {f"line {n}": _reply(("Scrooge", "person", f"Fact {n}.")) for n in range(8)}
    text = "\n".join(texts)
    processor = chunk_entity_generation(max_gleanings=0)
    model = _model(texts, summarise_entity="Summed up.")
    _insert(place, model, processor, a=text)
    undisturbed = place.dump()
    for write in range(1, 40):
        fresh = _another(place)
        mortal = Mortal(fresh.knowledge, write, after=after)
        try:
            insert_into(fresh, documents(a=text), [processor], model=model, knowledge=mortal)
        except Killed:
            _insert(fresh, model, processor, a=text)
            assert fresh.dump() == undisturbed, write
        else:
            break
    assert write > 5


def test_no_entity_anywhere_is_a_warning_and_no_error(place: Place) -> None:
    report = _insert(place, _model({"Nothing.": END}), a="Nothing.")

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
    report = _insert(place, None, a=STORY)

    entities = _entities(place)
    assert {"Bob Cratchit", "Tiny Tim", "Ebenezer Scrooge"} <= set(entities)
    pairs = {frozenset((relation.source, relation.target)) for relation in _relations(place)}
    assert frozenset(("Tiny Tim", "Bob Cratchit")) in pairs
    assert all(relation.description for relation in _relations(place))
    assert len(entities["Bob Cratchit"].chunk_ids) == 2
    assert report.counters[CHUNK_ENTITIES]["model_calls"] == 0


def test_without_a_model_too_inserting_again_changes_nothing_and_deleting_takes_all_away(place: Place) -> None:
    processor = chunk_entity_generation()
    _insert(place, None, processor, a=STORY)
    before = place.dump()
    _insert(place, None, processor, a=STORY)
    assert place.dump() == before

    run = GraphEngine(knowledge=place.knowledge, clock=lambda: NOW)
    drive(delete_documents(run, Plan(pipeline=(processor,), spans_of=lines), ["a"]))
    assert _entities(place) == {}


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
    model = _model({"one": END})

    _insert(
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


# -- helpers ------------------------------------------------------------------------------------------------------


def _reply(*entities: str | tuple[str, str, str]) -> str:
    rows = [(each, "person", f"{each} is there.") if isinstance(each, str) else each for each in entities]
    return (
        "".join(f'("entity"<|>{name}<|>{kind}<|>{description.strip()})##\n' for name, kind, description in rows) + END
    )


def _relation(source: str, target: str, weight: float, description: str = "Related.") -> str:
    return f'\n("relationship"<|>{source}<|>{target}<|>{description}<|>{weight})##\n{END}'


def _by_text(replies: dict[str, Reply]) -> Callable[[ModelRequest], Reply]:
    """The reply for the passage, which is the last fenced part of the request."""
    return lambda request: replies[re.findall(r"={8,}\n(.*?)\n={8,}", request.user, re.DOTALL)[-1]]


def _model(replies: dict[str, str], max_gleanings: int = 0, **script: Script) -> ScriptedModel:
    return ScriptedModel({"extract_graph": _by_text(dict(replies)), "glean": END, "glean_more": "no", **script})


def _insert(
    place: Place,
    model: ScriptedModel | None,
    processor: Processor | None = None,
    on_error: OnError = "raise",
    **texts: str,
) -> InsertReport:
    pipeline = [processor or chunk_entity_generation()]
    return insert_into(place, documents(**texts), pipeline, model=model, on_error=on_error)


def _another(place: Place) -> Place:
    kind = "file" if "File" in type(place.knowledge).__name__ else "stores"
    return PLACES[kind]()


def _entities(place: Place) -> dict[str, GraphEntity]:
    return {each.name: each for each in drive(place.knowledge.entities(drive(place.knowledge.entity_ids())))}


def _relations(place: Place) -> list[GraphRelation]:
    return drive(place.knowledge.relations_of(drive(place.knowledge.entity_ids())))
