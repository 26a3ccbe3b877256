"""`ask`: extractive without a model, written with one; every citation is checked, and silence is said plainly."""

from __future__ import annotations

import json
import math

import pytest

from lorelite import Answer, BadReply, ModelError, ModelUnreachable, Wiki
from lorelite.models import ScriptedModel

NS = "class"
LOCK = (
    "Heron Lock stands on the Wharfe. Ada Marsh has kept the lock since 1931. "
    "Her brother Tom Weir sells eels at the ferry."
)
NIGHT = "The owl hunts at night over the marsh. Nobody has counted the otters of the upper river."


def filled(wiki: Wiki) -> Wiki:
    wiki.ingest_document(NS, source_ref="lock.txt", text=LOCK)
    wiki.ingest_document(NS, source_ref="night.txt", text=NIGHT)
    return wiki


def check_citations(wiki: Wiki, answer: Answer) -> None:
    texts = {info.source_ref: wiki.get_document(NS, info.source_ref) for info in wiki.list_source_refs(NS)}
    for sentence in answer.sentences:
        assert sentence.citations
        for citation in sentence.citations:
            assert citation.quote == texts[citation.source_ref][citation.start : citation.end] != ""


# -- without a model ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who has kept the lock since 1931?", "Ada Marsh"),
        ("Where does Heron Lock stand?", "Wharfe"),
        ("Who sells eels?", "Tom Weir"),
        ("When does the owl hunt?", "night"),
    ],
)
def test_without_a_model_the_best_sentences_answer_with_their_citations(wiki, question, expected):
    answer = filled(wiki).ask(NS, question)
    assert answer.answered and answer.origin == "heuristic" and expected in answer.text
    assert expected in answer.sentences[0].text or expected in answer.text
    assert answer.usage.calls == 0 and answer.sources
    check_citations(wiki, answer)


def test_the_sentence_with_the_role_that_is_asked_for_comes_first(wiki):
    wiki.ingest_document(
        NS, source_ref="boats.txt", text="The boat Wren lifts the buoy Lantern twice a year in spring."
    )
    wiki.ingest_document(NS, source_ref="crew.txt", text="Skipper of the boat is Tom Weir.")
    answer = wiki.ask(NS, "Who is the skipper of the boat that lifts the buoy Lantern?")
    assert [sentence.text for sentence in answer.sentences] == [
        "Skipper of the boat is Tom Weir.",
        "The boat Wren lifts the buoy Lantern twice a year in spring.",
    ]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("When was the bridge of Heron built?", "The bridge of Heron was built in 1742."),
        ("Who built the bridge of Heron?", "The bridge of Heron was built by Ada Marsh."),
    ],
)
def test_a_number_or_a_name_comes_first_where_one_is_asked_for(wiki, question, first):
    others = ["The bridge of Heron was built well.", "The bridge of Heron was built in 1742."]
    text = " ".join([*others, "The bridge of Heron was built by Ada Marsh."])
    wiki.ingest_document(NS, source_ref="bridge.txt", text=text)
    assert filled(wiki).ask(NS, question).sentences[0].text == first


@pytest.mark.parametrize(
    "question", ["What is the capital of France?", "Who invented the telephone exchange?", "zzz qqq"]
)
def test_without_a_model_what_the_documents_do_not_say_is_said_plainly(wiki, question):
    answer = filled(wiki).ask(NS, question)
    assert (answer.answered, answer.text, answer.sentences) == (False, "The documents do not say.", ())


# One short document alone: every word occurs in almost every node, and question words are in no document.
IN_OTHER_LANGUAGES = {
    "ar": (
        "ولد نجيب محفوظ في القاهرة عام 1911. حصل نجيب محفوظ على جائزة نوبل.",
        "متى ولد نجيب محفوظ؟",
        "1911",
        "من اخترع الهاتف؟",
    ),
    "hi": (
        "सुनीता शर्मा ने पुस्तकालय बनवाया। पुस्तकालय सुबह नौ बजे खुलता है।",
        "पुस्तकालय किसने बनवाया?",
        "सुनीता",
        "चाँद पर कौन गया?",
    ),
    "zh": ("北京大学成立于1898年。李娜在上海经营一家书店。", "北京大学什么时候成立？", "1898", "月球上有水吗？"),
    "ja": (
        "東京大学は1877年に設立されました。佐藤花子は本屋を経営しています。",
        "東京大学はいつ設立されましたか",
        "1877",
        "月に水はありますか",
    ),
    "ko": (
        "이영희는 부산에서 서점을 운영한다. 서점은 아침 아홉 시에 연다.",
        "누가 서점을 운영하는가?",
        "이영희",
        "달에 물이 있는가?",
    ),
    "he": (
        "האוניברסיטה נוסדה בשנת 1918. שרה לוי מנהלת חנות ספרים.",
        "מתי נוסדה האוניברסיטה?",
        "1918",
        "מי המציא את הטלפון?",
    ),
    "ru": (
        "Университет основан в 1755 году. Анна Смирнова держит книжный магазин.",
        "Кто держит книжный магазин?",
        "Анна",
        "Кто изобрёл телефон?",
    ),
    "el": (
        "Ο Γιώργος διδάσκει στο Πανεπιστήμιο Αθηνών.",
        "Ποιος διδάσκει στο Πανεπιστήμιο Αθηνών;",
        "Γιώργος",
        "Ποιος εφηύρε το τηλέφωνο;",
    ),
    "tr": (
        "İstanbul Üniversitesi 1453 yılında kuruldu.",
        "İstanbul Üniversitesi ne zaman kuruldu?",
        "1453",
        "Telefonu kim icat etti?",
    ),
    "fr": (
        "L'église Saint-Michel a été construite en 1250.",
        "Qui a construit l'église Saint-Michel ?",
        "1250",
        "Qui a inventé le téléphone ?",
    ),
}


@pytest.mark.parametrize("language", IN_OTHER_LANGUAGES)
def test_one_short_document_answers_a_question_in_its_own_language(wiki, language):
    text, question, expected, foreign = IN_OTHER_LANGUAGES[language]
    wiki.ingest_document(NS, source_ref="only.txt", text=text)
    answer = wiki.ask(NS, question)
    assert answer.answered and expected in answer.sentences[0].text
    assert not wiki.ask(NS, foreign).answered
    check_citations(wiki, answer)


def test_a_short_stated_fact_answers_with_its_title_and_its_body_together(wiki):
    filled(wiki)
    wiki.write(NS, title="Ferry captain", body="Olga Reed since May.")
    sentence = wiki.ask(NS, "Who is the ferry captain?").sentences[0]
    assert "Ferry captain" in sentence.text and "Olga Reed" in sentence.text
    assert sentence.citations[0].quote == "Ferry captain\n\nOlga Reed since May."


def test_json_answers_with_one_record_and_not_with_a_run_of_them(wiki):
    records = [{"name": "Heron Lock", "keeper": "Ada Marsh"}, {"name": "Otter Bridge", "keeper": "Tom Weir"}]
    for name, text in (
        ("flat.json", json.dumps(records)),
        ("nested.json", json.dumps({"places": records * 20}, indent=1)),
    ):
        wiki.ingest_document(NS, source_ref=name, text=text)
        sentence = wiki.ask(NS, "Who is the keeper of Otter Bridge?").sentences[0]
        assert json.loads(sentence.citations[0].quote) == records[1]
        wiki.forget(NS, source_ref=name)


def test_an_empty_namespace_says_nothing(wiki):
    wiki.write(NS, event={"summary": "begun"})
    answer = wiki.ask(NS, "Who keeps Heron Lock?")
    assert not answer.answered and answer.sources == ()


def test_a_fact_that_a_user_stated_answers_with_itself_as_the_source(wiki):
    fact = wiki.write(NS, title="Lock keeper", body="Ada Marsh keeps Heron Lock.")
    answer = wiki.ask(NS, "Who keeps Heron Lock?")
    assert "Ada Marsh" in answer.text
    assert {citation.document_id for sentence in answer.sentences for citation in sentence.citations} == {fact.id}


def test_the_graph_of_an_answer_holds_the_entities_it_names(wiki):
    answer = filled(wiki).ask(NS, "Who keeps Heron Lock?")
    assert "Heron Lock" in {node.title for node in answer.graph.nodes}


# -- with a model -------------------------------------------------------------------------------------------------


def reply(*sentences: tuple[str, int, str], answered: bool = True) -> str:
    return json.dumps(
        {
            "answered": answered,
            "sentences": [
                {"text": text, "citations": [{"source": number, "quote": quote}]} for text, number, quote in sentences
            ],
        }
    )


@pytest.fixture
def asked(open_wiki):
    """Asks one question of a model that gives this reply; the lock is source 1."""

    def ask(answer: object, question: str = "Who keeps the lock Heron Lock?") -> tuple[Answer, ScriptedModel]:
        writer = open_wiki()
        writer.ingest_document(NS, source_ref="lock.txt", text=LOCK)
        model = ScriptedModel({"answer": answer})
        reader = Wiki.open(":memory:", store=writer._wiki._engine.store, model=model)
        found = reader.ask(NS, question)
        check_citations(reader, found)
        return found, model

    return ask


def test_a_written_answer_carries_quotes_that_are_really_there(asked):
    answer, model = asked(reply(("Ada Marsh keeps it.", 1, "Ada Marsh has kept the lock since 1931.")))
    assert (answer.answered, answer.origin, answer.text) == (True, "model", "Ada Marsh keeps it.")
    [citation] = answer.sentences[0].citations
    assert citation.quote == "Ada Marsh has kept the lock since 1931."
    assert answer.usage.calls == 1 and len(model.requests) == 1
    assert LOCK in model.requests[0].user


def test_a_quote_with_other_spaces_and_quotes_is_found_as_it_stands(asked):
    answer, _ = asked(reply(("Ada Marsh keeps it.", 1, "“ada marsh has kept\n the lock”")))
    assert answer.sentences[0].citations[0].quote.startswith("Ada Marsh has kept the lock")


def test_an_invented_quote_is_replaced_by_the_sentence_that_says_the_same(asked):
    answer, _ = asked(reply(("Ada Marsh has kept the lock since 1931.", 1, "Ada is the keeper, they say")))
    assert answer.sentences[0].citations[0].quote == "Ada Marsh has kept the lock since 1931."


def test_what_no_source_supports_is_kept_apart(asked):
    answer, _ = asked(
        reply(
            ("Ada Marsh keeps it.", 1, "Ada Marsh has kept the lock since 1931."),
            ("She was born in Paris.", 1, "born in Paris"),
            ("She likes tea.", 99, "tea"),
        )
    )
    assert answer.text == "Ada Marsh keeps it."
    assert answer.unsupported == ("She was born in Paris.", "She likes tea.")


def test_an_answer_of_which_nothing_is_supported_is_no_answer(asked):
    answer, _ = asked(reply(("She was born in Paris.", 1, "born in Paris")))
    assert (answer.answered, answer.text, answer.sentences) == (False, "The documents do not say.", ())
    assert answer.unsupported == ("She was born in Paris.",) and answer.sources == ()


@pytest.mark.parametrize("said", [reply(answered=False), "The documents do not say.", '{"answered": "no"}'])
def test_a_model_that_finds_nothing_is_believed(asked, said):
    answer, _ = asked(said)
    assert (answer.answered, answer.text, answer.unsupported) == (False, "The documents do not say.", ())


def test_prose_with_markers_is_read_and_checked_too(asked):
    answer, _ = asked("Ada Marsh has kept the lock since 1931 [1]. She was born in Paris.")
    assert answer.text.startswith("Ada Marsh has kept the lock since 1931")
    assert answer.unsupported == ("She was born in Paris.",)


@pytest.mark.parametrize("number", [0, -1, 99, 1.5, math.nan, math.inf, None, "one", [], {}, True, 10**400])
def test_an_odd_source_number_supports_nothing_and_breaks_nothing(asked, number):
    answer, _ = asked(json.dumps({"sentences": [{"text": "It was so in Paris.", "citations": [{"source": number}]}]}))
    assert not answer.answered


@pytest.mark.parametrize("said", ["", " ", "{}", "[]", "null", "5", '{"sentences": 5}', '{"answered": true}', "```"])
def test_a_reply_that_says_nothing_is_named_or_no_answer(asked, said):
    try:
        answer, _ = asked(said)
    except BadReply as error:
        assert error.data["reply"] == said
    else:
        assert not answer.answered


def test_an_unreachable_model_is_named(asked):
    with pytest.raises(ModelUnreachable, match="http://localhost:1"):
        asked(ModelUnreachable("http://localhost:1", "refused"))
    with pytest.raises(ModelError):
        asked(RuntimeError("boom"))


def test_nothing_found_asks_no_model(open_wiki):
    model = ScriptedModel({})
    wiki = open_wiki(model=model)
    wiki.write(NS, event={"summary": "begun"})
    assert not wiki.ask(NS, "Who keeps Heron Lock?").answered
    assert model.requests == []


def test_progress_is_told(wiki):
    seen = []
    filled(wiki).ask(NS, "Who keeps Heron Lock?", on_progress=seen.append)
    assert [step.stage for step in seen] == ["search", "answer", "answer"]


def test_a_fact_of_any_length_leaves_a_prompt_of_bounded_length(open_wiki):
    model = ScriptedModel({"answer": '{"sentences": []}'})
    wiki = open_wiki(model=model)
    for number in range(3):
        wiki.write(NS, title=f"{number} apple " + "long " * 20_000, body="An apple is a fruit. " * 5_000)
    wiki.ask(NS, "What is an apple?")
    assert len(model.requests[0].user) < 50_000
