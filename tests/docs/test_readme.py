"""The first page does what it says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
[(CODE, OUTPUT)] = re.findall(r"```python\n(from .*?)```\n\n```text\n(.*?)```", README, re.DOTALL)


def test_it_is_short():
    assert len(README.splitlines()) <= 150
    assert len(CODE.splitlines()) <= 12


def test_the_example_prints_what_is_shown(monkeypatch):
    monkeypatch.chdir(ROOT)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(CODE, "README.md", "exec"), {})
    assert printed.getvalue() == OUTPUT


def test_the_two_commands_are_those_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"^make (\w+)", README, re.MULTILINE):
        assert f"\n{target}:" in makefile
