"""A read leaves the file as it was, byte by byte, and counts nothing in it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from tests.properties.reads import CALLS, NS, QUERY, WHOLE_FILE, fill, unlisted

from lorelite import Wiki, WikiConfig
from lorelite.models import HashEmbedder

ALL = {**CALLS, **WHOLE_FILE}


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    path = tmp_path_factory.mktemp("reads") / "brain.db"
    with Wiki.open(path, embedder=HashEmbedder(32)) as wiki:
        fill(wiki, NS, 0, 4)
        fill(wiki, "other", 0, 2)
    return path


@pytest.fixture(params=["fts5", "memory"])
def wiki(request, filled, tmp_path):
    copied = tmp_path / "brain.db"
    copied.write_bytes(filled.read_bytes())
    config = WikiConfig(keyword_index=request.param)
    with Wiki.open(copied, embedder=HashEmbedder(32), config=config) as opened:
        if request.param == "memory":
            # The stored index is marked as out of step by the first write.
            opened.write(NS, title="Otter Weir is closed")
        yield opened


def on_disk(path: Path) -> dict[str, str]:
    """The file and what SQLite keeps beside it; the memory shared by its readers (-shm) is no content."""
    return {
        each.name: hashlib.sha256(each.read_bytes()).hexdigest()
        for each in path.parent.glob(f"{path.name}*")
        if not each.name.endswith(("-shm", ".lock"))
    }


def state(wiki: Wiki) -> tuple[object, ...]:
    store = wiki._wiki._engine.store
    last_change = store.db.value("select seq from sqlite_sequence where name = 'change'")
    return on_disk(Path(store.path)), store.db.connection.total_changes, last_change


def test_every_public_method_is_listed_as_reading_or_writing():
    assert unlisted() == set()


@pytest.mark.parametrize("name", ALL)
def test_no_read_writes(wiki, name):
    before = state(wiki)
    ALL[name](wiki)
    assert state(wiki) == before
    ALL[name](wiki)
    assert state(wiki) == before


@pytest.mark.parametrize("name", ALL)
def test_a_file_opened_for_reading_alone_answers_every_read_and_stays_as_it_is(filled, name):
    before = on_disk(filled)
    with Wiki.open(filled, embedder=HashEmbedder(32), read_only=True) as wiki:
        ALL[name](wiki)
        assert wiki._wiki._engine.store.db.connection.total_changes == 0
    assert on_disk(filled)[filled.name] == before[filled.name]


def test_reads_that_are_not_counted_leave_no_trace_when_the_file_is_closed(filled, tmp_path):
    copied = tmp_path / "brain.db"
    copied.write_bytes(filled.read_bytes())
    with Wiki.open(copied, embedder=HashEmbedder(32), config=WikiConfig(track_access=False)) as wiki:
        for call in ALL.values():
            call(wiki)
    assert copied.read_bytes() == filled.read_bytes()


def test_counted_reads_are_stored_when_the_file_is_closed_and_not_before(filled, tmp_path):
    copied = tmp_path / "brain.db"
    copied.write_bytes(filled.read_bytes())
    with Wiki.open(copied) as wiki:
        before = state(wiki)
        best = wiki.read(NS, QUERY).facts[0]
        assert state(wiki) == before
    with Wiki.open(copied, read_only=True) as wiki:
        [node] = [fact for fact in wiki.read(NS, QUERY).facts if fact.id == best.id]
        assert node.access_count == best.access_count + 1
