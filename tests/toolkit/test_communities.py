"""Communities of a store, and reports on them."""

from __future__ import annotations

import pytest

from lorelite import ClusteringAlgorithmError, ModelError, UnsupportedStoreError
from lorelite._drive import drive
from lorelite.models import ScriptedModel
from lorelite.toolkit import CommunityReporter, InMemoryEntityStore, KitEntity, KitRelation, detect_communities

CLIQUES = ("abcd", "efg")


def town() -> InMemoryEntityStore:
    """Two groups in which everybody knows everybody, one bridge, and one who knows nobody."""
    store = InMemoryEntityStore()
    for name in reversed("abcdefgz"):
        drive(store.add_entity(KitEntity(id=name, name=name.upper(), type="person")))
    for clique in CLIQUES:
        for at, source in enumerate(clique):
            for target in clique[at + 1 :]:
                drive(store.add_relation(KitRelation(source_id=source, target_id=target, type="knows")))
    drive(store.add_relation(KitRelation(source_id="d", target_id="e", type="knows", weight=0.5)))
    return store


@pytest.mark.parametrize("algorithm", ["local-moving", "louvain", "leiden"])
def test_communities_are_found_largest_first(algorithm):
    found = drive(detect_communities(town(), algorithm=algorithm))
    assert [(each.id, each.entity_ids) for each in found] == [
        ("c0", tuple("abcd")),
        ("c1", tuple("efg")),
        ("c2", ("z",)),
    ]
    assert [each.size for each in drive(detect_communities(town(), algorithm=algorithm, min_size=2))] == [4, 3]


def test_an_unknown_algorithm_and_a_store_that_cannot_list_are_told():
    with pytest.raises(ClusteringAlgorithmError, match="local-moving"):
        drive(detect_communities(town(), algorithm="best"))  # type: ignore[arg-type]
    with pytest.raises(UnsupportedStoreError, match="all_relations"):
        drive(detect_communities(object()))  # type: ignore[arg-type]


def test_reports_give_titles_and_summaries_and_a_failure_leaves_the_others():
    store = town()
    communities = drive(detect_communities(store))
    model = ScriptedModel(
        {"toolkit_report": ['{"title": "Four friends", "summary": "They know each other."}', ModelError("down")]}
    )
    first, second, alone = drive(CommunityReporter(model).report(store, communities))
    assert (first.title, first.summary) == ("Four friends", "They know each other.")
    assert (second.title, second.summary, second.error) == ("E, F, G", "", "down")
    assert alone == communities[2] and len(model.requests) == 2
    assert "A (person)" in model.requests[0].user and "A -[knows]-> B" in model.requests[0].user
    assert "E (person)" not in model.requests[0].user and "D -[knows]-> E" not in model.requests[0].user


@pytest.mark.parametrize(
    ("reply", "title", "summary"),
    [
        ("# The village\nThey meet.\nOften.", "The village", "They meet.\nOften."),
        ("<think>hm</think>\nThe village", "The village", ""),
        ('```json\n{"title": "T"}\n```', "T", ""),
        ("", "A, B, C", ""),
    ],
)
def test_a_report_in_prose_is_understood(reply, title, summary):
    store = town()
    [community] = drive(detect_communities(store))[:1]
    [told] = drive(CommunityReporter(ScriptedModel({"toolkit_report": reply})).report(store, [community]))
    assert (told.title, told.summary) == (title, summary)


def test_the_model_is_shown_those_with_most_relations():
    store = town()
    [community] = drive(detect_communities(store))[:1]
    drive(store.add_relation(KitRelation(source_id="c", target_id="d", type="helps")))
    model = ScriptedModel({"toolkit_report": "T"})
    drive(CommunityReporter(model, max_entities=2, max_relations=1).report(store, [community]))
    shown = model.requests[0].user
    assert "C (person)\nD (person)\n=" in shown and shown.count("-[") == 1
