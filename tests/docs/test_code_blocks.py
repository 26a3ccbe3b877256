"""The code shown on a page works when it is run from top to bottom."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)


PAGES = [page.name for page in sorted(DOCS.glob("*.md")) if blocks(page)]


@pytest.mark.cpython_only
@pytest.mark.parametrize("name", PAGES)
def test_the_code_of_a_page_runs_from_top_to_bottom(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(blocks(DOCS / name)), name, "exec"), {})


@pytest.mark.cpython_only
@pytest.mark.parametrize(
    ("name", "printed"),
    [
        (
            "entities.md",
            [
                "0.93 The counting-house <- Counting-house: the same but for an article",
                "0.85 Ebenezer Scrooge <- E. Scrooge: the same but for initials",
                "Ebenezer Scrooge 1",
                "['Bob Cratchit', 'The counting-house']",
                "[]",
                "[('E. Scrooge', 'Ebenezer Scrooge')]",
                "0 0",
            ],
        ),
        ("evaluation.md", ["1.0 1.0 1.0", "False", "100.0"]),
        ("graph.md", ["2 ada > ben > dan", "['Dan', 'The boat'] True", "Black Swan 3"]),
        (
            "graphrag.md",
            [
                "2 2",
                "1",
                "['Ben Hale', 'Norham', 'Olga Brandt']",
                "gauge.md Olga Brandt reads the tide gauge of Norham every morning.",
                "1 3",
                "Olga Brandt reads it. model",
            ],
        ),
        ("memory.md", ["human-reviewed"]),
        ("okf.md", ["Olga reads it every morning."]),
        ("ontology.md", ["Person", "strict", "None", "manager"]),
        ("prompts.md", ["log/2024.txt current None", "log/2025.txt new None"]),
        ("python.md", ["The tide gauge is read at noon"]),
        ("search.md", ["1 1 ('fishes', 'lock')", "['Fishes', 'Lock']"]),
        (
            "stores.md",
            [
                "{'entity_type': 'person', 'description': 'She reads the gauge.'}",
                "{'weight': 2.0, 'type': 'RELATES_TO'}",
                "[('OLGA', 'GAUGE')] None",
                "[['GAUGE', 'OLGA']]",
                "Olga Brandt",
                "[{'id': 'b', 'score': 0.6, 'metadata': {'year': 2001, 'tags': ['gauge']}}]",
                "[[1, 2], None, {'n': 1}] {'n': 1}",
                "1",
            ],
        ),
        ("toolkit.md", ["3 2", "Tide gauge 0.450 Olga Brandt -[reads]-> Tide gauge", "1", "Olga Brandt."]),
        ("time.md", ["The bridge is closed", "The bridge is closed → The bridge is open again"]),
    ],
)
def test_a_page_prints_what_its_comments_say(name, printed, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(blocks(DOCS / name)), name, "exec"), {})
    assert set(printed) <= set(capsys.readouterr().out.splitlines())
