"""lorelite export and import"""

from __future__ import annotations

import json
import os

import pytest

from lorelite import Wiki


def test_a_namespace_is_carried_from_one_file_to_another(filled):
    told = filled("export", "dump", "main.dump")
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("main.dump: 1 namespace, ")
    taken = filled("import", "main.dump", "--db", "other.db")
    assert (taken.code, taken.err) == (0, "")
    assert taken.out.splitlines()[0].startswith("main.dump: 1 namespace (main), ")
    one, other = filled("search", "tide gauge").out, filled("search", "tide gauge", "--db", "other.db").out
    assert one == other != ""


def test_a_dump_is_imported_under_another_name_and_merged(filled):
    filled("export", "dump", "main.dump", "--namespace", "main", "--no-vectors")
    assert filled("import", "main.dump", "--db", "other.db", "--namespace", "station").code == 0
    again = filled("import", "main.dump", "--db", "other.db", "--namespace", "station", "--merge", "--json").json
    assert again["namespaces"] == ["station"]
    assert set(again["counts"].values()) == {0}
    assert again["kept"] > 0


def test_a_dry_run_tells_and_writes_nothing(filled):
    filled("export", "dump", "main.dump")
    told = filled("import", "main.dump", "--db", "other.db", "--dry-run")
    assert "rows would be written" in told.out
    with Wiki.open("other.db") as wiki:
        assert wiki.list_namespaces() == []


def test_the_whole_file_is_copied(filled):
    assert filled("export", "file", "copy.db").code == 0
    assert filled("status", "--db", "copy.db", "--json").json["namespaces"][0]["namespace"] == "main"


def test_an_export_never_takes_the_place_of_the_wiki_or_of_any_database(filled):
    assert filled("export", "file", "copy.db").code == 0
    before = filled("status", "--json").json
    for path in ("lorelite.db", "copy.db"):
        told = filled("export", "dump", path)
        assert told.code == 1 and "it is an SQLite file" in told.err
    told = filled("export", "file", "./lorelite.db")
    assert told.code == 2 and "another file than the one that is copied" in told.err
    assert filled("status", "--json").json == before
    assert filled("export", "file", "copy.db").code == 0  # a copy may be made again


@pytest.mark.cpython_only
@pytest.mark.cpython_only
def test_a_dump_takes_the_place_of_no_device_and_waits_for_no_pipe(filled, folder):
    os.mkfifo(folder / "pipe")
    told = filled("export", "dump", "pipe")
    assert told.code == 1 and "it is not a regular file" in told.err
    assert (folder / "pipe").is_fifo()


@pytest.mark.cpython_only
def test_a_copy_that_somebody_writes_to_is_left_alone(filled, folder):
    filled("export", "file", "copy.db")
    with Wiki.open("copy.db") as wiki:
        told = filled("export", "file", "copy.db")
        assert told.code == 1 and "already open for writing" in told.err
        assert wiki.list_namespaces() == ["main"]


def test_an_import_of_what_is_not_there_makes_no_file(lorelite, folder):
    told = lorelite("import", "nowhere.dump")
    assert (told.code, told.err) == (1, "lorelite: cannot open 'nowhere.dump': No such file or directory\n")
    assert not (folder / "lorelite.db").exists()


def test_a_damaged_dump_is_refused_with_its_line(filled, folder):
    filled("export", "dump", "main.dump")
    lines = (folder / "main.dump").read_text("utf-8").splitlines(keepends=True)
    (folder / "main.dump").write_text("".join(lines[:4]), "utf-8")
    told = filled("import", "main.dump", "--db", "other.db")
    assert told.code == 1
    assert "line 5: it is cut off" in told.err


def test_what_was_read_otherwise_is_told_on_stderr(lorelite, folder):
    task = {"id": "t", "description": "Grease the slip", "priority": 99, "created_at": 1, "updated_at": 1}
    (folder / "old.json").write_text(json.dumps({"entities": {"me": {"tasks": [task]}}}))
    told = lorelite("import", "old.json")
    assert told.code == 0
    assert told.err == "lorelite: me: task 't': priority was 99, read as 10\n"


def test_a_namespace_is_carried_as_markdown(filled, folder):
    told = filled("export", "okf", "notes")
    assert (told.code, told.err) == (0, "")
    assert (folder / "notes" / "index.md").exists()
    taken = filled("import", "notes", "--db", "other.db")
    assert (taken.code, taken.err) == (0, "")
    one, other = filled("search", "tide gauge").out, filled("search", "tide gauge", "--db", "other.db").out
    assert one == other != ""
    again = filled("export", "okf", "notes", "--profile", "llm-wiki/1")
    assert again.code == 1 and "holds something already" in again.err
    assert filled("export", "okf", "notes.zip", "--json").json["path"] == "notes.zip"
    assert filled("import", "notes.zip", "--db", "third.db", "--json").json["problems"] == []
