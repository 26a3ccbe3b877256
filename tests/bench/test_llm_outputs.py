import json
import os
from pathlib import Path

import pytest

from bench import llm_outputs

PERSON = '{"entities": [{"name": "Nell", "type": "person"}], "relations": []}'
GOOD = {"status": "ok", "entities": [{"name": "Nell", "type": "person"}], "relations": []}


def case(raw: str, label: dict) -> dict:
    return {"id": "c", "kind": "k", "raw": raw, "what_a_good_parser_recovers": label}


@pytest.mark.parametrize(
    ("raw", "label", "outcome"),
    [
        (PERSON, GOOD, "recovered"),
        (PERSON[:-20], GOOD | {"status": "partial"}, "recovered"),
        ("Sorry.", {"status": "none", "entities": [], "relations": []}, "recovered"),
        ("Sorry.", GOOD, "not recovered"),
        (PERSON[:20], GOOD | {"status": "partial"}, "not recovered"),
        (PERSON, GOOD | {"entities": []}, "silently wrong"),
        (PERSON, GOOD | {"relations": [{"source": "a", "type": "b", "target": "c"}]}, "silently wrong"),
        (PERSON, GOOD | {"descriptions": {"Nell": "a girl"}}, "silently wrong"),
        (PERSON, GOOD | {"status": "partial"}, "silently wrong"),
        (PERSON, {"status": "none", "entities": [], "relations": []}, "silently wrong"),
    ],
)
def test_a_reply_is_judged_by_its_label(raw: str, label: dict, outcome: str) -> None:
    (result,) = llm_outputs.run([case(raw, label)])
    assert result.outcome == outcome
    assert bool(result.problem) == (outcome != "recovered")


def test_silently_wrong_costs_what_recovered_earns() -> None:
    labels = [GOOD, GOOD, GOOD | {"entities": []}]
    assert llm_outputs.score(llm_outputs.run([case(PERSON, label) for label in labels])) == pytest.approx(1 / 3)


def test_the_last_line_is_json_and_the_minimum_sets_the_exit_code(tmp_path: Path, capsys) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(case(PERSON, GOOD)) + "\n" + json.dumps(case("Sorry.", GOOD)) + "\n", "utf-8")
    assert llm_outputs.main([str(file), "--min", "0.5"]) == 0
    assert llm_outputs.main([str(file), "--min", "0.6"]) == 1
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert last == {
        "bench": "llm_outputs",
        "cases": 2,
        "recovered": 1,
        "not_recovered": 1,
        "silently_wrong": 0,
        "score": 0.5,
    }


@pytest.mark.shared
def test_every_collected_reply_is_recovered() -> None:
    folder = os.environ.get("LORELITE_SHARED")
    if not folder:
        pytest.skip("needs LORELITE_SHARED, the folder of evaluation data")
    results = llm_outputs.run(llm_outputs.load((Path(folder) / "cases" / "llm_outputs.jsonl").read_text("utf-8")))
    assert [result for result in results if result.outcome != "recovered"] == []
