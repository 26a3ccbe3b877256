"""A classroom in a folder."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest

from lorelite import Wiki
from lorelite.classroom import build_classroom
from lorelite.classroom.contents import listings
from lorelite.cli.main import main
from lorelite.errors import CannotOpen
from lorelite.models import ScriptedModel

pytestmark = pytest.mark.cpython_only


@pytest.fixture
def site(tmp_path):
    """As little of a built site as counts as one."""
    root = tmp_path / "site"
    for path, text in {
        "index.html": "<title>Lorelite</title>",
        "classroom.json": "{}",
        "pyodide/pyodide-lock.json": "{}",
        "lite/index.html": "<title>JupyterLite</title>",
        "lite/api/contents/all.json": json.dumps(
            {"path": "", "content": [{"path": "first.ipynb", "name": "first.ipynb"}]}
        ),
        "lite/files/first.ipynb": "{}",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture
def brain(tmp_path):
    path = str(tmp_path / "carol.db")
    with Wiki.open(path, model=ScriptedModel({"extract": '{"entities": [{"name": "Marley"}]}'})) as wiki:
        wiki.ingest_document("book", source_ref="carol.txt", text="Marley was dead.")
        wiki.export_calls(tmp_path / "calls.jsonl")
    return path


def listed(out, folder=""):
    found = json.loads((out / "lite" / "api" / "contents" / folder / "all.json").read_text())
    return [each["path"] for each in found["content"]]


def test_a_bundle_holds_site_brain_and_lessons_where_both_faces_find_them(tmp_path, site, brain):
    lessons = tmp_path / "lessons"
    (lessons / "data").mkdir(parents=True)
    (lessons / "one.ipynb").write_text("{}")
    (lessons / "data" / "marks.csv").write_text("a,b")
    (lessons / ".secret").write_text("no")
    out = tmp_path / "out"
    count = build_classroom(site, out, title="4b", brain=Path(brain).read_bytes(), namespace="book", notebooks=lessons)
    files = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert count == len(files)
    assert {"brain.db", "serve.py", "START.txt", "lite/files/one.ipynb", "lite/files/data/marks.csv"} <= files
    assert not any("secret" in path for path in files)
    assert json.loads((out / "classroom.json").read_text()) == {"title": "4b", "brain": "brain.db", "namespace": "book"}
    assert listed(out) == ["brain.db", "data", "first.ipynb", "one.ipynb"]
    assert listed(out, "data") == ["data/marks.csv"]


def test_the_command_copies_the_memory_with_the_calls_of_a_ledger_and_no_others(tmp_path, site, brain, capsys):
    out = tmp_path / "class"
    arguments = ["classroom", "build", "--out", str(out), "--site", str(site), "--zip", "--title", "Carol"]
    assert main([*arguments, "--db", brain, "--ledger", str(tmp_path / "calls.jsonl")]) == 0
    assert "serve.py --open" in capsys.readouterr().out
    with Wiki.open(str(out / "brain.db"), read_only=True) as wiki:
        assert wiki.list_namespaces() == ["book"]
        assert len(wiki.list_calls()) == 1
    with zipfile.ZipFile(tmp_path / "class.zip") as archive:
        assert "class/index.html" in archive.namelist()
        assert archive.testzip() is None
    assert main([*arguments[:3], str(tmp_path / "bare"), "--site", str(site), "--db", brain]) == 0
    with Wiki.open(str(tmp_path / "bare" / "brain.db"), read_only=True) as wiki:
        assert wiki.list_calls() == []


def test_without_a_file_named_none_goes_along(tmp_path, site, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Wiki.open("lorelite.db") as wiki:
        wiki.write("main", title="Mine")
    assert main(["classroom", "build", "--out", "out", "--site", str(site)]) == 0
    assert not (tmp_path / "out" / "brain.db").exists()


def test_a_folder_that_is_no_site_and_one_that_holds_something_are_refused(tmp_path, site):
    with pytest.raises(CannotOpen, match=r"lacks index\.html"):
        build_classroom(tmp_path / "nothing", tmp_path / "out")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(CannotOpen, match="holds something already"):
        build_classroom(site, tmp_path / "full")
    with pytest.raises(CannotOpen, match="folder of notebooks"):
        build_classroom(site, tmp_path / "out", notebooks=tmp_path / "none")
    assert not (tmp_path / "out").exists()


def test_the_server_of_a_bundle_needs_nothing_but_the_file_and_names_every_type(tmp_path, site):
    out = tmp_path / "out"
    build_classroom(site, out)
    (out / "a.mjs").write_text("1")
    (out / "a.wasm").write_bytes(b"1")
    command = [sys.executable, "-I", "-S", str(out / "serve.py"), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        try:
            address = next(line.split()[1] for line in process.stdout if "http://" in line)
            for name, kind in (
                ("index.html", "text/html"),
                ("a.mjs", "text/javascript"),
                ("a.wasm", "application/wasm"),
            ):
                with urllib.request.urlopen(f"{address}{name}", timeout=20) as response:
                    assert response.headers["content-type"].startswith(kind)
        finally:
            process.kill()


def test_lists_of_new_folders_are_made_and_a_file_is_listed_once():
    lists = {"": {"content": [{"path": "a.txt"}], "path": ""}}
    found = listings(lists, {"a.txt": 3, "x/y/z.ipynb": 5})
    assert [each["path"] for each in found[""]["content"]] == ["a.txt", "x"]
    assert [each["path"] for each in found["x"]["content"]] == ["x/y"]
    assert found["x/y"]["content"][0]["type"] == "notebook"
    assert lists[""]["content"] == [{"path": "a.txt"}]
