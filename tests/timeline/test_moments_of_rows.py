"""The moment that a row names is one at which it was there, however long its writing took."""

from __future__ import annotations

from itertools import count

import pytest

from lorelite import Wiki
from lorelite.store.store import Store

NS = "class"


@pytest.fixture
def wiki():
    """A wiki on a clock that goes on by one millisecond whenever somebody looks at it."""
    ticks = count(1_700_000_000_000)
    with Wiki.open(":memory:", store=Store(":memory:", clock=lambda: next(ticks))) as wiki:
        yield wiki


def test_a_fact_is_no_change_since_it_was_made_and_its_update_is(wiki):
    fact = wiki.write(NS, title="Bridge", body="closed", node_id="bridge")
    assert not wiki.diff(NS, fact.created_at)
    wiki.write(NS, title="Bridge", body="open", node_id="bridge")
    [change] = wiki.diff(NS, fact.created_at).nodes.changed
    assert (change.before.body, change.after.body) == ("closed", "open")


def test_restoring_to_the_moment_of_a_row_keeps_it(wiki):
    task = wiki.add_task(NS, description="grease the slip")
    wiki.restore(NS, task.created_at)
    assert [held.id for held in wiki.list_tasks(NS)] == [task.id]
    done = wiki.update_task(NS, task_id=task.id, status="done")
    wiki.restore(NS, done.updated_at)
    assert [held.status for held in wiki.list_tasks(NS)] == ["done"]


def test_what_was_superseded_is_so_at_the_moment_the_report_names(wiki):
    fact = wiki.write(NS, title="Anna", body="works at the harbour")
    report = wiki.supersede(NS, node_id=fact.id, by={"title": "Anna", "body": "works at the lighthouse"})
    wiki.restore(NS, report.valid_from)
    assert [held.body for held in wiki.read(NS, "Anna").facts] == ["works at the lighthouse"]
