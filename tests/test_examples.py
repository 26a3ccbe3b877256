"""The example corpus: what a newcomer sees first has to work."""

import ast
import asyncio
import json
import runpy
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from lorelite import Wiki

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "field_station"
NAMESPACE = "station"
DOCUMENTS = {path.name: path.read_text("utf-8") for path in sorted(FOLDER.iterdir())}
QUESTIONS = json.loads((FOLDER.parent / "questions.json").read_text("utf-8"))["questions"]
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


def test_the_corpus_is_as_its_readme_says_and_the_folder_holds_nothing_else():
    assert len(DOCUMENTS) == 18
    assert len(QUESTIONS) == 20
    assert len(QUESTIONS) - len(ANSWERABLE) == 2


def test_the_questions_for_evaluation_are_those_that_have_evidence():
    lines = (FOLDER.parent / "eval_questions.jsonl").read_text("utf-8").splitlines()
    folder = "examples/field_station/"  # as `lorelite ingest examples/field_station` names the documents
    assert [(row["id"], row["question"], row["gold"]) for row in map(json.loads, lines)] == [
        (question["id"], question["question"], [folder + name for name in question["evidence"]])
        for question in ANSWERABLE
    ]


@pytest.mark.parametrize("question", ANSWERABLE, ids=identity)
def test_the_answer_stands_in_the_evidence(question):
    for words in question["answer"]:
        assert any(words in DOCUMENTS[name] for name in question["evidence"])


@pytest.mark.parametrize("question", ANSWERABLE, ids=identity)
def test_every_document_of_the_evidence_is_among_the_first_found(wiki, question):
    found = wiki.read(NAMESPACE, question["question"], max_results=TOP, kinds=("chunk",)).facts
    assert set(question["evidence"]) <= set().union(*map(sources, found))


@pytest.mark.parametrize("question", QUESTIONS, ids=identity)
def test_every_citation_of_an_answer_equals_its_span(wiki, question):
    for sentence in wiki.ask(NAMESPACE, question["question"]).sentences:
        assert sentence.citations
        for citation in sentence.citations:
            assert citation.quote == DOCUMENTS[citation.source_ref][citation.start : citation.end]


def test_most_answers_without_a_model_cite_the_evidence_and_many_hold_the_answer(wiki):
    citing = holding = 0
    for question in ANSWERABLE:
        answer = wiki.ask(NAMESPACE, question["question"])
        refs = {citation.source_ref for sentence in answer.sentences for citation in sentence.citations}
        citing += bool(refs & set(question["evidence"]))
        holding += all(words in answer.text for words in question["answer"])
    assert citing >= 18
    assert holding >= 14


@pytest.mark.parametrize("question", [question for question in QUESTIONS if not question["evidence"]], ids=identity)
def test_what_the_documents_do_not_say_is_not_answered(wiki, question):
    answer = wiki.ask(NAMESPACE, question["question"])
    assert (answer.answered, answer.sentences) == (False, ())


@pytest.mark.parametrize("language", ["zh", "hi"])
def test_a_question_is_answered_from_the_document_in_its_own_script(wiki, language):
    (question,) = (question for question in QUESTIONS if question["language"] == language)
    answer = wiki.ask(NAMESPACE, question["question"])
    assert all(words in answer.text for words in question["answer"])
    assert {c.source_ref for sentence in answer.sentences for c in sentence.citations} == set(question["evidence"])


def test_two_people_of_one_surname_stay_two(wiki):
    titles = {node.title for node in wiki.read(NAMESPACE, "Oduya", kinds=("entity",), max_results=50).facts}
    assert {"Marit Oduya", "Tobias Oduya"} <= titles


def test_a_walk_from_a_person_reaches_what_other_documents_say_of_him(wiki):
    found = wiki.read(NAMESPACE, "Tobias Oduya", kinds=("entity",), max_results=50).facts
    anchor = next(node for node in found if node.title == "Tobias Oduya")
    graph = wiki.traverse_graph(NAMESPACE, source_id=anchor.id, max_nodes=100)
    refs = set().union(*(sources(node) for node in graph.nodes if node.kind == "chunk"))
    assert {"people.md", "boats.md", "storm-of-february-2025.md", "mail-pressure-offset.txt"} <= refs


def test_the_memory_of_an_agent_holds_what_changed_and_is_told_as_data(monkeypatch, capsys, tmp_path):
    script = FOLDER.parent / "agent_memory.py"
    monkeypatch.setattr(sys, "argv", [str(script), str(tmp_path / "brain.db")])
    runpy.run_path(str(script), run_name="__main__")
    shown = capsys.readouterr().out
    for line in (
        "  Anna works at the harbour office. (no longer)",
        "  Anna works at the lighthouse. (now)",
        "- [P6] Ask Anna how her first week was (pending)",
    ):
        assert line in shown.splitlines()
    called = shown[shown.index("Text between two lines of equals signs") :]
    assert "afraid of foghorns" in called
    runpy.run_path(str(script), run_name="__main__")  # the file goes on from there
    assert len(script.read_text("utf-8").splitlines()) <= 60


def test_the_themes_of_a_folder_are_told_and_drawn(monkeypatch, capsys, tmp_path):
    script, drawing = FOLDER.parent / "themes.py", tmp_path / "themes.svg"
    monkeypatch.setattr(sys, "argv", [str(script), str(FOLDER), str(drawing)])
    runpy.run_path(str(script), run_name="__main__")
    shown = capsys.readouterr().out
    for words in (
        "Juniper, Tobias Oduya",
        "(globalCommunitySearch)\n",
        "Juniper is our workboat",
        "skipper Tobias Oduya",
    ):
        assert words in shown
    picture = ElementTree.parse(drawing).getroot()
    named = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert 40 < len(named) <= 60 and {"Juniper", "Marit Oduya"} <= set(named)
    assert len({circle.get("fill") for circle in picture.iter("{http://www.w3.org/2000/svg}circle")}) > 4


@pytest.mark.cpython_only
def test_the_notebook_about_themes_runs_from_top_to_bottom(monkeypatch, capsys):
    notebook = json.loads((FOLDER.parents[1] / "jupyterlite" / "content" / "themes.ipynb").read_text("utf-8"))
    shown = []
    display = ModuleType("IPython.display")
    display.SVG, display.display = ElementTree.fromstring, shown.append
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.chdir(FOLDER.parents[1])
    names, printed = {}, []

    async def run_cells():
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                code = compile("".join(cell["source"]), cell["id"], "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
                if (running := eval(code, names)) is not None:
                    await running
                printed.append(capsys.readouterr().out)

    asyncio.run(run_cells())
    counted, reports, _, answers, inserted, exported = printed
    assert counted.startswith("18 documents, ")
    assert "\n\n# Welcome to Ondrel Point" in reports
    assert len(list(shown[0].iter("{http://www.w3.org/2000/svg}circle"))) > 40
    assert "What is Juniper? (local_community)\n" in answers and "Juniper is our workboat" in answers
    counts = names["report"].counters["entityCommunityGeneration"]
    assert 0 < counts["reports"] < counts["reports_reused"] and str(counts["reports"]) in inserted
    assert " nodes and " in exported


def test_taking_the_corpus_in_again_changes_nothing(wiki):
    before = wiki.get_status(NAMESPACE)
    reports = [wiki.ingest_document(NAMESPACE, source_ref=name, text=text) for name, text in DOCUMENTS.items()]
    assert {report.status for report in reports} == {"unchanged"}
    assert wiki.get_status(NAMESPACE) == before
