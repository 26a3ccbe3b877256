import json
import os
from pathlib import Path

import pytest

from bench import search_cases

CASES = [
    {
        "id": "kettle",
        "docs": [
            {"id": "d1", "text": "Copper kettles need descaling twice a year."},
            {"id": "d2", "text": "The ferry timetable changes in winter."},
        ],
        "query": "copper kettle",
        "must_match_doc_ids": ["d1"],
        "top1": "d1",
        "must_not_raise": True,
    },
    {
        "id": "only-punctuation",
        "docs": [{"id": "d1", "text": "Anything."}],
        "query": "--- ?? ''",
        "must_match_doc_ids": [],
        "must_not_raise": True,
    },
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(json.dumps(case) for case in CASES) + "\n", "utf-8")
    return path


def last_line(capsys):
    return json.loads(capsys.readouterr().out.splitlines()[-1])


@pytest.mark.parametrize("index", search_cases.INDEXES)
def test_a_case_whose_document_is_found_passes(index):
    results = search_cases.run(CASES, index)
    assert [(result.id, result.passed, result.problem) for result in results] == [
        ("kettle", True, ""),
        ("only-punctuation", True, ""),
    ]


@pytest.mark.parametrize("index", search_cases.INDEXES)
def test_a_document_that_is_not_found_fails_its_case_and_is_named(index):
    (result,) = search_cases.run([{**CASES[0], "must_match_doc_ids": ["d1", "d2"]}], index)
    assert not result.passed
    assert result.problem == "missing d2; found d1"


def test_a_wrong_first_document_fails_its_case():
    (result,) = search_cases.run([{**CASES[0], "top1": "d2"}], "memory")
    assert result.problem == "first is d1, expected d2"


def test_a_case_must_pass_in_every_index_to_count():
    passed = search_cases.CaseResult("a", "", "fts5", True)
    failed = search_cases.CaseResult("a", "", "memory", False, "missing d1")
    other = search_cases.CaseResult("b", "", "fts5", True)
    assert search_cases.score([passed, failed, other]) == 0.5


def test_the_runner_ends_with_one_line_of_json_and_keeps_to_its_minimum(file, capsys):
    assert search_cases.main([str(file), "--min", "1.0"]) == 0
    assert last_line(capsys) == {
        "bench": "search_cases",
        "cases": 2,
        "passed": {"fts5": 2, "memory": 2},
        "score": 1.0,
    }


def test_a_score_below_the_minimum_gives_exit_code_1(tmp_path, capsys):
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({**CASES[0], "must_match_doc_ids": ["d2"]}), "utf-8")
    assert search_cases.main([str(path), "--index", "memory", "--min", "0.5"]) == 1
    assert last_line(capsys)["score"] == 0.0


@pytest.mark.shared
def test_every_shared_case_passes_in_both_indexes():
    folder = os.environ.get("LORELITE_SHARED")
    if not folder:
        pytest.skip("LORELITE_SHARED does not name the folder of evaluation data")
    cases = search_cases.load((Path(folder) / "cases" / "search_cases.jsonl").read_text("utf-8"))
    results = [result for index in search_cases.INDEXES for result in search_cases.run(cases, index)]
    assert len(results) == 80
    assert [result for result in results if not result.passed] == []
