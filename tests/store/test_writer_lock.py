"""One writer at a time, in one process or in several; readers are never in its way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lorelite import Wiki, WikiConfig, WriterLocked

NS = "class"
pytestmark = pytest.mark.cpython_only

HOLD = """
import sys
from lorelite import Wiki
wiki = Wiki.open(sys.argv[1])
wiki.write("class", title="from the other process")
print("open", flush=True)
sys.stdin.read()
wiki.close()
"""


@pytest.fixture
def other_writer(tmp_path):
    """Another process that has `brain.db` open for writing."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "brain.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "open\n"
    yield process
    process.stdin.close()
    process.wait(10)
    process.stdout.close()


def test_a_second_writer_in_this_process_is_refused_and_told_who_writes(disk_wiki, tmp_path):
    disk_wiki.write(NS, title="one")
    with pytest.raises(WriterLocked, match=f"process {os.getpid()}") as refusal:
        Wiki.open(tmp_path / "brain.db")
    assert refusal.value.data["owner"] == f"process {os.getpid()}"
    disk_wiki.write(NS, title="two")
    assert disk_wiki.get_status(NS).facts == 2


def test_the_same_file_under_another_path_is_the_same_file(disk_wiki, tmp_path, monkeypatch):
    disk_wiki.write(NS, title="one")
    (tmp_path / "link.db").symlink_to(tmp_path / "brain.db")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    for path in ("brain.db", "./brain.db", "folder/../brain.db", "link.db"):
        with pytest.raises(WriterLocked):
            Wiki.open(path)


def test_a_writer_in_another_process_is_named_and_readers_are_let_in(other_writer, tmp_path):
    path = tmp_path / "brain.db"
    with pytest.raises(WriterLocked, match=f"process {other_writer.pid}.*read_only=True"):
        Wiki.open(path)
    with Wiki.open(path, read_only=True) as reader:
        assert [node.title for node in reader.get_memory_bundle(NS).facts] == ["from the other process"]
    with pytest.raises(WriterLocked):
        Wiki.import_file(path, reader_copy(path))


def reader_copy(path: Path) -> bytes:
    with Wiki.open(path, read_only=True) as reader:
        return reader.export_file()


def test_the_lock_is_free_when_the_writer_was_killed(other_writer, tmp_path):
    path = tmp_path / "brain.db"
    other_writer.send_signal(signal.SIGKILL)
    other_writer.wait(10)
    with Wiki.open(path) as wiki:
        assert [node.title for node in wiki.get_memory_bundle(NS).facts] == ["from the other process"]
        wiki.write(NS, title="mine")
    assert [other.name for other in tmp_path.iterdir()] == ["brain.db"]


def test_the_lock_is_free_when_the_writer_has_closed(disk_wiki, tmp_path):
    disk_wiki.write(NS, title="one")
    disk_wiki.close()
    with Wiki.open(tmp_path / "brain.db") as wiki:
        assert wiki.get_status(NS).facts == 1


def test_a_refused_open_takes_no_lock_with_it(tmp_path):
    (tmp_path / "brain.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 500)
    for _ in range(2):
        with pytest.raises(Exception, match="cannot be used as a Lorelite file"):
            Wiki.open(tmp_path / "brain.db")
    assert [other.name for other in tmp_path.iterdir()] == ["brain.db"]


def test_two_wikis_in_memory_do_not_know_each_other():
    with Wiki.open(":memory:") as one, Wiki.open(":memory:") as two:
        one.write(NS, title="x")
        assert two.list_namespaces() == []


def test_another_program_that_writes_to_the_file_is_waited_for_and_then_named(disk_wiki, tmp_path):
    import sqlite3

    disk_wiki.write(NS, title="one")
    disk_wiki._wiki._engine.store.db.run("pragma busy_timeout = 10")
    other = sqlite3.connect(tmp_path / "brain.db", isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(WriterLocked, match="another program"):
        disk_wiki.write(NS, title="two")
    assert disk_wiki.get_status(NS).facts == 1
    other.execute("rollback")
    other.close()
    disk_wiki.write(NS, title="three")
    assert disk_wiki.get_status(NS).facts == 2


def test_a_reader_with_its_index_in_memory_finds_what_a_writer_adds(tmp_path):
    path = tmp_path / "wiki.db"
    in_memory = WikiConfig(keyword_index="memory")
    with Wiki.open(path) as writer:
        writer.write(NS, title="Grey heron")
        with Wiki.open(path, read_only=True, config=in_memory) as reader:
            assert [node.title for node in reader.read(NS, "heron").facts] == ["Grey heron"]
            writer.write(NS, title="Night heron")
            assert {node.title for node in reader.read(NS, "heron").facts} == {"Grey heron", "Night heron"}
