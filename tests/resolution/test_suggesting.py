"""Which entities are suggested as one, and why."""

from __future__ import annotations

import time

import pytest
from tests.conftest import NS

from lorelite import Wiki
from lorelite.merge_records import MergeEvidence
from lorelite.models import HashEmbedder
from lorelite.resolution.evidence import by_sentences, combined, ends_sentence


def state(wiki: Wiki, *nodes: str | tuple[str, str], edges: tuple[tuple[str, str, str], ...] = ()) -> None:
    """Entities, by name or (name, type), whose ids are their names."""
    named = [(each, None) if isinstance(each, str) else each for each in nodes]
    wiki.upsert_graph(
        NS,
        source_ref="graph",
        source_hash="a" * 64,
        nodes=[{"id": name, "title": name, "type": kind, "kind": "entity"} for name, kind in named],
        edges=[{"source_id": source, "type": kind, "target_id": target} for source, kind, target in edges],
    )


def pairs(wiki: Wiki, **options: object) -> list[tuple[str, str]]:
    return [(each.into, each.other) for each in wiki.suggest_merges(NS, **options)]  # type: ignore[arg-type]


def test_names_alike_are_suggested_likeliest_first_and_always_in_one_order(wiki):
    state(wiki, "OpenAI", "Open AI", "Tide Gauge", "The Tide Gauge", "Ada Marsh", "A. Marsh", "Otter")
    found = wiki.suggest_merges(NS)
    assert [{each.into, each.other} for each in found] == [
        {"OpenAI", "Open AI"},
        {"Tide Gauge", "The Tide Gauge"},
        {"Ada Marsh", "A. Marsh"},
    ]
    assert [each.evidence[0].reason for each in found] == [
        "the same letters",
        "the same but for an article",
        "the same but for initials",
    ]
    assert wiki.suggest_merges(NS) == found
    assert wiki.suggest_merges(NS, limit=1) == found[:1]
    assert wiki.suggest_merges(NS, min_score=0.9) == found[:2]


def test_homonyms_of_different_types_stay_apart(wiki):
    state(
        wiki,
        ("Mercury", "planet"),
        ("mercury", "metal"),
        ("Mercury.", "Planet"),
        ("Otter", "unknown"),
        ("OTTER", "animal"),
    )
    assert [set(pair) for pair in pairs(wiki)] == [{"Mercury", "Mercury."}, {"Otter", "OTTER"}]
    assert pairs(wiki, types=["PLANET"]) == [("Mercury", "Mercury.")]
    assert pairs(wiki, types=["metal"]) == []


def test_a_part_of_a_name_counts_only_where_one_whole_name_fits(wiki):
    near = tuple((name, "knows", other) for name in ("Fay Reed", "Reed") for other in ("Otter", "Heron", "Crane"))
    state(wiki, "Fay Reed", "Reed", "Bob Cratchit", "Tim Cratchit", "Cratchit", "Otter", "Heron", "Crane", edges=near)
    assert [set(pair) for pair in pairs(wiki)] == [{"Fay Reed", "Reed"}]
    [found] = wiki.suggest_merges(NS)
    assert {each.kind for each in found.evidence} == {"name", "neighbours"}
    assert "Crane, Heron, Otter" in next(each.reason for each in found.evidence if each.kind == "neighbours")


def test_of_several_whole_names_the_one_with_far_more_neighbours_in_common_fits(wiki):
    others = [f"Friend {number * 7}x{'abcdefgh'[number]}" for number in range(8)]
    near = tuple((name, "knows", other) for name in ("Ebenezer Scrooge", "Scrooge") for other in others)
    state(wiki, "Ebenezer Scrooge", "Young Scrooge", "Scrooge", *others, edges=near)
    assert {"Ebenezer Scrooge", "Scrooge"} in [set(pair) for pair in pairs(wiki)]
    assert not any("Young Scrooge" in pair for pair in pairs(wiki))


def test_a_relation_between_two_speaks_against_and_one_that_says_so_for_it(wiki):
    state(
        wiki,
        "Ada Marsh",
        "A. Marsh",
        "Currer Bell",
        "Charlotte Brontë",
        edges=(("Ada Marsh", "mother_of", "A. Marsh"),),
    )
    assert pairs(wiki) == []
    [found] = wiki.suggest_merges(NS, min_score=0.1)
    assert found.evidence[-1] == MergeEvidence("apart", 0.5, "a relation joins them: mother_of")
    wiki.write(NS, title="x")
    wiki.upsert_graph(
        NS,
        source_ref="more",
        source_hash="b" * 64,
        nodes=[{"id": "bell", "title": "Ada B. Marsh", "kind": "entity"}],
        edges=[{"source_id": "bell", "type": "same_as", "target_id": "Ada Marsh"}],
    )
    assert {"Ada B. Marsh", "Ada Marsh"} in [set(pair) for pair in pairs(wiki)]


def test_an_alias_that_a_document_gives_is_evidence(wiki):
    wiki.ingest_document(
        NS, source_ref="a.md", text="---\ntitle: Currer Bell\naliases: [Charlotte Brontë]\n---\nCurrer Bell writes."
    )
    wiki.upsert_graph(
        NS,
        source_ref="graph",
        source_hash="a" * 64,
        nodes=[{"id": "cb", "title": "Charlotte-Brontë", "kind": "entity"}],
        edges=[],
    )
    [found] = wiki.suggest_merges(NS)
    assert {found.into, found.other} == {"Currer Bell", "Charlotte-Brontë"}
    assert found.evidence == (MergeEvidence("alias", 0.9, "Currer Bell is also called Charlotte-Brontë"),)


def test_what_is_named_beside_another_in_one_sentence_is_another(wiki):
    texts = {"d": "Scrooge and Marley met. Mr. Scrooge left. Marley stayed."}
    scrooge = [("d", 0, 7), ("d", 28, 35)]
    marley = [("d", 12, 18), ("d", 42, 48)]
    assert by_sentences(scrooge, marley, texts) == MergeEvidence(
        "apart", 0.55, "named beside each other in one sentence, once"
    )
    assert by_sentences(scrooge[1:], marley[1:], texts) is None
    assert by_sentences([("d", 0, 7)], [("d", 0, 18)], texts) is None, "one name within the other"


@pytest.mark.parametrize(
    ("between", "ends"),
    [(" and ", False), (". The ", True), (" met Mr. ", False), ("\n\n", True), ("。", True), (" J. ", False)],
)
def test_a_sentence_ends_where_it_does(between, ends):
    assert ends_sentence(between) is ends


def test_scores_stay_between_nothing_and_one():
    name, near = MergeEvidence("name", 0.55, ""), MergeEvidence("neighbours", 1.0, "")
    assert combined([name]).score == 0.55
    assert combined([name, near]).score == pytest.approx(0.7525)
    assert combined([name, near, MergeEvidence("apart", 0.5, "")]).score == pytest.approx(0.3762, abs=1e-4)
    assert combined([near, MergeEvidence("meaning", 1.0, "")]).score < 0.7


def test_vectors_count_where_there_are_any(open_wiki):
    wiki = open_wiki(embedder=HashEmbedder(64))
    state(wiki, "Norham Tide Gauge", "Norham Tide Gauges")
    wiki.run_reembed(NS)
    [found] = wiki.suggest_merges(NS)
    plain = open_wiki()
    state(plain, "Norham Tide Gauge", "Norham Tide Gauges")
    assert [each.kind for each in found.evidence if each.kind == "meaning"] == ["meaning"]
    assert found.score > plain.suggest_merges(NS)[0].score


def test_rejected_pairs_are_not_suggested_and_that_is_carried_along(wiki, open_wiki):
    state(wiki, "OpenAI", "Open AI")
    wiki.reject_merge(NS, "Open AI", "OpenAI")
    assert pairs(wiki) == []
    other = open_wiki()
    other.import_dump(wiki.export_dump(NS))
    assert pairs(other) == []
    other.merge_entities(NS, into="OpenAI", others="Open AI")
    other.undo_merge(NS, "Open AI")
    assert pairs(other) == [("OpenAI", "Open AI")] or pairs(other) == [("Open AI", "OpenAI")]


def test_ten_thousand_entities_are_compared_in_seconds(wiki):
    first, last = (
        [f"{a}{b}o" for a in "BDFGKLMNPR" for b in "aeiou"],
        [f"{a}{b}{c}er" for a in "bdfgk" for b in "aeiou" for c in "lmnprst"],
    )
    names = [f"{one} {other.title()}" for one in first for other in last] + [f"{one[0]}. {last[0]}" for one in first]
    state(wiki, *dict.fromkeys(names))
    begun = time.process_time()
    wiki.suggest_merges(NS)
    assert time.process_time() - begun < 20
