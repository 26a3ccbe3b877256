"""How often nodes are read: counted beside the reads, stored with the next write."""

from __future__ import annotations

import pytest

from lorelite import StorageFull, Wiki, WikiConfig

NS = "class"


def counts(wiki: Wiki) -> dict[str, tuple[int, int | None]]:
    rows = wiki._wiki._engine.store.db.rows("select id, access_count, last_accessed_at from node")
    return {row["id"]: (row["access_count"], row["last_accessed_at"]) for row in rows}


@pytest.fixture
def read_twice(wiki, clock) -> Wiki:
    wiki.write(NS, title="heron", node_id="a")
    wiki.write(NS, title="heron again", node_id="b")
    wiki.read(NS, "heron")
    clock.tick()
    wiki.read(NS, "heron", max_results=1)
    return wiki


def test_a_read_writes_nothing_and_the_next_write_takes_the_counts_along(read_twice, clock):
    changes = read_twice._wiki._engine.store.db.connection.total_changes
    assert counts(read_twice) == {"a": (0, None), "b": (0, None)}
    assert read_twice._wiki._engine.store.db.connection.total_changes == changes
    read_twice.write("other", title="otter")
    assert {id: count for id, (count, _) in counts(read_twice).items() if id in "ab"} == {"a": 2, "b": 1}
    assert counts(read_twice)["a"][1] == clock.now
    read_twice.write("other", title="otters")
    assert counts(read_twice)["a"][0] == 2


def test_flush_and_close_store_them(tmp_path, open_wiki):
    wiki = open_wiki(tmp_path / "brain.db")
    wiki.write(NS, title="heron", node_id="a")
    wiki.read(NS, "heron")
    wiki.flush()
    assert counts(wiki)["a"][0] == 1
    wiki.read(NS, "heron")
    wiki.close()
    assert counts(open_wiki(tmp_path / "brain.db"))["a"][0] == 2


def test_a_transaction_that_is_undone_keeps_them_for_the_next(read_twice):
    with pytest.raises(ZeroDivisionError), read_twice.transaction():
        read_twice.write("other", title="otter")
        _ = 1 / 0
    assert counts(read_twice)["a"][0] == 0
    read_twice.flush()
    assert counts(read_twice)["a"][0] == 2


def test_an_inner_transaction_that_is_undone_does_not_count_twice(read_twice):
    with read_twice.transaction(), pytest.raises(ZeroDivisionError), read_twice.transaction():
        _ = 1 / 0
    read_twice.flush()
    assert counts(read_twice)["a"][0] == 2


def test_they_are_no_change_of_the_memory(read_twice):
    engine = read_twice._wiki._engine
    before = engine.store.db.value("select count(*) from change")
    stamps = [fact.updated_at for fact in read_twice.read(NS, "").facts]
    read_twice.flush()
    assert engine.store.db.value("select count(*) from change") == before
    assert [fact.updated_at for fact in read_twice.read(NS, "").facts] == stamps


def test_they_never_change_an_order(wiki):
    wiki.write(NS, title="heron", node_id="a")
    wiki.write(NS, title="heron", node_id="b")
    first = wiki.read(NS, "heron")
    for _ in range(5):
        wiki.read(NS, "heron", max_results=1)
    wiki.flush()
    again = wiki.read(NS, "heron")
    assert [fact.id for fact in again.facts] == [fact.id for fact in first.facts] == ["a", "b"]
    assert again.fact_scores == first.fact_scores


def test_an_empty_query_counts_nothing(wiki):
    wiki.write(NS, title="heron", node_id="a")
    wiki.read(NS, " ")
    wiki.flush()
    assert counts(wiki) == {"a": (0, None)}


def test_counting_can_be_switched_off(open_wiki):
    wiki = open_wiki(config=WikiConfig(track_access=False))
    wiki.write(NS, title="heron", node_id="a")
    wiki.read(NS, "heron")
    wiki.flush()
    assert counts(wiki) == {"a": (0, None)}


def test_a_file_opened_for_reading_counts_nothing(tmp_path, open_wiki):
    wiki = open_wiki(tmp_path / "brain.db")
    wiki.write(NS, title="heron", node_id="a")
    wiki.close()
    reader = open_wiki(tmp_path / "brain.db", read_only=True)
    reader.read(NS, "heron")
    reader.flush()
    reader.close()
    assert counts(open_wiki(tmp_path / "brain.db")) == {"a": (0, None)}


def test_a_full_disk_does_not_keep_a_wiki_from_being_closed(tmp_path, monkeypatch):
    wiki = Wiki.open(tmp_path / "brain.db")
    wiki.write(NS, title="heron", node_id="a")
    wiki.read(NS, "heron")

    def full(*_):
        raise StorageFull("brain.db", "no room")

    monkeypatch.setattr(type(wiki._wiki._engine.store.db), "run_many", full)
    wiki.flush()
    wiki.close()
