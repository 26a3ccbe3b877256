"""What holds of a knowledge graph wherever it is kept: what is made of chunks and entities, search, namespaces."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge_world import CAROL, SEQUEL, clustered, entities, insert, picture, report, tell_all

from lorelite._drive import drive
from lorelite.graph_records import ChunkQuestion, GraphStats, Insight, Similarity
from lorelite.models import HashEmbedder

# -- communities and reports ----------------------------------------------------------------------------------------


def test_communities_are_given_back_by_level_and_id(knowledge):
    tell_all(knowledge)
    made = clustered(knowledge)
    for _ in range(2):
        drive(knowledge.put_communities(made))
        assert [each.id for each in drive(knowledge.communities())] == ["0", "1", "10", "2"]
    for given, stored in zip(made, drive(knowledge.communities()), strict=True):
        assert set(stored.children) == set(given.children) and set(stored.chunk_ids) == set(given.chunk_ids)
        for name in ("id", "level", "entity_ids", "parent", "is_final", "occurrence", "title"):
            assert getattr(stored, name) == getattr(given, name)
    assert [each.id for each in drive(knowledge.communities(["2", "unknown", "1"]))] == ["1", "2"]
    found = entities(knowledge)
    assert drive(knowledge.communities_of([found["scrooge"].id, "unknown"])) == {found["scrooge"].id: ["0", "2"]}
    stats = drive(knowledge.stats())
    assert (stats.communities, stats.levels) == (4, 2)


def test_new_communities_replace_the_old_ones(knowledge):
    tell_all(knowledge)
    made = clustered(knowledge)
    drive(knowledge.put_communities(made))
    drive(knowledge.put_communities(made[1:2]))
    assert [each.id for each in drive(knowledge.communities())] == ["1"]
    assert drive(knowledge.communities_of([entities(knowledge)["scrooge"].id])) == {}
    drive(knowledge.put_communities([]))
    assert drive(knowledge.stats()).communities == 0


def test_reports_are_given_back_as_they_were(knowledge):
    tell_all(knowledge)
    drive(knowledge.put_communities(clustered(knowledge)))
    full = report(
        "2", 1, rating=7.5, rating_explanation="Central.",
        findings=(Insight(summary="He repents", explanation="At night."), Insight(summary="Firm")),
        content_hash="h", origin="heuristic", is_fallback=True,
    )  # fmt: skip
    for _ in range(2):
        drive(knowledge.put_reports([full, report("1"), report("0")]))
    assert drive(knowledge.reports()) == [report("0"), report("1"), full]
    assert drive(knowledge.reports(["2", "unknown", "0"])) == [report("0"), full]
    drive(knowledge.put_reports([report("0", summary="Another.")]))
    assert drive(knowledge.reports(["0"])) == [report("0", summary="Another.")]
    assert drive(knowledge.stats()).reports == 3
    drive(knowledge.put_communities([]))
    assert len(drive(knowledge.reports())) == 3
    drive(knowledge.drop_reports(["0", "2", "unknown"]))
    assert drive(knowledge.reports()) == [report("1")]


# -- similar chunks and questions -----------------------------------------------------------------------------------


def test_a_similar_pair_is_one_whichever_way_round_and_keeps_the_larger_weight(knowledge):
    ids = [chunk.id for chunk in (*insert(knowledge, "carol", CAROL), *insert(knowledge, "sequel", SEQUEL))]
    assert drive(knowledge.add_similarities([Similarity(ids[0], ids[1], 0.7), Similarity(ids[2], ids[0], 0.9)])) == 2
    assert drive(knowledge.add_similarities([Similarity(ids[1], ids[0], 0.8), Similarity(ids[0], ids[2], 0.5)])) == 0
    assert drive(knowledge.similar_to([ids[0]])) == {ids[0]: [(ids[2], 0.9), (ids[1], 0.8)]}
    assert drive(knowledge.similar_to([ids[1]])) == {ids[1]: [(ids[0], 0.8)]}
    assert not drive(knowledge.similar_to([ids[3]])).get(ids[3])
    drive(knowledge.add_similarities([Similarity(ids[0], ids[3], 0.8)]))
    equal = sorted([ids[1], ids[3]])
    assert [id for id, _ in drive(knowledge.similar_to([ids[0]]))[ids[0]]] == [ids[2], *equal]
    assert drive(knowledge.stats()).similar_pairs == 3
    # They are no relations of entities.
    assert list(drive(knowledge.weighted_edges()).edges) == []


def test_questions_are_given_back_with_their_chunks(knowledge):
    first, second = insert(knowledge, "carol", CAROL)
    asked = [
        ChunkQuestion(id="q-2", question="Who was the partner of Scrooge?", chunk_id=first.id),
        ChunkQuestion(id="q-1", question="Who worked in the cold?", chunk_id=second.id),
    ]
    assert drive(knowledge.add_questions(asked)) == 2
    assert drive(knowledge.add_questions(asked)) == 0
    assert drive(knowledge.questions()) == [asked[1], asked[0]]
    assert drive(knowledge.questions(["q-2", "unknown", "q-1"])) == asked
    assert drive(knowledge.stats()).questions == 2
    assert drive(knowledge.stats()).entities == 0


# -- search ---------------------------------------------------------------------------------------------------------


def test_each_index_finds_what_fits_best_of_its_own_kind(knowledge):
    tell_all(knowledge)
    first, second, *_ = drive(knowledge.chunks(drive(knowledge.chunk_ids())))
    drive(knowledge.put_communities(clustered(knowledge)))
    drive(knowledge.put_reports([report("0"), report("1", title="Crutch", summary="A boy with a crutch walks.")]))
    question = ChunkQuestion(id="q-1", question="Who worked in the cold office?", chunk_id=second.id)
    drive(knowledge.add_questions([question]))
    drive(knowledge.embed_new())
    drive(knowledge.embed_new())
    assert drive(knowledge.nearest("chunks", "the partner Jacob Marley", 1))[0].id == first.id
    assert drive(knowledge.nearest("entities", "Bob Cratchit", 3))[0].id == entities(knowledge)["bob cratchit"].id
    assert [hit.id for hit in drive(knowledge.nearest("questions", "cold office work", 3))] == ["q-1"]
    reports = drive(knowledge.nearest("communities", "a boy with a crutch", 2))
    assert reports[0].id == "1"
    for index in ("chunks", "entities", "questions", "communities"):
        hits = drive(knowledge.nearest(index, "Scrooge, a miser, and the cold office of the partner", 2))
        assert 1 <= len(hits) <= 2
        assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.id))
        assert drive(knowledge.nearest(index, "Scrooge", 0)) == []


def test_a_least_score_leaves_out_what_is_less_alike_where_there_are_vectors(knowledge):
    insert(knowledge, "carol", CAROL)
    everything = drive(knowledge.nearest("chunks", "the partner Jacob Marley", 10))
    if knowledge.has_vectors:
        assert len(everything) == 2
        least = everything[0].score
        assert drive(knowledge.nearest("chunks", "the partner Jacob Marley", 10, min_score=least)) == everything[:1]
    else:
        assert everything[0].score == 1.0
        assert drive(knowledge.nearest("chunks", "the partner Jacob Marley", 10, min_score=2.0)) == everything


def test_a_search_may_be_embedded_by_another_embedder(knowledge):
    first, _ = insert(knowledge, "carol", CAROL)
    asked: list[str] = []

    class Spy(HashEmbedder):
        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            asked.extend(texts)
            return await super().embed(texts)

    if not knowledge.has_vectors:
        return
    assert drive(knowledge.with_embedder(Spy()).nearest("chunks", "Jacob Marley", 1))[0].id == first.id
    assert asked == ["Jacob Marley"]


def test_what_is_like_a_chunk_is_found_without_the_chunk_itself(knowledge):
    text = "A ghost rattles its chains.\nThe ghost rattles long chains at night.\nA turkey hangs in the shop."
    first, second, third = insert(knowledge, "ghosts", text)
    hits = drive(knowledge.nearest_to_chunk(first.id, 5))
    assert hits[0].id == second.id and first.id not in {hit.id for hit in hits}
    assert all(-1.0 <= hit.score <= 1.0 + 1e-6 for hit in hits)
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.id))
    assert len(drive(knowledge.nearest_to_chunk(first.id, 1))) == 1
    assert drive(knowledge.nearest_to_chunk("unknown", 5)) == []
    assert third.id != hits[0].id


# -- the whole ------------------------------------------------------------------------------------------------------


def test_the_numbers_are_those_of_what_is_there(knowledge):
    tell_all(knowledge)
    stats = drive(knowledge.stats())
    assert (stats.documents, stats.chunks, stats.entities, stats.relations) == (2, 4, 4, 3)


def test_namespaces_see_nothing_of_each_other_and_go_one_by_one(open_knowledge):
    mine, theirs = open_knowledge("mine"), open_knowledge("theirs")
    tell_all(mine)
    tell_all(theirs)
    drive(mine.remember("pipeline", 1))
    drive(theirs.remember("pipeline", 2))
    before = picture(theirs)
    drive(mine.put_communities(clustered(mine)))
    drive(mine.put_reports([report("0")]))
    drive(mine.drop())
    assert drive(mine.stats()) == GraphStats()
    assert drive(mine.recall("pipeline")) is None and drive(mine.chunk_ids()) == []
    assert drive(mine.communities()) == drive(mine.reports()) == []
    assert picture(theirs) == before and drive(theirs.recall("pipeline")) == 2
    drive(mine.drop())
    tell_all(mine)
    assert picture(mine)["entities"].keys() == before["entities"].keys()
