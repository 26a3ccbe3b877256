"""Opening a file: what is accepted, what is refused, and that a refused file is left as it was."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from lorelite import CannotOpen, ClosedError, NewerSchema, NotADatabase, NotFound, ReadOnly, StoreError, Wiki
from lorelite.store import migrate as migrations
from lorelite.store.migrate import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION

NS = "class"
AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def made(path: Path, *titles: str) -> Path:
    with Wiki.open(path) as wiki:
        for title in titles or ("Red kite",):
            wiki.write(NS, title=title)
    return path


def leftovers(path: Path) -> list[str]:
    return sorted(other.name for other in path.parent.iterdir() if other != path)


# -- new files and migrations -------------------------------------------------------------------------------------


def test_a_new_file_carries_our_mark_and_the_schema_version(tmp_path):
    path = made(tmp_path / "brain.db")
    connection = sqlite3.connect(path)
    assert connection.execute("pragma application_id").fetchone()[0] == APPLICATION_ID
    assert connection.execute("pragma user_version").fetchone()[0] == SCHEMA_VERSION
    assert connection.execute("pragma integrity_check").fetchone()[0] == "ok"
    connection.close()


def test_a_closed_wiki_is_one_file(tmp_path):
    assert leftovers(made(tmp_path / "brain.db")) == []


def test_an_empty_file_is_taken_as_new(tmp_path):
    path = tmp_path / "brain.db"
    path.write_bytes(b"")
    made(path)
    with Wiki.open(path) as wiki:
        assert len(wiki.read(NS, "kite").facts) == 1


@pytest.mark.parametrize("name", ["数据 книга.db", "a b#c?d%20e.db", "it's.db", "ü" * 40 + ".db", "no_suffix"])
def test_any_file_name_is_reopened_for_writing_and_reading(tmp_path, name):
    path = made(tmp_path / name)
    for read_only in (True, False):
        with Wiki.open(path, read_only=read_only) as wiki:
            assert len(wiki.read(NS, "kite").facts) == 1
    assert leftovers(path) == []


def test_a_file_of_a_newer_schema_is_refused_and_left_alone(tmp_path):
    path = made(tmp_path / "brain.db")
    connection = sqlite3.connect(path)
    connection.execute(f"pragma user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(NewerSchema, match=f"version {SCHEMA_VERSION + 1}.*upgrade Lorelite") as refusal:
            Wiki.open(path, read_only=read_only)
        assert refusal.value.data["known"] == SCHEMA_VERSION
    assert path.read_bytes() == before


@pytest.mark.parametrize("read_only", [False, True])
def test_an_sqlite_file_of_another_program_is_refused_and_left_alone(tmp_path, read_only):
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("create table mine (x)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(NotADatabase, match="another program"):
        Wiki.open(path, read_only=read_only)
    assert path.read_bytes() == before
    assert leftovers(path) == []


def test_a_migration_that_fails_leaves_the_file_at_the_version_before(tmp_path, monkeypatch):
    path = made(tmp_path / "brain.db")
    monkeypatch.setattr(migrations, "MIGRATIONS", (*MIGRATIONS, "9999_bad"))
    monkeypatch.setattr(migrations, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    scripts = {"9999_bad": "create table extra (x);\ncreate table node (x);\n"}
    original = migrations.migration_text
    monkeypatch.setattr(migrations, "migration_text", lambda name: scripts.get(name) or original(name))
    with pytest.raises(StoreError):
        Wiki.open(path)
    monkeypatch.undo()
    with Wiki.open(path) as wiki:
        assert len(wiki.read(NS, "kite").facts) == 1
    connection = sqlite3.connect(path)
    assert connection.execute("select count(*) from sqlite_schema where name = 'extra'").fetchone()[0] == 0
    connection.close()


def test_an_older_file_is_upgraded_once_and_refused_for_reading_until_then(tmp_path, monkeypatch):
    path = made(tmp_path / "brain.db")
    monkeypatch.setattr(migrations, "MIGRATIONS", (*MIGRATIONS, "9999_more"))
    monkeypatch.setattr(migrations, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    original = migrations.migration_text
    monkeypatch.setattr(
        migrations, "migration_text", lambda name: "create table extra (x);" if "9999" in name else original(name)
    )
    with pytest.raises(NotADatabase, match="open it once for writing"):
        Wiki.open(path, read_only=True)
    with Wiki.open(path) as wiki:
        assert len(wiki.read(NS, "kite").facts) == 1
    with Wiki.open(path, read_only=True) as wiki:
        assert len(wiki.read(NS, "kite").facts) == 1


# -- paths --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("read_only", [False, True])
def test_a_folder_is_refused(tmp_path, read_only):
    with pytest.raises(CannotOpen, match="folder"):
        Wiki.open(tmp_path, read_only=read_only)


@pytest.mark.parametrize("read_only", [False, True])
def test_a_missing_folder_is_named(tmp_path, read_only):
    with pytest.raises(CannotOpen, match="does not exist"):
        Wiki.open(tmp_path / "nowhere" / "brain.db", read_only=read_only)
    assert list(tmp_path.iterdir()) == []


def test_a_path_below_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(CannotOpen):
        Wiki.open(tmp_path / "file" / "brain.db")


def test_a_missing_file_is_not_made_by_opening_it_for_reading(tmp_path):
    with pytest.raises(CannotOpen, match="does not exist"):
        Wiki.open(tmp_path / "brain.db", read_only=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["", "a\0b.db", "\ud800.db", "x" * 5_000 + ".db"])
@pytest.mark.parametrize("read_only", [False, True])
def test_a_path_that_no_file_can_have_is_refused(path, read_only, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CannotOpen):
        Wiki.open(path, read_only=read_only)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.cpython_only
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc here")
def test_a_folder_that_takes_no_files_is_refused():
    with pytest.raises(CannotOpen, match="cannot be written"):
        Wiki.open("/proc/x.db")


@pytest.mark.cpython_only
def test_something_that_is_no_regular_file_is_refused_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for read_only in (False, True):
        with pytest.raises(CannotOpen, match="regular file"):
            Wiki.open(tmp_path / "pipe", read_only=read_only)
    with pytest.raises(CannotOpen, match="regular file"):
        Wiki.open("/dev/null")


@pytest.mark.parametrize("path", [None, 5, b"brain.db", object(), 3.5, ["brain.db"], True])
def test_a_path_of_another_type_is_refused(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CannotOpen, match="expected a file path"):
        Wiki.open(path)
    assert list(tmp_path.iterdir()) == []


# -- reading only -------------------------------------------------------------------------------------------------


def test_every_write_to_a_wiki_opened_for_reading_is_refused_by_name(tmp_path):
    path = made(tmp_path / "brain.db")
    before = path.read_bytes()
    with Wiki.open(path, read_only=True) as wiki:
        assert wiki.get_status(NS).read_only
        writes = [
            lambda: wiki.write(NS, title="x"),
            lambda: wiki.write(NS, event={"summary": "x"}),
            lambda: wiki.ingest_document(NS, source_ref="a.txt", text="Some text."),
            lambda: wiki.upsert_graph(NS, source_ref="s", source_hash="a" * 64, nodes=[{"id": "x", "title": "x"}]),
            lambda: wiki.forget(NS, clear_all=True),
            lambda: wiki.forget(NS, clear_all=True, dry_run=True),
            lambda: wiki.sync_search_index(NS),
            lambda: wiki.transaction().__enter__(),
        ]
        for write in writes:
            with pytest.raises(ReadOnly, match="opened for reading only"):
                write()
        assert len(wiki.read(NS, "kite").facts) == 1
        assert wiki.ask(NS, "Red kite?") is not None
    assert path.read_bytes() == before


@pytest.mark.cpython_only
def test_readers_see_what_a_writer_has_committed_while_it_goes_on_writing(tmp_path):
    path = made(tmp_path / "brain.db")
    with Wiki.open(path) as writer, Wiki.open(path, read_only=True) as reader:
        with writer.transaction():
            writer.write(NS, title="Blue whale")
            assert reader.read(NS, "whale").facts == ()
        assert len(reader.read(NS, "whale").facts) == 1
        assert len(reader.read(NS, "kite").facts) == 1


@pytest.mark.cpython_only
def test_a_file_in_a_folder_without_write_permission_can_be_read(tmp_path):
    folder = tmp_path / "cd-rom"
    folder.mkdir()
    path = made(folder / "brain.db")
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        with Wiki.open(path, read_only=True) as wiki:
            assert len(wiki.read(NS, "kite").facts) == 1
        if not AS_ROOT:
            with pytest.raises(CannotOpen, match="read_only=True"):
                Wiki.open(path)
    finally:
        folder.chmod(stat.S_IRWXU)


# -- closed -------------------------------------------------------------------------------------------------------


def test_a_closed_wiki_refuses_every_call_and_can_be_closed_again(tmp_path):
    wiki = Wiki.open(tmp_path / "brain.db")
    wiki.write(NS, title="Red kite")
    wiki.close()
    wiki.close()
    calls = [
        lambda: wiki.write(NS, title="x"),
        lambda: wiki.read(NS, "x"),
        lambda: wiki.ingest_document(NS, source_ref="a.txt", text="Some text."),
        lambda: wiki.upsert_graph(NS, source_ref="s", source_hash="a" * 64),
        lambda: wiki.sync_search_index(NS),
        lambda: wiki.traverse_graph(NS, source_id="x"),
        lambda: wiki.forget(NS, clear_all=True),
        lambda: wiki.ask(NS, "x?"),
        lambda: wiki.get_memory_bundle(NS),
        lambda: wiki.get_status(NS),
        lambda: wiki.list_namespaces(),
        lambda: wiki.list_source_refs(NS),
        lambda: wiki.get_document(NS, "a.txt"),
        lambda: wiki.export_file(),
        lambda: wiki.flush(),
        lambda: wiki.transaction().__enter__(),
    ]
    for call in calls:
        with pytest.raises(ClosedError, match="closed; open it again"):
            call()


def test_an_error_inside_the_with_block_closes_the_wiki_and_comes_out(tmp_path):
    with pytest.raises(ZeroDivisionError), Wiki.open(tmp_path / "brain.db") as wiki:
        wiki.write(NS, title="Red kite")
        raise ZeroDivisionError
    assert leftovers(tmp_path / "brain.db") == []
    with Wiki.open(tmp_path / "brain.db") as wiki:
        assert len(wiki.read(NS, "kite").facts) == 1


# -- export and import --------------------------------------------------------------------------------------------


def test_an_exported_file_opens_in_sqlite_and_here(tmp_path):
    with Wiki.open(made(tmp_path / "brain.db")) as wiki:
        wiki.write(NS, title="Blue whale")
        data = wiki.export_file()
    Wiki.import_file(tmp_path / "copy.db", data)
    with Wiki.open(tmp_path / "copy.db") as copy:
        assert {node.title for node in copy.get_memory_bundle(NS).facts} == {"Red kite", "Blue whale"}
    connection = sqlite3.connect(":memory:")
    connection.deserialize(data)
    assert connection.execute("pragma integrity_check").fetchone()[0] == "ok"
    connection.close()


def test_bytes_that_are_no_lorelite_file_do_not_replace_one(tmp_path):
    path = made(tmp_path / "brain.db")
    before = path.read_bytes()
    foreign = sqlite3.connect(":memory:")
    foreign.execute("create table mine (x)")
    for data in (b"", b"garbage" * 100, before[: len(before) // 2], foreign.serialize()):
        with pytest.raises(NotADatabase):
            Wiki.import_file(path, data)
        assert path.read_bytes() == before
    foreign.close()
    assert leftovers(path) == []


@pytest.mark.parametrize("data", [None, "text", 5, ["x"]])
def test_what_is_no_bytes_cannot_be_imported(tmp_path, data):
    with pytest.raises(ValueError, match="data: expected bytes"):
        Wiki.import_file(tmp_path / "brain.db", data)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_namespace_is_refused_by_name_and_the_known_ones_are_told(wiki):
    with pytest.raises(NotFound, match=r"'nowhere'.*empty so far"):
        wiki.read("nowhere", "x")
    wiki.write("class", title="x")
    for call in (
        lambda: wiki.read("nowhere", "x"),
        lambda: wiki.traverse_graph("nowhere", source_id="x"),
        lambda: wiki.get_memory_bundle("nowhere"),
        lambda: wiki.get_status("nowhere"),
        lambda: wiki.forget("nowhere", clear_all=True),
        lambda: wiki.ask("nowhere", "x?"),
        lambda: wiki.sync_search_index("nowhere"),
        lambda: wiki.list_source_refs("nowhere"),
        lambda: wiki.get_document("nowhere", "x"),
    ):
        with pytest.raises(NotFound, match="known: 'class'"):
            call()
    assert wiki.list_namespaces() == ["class"]
