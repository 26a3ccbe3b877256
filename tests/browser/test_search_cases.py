"""The search cases in a real browser, in both keyword indexes."""

import os
from pathlib import Path

import pytest
from pytest_pyodide import run_in_pyodide

BENCH = Path(__file__).resolve().parents[2] / "bench"
RUNNERS = {name: (BENCH / name).read_text("utf-8") for name in ("__init__.py", "report.py", "search_cases.py")}


@run_in_pyodide(packages=["lorelite"])
def failed_cases(selenium, runners, cases):
    import sys
    from pathlib import Path

    folder = Path("/home/pyodide/bench")
    folder.mkdir(exist_ok=True)
    for name, text in runners.items():
        (folder / name).write_text(text, "utf-8")
    sys.path.append(str(folder.parent))
    from bench.search_cases import INDEXES, load, run

    results = [result for index in INDEXES for result in run(load(cases), index)]
    return len(results), [f"{result.id} {result.index}: {result.problem}" for result in results if not result.passed]


@pytest.mark.skipif("LORELITE_SHARED" not in os.environ, reason="LORELITE_SHARED names no folder with the cases")
def test_every_search_case_passes_in_both_indexes_in_chromium(selenium):
    cases = Path(os.environ["LORELITE_SHARED"]) / "cases" / "search_cases.jsonl"
    count, failed = failed_cases(selenium, RUNNERS, cases.read_text("utf-8"))
    assert failed == []
    assert count == 80
