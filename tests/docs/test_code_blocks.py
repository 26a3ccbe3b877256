"""The code shown on a page works when it is run from top to bottom."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.cpython_only
@pytest.mark.parametrize("name", ["agents.md", "memory.md"])
def test_the_code_of_a_page_runs_from_top_to_bottom(name, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / name).read_text("utf-8"), re.DOTALL)
    exec(compile("\n".join(blocks), name, "exec"), {})
    assert capsys.readouterr().out
