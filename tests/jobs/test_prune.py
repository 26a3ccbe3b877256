"""Prune: what is old enough goes for good, with all that refers to it, and nothing else does."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import HASH_A, NS, SetClock

from lorelite import InvalidOption, PrunePartialFailure, PruneReport, TransactionError, Wiki, WikiConfig
from lorelite.jobs.prune import Cutoffs, cutoffs, plan
from lorelite.models.scripted import ScriptedModel
from lorelite.store.store import Store

OpenWiki = Callable[..., Wiki]
DAY = 86_400_000
SECRET = "xylophone"


def tables_with(wiki: Wiki, id: str) -> set[str]:
    """The tables that hold *id* anywhere but in the log."""
    db = wiki._wiki._engine.store.db
    names = [row["name"] for row in db.rows("select name from sqlite_schema where type = 'table'")]
    ours = [name for name in names if not name.startswith(("keyword_", "sqlite_")) and name not in ("change", "job")]
    return {name for name in ours if any(id in map(str, tuple(row)) for row in db.rows(f'select * from "{name}"'))}


def ids(wiki: Wiki, table: str) -> set[str]:
    return {row["id"] for row in wiki._wiki._engine.store.db.rows(f"select id from {table}")}


def test_prune_in_twenty_lines(open_wiki: OpenWiki, clock: SetClock) -> None:
    wiki = open_wiki()
    nodes = [{"id": "gone", "title": "Gone"}, {"id": "live", "title": "Live"}]
    edges = [{"type": "next", "source_id": "gone", "target_id": "live"}]
    wiki.upsert_graph(NS, source_ref="g", source_hash=HASH_A, nodes=nodes, edges=edges)
    wiki.add_task(NS, description="to be forgotten", task_id="t")
    wiki.write(NS, event={"summary": "long ago"})
    wiki.forget(NS, node_id="gone", task_id="t")
    clock.tick(7 * DAY - 1)
    assert wiki.run_prune(NS) == PruneReport()
    clock.tick(1)
    rehearsal = wiki.run_prune(NS, dry_run=True)
    assert rehearsal == PruneReport(nodes=1, edges=1, tasks=1, dry_run=True)
    assert "gone" in ids(wiki, "node")
    assert wiki.run_prune(NS) == PruneReport(nodes=1, edges=1, tasks=1)
    assert (ids(wiki, "node"), ids(wiki, "edge"), ids(wiki, "task")) == ({"live"}, set(), set())
    clock.tick(23 * DAY)
    report = wiki.run_prune(NS)
    assert (report.events, report.nodes) == (1, 0)
    assert report.changes > 0, "the log of the first day goes as well"


def test_nothing_refers_to_what_was_removed(open_wiki: OpenWiki, clock: SetClock) -> None:
    reply = {
        "facts": [{"title": "Ada sings", "body": "Ada sings.", "quote": "Ada sings.", "about": ["Ada"]}],
        "entities": [{"name": "Ada", "aliases": ["Countess"], "description": "a singer"}],
    }
    wiki = open_wiki(
        model=ScriptedModel({"extract": json.dumps(reply)}), embedder=lambda texts: [[1.0, 2.0] for _ in texts]
    )
    wiki.ingest_document(NS, source_ref="a", text="Ada sings.")
    [ada] = [node for node in wiki.get_memory_bundle(NS).facts if node.title == "Ada"]
    wiki.write(NS, title="Old", body="old", node_id="old")
    wiki.supersede(NS, node_id="old", by={"title": "New", "body": "new", "node_id": "new"})
    wiki.write(NS, event={"summary": "seen", "related_node_id": "new"})
    wiki.write(NS, event={"summary": "heard", "related_node_id": ada.id})
    wiki.add_task(NS, description="ask", related_node_id="new")
    assert tables_with(wiki, ada.id) > {"node", "alias", "support", "citation", "vector"}
    wiki.forget(NS, node_id=ada.id)
    wiki.forget(NS, node_id="new")
    assert wiki.run_prune(NS, retain_deleted_for=0).nodes == 2
    assert tables_with(wiki, ada.id) == tables_with(wiki, "new") == set()
    assert wiki._wiki._engine.store.db.rows("pragma foreign_key_check") == []
    assert [event.related_node_id for event in wiki.get_memory_bundle(NS).events] == [None, None]


def test_what_came_back_meanwhile_stays(open_wiki: OpenWiki, clock: SetClock) -> None:
    wiki = open_wiki()
    wiki.write(NS, title="Heron", node_id="heron")
    wiki.forget(NS, node_id="heron")
    clock.tick(8 * DAY)
    wiki.write(NS, title="Heron", node_id="heron")
    assert wiki.run_prune(NS).nodes == 0
    assert [node.id for node in wiki.read(NS, "heron").facts] == ["heron"]


def test_other_namespaces_are_left_alone(open_wiki: OpenWiki) -> None:
    wiki = open_wiki()
    for namespace in (NS, "other"):
        wiki.write(namespace, title="Heron", node_id=f"heron of {namespace}")
        wiki.write(namespace, event={"summary": "it flew"})
        wiki.forget(namespace, node_id=f"heron of {namespace}")
    report = wiki.run_prune(NS, retain_deleted_for=0, retain_events_for=0)
    assert (report.nodes, report.events) == (1, 1)
    assert ids(wiki, "node") == {"heron of other"}
    assert len(ids(wiki, "event")) == 1


def test_events_that_the_librarian_has_not_read_stay(open_wiki: OpenWiki, clock: SetClock) -> None:
    model = ScriptedModel({"librarian": json.dumps({"facts": [], "tasks": []})})
    wiki = open_wiki(model=model)
    wiki.write(NS, event={"summary": "read"})
    wiki.run_librarian(NS)
    wiki.write(NS, event={"summary": "unread"})
    clock.tick(31 * DAY)
    report = wiki.run_prune(NS)
    assert (report.events, report.unread_events) == (1, 1)
    assert [event.summary for event in wiki.get_memory_bundle(NS).events] == ["unread"]
    wiki.run_librarian(NS)
    assert wiki.run_prune(NS).events == 1


def test_what_a_reader_of_the_outbox_has_not_read_stays_in_the_log(open_wiki: OpenWiki, clock: SetClock) -> None:
    wiki = open_wiki()
    wiki.write(NS, title="Heron")
    changes = wiki._wiki._engine.store.changes
    changes.advance("mirror", 0)
    assert wiki.run_prune(NS, retain_changes_for=0).changes == 0
    changes.advance("mirror", changes.last_sequence())
    assert wiki.run_prune(NS, retain_changes_for=0).changes > 0


@pytest.mark.parametrize("keyword_index", ["fts5", "memory"])
def test_a_forgotten_text_leaves_no_trace_in_the_file(open_wiki: OpenWiki, tmp_path: Path, keyword_index: Any) -> None:
    path = tmp_path / "brain.db"
    wiki = open_wiki(path, config=WikiConfig(keyword_index=keyword_index))
    wiki.ingest_document(NS, source_ref="a", text=f"Ada plays the {SECRET}. " * 50)
    wiki.write(NS, title="Ada's instrument", body=f"Ada owns a {SECRET}.", node_id="fact")
    wiki.write(NS, event={"summary": f"Ada bought a {SECRET}"})
    wiki.write(NS, title="Heron", body="it stays")
    wiki.forget(NS, source_ref="a")
    wiki.forget(NS, node_id="fact")
    report = wiki.run_prune(NS, retain_deleted_for=0, retain_events_for=0, retain_changes_for=0, vacuum=True)
    assert report.nodes and report.changes
    wiki.close()
    assert SECRET.encode() not in path.read_bytes().lower()
    again = open_wiki(path)
    assert [node.title for node in again.read(NS, "heron").facts] == ["Heron"]
    assert again.read(NS, SECRET).facts == ()


def test_vacuum_gives_room_back_and_is_refused_inside_a_transaction(open_wiki: OpenWiki, tmp_path: Path) -> None:
    path = tmp_path / "brain.db"
    wiki = open_wiki(path)
    for number in range(50):
        wiki.write(NS, title=f"Fact {number}", body="words " * 500, node_id=f"f{number}")
    wiki.forget(NS, clear_all=True)
    with wiki.transaction(), pytest.raises(TransactionError, match="vacuum"):
        wiki.run_prune(NS, vacuum=True)
    report = wiki.run_prune(NS, retain_deleted_for=0, retain_changes_for=0, vacuum=True)
    assert report.freed_bytes > 200_000
    assert wiki.run_prune(NS, vacuum=True).freed_bytes == 0


# -- the vector ranker ----------------------------------------------------------------------------------------------


class Ranker:
    """An index that can be told of everything but of some nodes."""

    def __init__(self) -> None:
        self.refuses: set[str] = set()
        self.told: list[str] = []

    def rank(
        self, namespace: str, query_vector: list[float], candidate_ids: Any, limit: int
    ) -> list[tuple[str, float]]:
        return []

    def on_embedding_persisted(self, namespace: str, node_id: str, vector: Any) -> None:
        if vector is None:
            self.told.append(node_id)
            if node_id in self.refuses:
                raise OSError("secret address")


@pytest.fixture
def ranked(open_wiki: OpenWiki) -> tuple[Wiki, Ranker]:
    ranker = Ranker()
    wiki = open_wiki(vector_ranker=ranker)
    for number in range(4):
        wiki.write(NS, title=f"Fact {number}", node_id=f"g{number}")
        wiki.forget(NS, node_id=f"g{number}")
    wiki.write(NS, event={"summary": "old"})
    ranker.told.clear()
    return wiki, ranker


def test_what_the_ranker_was_told_of_is_removed_and_a_bad_node_never_keeps_the_others(
    ranked: tuple[Wiki, Ranker],
) -> None:
    wiki, ranker = ranked
    ranker.refuses = {"g1"}
    with pytest.raises(PrunePartialFailure, match="'g1'") as failure:
        wiki.run_prune(NS, retain_deleted_for=0, retain_events_for=0)
    assert {name: failure.value.data[name] for name in ("deleted", "failed", "remaining")} == {
        "deleted": 1,
        "failed": "g1",
        "remaining": 2,
    }
    assert "secret" not in str(failure.value)
    assert failure.value.data["report"].events == 1, "the rest of the pass was done"
    assert ids(wiki, "node") == {"g1", "g2", "g3"}
    with pytest.raises(PrunePartialFailure) as again:
        wiki.run_prune(NS, retain_deleted_for=0)
    assert (again.value.data["deleted"], again.value.data["remaining"]) == (2, 0)
    assert ids(wiki, "node") == {"g1"}
    ranker.refuses = set()
    assert wiki.run_prune(NS, retain_deleted_for=0).nodes == 1
    assert ranker.told == ["g0", "g1", "g1", "g2", "g3", "g1"]


def test_a_rehearsal_tells_the_ranker_nothing(ranked: tuple[Wiki, Ranker]) -> None:
    wiki, ranker = ranked
    assert wiki.run_prune(NS, retain_deleted_for=0, dry_run=True).nodes == 4
    assert ranker.told == []


def test_a_ranker_may_be_ignored_on_purpose(open_wiki: OpenWiki) -> None:
    ranker = Ranker()
    wiki = open_wiki(vector_ranker=ranker, config=WikiConfig(force_delete_ignores_ranker=True))
    wiki.write(NS, title="Heron", node_id="heron")
    ranker.refuses = {"heron"}
    wiki.forget(NS, node_id="heron")
    assert wiki.run_prune(NS, retain_deleted_for=0).nodes == 1


# -- kills, options -------------------------------------------------------------------------------------------------


def test_a_run_that_was_killed_is_ended_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lorelite.jobs.prune.BATCH", 3)
    store = Store(":memory:", clock=SetClock())
    wiki = Wiki.open(":memory:", store=store)
    for number in range(10):
        wiki.write(NS, title=f"Fact {number}", node_id=f"g{number}")
    wiki.forget(NS, clear_all=True)

    def stop(progress: Any) -> None:
        if progress.done == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wiki.run_prune(NS, retain_deleted_for=0, on_progress=stop)
    assert len(ids(wiki, "node")) == 4, "whole batches are gone, the rest is whole"
    assert Wiki.open(":memory:", store=store).run_prune(NS, retain_deleted_for=0).nodes == 4
    assert ids(wiki, "node") == set()


def test_days_become_moments() -> None:
    config = WikiConfig(prune_deleted_after_days=7, prune_events_after_days=None, prune_changes_after_days=0.5)
    now = 100 * DAY
    assert cutoffs(config, now, None, None, None) == Cutoffs(93 * DAY, None, 99 * DAY + DAY // 2)
    assert cutoffs(config, now, 0, 1, 2.0) == Cutoffs(now, 99 * DAY, 98 * DAY)
    assert cutoffs(config, now, math.inf, math.inf, math.inf) == Cutoffs(None, None, None)
    assert cutoffs(config, now, 101, 1e300, 100) == Cutoffs(None, None, 0)


def test_a_plan_begins_with_the_node_that_failed_and_leaves_unread_events() -> None:
    found = plan([(1, "a"), (5, "b"), (9, "c")], ["t"], [3, 4, 5], read_up_to=4, failed_last_time=5)
    assert [id for _, id in found.nodes] == ["b", "c", "a"]
    assert (found.events, found.unread_events) == ((3, 4), 1)
    assert plan([], [], [3], read_up_to=None, failed_last_time=0).events == (3,)


@pytest.mark.parametrize("days", [-1, math.nan, "7", True, -math.inf])
@pytest.mark.parametrize("field", ["retain_deleted_for", "retain_events_for", "retain_changes_for"])
def test_odd_retentions_are_refused_by_name(wiki: Wiki, field: str, days: Any) -> None:
    wiki.write(NS, title="Heron")
    with pytest.raises(InvalidOption, match=field):
        wiki.run_prune(NS, **{field: days})


def test_a_retention_beyond_all_numbers_keeps_for_ever(wiki: Wiki) -> None:
    wiki.write(NS, title="Heron", node_id="heron")
    wiki.forget(NS, node_id="heron")
    assert wiki.run_prune(NS, retain_deleted_for=10**400).nodes == 0
