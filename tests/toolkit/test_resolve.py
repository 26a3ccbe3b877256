"""Entities that are one thing, made one."""

from __future__ import annotations

import pytest

from lorelite import ModelError, UnsupportedStoreError
from lorelite._drive import drive
from lorelite.models import ScriptedModel
from lorelite.toolkit import InMemoryEntityStore, KitEntity, KitRelation, resolve_entities


def company() -> InMemoryEntityStore:
    store = InMemoryEntityStore()
    for id, name in (
        ("openai", "OpenAI"),
        ("open-ai", "Open-AI"),
        ("open-ai-2", "open ai"),
        ("ada", "Ada"),
        ("dots", "…"),
        ("dash", "—"),
    ):
        drive(store.add_entity(KitEntity(id=id, name=name)))
    drive(store.add_relation(KitRelation(source_id="ada", target_id="openai", type="works_for")))
    drive(store.add_relation(KitRelation(source_id="open-ai", target_id="open-ai-2", type="same_as")))
    return store


def ids(store: InMemoryEntityStore) -> list[str]:
    return [entity.id for entity in drive(store.all_entities())]


def test_h4_spellings_of_one_name_become_the_lowest_id():
    store = company()
    assert drive(resolve_entities(store)) == 2
    assert ids(store) == ["ada", "dash", "dots", "open-ai"]
    relations = [(each.source_id, each.type, each.target_id) for each in drive(store.all_relations())]
    assert relations == [("ada", "works_for", "open-ai")]
    assert drive(resolve_entities(store)) == 0


def test_h4_short_names_can_be_left_alone():
    assert drive(resolve_entities(company(), min_name_length=7)) == 0


@pytest.mark.parametrize(
    ("reply", "merged"),
    [
        ("yes", 2),
        ("Yes, they are.", 2),
        ('{"same": true}', 2),
        ('{"groups": [["openai", "open-ai"]]}', 1),
        ("no", 0),
        ('{"same": false}', 0),
        ('{"same": false, "groups": []}', 0),
        ("Perhaps", 0),
        ("", 0),
        ('{"groups": [["ada", "openai"]]}', 0),
        (ModelError("down"), 0),
    ],
)
def test_h4_a_judge_decides_and_what_is_no_clear_yes_is_a_no(reply, merged):
    store = company()
    judge = ScriptedModel({"toolkit_judge": [reply]})
    assert drive(resolve_entities(store, judge=judge)) == merged
    assert len(judge.requests) == 1 and drive(store.size()) == 6 - merged


def test_h4_a_store_must_be_able_to_list_and_to_merge():
    with pytest.raises(UnsupportedStoreError, match="all_entities"):
        drive(resolve_entities(object()))  # type: ignore[arg-type]
