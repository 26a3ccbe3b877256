"""A folder of small documents, and the command line run inside this process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from lorelite.cli.main import main

DOCUMENTS = {
    "boats.md": "# Boats\n\nJuniper is the workboat of the station. Her skipper is Tobias Oduya.\n",
    "dog.md": "# Juniper the dog\n\nJuniper the dog belongs to Bram Tellow, who lives in the [[Boats|boathouse]].\n",
    "gauges/heron.txt": "Heron is the tide gauge on the slip. Tobias Oduya reads Heron every morning.\n",
    "gauges/log.csv": "name,kind,year\nHeron,tide gauge,2020\nCrow,weather mast,2018\n",
}


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The present folder, with `docs` in it; no settings of the person who runs the tests."""
    for name in ("LORELITE_DB", "LORELITE_API_KEY", "LORELITE_MODEL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name, text in DOCUMENTS.items():
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def lorelite(folder, capsys):
    """Runs one command line in the folder."""

    def run(*arguments: str) -> Outcome:
        code = main(arguments)
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return run


@pytest.fixture
def filled(lorelite):
    """The same, after `docs` has been taken in."""
    assert lorelite("ingest", "docs").code == 0
    return lorelite
