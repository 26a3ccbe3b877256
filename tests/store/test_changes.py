"""The log of changes: what is written to it, and what is not."""

from __future__ import annotations

import json
import sqlite3

import pytest

from lorelite import NoHistory, Wiki, WikiConfig
from lorelite.store.logged import LOGGED

NS = "class"
HASH = "a" * 64


def logged(wiki: Wiki, columns: str = "table_name, operation, cause") -> list[tuple[object, ...]]:
    db = wiki._wiki._engine.store.db
    return [tuple(row) for row in db.rows(f"select {columns} from change order by sequence")]


def test_an_insert_has_no_image_and_an_update_the_row_as_it_was(wiki):
    wiki.write(NS, title="Gauge", body="1.2 m", node_id="gauge")
    wiki.write(NS, title="Gauge", body="1.4 m", node_id="gauge")
    first, second = logged(wiki, "operation, record_id, before")
    assert first == ("insert", "gauge", None)
    assert second[:2] == ("update", "gauge")
    assert json.loads(str(second[2]))["body"] == "1.2 m"


def test_an_update_that_leaves_a_long_text_alone_does_not_copy_it(wiki):
    wiki.write(NS, title="Gauge", body="x" * 10_000, node_id="gauge")
    wiki.forget(NS, node_id="gauge")
    image = json.loads(str(logged(wiki, "before")[-1][0]))
    assert "body" not in image and image["deleted_at"] is None


def test_writing_the_same_again_is_no_change(wiki):
    wiki.write(NS, title="Gauge", body="1.2 m", node_id="gauge")
    wiki.write(NS, title="Gauge", body="1.2 m", node_id="gauge")
    assert logged(wiki, "operation") == [("insert",)]


def test_reading_is_no_change(wiki):
    wiki.write(NS, title="Gauge", body="1.2 m")
    for _ in range(3):
        wiki.read(NS, "gauge")
    wiki.write(NS, title="Lock")
    assert logged(wiki, "operation") == [("insert",), ("insert",)]


def test_a_number_comes_back_to_the_last_bit(wiki):
    for source, weight in ((HASH, 0.1 + 0.2), ("b" * 64, 5e-324)):
        wiki.upsert_graph(
            NS,
            source_ref="g",
            source_hash=source,
            nodes=[{"id": "a", "title": "A"}],
            edges=[{"type": "self", "source_id": "a", "target_id": "a", "weight": weight}],
        )
    images = [json.loads(str(row[0])) for row in logged(wiki, "before") if row[0]]
    assert [image["weight"] for image in images if "weight" in image] == [0.1 + 0.2]
    wiki.undo(NS)
    assert wiki.traverse_graph(NS, source_id="a").edges[0].weight == 0.1 + 0.2


def test_the_changes_of_one_transaction_are_one_revision(wiki):
    wiki.write(NS, title="before")
    with wiki.transaction():
        wiki.write(NS, title="one")
        wiki.write(NS, title="two")
    wiki.write(NS, title="after")
    assert logged(wiki, "sequence, revision") == [(1, 1), (2, 2), (3, 2), (4, 4)]


def test_what_was_rolled_back_leaves_no_trace(wiki):
    with pytest.raises(ZeroDivisionError), wiki.transaction():
        wiki.write(NS, title="one")
        raise ZeroDivisionError
    wiki.write(NS, title="two")
    assert logged(wiki, "sequence, revision") == [(1, 1)]


def test_the_outermost_name_of_a_cause_is_logged(wiki):
    store = wiki._wiki._engine.store
    wiki.write(NS, title="Gauge", node_id="gauge")
    with store.atomic("heal"), store.atomic("forget"):
        store.nodes.delete(NS, ["gauge"])
    with wiki.transaction():
        wiki.write(NS, title="Gauge", node_id="gauge")
        wiki.forget(NS, node_id="gauge")
    assert [row[2] for row in logged(wiki)] == ["write", "heal", "write", "forget"]


def test_each_call_names_its_cause(wiki):
    wiki.ingest_document(NS, source_ref="lock.txt", text="Ada Marsh keeps Heron Lock.")
    wiki.upsert_graph(NS, source_ref="g", source_hash=HASH, nodes=[{"id": "a", "title": "A"}], edges=[])
    wiki.write(NS, title="old", node_id="old")
    wiki.supersede(NS, node_id="old", by={"title": "new", "body": "b"})
    wiki.add_task(NS, description="mend the sluice")
    wiki.forget(NS, source_ref="lock.txt")
    causes = list(dict.fromkeys(row[2] for row in logged(wiki)))
    assert causes == ["ingest", "upsert", "write", "supersede", "task", "forget"]


def test_what_hangs_on_a_document_is_logged_in_its_namespace_when_it_goes(wiki):
    wiki.ingest_document(NS, source_ref="lock.txt", text="Ada Marsh keeps Heron Lock. Ada Marsh is old.")
    wiki.forget(NS, source_ref="lock.txt")
    rows = logged(wiki, "table_name, operation, namespace")
    assert {namespace for *_, namespace in rows} == {NS}
    gone = {table for table, operation, _ in rows if operation == "delete"}
    assert {"document", "chunk", "citation", "support", "alias", "edge"} <= gone


def test_a_row_that_gets_another_key_is_logged_as_gone_and_new(wiki):
    wiki.ingest_document(NS, source_ref="lock.txt", text="Ada Marsh keeps Heron Lock.")
    store = wiki._wiki._engine.store
    with store.atomic("merge"):
        store.db.run("update citation set owner_id = 'other' where owner_id = (select min(owner_id) from citation)")
    rows = [row[1] for row in logged(wiki) if row[2] == "merge"]
    assert sorted(set(rows)) == ["delete", "insert"]


def test_the_triggers_are_no_part_of_the_file(disk_wiki, tmp_path):
    disk_wiki.write(NS, title="Gauge")
    disk_wiki.close()
    connection = sqlite3.connect(tmp_path / "brain.db")
    assert connection.execute("select count(*) from sqlite_schema where type = 'trigger'").fetchone() == (0,)
    connection.close()


def test_every_table_that_is_logged_is_there_with_its_key(wiki):
    db = wiki._wiki._engine.store.db
    for table in LOGGED:
        columns = {row["name"] for row in db.rows("select name from pragma_table_info(?)", (table.name,))}
        assert {*table.key, *table.unwatched, *table.file_bound} <= columns, table.name


def test_a_clock_that_is_set_back_does_not_put_later_changes_before_earlier_ones(wiki, clock):
    wiki.write(NS, title="first")
    clock.tick(-60_000)
    wiki.write(NS, title="second")
    (first,), (second,) = logged(wiki, "created_at")
    assert second == first


def test_without_a_log_nothing_is_logged_and_what_needs_it_says_so(open_wiki):
    wiki = open_wiki(config=WikiConfig(record_changes=False))
    wiki.write(NS, title="Gauge")
    assert logged(wiki) == []
    for call in (
        lambda: wiki.diff(NS, 1),
        lambda: wiki.restore(NS, 1),
        lambda: wiki.undo(NS),
        lambda: wiki.get_outbox_events(),
        lambda: wiki.mark_outbox_events_processed(1),
    ):
        with pytest.raises(NoHistory, match="record_changes"):
            call()


def test_history_does_not_reach_across_writes_that_went_past_the_log(open_wiki, tmp_path, clock):
    path = tmp_path / "brain.db"
    begun = clock.now
    with open_wiki(path) as wiki:
        wiki.write(NS, title="one")
    clock.tick()
    with open_wiki(path, config=WikiConfig(record_changes=False)) as wiki:
        wiki.write(NS, title="unseen")
    clock.tick()
    with open_wiki(path) as wiki:
        begins = clock.tick()
        wiki.write(NS, title="two")
        clock.tick()
        wiki.write(NS, title="three")
        with pytest.raises(NoHistory) as caught:
            wiki.restore(NS, begun)
        assert caught.value.data["earliest"] == begins
        wiki.restore(NS, begins)
        assert {node.title for node in wiki.read(NS, "").facts} == {"one", "unseen", "two"}


def test_pruning_takes_whole_old_revisions_that_every_consumer_has_read(wiki, clock):
    changes = wiki._wiki._engine.store.changes
    for number in range(3):
        with wiki.transaction():
            wiki.write(NS, title=f"{number} a")
            wiki.write(NS, title=f"{number} b")
        clock.tick()
    wiki.mark_outbox_events_processed(3, consumer="mirror")
    assert changes.prune(clock.now) == 2
    assert [event.sequence for event in wiki.get_outbox_events(consumer="mirror")] == [4, 5, 6]
    wiki.mark_outbox_events_processed(6, consumer="mirror")
    assert changes.prune(clock.now - 1_500) == 2
    assert logged(wiki, "sequence") == [(5,), (6,)]
    with pytest.raises(NoHistory, match="begins"):
        wiki.restore(NS, clock.now - 3_000)
    assert changes.prune(clock.now) == 2
    wiki.write(NS, title="later")
    assert logged(wiki, "sequence") == [(7,)]


def test_a_read_only_wiki_tells_of_its_past(open_wiki, tmp_path, clock):
    path = tmp_path / "brain.db"
    with open_wiki(path) as wiki:
        wiki.write(NS, title="Gauge", body="1.2 m", node_id="gauge")
        begun = clock.now
        clock.tick()
        wiki.write(NS, title="Gauge", body="1.4 m", node_id="gauge")
    with open_wiki(path, read_only=True) as wiki:
        assert [node.body for node in wiki.read(NS, "gauge", as_of=begun).facts] == ["1.2 m"]
        assert len(wiki.get_outbox_events()) == 2
        assert wiki.restore(NS, begun, dry_run=True).written.nodes == 1
        assert wiki.diff(NS, begun).nodes.changed[0].before.body == "1.2 m"
