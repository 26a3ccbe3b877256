"""The example corpus: what a newcomer sees first has to work."""

import json
from pathlib import Path

import pytest

from lorelite import Wiki

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "field_station"
NAMESPACE = "station"
DOCUMENTS = {path.name: path.read_text("utf-8") for path in sorted(FOLDER.iterdir()) if path.name != "questions.json"}
QUESTIONS = json.loads((FOLDER / "questions.json").read_text("utf-8"))["questions"]
ANSWERABLE = [question for question in QUESTIONS if question["evidence"]]
TOP = 10


@pytest.fixture(scope="module")
def wiki():
    with Wiki.open(":memory:") as wiki:
        for name, text in DOCUMENTS.items():
            wiki.ingest_document(NAMESPACE, source_ref=name, text=text)
        yield wiki


def sources(node):
    return {citation.source_ref for citation in node.citations} | ({node.source_ref} - {None})


def identity(question):
    return question["id"]


def test_the_corpus_is_as_its_readme_says():
    assert len(DOCUMENTS) == 18
    assert len(QUESTIONS) == 20
    assert len(QUESTIONS) - len(ANSWERABLE) == 2


@pytest.mark.parametrize("question", ANSWERABLE, ids=identity)
def test_the_answer_stands_in_the_evidence(question):
    for words in question["answer"]:
        assert any(words in DOCUMENTS[name] for name in question["evidence"])


@pytest.mark.parametrize("question", ANSWERABLE, ids=identity)
def test_every_document_of_the_evidence_is_among_the_first_found(wiki, question):
    found = wiki.read(NAMESPACE, question["question"], max_results=TOP, kinds=("chunk",)).facts
    assert set(question["evidence"]) <= set().union(*map(sources, found))


def test_most_answers_without_a_model_cite_a_document_of_the_evidence(wiki):
    cited = []
    for question in ANSWERABLE:
        answer = wiki.ask(NAMESPACE, question["question"])
        refs = {citation.source_ref for sentence in answer.sentences for citation in sentence.citations}
        cited.append(bool(refs & set(question["evidence"])))
    assert sum(cited) >= 16


def test_every_citation_equals_its_span(wiki):
    for question in QUESTIONS:
        for sentence in wiki.ask(NAMESPACE, question["question"]).sentences:
            for citation in sentence.citations:
                assert citation.quote == DOCUMENTS[citation.source_ref][citation.start : citation.end]
