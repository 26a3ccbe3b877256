"""Tasks, and who vouches for what."""

from __future__ import annotations

import pytest

from lorelite import InvalidOption, NodeOwnershipConflict, NotFound

NS = "class"


def test_every_field_of_a_task_is_kept(wiki, clock):
    wiki.write(NS, node_id="eels", title="Eels")
    given = {
        "description": "count the eels", "priority": 7, "status": "in_progress", "body": "at dusk",
        "related_node_id": "eels", "node_type": "chore", "lifecycle": "draft", "stale_after": 9, "generated_by": "x",
        "sources": [{"resource": "y"}], "usage_window": (None, 5),
    }  # fmt: skip
    task = wiki.add_task(NS, **given)
    assert wiki.list_tasks(NS) == [task]
    assert {name: getattr(task, name) for name in given} == given | {"sources": ({"resource": "y"},)}
    assert task.id.startswith("task_") and (task.created_at, task.resolved_at) == (clock.now, None)


def test_an_update_of_a_task_changes_the_fields_that_are_named(wiki, clock):
    task = wiki.add_task(NS, description="count the eels", priority=7, body="at dusk")
    clock.tick()
    changed = wiki.update_task(NS, task_id=task.id, priority=2)
    assert (changed.priority, changed.body, changed.updated_at) == (2, "at dusk", clock.now)
    assert wiki.list_tasks(NS) == [changed]


def test_a_task_is_resolved_while_it_is_closed(wiki, clock):
    task = wiki.add_task(NS, description="count the eels")
    done_at = clock.tick()
    assert wiki.update_task(NS, task_id=task.id, status="done").resolved_at == done_at
    clock.tick()
    assert wiki.update_task(NS, task_id=task.id, body="fourteen").resolved_at == done_at
    assert wiki.update_task(NS, task_id=task.id, status="abandoned").resolved_at == done_at
    assert wiki.update_task(NS, task_id=task.id, status="pending").resolved_at is None
    assert wiki.add_task(NS, description="done before", status="done").resolved_at == clock.now


def test_tasks_come_most_urgent_first_then_oldest(wiki, clock):
    for name, priority in (("a", 0), ("b", 9), ("c", 9), ("d", 3)):
        wiki.add_task(NS, description=name, priority=priority)
        clock.tick()
    wiki.add_task(NS, description="e", priority=10, status="done")
    assert [task.description for task in wiki.list_tasks(NS)] == ["e", "b", "c", "d", "a"]
    assert [task.description for task in wiki.list_tasks(NS, limit=2)] == ["e", "b"]
    assert [task.description for task in wiki.list_tasks(NS, status="pending")] == ["b", "c", "d", "a"]
    assert [task.description for task in wiki.list_tasks(NS, status=("done", "abandoned"))] == ["e"]
    assert wiki.list_tasks(NS, status=[]) == []
    assert [task.description for task in wiki.read(NS, "").tasks] == ["b", "c", "d", "a"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("description", ""), ("description", None), ("description", "x" * 5_000), ("priority", 11), ("priority", 2.5),
        ("priority", True), ("status", "open"), ("status", None), ("body", 5), ("lifecycle", "x"), ("sources", "x"),
        ("related_node_id", 5), ("task_id", ""),
    ],
)  # fmt: skip
def test_an_odd_field_of_a_task_is_refused_by_its_name(wiki, field, value):
    with pytest.raises(InvalidOption, match=f"^{field}"):
        wiki.add_task(NS, **({"description": "x"} | {field: value}))
    assert wiki.list_namespaces() == []


def test_a_related_node_must_be_there(wiki):
    wiki.write("other", node_id="eels", title="Eels")
    with pytest.raises(NotFound, match="node 'eels'"):
        wiki.add_task(NS, description="x", related_node_id="eels")
    assert wiki.list_namespaces() == ["other"]
    task = wiki.add_task(NS, description="x")
    with pytest.raises(NotFound):
        wiki.update_task(NS, task_id=task.id, related_node_id="eels")


def test_the_id_of_a_task_is_unique_in_the_file_and_free_again_in_its_namespace(wiki):
    wiki.add_task(NS, description="x", task_id="t")
    for namespace in (NS, "other"):
        with pytest.raises(NodeOwnershipConflict, match="task id 't'"):
            wiki.add_task(namespace, description="y", task_id="t")
    wiki.forget(NS, task_id="t")
    with pytest.raises(NodeOwnershipConflict):
        wiki.add_task("other", description="y", task_id="t")
    assert wiki.add_task(NS, description="y", task_id="t") == wiki.list_tasks(NS)[0]


def test_what_is_not_there_cannot_be_updated_or_verified(wiki):
    wiki.add_task(NS, description="x", task_id="t")
    wiki.write(NS, node_id="eels", title="Eels")
    wiki.forget(NS, task_id="t")
    wiki.forget(NS, node_id="eels")
    for call in (
        lambda: wiki.update_task(NS, task_id="t", status="done"),
        lambda: wiki.verify(NS, task_id="t", by="human:anna"),
        lambda: wiki.verify(NS, node_id="eels", by="human:anna"),
        lambda: wiki.update_task("nowhere", task_id="t", status="done"),
    ):
        with pytest.raises(NotFound):
            call()


# -- who vouches ---------------------------------------------------------------------------------------------------


def test_verifications_make_a_fact_confirmed_then_reviewed(wiki, clock):
    fact = wiki.write(NS, title="Eels")
    assert fact.trust_tier == "unverified"
    clock.tick()
    fact = wiki.verify(NS, node_id=fact.id, by="process:check")
    assert (fact.trust_tier, fact.updated_at) == ("machine-confirmed", clock.now)
    fact = wiki.verify(NS, node_id=fact.id, by="human:anna")
    assert fact.trust_tier == "human-reviewed"
    assert [(given.by, given.at) for given in fact.verified] == [
        ("process:check", clock.now),
        ("human:anna", clock.now),
    ]


def test_the_last_verification_is_the_latest_of_all_in_whatever_order_they_come(wiki):
    """The better value of the case trust-append-goes-backwards."""
    fact = wiki.write(NS, title="Eels")
    wiki.verify(NS, node_id=fact.id, by="human:new", at=1_735_689_600_000)
    wiki.verify(NS, node_id=fact.id, by="process:old", at=1_577_836_800_000)
    db = wiki._wiki._engine.store.db
    assert db.value("select last_verified_at from node where id = ?", (fact.id,)) == 1_735_689_600_000


def test_the_same_verification_again_changes_nothing(wiki, clock):
    fact = wiki.write(NS, title="Eels")
    first = wiki.verify(NS, node_id=fact.id, by="human:anna", at=5)
    clock.tick()
    assert wiki.verify(NS, node_id=fact.id, by="human:anna", at=5) == first


def test_tasks_and_entities_are_verified_too(wiki):
    task = wiki.add_task(NS, description="x")
    assert wiki.verify(NS, task_id=task.id, by="human:anna").trust_tier == "human-reviewed"
    assert wiki.list_tasks(NS)[0].trust_tier == "human-reviewed"
    wiki.upsert_graph(NS, source_ref="a", source_hash="a" * 64, nodes=[{"id": "e", "title": "E", "kind": "entity"}])
    assert wiki.verify(NS, node_id="e", by="process:x").trust_tier == "machine-confirmed"


@pytest.mark.parametrize(
    "arguments",
    [
        {"by": "human:anna"},
        {"node_id": "eels", "task_id": "t", "by": "human:anna"},
        {"node_id": "eels", "by": ""},
        {"node_id": "eels", "by": None},
        {"node_id": "eels", "by": "x" * 300},
        {"node_id": "eels", "by": "x", "at": -1},
        {"node_id": "eels", "by": "x", "at": "now"},
    ],
)
def test_an_odd_verification_is_refused(wiki, arguments):
    wiki.write(NS, node_id="eels", title="Eels")
    with pytest.raises(InvalidOption):
        wiki.verify(NS, **arguments)
    assert wiki.read(NS, "Eels").facts[0].verified == ()
