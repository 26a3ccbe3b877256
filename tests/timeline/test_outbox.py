"""The outbox: every change told at least once, in order, to each consumer; and followed elsewhere."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from lorelite import InvalidOption, NodeOwnershipConflict, OutboxEvent, Wiki

NS = "class"
HASH = "a" * 64


def test_an_event_tells_the_row_after_the_change(wiki, clock):
    wiki.write(NS, title="Gauge", body="1.2 m", tags=["tide"], node_id="gauge")
    clock.tick()
    wiki.write(NS, title="Gauge", body="1.4 m", node_id="gauge")
    first, second = wiki.get_outbox_events()
    assert (first.operation, first.payload["body"], first.payload["tags"]) == ("insert", "1.2 m", ["tide"])
    assert (second.operation, second.payload["body"]) == ("update", "1.4 m")
    assert second.payload["created_at"] == first.created_at and second.created_at == clock.now
    assert (first.table_name, first.record_id, first.namespace, first.cause) == ("node", "gauge", NS, "write")


def test_forgetting_is_told_as_a_delete_and_the_ghost_of_an_id_not_at_all(wiki, clock):
    wiki.write(NS, title="Gauge", node_id="gauge")
    wiki.forget(NS, node_id="ghost")
    wiki.forget(NS, node_id="gauge")
    [_, gone] = wiki.get_outbox_events()
    assert (gone.operation, gone.cause) == ("delete", "forget")
    assert gone.payload == {
        "id": "gauge", "namespace": NS, "deleted_at": clock.now, "updated_at": clock.now, "tombstone": True,
    }  # fmt: skip


def test_edges_events_tasks_and_documents_are_told_too(wiki):
    wiki.ingest_document(NS, source_ref="lock.txt", text="Ada Marsh keeps Heron Lock.")
    wiki.write(NS, event={"summary": "the gate jams"})
    wiki.add_task(NS, description="oil the gate")
    tables = {event.table_name for event in wiki.get_outbox_events()}
    assert {"document", "chunk", "node", "edge", "citation", "support", "alias", "event", "task"} <= tables


def test_what_is_not_marked_is_told_again_and_every_consumer_has_its_own_place(wiki):
    for number in range(5):
        wiki.write(NS, title=f"Fact {number}")
    first = wiki.get_outbox_events(limit=2, consumer="mirror")
    assert first == wiki.get_outbox_events(limit=2, consumer="mirror")
    wiki.mark_outbox_events_processed(first, consumer="mirror")
    assert [event.sequence for event in wiki.get_outbox_events(consumer="mirror")] == [3, 4, 5]
    assert len(wiki.get_outbox_events(consumer="new")) == 5
    wiki.mark_outbox_events_processed(1, consumer="mirror")
    assert [event.sequence for event in wiki.get_outbox_events(consumer="mirror")] == [3, 4, 5]


def test_marking_beyond_the_end_does_not_skip_what_is_to_come(wiki):
    wiki.write(NS, title="one")
    wiki.mark_outbox_events_processed(1_000)
    wiki.write(NS, title="two")
    assert [event.payload["title"] for event in wiki.get_outbox_events()] == ["two"]


def test_asking_changes_nothing_in_the_file(disk_wiki, tmp_path):
    disk_wiki.write(NS, title="one")
    database = disk_wiki._wiki._engine.store.db
    before = database.value("select total_changes()")
    assert disk_wiki.get_outbox_events(consumer="mirror")
    assert database.value("select total_changes()") == before


def test_one_namespace_can_be_asked_for(wiki):
    wiki.write(NS, title="here")
    wiki.write("other", title="there")
    assert [event.payload["title"] for event in wiki.get_outbox_events(namespace="other")] == ["there"]


@pytest.mark.parametrize("limit", [-1, 2.7, None, True, "all"])
def test_a_limit_is_a_whole_number(wiki, limit):
    with pytest.raises(InvalidOption):
        wiki.get_outbox_events(limit=limit)


def followed(wiki: Wiki, twin: Wiki, name: str = "mirror") -> None:
    # As they would travel.
    events = json.loads(json.dumps([asdict(event) for event in wiki.get_outbox_events(namespace=NS, limit=10_000)]))
    twin.apply_outbox_events(name, events)


def test_another_wiki_that_follows_holds_the_same_and_finds_the_same(wiki, open_wiki, picture):
    wiki.ingest_document(NS, source_ref="lock.txt", text="Ada Marsh keeps Heron Lock. Heron Lock is old.")
    wiki.write(NS, title="Toll", body="two pence", tags=["money", "gate"], node_id="toll")
    wiki.forget(NS, node_id="toll")
    wiki.write(NS, title="Toll", body="three pence", node_id="toll")
    twin = open_wiki()
    followed(wiki, twin)
    assert picture(twin, "mirror") == picture(wiki)
    assert [node.id for node in twin.read("mirror", "three pence").facts] == ["toll"]
    followed(wiki, twin)
    assert picture(twin, "mirror") == picture(wiki)
    assert twin.ask("mirror", "Who keeps Heron Lock?").answered


def test_an_id_of_another_namespace_is_refused_and_nothing_written(wiki, open_wiki):
    wiki.write(NS, title="first", node_id="first")
    wiki.write(NS, title="Toll", node_id="toll")
    twin = open_wiki()
    twin.write("other", title="Mine", node_id="toll")
    with pytest.raises(NodeOwnershipConflict):
        followed(wiki, twin)
    assert twin.list_namespaces() == ["other"]


def event(**changes: object) -> OutboxEvent:
    fields = {
        "sequence": 1, "revision": 1, "namespace": NS, "table_name": "node", "record_id": "a", "operation": "delete",
        "payload": {"id": "a", "deleted_at": 1, "tombstone": False}, "cause": "write", "created_at": 1,
    }  # fmt: skip
    return OutboxEvent(**fields | changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given",
    [
        "events",
        [5],
        [{"sequence": 1}],
        [event(), event(namespace="other")],
        [event(table_name="secrets")],
        [event(payload={"id": "a"})],
        [event(operation="insert", payload={"id": "a", "title\" = 'x' --": "y"})],
        [event(payload=None)],
    ],
)
def test_events_that_no_wiki_told_are_refused(wiki, given):
    with pytest.raises(InvalidOption):
        wiki.apply_outbox_events(NS, given)
    assert wiki.list_namespaces() == []


def test_any_piece_of_the_log_can_be_told_once_more_whatever_came_later(wiki, open_wiki, picture):
    wiki.ingest_document(NS, source_ref="lock.txt", text="Ada Marsh keeps Heron Lock.")
    wiki.forget(NS, source_ref="lock.txt")
    wiki.write(NS, title="Gauge", node_id="gauge")
    events = wiki.get_outbox_events(limit=1000)
    other = open_wiki()
    other.apply_outbox_events(NS, events)
    expected = picture(other)
    for event in events:
        other.apply_outbox_events(NS, [event])
    assert picture(other) == expected
