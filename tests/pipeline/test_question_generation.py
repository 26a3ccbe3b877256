"""F1, F2: the questions of chunks, by a model or by rules, and what they are good for."""

from __future__ import annotations

import pytest
from tests.pipeline.graphs import NOW, PLACES, Place, documents, insert_into

from lorelite._drive import drive
from lorelite.errors import InvalidOption, ModelError
from lorelite.models.scripted import ScriptedModel
from lorelite.pipeline.entities import chunk_entity_generation
from lorelite.pipeline.processor import HYPOTHETICAL_QUESTIONS
from lorelite.pipeline.questions import hypothetical_question_generation, hypotheticalQuestionGeneration
from lorelite.pipeline.run import GraphEngine
from lorelite.strategies.naive import NaiveSearch
from lorelite.strategies.questions import HypotheticalQuestionSearch

STORY = (
    "Ebenezer Scrooge took his melancholy dinner in his usual tavern.\n"
    "Bob Cratchit made the gravy for the goose in a little saucepan.\n"
    "The wind blew."
)


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Place:
    return PLACES[request.param]()


def test_f1_each_chunk_has_the_questions_of_its_reply(place: Place) -> None:
    model = ScriptedModel({"hypothetical_questions": ['["1. Who ate?", "who ate?", "Where?", "When?"]', "[]", "Why?"]})

    report = insert_into(
        place, documents(a=STORY), [hypothetical_question_generation(questions_per_chunk=2)], model=model
    )

    assert _questions(place) == [["Who ate?", "Where?"], [], ["Why?"]]
    assert report.counters[HYPOTHETICAL_QUESTIONS] == {
        "questions": 3,
        "chunks_without_questions": 1,
        "model_calls": 3,
    }
    assert drive(place.knowledge.unfinished(HYPOTHETICAL_QUESTIONS)) == []


def test_inserting_again_asks_nothing_and_adds_nothing(place: Place) -> None:
    model = ScriptedModel({"hypothetical_questions": '["Who ate?"]'})
    pipeline = [hypothetical_question_generation()]
    insert_into(place, documents(a=STORY), pipeline, model=model)
    before, asked = place.dump(), len(model.requests)

    insert_into(place, documents(a=STORY), pipeline, model=model)

    assert place.dump() == before
    assert len(model.requests) == asked


def test_a_chunk_whose_reply_fails_is_asked_about_by_the_next_insert(place: Place) -> None:
    model = ScriptedModel({"hypothetical_questions": ["Who?", ModelError("overloaded"), "Why?", "What?"]})
    pipeline = [hypothetical_question_generation()]

    first = insert_into(place, documents(a=STORY), pipeline, model=model, on_error="skip")
    assert [failure.processor for failure in first.failures] == [HYPOTHETICAL_QUESTIONS]
    assert _questions(place) == [["Who?"], [], ["Why?"]]

    second = insert_into(place, documents(a=STORY), pipeline, model=model, on_error="skip")
    assert second.failures == ()
    assert _questions(place) == [["Who?"], ["What?"], ["Why?"]]


@pytest.mark.parametrize("with_entities", [False, True])
def test_without_a_model_sentences_that_begin_with_a_name_become_questions(place: Place, with_entities: bool) -> None:
    pipeline = [chunk_entity_generation()] if with_entities else []

    insert_into(place, documents(a=STORY), [*pipeline, hypothetical_question_generation()], model=None)

    asked = [question for questions in _questions(place) for question in questions]
    assert any(question.endswith("took his melancholy dinner in his usual tavern?") for question in asked)
    assert any(question.endswith("made the gravy for the goose in a little saucepan?") for question in asked)


def test_f2_a_question_worded_unlike_the_chunk_finds_it_by_its_questions_alone() -> None:
    place = PLACES["stores"]()
    texts = (
        "The old fellow of the counting-house dined as he did every evening, in the tavern.\n"
        "What did the miser have when he was poor? Nothing: supper was for the rich.\n"
        "The wind blew over the sea."
    )
    questions = ['["What did the miser eat for supper?"]', '["Was he poor?"]', '["Where did the wind blow?"]']
    insert_into(
        place,
        documents(a=texts),
        [hypothetical_question_generation()],
        model=ScriptedModel({"hypothetical_questions": questions}),
    )
    run = GraphEngine(knowledge=place.knowledge, clock=lambda: NOW)

    by_question = drive(HypotheticalQuestionSearch(top_k=1).retrieve(run, "What did the miser have for supper?"))
    by_chunk = drive(NaiveSearch(top_k=1).retrieve(run, "What did the miser have for supper?"))

    assert by_question.chunks[0].content.startswith("The old fellow")
    assert not by_chunk.chunks[0].content.startswith("The old fellow")


def test_options_are_those_that_the_result_depends_on() -> None:
    model = ScriptedModel({}, name="asker")

    options = hypotheticalQuestionGeneration(questionsPerChunk=5, model=model, prompt="Ask.", batchSize=3).options()

    assert options["questions_per_chunk"] == 5
    assert options["model"] == "asker"
    assert options["prompt"] not in (None, "Ask.")
    assert set(options) == {"questions_per_chunk", "model", "prompt"}
    for wrong in ({"questions_per_chunk": 0}, {"batch_size": 0}, {"prompt": 7}, {"questions_per_chunk": "3"}):
        with pytest.raises(InvalidOption):
            hypothetical_question_generation(**wrong)  # type: ignore[arg-type]


def test_a_processor_may_have_a_model_of_its_own() -> None:
    place = PLACES["stores"]()
    own = ScriptedModel({"hypothetical_questions": '["Who?"]'})

    insert_into(
        place, documents(a="One."), [hypothetical_question_generation(model=own, prompt="Ask well.")], model=None
    )

    assert own.requests[0].system.startswith("Ask well.")
    assert _questions(place) == [["Who?"]]


def _questions(place: Place) -> list[list[str]]:
    """Of each chunk, in order of insertion."""
    asked = drive(place.knowledge.questions())
    order = ["Who ate?", "Where?"]
    return [
        sorted(
            (each.question for each in asked if each.chunk_id == chunk_id),
            key=lambda question: order.index(question) if question in order else -1,
        )
        for chunk_id in drive(place.knowledge.chunk_ids())
    ]
