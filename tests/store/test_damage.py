"""Damaged files and full disks: a clear error, and everything that was committed before."""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from lorelite import CannotOpen, LoreliteError, NotADatabase, StorageFull, StoreError, Wiki, WikiConfig
from lorelite.models import HashEmbedder, ScriptedModel

NS = "class"
TEXT = "\n\n".join(
    f"Chapter {n}. The keeper of Heron Lock, Ada Marsh, met Tom Weir at the {n} o'clock ferry. They spoke of eels."
    for n in range(60)
)


def filled(path: Path) -> Path:
    with Wiki.open(path, embedder=HashEmbedder(64)) as wiki:
        wiki.ingest_document(NS, source_ref="lock.txt", text=TEXT)
        for number in range(30):
            wiki.write(NS, title=f"Fact {number}", body="a body of some length " * 5, tags=["tag", "other"])
    return path


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> bytes:
    return filled(tmp_path_factory.mktemp("sound") / "brain.db").read_bytes()


def walk_from(wiki: Wiki, name: str) -> None:
    anchor = wiki.read(NS, name, kinds=["entity"]).facts[0]
    wiki.traverse_graph(NS, source_id=anchor.id, max_depth=3)


def every_call(wiki: Wiki) -> None:
    """Reads and writes all over the file; errors of ours are fine, others are not."""
    calls = [
        lambda: wiki.list_namespaces(),
        lambda: wiki.get_status(NS),
        lambda: wiki.read(NS, "keeper of the eels"),
        lambda: wiki.read(NS, ""),
        lambda: wiki.get_memory_bundle(NS),
        lambda: wiki.ask(NS, "Who is the keeper of Heron Lock?"),
        lambda: wiki.get_document(NS, "lock.txt"),
        lambda: wiki.traverse_graph(
            NS, source_id=wiki.read(NS, "Ada Marsh", kinds=["entity"]).facts[0].id, max_depth=3
        ),
        lambda: wiki.write(NS, title="one more"),
        lambda: wiki.ingest_document(NS, source_ref="new.txt", text=TEXT + " More."),
        lambda: wiki.forget(NS, source_ref="lock.txt"),
        lambda: wiki.sync_search_index(NS),
    ]
    for call in calls:
        try:
            call()
        except (LoreliteError, IndexError):
            continue


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"not a database at all, but long enough to be one" * 100,
        lambda data: b"\0" * len(data),
        lambda data: data[:16],
        lambda data: data[:100],
        lambda data: data[:1],
        lambda data: data[: len(data) // 2],
        lambda data: data[:4096] + b"\xff" * (len(data) - 4096),
        lambda data: data[:16] + b"\xff" * 84 + data[100:],
    ],
    ids=["garbage", "zeros", "16 bytes", "100 bytes", "1 byte", "half", "first page only", "header overwritten"],
)
@pytest.mark.parametrize("read_only", [False, True])
def test_a_damaged_file_is_refused_or_read_with_errors_of_ours_alone(sound, damage, read_only, tmp_path):
    path = tmp_path / "brain.db"
    path.write_bytes(damage(sound))
    try:
        wiki = Wiki.open(path, read_only=read_only)
    except StoreError:
        assert path.read_bytes() == damage(sound)
        return
    every_call(wiki)
    wiki.close()


@pytest.mark.parametrize("head", [b"garbage garbage garbage", b"\x89PNG\r\n\x1a\n" * 10, b"SQLite format 2\0" * 100])
def test_a_file_that_does_not_begin_like_sqlite_is_named_as_such(head, tmp_path):
    (tmp_path / "brain.db").write_bytes(head)
    with pytest.raises(NotADatabase, match=r"does not begin like an SQLite file.*left as it is"):
        Wiki.open(tmp_path / "brain.db")
    assert (tmp_path / "brain.db").read_bytes() == head
    assert [other.name for other in tmp_path.iterdir()] == ["brain.db"]


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bytes_anywhere_never_raise_anything_but_our_errors(sound, seed, tmp_path):
    chosen = random.Random(seed)
    data = bytearray(sound)
    for _ in range(60):
        data[chosen.randrange(100, len(data))] ^= 1 << chosen.randrange(8)
    path = tmp_path / "brain.db"
    path.write_bytes(data)
    try:
        with Wiki.open(path, embedder=HashEmbedder(64)) as wiki:
            every_call(wiki)
    except StoreError:
        pass


# -- no room ------------------------------------------------------------------------------------------------------


def limit_pages(wiki: Wiki, more: int) -> None:
    db = wiki._wiki._engine.store.db
    db.value(f"pragma max_page_count = {int(db.value('pragma page_count')) + more}")


def lift_limit(wiki: Wiki) -> None:
    wiki._wiki._engine.store.db.value("pragma max_page_count = 1000000")


def contents(wiki: Wiki) -> tuple[object, ...]:
    bundle = wiki.get_memory_bundle(NS)
    return bundle.facts, bundle.edges, wiki.list_source_refs(NS), wiki.read(NS, "heron").facts


@pytest.mark.parametrize("index", ["fts5", "memory"])
@pytest.mark.parametrize("room", [0, 3, 30])
def test_a_full_disk_fails_the_call_and_keeps_everything_earlier(open_wiki, tmp_path, index, room):
    wiki = open_wiki(tmp_path / "brain.db", config=WikiConfig(keyword_index=index))
    wiki.write(NS, title="Heron", body="kept")
    before = contents(wiki)
    limit_pages(wiki, room)
    with pytest.raises(StorageFull, match="earlier data is safe"):
        wiki.ingest_document(NS, source_ref="big.txt", text=TEXT * 8)
    with pytest.raises(StorageFull):
        wiki.write(NS, title="long", body="unrepeatable " + "".join(map(chr, range(0x4E00, 0x9F00))) * 10)
    assert contents(wiki) == before
    lift_limit(wiki)
    assert wiki.ingest_document(NS, source_ref="big.txt", text=TEXT).status == "ingested"
    assert wiki.read(NS, "Marsh").facts


def test_a_disk_that_fills_up_between_chunks_keeps_the_chunks_before_and_resumes(open_wiki, tmp_path):
    reply = '{"entities": [{"name": "Ada Marsh", "type": "person"}], "facts": [], "relations": []}'
    wiki = open_wiki(tmp_path / "brain.db", model=ScriptedModel({"extract": reply}), config=WikiConfig(chunk_chars=600))

    def fill_up(progress):
        if progress.stage == "extract" and progress.done >= 8:
            limit_pages(wiki, 0)

    with pytest.raises(StorageFull):
        wiki.ingest_document(NS, source_ref="lock.txt", text=TEXT * 5, on_progress=fill_up)
        wiki.write(NS, title="long", body="".join(map(chr, range(0x4E00, 0x9F00))))
    lift_limit(wiki)
    report = wiki.ingest_document(NS, source_ref="lock.txt", text=TEXT * 5)
    assert (report.status == "ingested" and 8 <= report.resumed <= report.chunks) or report.status == "unchanged"


def test_a_transaction_that_fails_for_want_of_room_can_be_repeated(open_wiki, tmp_path):
    wiki = open_wiki(tmp_path / "brain.db")
    wiki.write(NS, title="one")
    limit_pages(wiki, 2)
    with pytest.raises(StorageFull), wiki.transaction():
        for number in range(500):
            wiki.write(NS, title=f"fact {number}", body="words " * 50)
    assert wiki.get_status(NS).facts == 1
    lift_limit(wiki)
    wiki.write(NS, title="two")
    assert wiki.get_status(NS).facts == 2


@pytest.fixture
def tiny_disk(tmp_path):
    """A folder of 1 MB, made in memory."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mount = shutil.which("mount")
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if not made or made.returncode:
        pytest.skip("a small disk needs root and mount(8)")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.cpython_only
def test_a_disk_that_is_really_full_loses_nothing(tiny_disk):
    path = tiny_disk / "brain.db"
    config = WikiConfig(track_access=False)
    with Wiki.open(path, config=config) as wiki:
        wiki.write(NS, title="Heron", body="kept")
        before = contents(wiki)
        with pytest.raises(StorageFull):
            wiki.ingest_document(NS, source_ref="big.txt", text=TEXT * 15)
        assert contents(wiki) == before
    with Wiki.open(path, config=config) as wiki:
        assert contents(wiki) == before
        assert wiki.ingest_document(NS, source_ref="small.txt", text=TEXT[:500]).status == "ingested"
    connection = sqlite3.connect(path)
    assert connection.execute("pragma integrity_check").fetchone()[0] == "ok"
    connection.close()


@pytest.mark.cpython_only
def test_a_wiki_cannot_be_made_where_there_is_no_room_and_says_so(tiny_disk):
    ballast = tiny_disk / "ballast"
    with ballast.open("wb", buffering=0) as stream:
        try:
            while True:
                stream.write(b"x" * 4096)
        except OSError:
            pass
    with pytest.raises((StorageFull, CannotOpen), match=r"room|space"):
        Wiki.open(tiny_disk / "brain.db")
    with pytest.raises(StorageFull):
        Wiki.import_file(tiny_disk / "brain.db", exported())
    ballast.unlink()
    assert [file.stat().st_size for file in tiny_disk.iterdir()] in ([], [0])
    with Wiki.open(tiny_disk / "brain.db") as wiki:
        wiki.write(NS, title="now")


@pytest.mark.parametrize("data", [b"", b"garbage"])
def test_data_that_cannot_be_imported_is_named_and_no_file_of_our_own(tmp_path, data):
    with pytest.raises(NotADatabase, match="the data to import") as refusal:
        Wiki.import_file(tmp_path / "brain.db", data)
    assert "imported.db" not in str(refusal.value) and list(tmp_path.iterdir()) == []


def exported() -> bytes:
    with Wiki.open(":memory:") as wiki:
        wiki.write(NS, title="x")
        return wiki.export_file()
