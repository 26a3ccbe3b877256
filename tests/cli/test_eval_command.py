"""`lorelite eval`."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from lorelite.evaluation import Evaluation

QUESTIONS = [
    {"question": "Who is the skipper of Juniper?", "gold": ["docs/boats.md"], "tag": "boats"},
    {"question": "What does Tobias Oduya read?", "gold": ["docs/gauges/heron.txt"], "tag": "gauges"},
]


@pytest.fixture
def questions(folder):
    (folder / "q.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)), "utf-8")
    return "q.jsonl"


def test_the_table_is_printed(filled, questions):
    outcome = filled("eval", questions, "--strategy", "keyword")
    lines = outcome.out.splitlines()
    assert (outcome.code, outcome.err) == (0, "")
    assert lines[0] == "main, keyword"
    assert lines[2].split()[:4] == ["all", "2", "100.0", "100.0"]
    assert [line.split()[0] for line in lines[3:]] == ["boats", "gauges"]


def test_json_is_an_evaluation(filled, questions):
    printed = filled("eval", questions, "--json").json
    assert printed["measures"]["R@5"] == 100.0
    assert Evaluation.from_json(json.dumps(printed)).outcomes[1].found[0] == "docs/gauges/heron.txt"


def test_a_kept_result_is_compared_and_both_are_drawn(filled, questions, folder):
    assert filled("eval", questions, "--strategy", "keyword", "--save", "keyword.json").code == 0
    outcome = filled("eval", questions, "--strategy", "read", "--against", "keyword.json", "--svg", "recall.svg")
    assert outcome.code == 0
    assert ["R@5", "100.0", "100.0", "+0.0", "+0.0", "…", "+0.0"] in [line.split() for line in outcome.out.splitlines()]
    drawing = ET.parse(folder / "recall.svg")
    assert len(drawing.findall("{http://www.w3.org/2000/svg}polyline")) == 4
    compared = filled("eval", questions, "--against", "keyword.json", "--json").json["comparison"]
    assert (compared["questions"], compared["differences"][0]["measure"]) == (2, "R@1")


@pytest.mark.parametrize("option", ["--save", "--svg"])
def test_neither_the_database_nor_the_questions_are_written_over(filled, questions, folder, option):
    outcome = filled("eval", questions)
    [database] = list(folder.rglob("*.db"))
    for path in (database, folder / questions):
        before = path.read_bytes()
        outcome = filled("eval", questions, option, str(path))
        assert outcome.code == 1 and "choose another path" in outcome.err
        assert path.read_bytes() == before


def test_half_a_character_is_kept_and_compared(filled, folder):
    question = {"question": "Who is \ud800?", "gold": ["docs/boats.md", "\ud801"], "id": "\udc00", "tag": "\ud802"}
    (folder / "half.jsonl").write_text(json.dumps(question), "utf-8")
    assert filled("eval", "half.jsonl", "--save", "half.json").code == 0
    assert Evaluation.from_json((folder / "half.json").read_text("utf-8")).outcomes[0].question == "Who is \ud800?"
    assert filled("eval", "half.jsonl", "--against", "half.json").code == 0


def test_a_benchmark_is_asked_in_a_file_of_its_own(lorelite, folder):
    data = folder / "benchmarks"
    data.mkdir()
    (data / "2wiki_corpus.json").write_text('{"Olga": "Olga lives in Bath.", "Bath": "A city."}', "utf-8")
    rows = [{"question": "Where does Olga live?", "ground_truth": ["Olga", "Gone"]}, {"question": "?", "titles": []}]
    (data / "2wiki.json").write_text(json.dumps(rows), "utf-8")
    outcome = lorelite("eval", "--dataset", "2wiki", "--data", "benchmarks", "--strategy", "keyword")
    assert outcome.code == 0
    assert outcome.out.splitlines()[2].split()[:3] == ["all", "1", "50.0"]
    assert "1 question skipped: no evidence is named for it" in outcome.err
    assert "1 piece of evidence is not there: Gone" in outcome.err
    assert not (folder / "lorelite.db").exists()


def test_gold_that_is_not_there_is_told(filled, folder):
    (folder / "q.jsonl").write_text('{"question": "Juniper", "gold": ["docs/boats.md", "gone.md"]}', "utf-8")
    outcome = filled("eval", "q.jsonl")
    assert (outcome.code, outcome.err) == (0, "lorelite: 1 name in the gold is not there: gone.md\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "QUESTIONS / --dataset: expected one of the two, found 'neither'"),
        (("q.jsonl", "--dataset", "2wiki", "--data", "."), "QUESTIONS / --dataset: expected one of the two"),
        (("--dataset", "2wiki"), "--dataset / --data: expected both of them"),
        (("q.jsonl", "--data", "."), "--dataset / --data: expected both of them"),
        (("--dataset", "nothing", "--data", "."), "dataset: expected one of musique-train"),
        (("bad.jsonl",), "bad.jsonl, line 1, question: expected some text"),
        (("q.jsonl", "--against", "bad.jsonl"), "evaluation: expected a document of to_json"),
    ],
)
def test_wrong_usage_is_named(filled, questions, folder, arguments, told):
    (folder / "bad.jsonl").write_text('{"gold": ["x"]}', "utf-8")
    outcome = filled("eval", *arguments)
    assert outcome.code == 2 and told in outcome.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nowhere.jsonl",), "nowhere.jsonl"),
        (("q.jsonl", "--against", "nowhere.json"), "nowhere.json"),
        (("q.jsonl", "--svg", "nowhere/x.svg"), "nowhere/x.svg"),
        (("--dataset", "2wiki", "--data", "docs"), "benchmark '2wiki' was not found"),
    ],
)
def test_what_cannot_be_read_or_written_is_named(filled, questions, arguments, told):
    outcome = filled("eval", *arguments)
    assert outcome.code == 1 and told in outcome.err
