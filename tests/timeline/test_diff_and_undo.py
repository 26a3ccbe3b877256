"""What changed between two moments, going back, and taking back."""

from __future__ import annotations

import pytest

from lorelite import InvalidOption, NotFound, Wiki
from lorelite.models import HashEmbedder

NS = "class"
HASH = "a" * 64


def ids(rows: object) -> list[str]:
    return [row.id for row in rows]  # type: ignore[attr-defined]


def test_a_diff_tells_what_came_what_went_and_what_changed(wiki, clock):
    wiki.write(NS, title="Kept", node_id="kept")
    wiki.write(NS, title="Bridge", body="closed", node_id="bridge")
    wiki.write(NS, title="Ferry", body="runs", node_id="ferry")
    task = wiki.add_task(NS, description="mend the bridge")
    then = clock.now
    clock.tick()
    wiki.write(NS, title="Bridge", body="open", node_id="bridge")
    wiki.write(NS, title="Toll", node_id="toll")
    wiki.forget(NS, node_id="ferry")
    wiki.update_task(NS, task_id=task.id, status="done")
    found = wiki.diff(NS, then)
    assert (ids(found.nodes.added), ids(found.nodes.removed)) == (["toll"], ["ferry"])
    assert [(change.before.body, change.after.body) for change in found.nodes.changed] == [("closed", "open")]
    assert [(change.before.status, change.after.status) for change in found.tasks.changed] == [("pending", "done")]
    assert ids(found.added) == ["toll"] and ids(found.removed) == ["ferry"] and len(found.changed) == 2
    assert not wiki.diff(NS, clock.now)


def test_a_diff_the_other_way_round_is_its_mirror(wiki, clock):
    wiki.write(NS, title="Bridge", body="closed", node_id="bridge")
    then = clock.now
    clock.tick()
    wiki.write(NS, title="Bridge", body="open", node_id="bridge")
    wiki.write(NS, title="Toll", node_id="toll")
    back = wiki.diff(NS, clock.now, then)
    assert ids(back.nodes.removed) == ["toll"]
    assert [(change.before.body, change.after.body) for change in back.nodes.changed] == [("open", "closed")]


def test_what_is_later_than_the_second_moment_does_not_count(wiki, clock):
    wiki.write(NS, title="Bridge", body="one", node_id="bridge")
    first = clock.now
    clock.tick()
    wiki.write(NS, title="Bridge", body="two", node_id="bridge")
    second = clock.now
    clock.tick()
    wiki.write(NS, title="Bridge", body="three", node_id="bridge")
    wiki.write(NS, title="Toll")
    [change] = wiki.diff(NS, first, second).nodes.changed
    assert (change.before.body, change.after.body) == ("one", "two")
    assert wiki.diff(NS, first, second).nodes.added == ()


def test_windows_that_opened_or_closed_between_count(wiki, clock):
    now = clock.now
    wiki.write(NS, title="Sale", node_id="sale", valid_from=now + 5_000, valid_to=now + 9_000)
    wiki.write(NS, title="Shop", node_id="shop")
    assert ids(wiki.diff(NS, now, now + 6_000).nodes.added) == ["sale"]
    assert ids(wiki.diff(NS, now + 6_000, now + 9_000).nodes.removed) == ["sale"]
    assert not wiki.diff(NS, now, now + 20_000)


def test_an_edge_ends_with_its_node(small_world, clock):
    then = clock.now
    clock.tick()
    small_world.forget(NS, node_id="d")
    found = small_world.diff(NS, then)
    assert ids(found.nodes.removed) == ["d"]
    assert ids(found.edges.removed) == ["cd"]


def test_undo_takes_back_one_call_or_one_transaction(wiki):
    wiki.write(NS, title="kept")
    with wiki.transaction():
        wiki.write(NS, title="one")
        wiki.write(NS, title="two")
    report = wiki.undo(NS)
    assert (report.cause, report.removed.nodes, report.written.nodes) == ("write", 2, 0)
    assert [node.title for node in wiki.read(NS, "").facts] == ["kept"]
    assert wiki.read(NS, "one").facts == ()


def test_undo_brings_back_a_forgotten_document_whole(wiki, picture):
    wiki.ingest_document(NS, source_ref="lock.txt", text="Ada Marsh keeps Heron Lock. Heron Lock is old.")
    before = picture(wiki)
    wiki.forget(NS, source_ref="lock.txt")
    report = wiki.undo(NS)
    assert report.cause == "forget" and report.written.documents == 1
    assert picture(wiki) == before
    assert wiki.ask(NS, "Who keeps Heron Lock?").sentences[0].citations[0].source_ref == "lock.txt"


def test_undo_leaves_other_namespaces_alone(wiki):
    with wiki.transaction():
        wiki.write(NS, title="here")
        wiki.write("other", title="there")
    wiki.undo(NS)
    assert wiki.read("other", "there").facts and not wiki.read(NS, "here").facts


def test_a_dry_run_counts_and_changes_nothing(wiki, clock, picture):
    wiki.write(NS, title="one")
    then = clock.now
    clock.tick()
    wiki.write(NS, title="two")
    before, sequence = picture(wiki), wiki.get_outbox_events(limit=1_000)
    assert wiki.undo(NS, dry_run=True).removed.nodes == 1
    assert wiki.restore(NS, then, dry_run=True).removed.nodes == 1
    assert picture(wiki) == before and wiki.get_outbox_events(limit=1_000) == sequence


def test_nothing_to_undo_is_said(open_wiki, tmp_path):
    wiki = open_wiki(tmp_path / "brain.db")
    wiki.write(NS, title="one")
    wiki._wiki._engine.store.changes.prune(1 << 60)
    with pytest.raises(NotFound, match="nothing that could be undone"):
        wiki.undo(NS)


def test_a_restore_is_one_revision_and_can_be_undone(wiki, clock, picture):
    wiki.ingest_document(NS, source_ref="lock.txt", text="Ada Marsh keeps Heron Lock.")
    then, before = clock.now, picture(wiki)
    clock.tick()
    wiki.ingest_document(NS, source_ref="lock.txt", text="Tom Reed keeps Heron Lock.")
    wiki.write(NS, title="Toll")
    wiki.add_task(NS, description="paint")
    last = picture(wiki)
    report = wiki.restore(NS, then)
    assert picture(wiki) == before and report.removed.tasks == 1
    assert wiki.read(NS, "Ada Marsh").facts and not wiki.read(NS, "Tom Reed").facts
    events = [event for event in wiki.get_outbox_events(limit=1_000) if event.cause == "restore"]
    assert len({event.revision for event in events}) == 1
    assert wiki.undo(NS).cause == "restore"
    assert picture(wiki) == last


def test_what_comes_back_gets_its_vectors(open_wiki):
    wiki = open_wiki(embedder=HashEmbedder(64))
    wiki.write(NS, title="Eels", body="sleep by day", node_id="eels")
    wiki.undo(NS)
    wiki.undo(NS)
    assert [node.id for node in wiki.read(NS, "eels", hybrid_weight=1).facts] == ["eels"]


@pytest.mark.parametrize("moment", [None, "yesterday", 1.5, -1])
def test_a_moment_is_milliseconds(wiki: Wiki, moment):
    wiki.write(NS, title="one")
    for call in (lambda: wiki.restore(NS, moment), lambda: wiki.diff(NS, moment)):
        with pytest.raises(InvalidOption):
            call()
