"""Communities found by their members' names and the words of their reports."""

from __future__ import annotations

from lorelite._drive import drive
from lorelite.toolkit import CommunityRetriever, EntityCommunity, KitEntity

ENTITIES = [KitEntity(id=name.lower().replace(" ", "-"), name=name) for name in ("Ada Marsh", "Lock", "Mill", "Miller")]
COMMUNITIES = [
    EntityCommunity(id="c0", entity_ids=("ada-marsh", "lock"), title="The canal", summary="Keepers of the locks."),
    EntityCommunity(
        id="c1", entity_ids=("mill", "miller"), title="Flour", summary="A mill grinds by water of the canal."
    ),
    EntityCommunity(id="c2", entity_ids=("miller", "lock", "gone")),
]


def found(query: str, **options: int) -> list[str]:
    return [result.id for result in drive(CommunityRetriever(COMMUNITIES, ENTITIES).retrieve(query, **options))]


def test_h6_a_community_is_found_by_a_member_a_title_or_a_summary():
    assert found("What did Ada Marsh do?") == ["c0"]
    assert found("flour") == ["c1"]
    assert found("keeper") == ["c0"]
    assert found("grinding") == ["c1"]


def test_h6_a_title_counts_more_than_a_summary_and_stop_words_count_nothing():
    assert found("the canal") == ["c0", "c1"]
    assert found("the of by") == [] == found("")


def test_h6_results_tell_what_matched_and_the_best_has_score_one():
    best, other = drive(CommunityRetriever(COMMUNITIES, ENTITIES).retrieve("canal lock", top_k=2))
    assert best.id == "c0" and best.score == 1.0 and best.content == "# The canal\nKeepers of the locks."
    assert best.metadata["matched_entities"] == ("Lock",) and best.metadata["matched_terms"] == ("canal", "lock")
    assert 0 < other.score < 1


def test_h6_without_a_report_the_title_is_made_of_names():
    assert drive(CommunityRetriever(COMMUNITIES[2:], ENTITIES).retrieve("Miller"))[0].content == "# Miller, Lock"
