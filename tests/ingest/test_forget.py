"""`forget`: what may be named together, what the log says of it, and telling the vector ranker."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.conftest import HASH_A, HASH_B, NS

from lorelite import ForgetReport, InvalidOption, RankerFailed, TransactionError, Wiki
from lorelite.models.scripted import ScriptedModel

OpenWiki = Callable[..., Wiki]


@pytest.fixture
def filled(open_wiki: OpenWiki) -> Wiki:
    wiki = open_wiki(model=ScriptedModel({"librarian": json.dumps({"facts": [], "tasks": []})}))
    wiki.write(NS, title="Eels", node_id="eels")
    wiki.add_task(NS, description="count the eels", task_id="count")
    wiki.upsert_graph(NS, source_ref="g", source_hash=HASH_A, nodes=[{"id": "a", "title": "A"}])
    return wiki


def last_change(wiki: Wiki) -> int:
    return wiki._wiki._engine.store.changes.last_sequence()


def causes(wiki: Wiki, after: int) -> set[str]:
    return {change.cause for change in wiki._wiki._engine.store.changes.after(after, NS, 1_000)}


def test_a_node_and_a_task_can_be_forgotten_at_once(filled: Wiki) -> None:
    before = last_change(filled)
    assert filled.forget(NS, node_id="eels", task_id="count") == ForgetReport(nodes=1, tasks=1)
    assert causes(filled, before) == {"forget"}


@pytest.mark.parametrize(
    "selector",
    [
        {"node_id": "eels", "source_ref": "g"},
        {"task_id": "count", "source_hash": HASH_A},
        {"clear_all": True, "node_id": "eels"},
        {"clear_all": True, "source_ref": "g"},
        {"clear_all": False},
        {},
    ],
    ids=repr,
)
def test_selectors_that_exclude_each_other_and_none_at_all_are_refused(filled: Wiki, selector: dict[str, Any]) -> None:
    before = last_change(filled)
    with pytest.raises(InvalidOption, match="exactly one of them"):
        filled.forget(NS, **selector)
    assert last_change(filled) == before


@pytest.mark.parametrize(
    "selector",
    [
        {"node_id": "nobody"},
        {"task_id": "nothing"},
        {"node_id": "nobody", "task_id": "nothing"},
        {"source_ref": "nowhere"},
        {"source_hash": HASH_B},
        {"source_ref": "g", "source_hash": HASH_B},
    ],
    ids=repr,
)
def test_what_is_not_there_is_nothing_to_forget_and_no_change(filled: Wiki, selector: dict[str, Any]) -> None:
    before = last_change(filled)
    assert filled.forget(NS, **selector) == ForgetReport()
    assert last_change(filled) == before


def test_forgetting_twice_is_one_change(filled: Wiki) -> None:
    filled.forget(NS, node_id="eels")
    before = last_change(filled)
    assert filled.forget(NS, node_id="eels") == ForgetReport()
    assert last_change(filled) == before


def test_jobs_read_what_is_told_after_clearing_and_not_again_what_undo_brings_back(filled: Wiki) -> None:
    filled.write(NS, event={"summary": "high water"})
    assert filled.run_librarian(NS).events_read == 1
    filled.forget(NS, clear_all=True)
    filled.undo(NS)
    assert filled.run_librarian(NS).events_read == 0
    filled.forget(NS, clear_all=True)
    filled.write(NS, event={"summary": "low water"})
    assert filled.run_librarian(NS).events_read == 1


# -- the vector ranker ----------------------------------------------------------------------------------------------


class Ranker:
    def __init__(self) -> None:
        self.is_down = False
        self.told: list[str] = []

    def rank(
        self, namespace: str, query_vector: list[float], candidate_ids: Any, limit: int
    ) -> list[tuple[str, float]]:
        return []

    def on_embedding_persisted(self, namespace: str, node_id: str, vector: Any) -> None:
        if self.is_down:
            raise OSError("down")
        self.told.append(node_id)


@pytest.fixture
def ranked(open_wiki: OpenWiki) -> tuple[Wiki, Ranker]:
    ranker = Ranker()
    wiki = open_wiki(vector_ranker=ranker)
    wiki.upsert_graph(NS, source_ref="g", source_hash=HASH_A, nodes=[{"id": id, "title": id} for id in "ab"])
    wiki.write(NS, title="Eels", node_id="eels")
    return wiki, ranker


@pytest.mark.parametrize(
    ("selector", "told"),
    [({"node_id": "eels"}, ["eels"]), ({"source_ref": "g"}, ["a", "b"]), ({"clear_all": True}, ["a", "b", "eels"])],
    ids=repr,
)
def test_the_ranker_is_told_of_each_node(
    ranked: tuple[Wiki, Ranker], selector: dict[str, Any], told: list[str]
) -> None:
    wiki, ranker = ranked
    wiki.forget(NS, dry_run=True, **selector)
    assert ranker.told == []
    wiki.forget(NS, **selector)
    assert ranker.told == told


def test_a_ranker_that_is_down_fails_the_call_and_is_told_by_the_next(ranked: tuple[Wiki, Ranker]) -> None:
    wiki, ranker = ranked
    ranker.is_down = True
    with pytest.raises(RankerFailed):
        wiki.forget(NS, source_ref="g")
    assert [node.id for node in wiki.get_memory_bundle(NS).facts] == ["eels"], "it is deleted here all the same"
    ranker.is_down = False
    assert wiki.forget(NS, source_ref="g") == ForgetReport()
    assert ranker.told == ["a", "b"]


def test_what_cannot_be_undone_is_refused_inside_a_transaction(ranked: tuple[Wiki, Ranker]) -> None:
    wiki, ranker = ranked
    with wiki.transaction(), pytest.raises(TransactionError, match="vector ranker"):
        wiki.forget(NS, node_id="eels")
    assert ranker.told == []
    assert "eels" in {node.id for node in wiki.get_memory_bundle(NS).facts}
