"""What holds of a knowledge graph wherever it is kept: documents, entities, relations, deletion.

Ids are opaque: things are known by names and texts.
"""

from __future__ import annotations

from random import Random

import pytest
from knowledge_world import (
    CAROL,
    ENTITIES,
    QUESTIONS,
    SAID_OF_CAROL,
    SAID_OF_SEQUEL,
    SEQUEL,
    begin,
    entities,
    insert,
    picture,
    said,
    tell,
    tell_all,
    texts,
)

from lorelite._drive import drive
from lorelite.graph_records import ChunkQuestion, GraphDocument, GraphStats, Similarity, TextChunk
from lorelite.pipeline.knowledge import Knowledge
from lorelite.text.extraction import Extraction

# -- what is remembered ---------------------------------------------------------------------------------------------


def test_a_namespace_that_is_not_there_yet_is_an_empty_graph(knowledge):
    assert drive(knowledge.stats()) == GraphStats()
    assert drive(knowledge.chunk_ids()) == drive(knowledge.entity_ids()) == drive(knowledge.questions()) == []
    assert drive(knowledge.communities()) == drive(knowledge.reports()) == []
    assert drive(knowledge.recall("pipeline")) is None
    assert drive(knowledge.unfinished(ENTITIES)) == []
    assert list(drive(knowledge.weighted_edges()).entity_ids) == list(drive(knowledge.weighted_edges()).edges) == []
    for index in ("chunks", "entities", "questions", "communities"):
        assert drive(knowledge.nearest(index, "anything", 5)) == []
    report = drive(knowledge.delete_documents(["nobody"]))
    assert report.unknown == ("nobody",) and report.documents == 0


def test_what_is_remembered_is_recalled_until_it_is_taken_away(knowledge):
    value = {"processors": [{"name": "x", "options": {"n": 1.5, "deep": [None, True, "ü"]}}]}
    drive(knowledge.remember("pipeline", value))
    value["processors"].clear()
    assert drive(knowledge.recall("pipeline")) == {
        "processors": [{"name": "x", "options": {"n": 1.5, "deep": [None, True, "ü"]}}]
    }
    drive(knowledge.recall("pipeline"))["processors"].clear()
    assert drive(knowledge.recall("pipeline"))["processors"]
    drive(knowledge.remember("pipeline", [1]))
    assert drive(knowledge.recall("pipeline")) == [1]
    drive(knowledge.remember("pipeline", None))
    drive(knowledge.remember("pipeline", None))
    assert drive(knowledge.recall("pipeline")) is None


def test_each_processor_has_its_own_list_of_unfinished_chunks(knowledge):
    first, second = insert(knowledge, "carol", CAROL)
    assert drive(knowledge.unfinished(ENTITIES)) == drive(knowledge.unfinished(QUESTIONS)) == [first.id, second.id]
    for _ in range(2):
        drive(knowledge.mark_finished(QUESTIONS, [first.id, "unknown"]))
        assert drive(knowledge.unfinished(QUESTIONS)) == [second.id]
        assert drive(knowledge.unfinished(ENTITIES)) == [first.id, second.id]
    drive(knowledge.mark_finished(ENTITIES, [second.id]))
    assert drive(knowledge.unfinished(ENTITIES)) == [first.id]
    assert drive(knowledge.unfinished(QUESTIONS)) == [second.id]
    drive(knowledge.mark_finished(QUESTIONS, []))


# -- documents and chunks -------------------------------------------------------------------------------------------


def test_a_document_is_known_when_exactly_its_text_was_inserted_to_the_end(knowledge):
    asked = [GraphDocument(id="carol", content=CAROL), GraphDocument(id="carol", content=SEQUEL)]
    assert drive(knowledge.known(asked)) == [False, False]
    begin(knowledge, "carol", CAROL)
    assert drive(knowledge.known(asked)) == [False, False]
    drive(knowledge.complete_documents(["carol"]))
    assert drive(knowledge.known([*asked, GraphDocument(id="sequel", content=CAROL)])) == [True, False, False]
    assert drive(knowledge.known([])) == []


def test_chunks_are_slices_of_their_document_in_the_order_of_insertion(knowledge):
    carol, sequel = insert(knowledge, "carol", CAROL), insert(knowledge, "sequel", SEQUEL)
    for text, chunks, id in ((CAROL, carol, "carol"), (SEQUEL, sequel, "sequel")):
        assert [chunk.content for chunk in chunks] == text.split("\n")
        assert [chunk.content for chunk in chunks] == [text[chunk.start : chunk.end] for chunk in chunks]
        assert [(chunk.order, chunk.document_ids, chunk.heading) for chunk in chunks] == [
            (0, (id,), "Stave"),
            (1, (id,), "Stave"),
        ]
    ids = [chunk.id for chunk in (*carol, *sequel)]
    assert drive(knowledge.chunk_ids()) == ids and len(set(ids)) == 4
    assert drive(knowledge.chunks([ids[3], "unknown", ids[0]])) == [sequel[1], carol[0]]
    assert drive(knowledge.chunks([])) == []


def test_a_document_that_was_begun_is_not_begun_again(knowledge):
    assert len(begin(knowledge, "carol", CAROL)) == 2
    assert begin(knowledge, "carol", CAROL) == []
    drive(knowledge.complete_documents(["carol"]))
    drive(knowledge.complete_documents(["carol"]))
    assert begin(knowledge, "carol", CAROL) == []
    assert drive(knowledge.stats()).documents == 1
    assert drive(knowledge.stats()).chunks == 2


def test_another_text_replaces_the_earlier_one_when_it_is_complete(open_knowledge):
    replaced, fresh = open_knowledge("replaced"), open_knowledge("fresh")
    tell(replaced, insert(replaced, "carol", CAROL), SAID_OF_CAROL)
    chunks = begin(replaced, "carol", SEQUEL)
    assert set(CAROL.split("\n")) < set(texts(replaced, drive(replaced.chunk_ids())))
    tell(replaced, chunks, SAID_OF_SEQUEL)
    drive(replaced.complete_documents(["carol"]))
    tell(fresh, insert(fresh, "carol", SEQUEL), SAID_OF_SEQUEL)
    assert picture(replaced) == picture(fresh)
    assert drive(replaced.known([GraphDocument(id="carol", content=CAROL)])) == [False]


# -- entities and relations -----------------------------------------------------------------------------------------


def test_an_entity_is_what_all_chunks_say_of_it(knowledge):
    tell_all(knowledge)
    found = entities(knowledge)
    assert set(found) == {"scrooge", "jacob marley", "bob cratchit", "tiny tim"}
    assert drive(knowledge.entity_ids()) == sorted(entity.id for entity in found.values())
    scrooge, marley, bob = found["scrooge"], found["jacob marley"], found["bob cratchit"]
    assert (scrooge.type, scrooge.degree) == ("person", 2)
    assert (marley.type, marley.degree) == ("person", 1)  # of two types said once each the first
    assert (bob.type, bob.degree) == ("person", 2)
    lines = [*CAROL.split("\n"), *SEQUEL.split("\n")]
    assert texts(knowledge, scrooge.chunk_ids) == lines[:3]
    assert texts(knowledge, marley.chunk_ids) == [lines[0], lines[2]]
    parts = {each.entity.id: each for each in drive(knowledge.descriptions([scrooge.id, "unknown", marley.id]))}
    assert parts[scrooge.id].parts == ("A miser.", "An employer.")
    assert parts[marley.id].parts == ("A partner.", "A ghost.")
    assert not parts[scrooge.id].is_summarised
    assert scrooge.description.split("\n") == ["A miser.", "An employer."]
    assert drive(knowledge.entities([marley.id, "unknown", scrooge.id])) == [marley, scrooge]


def test_names_that_differ_in_case_alone_are_one_entity(knowledge):
    first, second = insert(knowledge, "carol", CAROL)
    found = said([("SCROOGE", "person", "A miser.")], [("Scrooge", "Marley", "", 1.0)])
    tell(knowledge, [first], [found])
    tell(knowledge, [second], [said([("scrooge", "person", "An employer.")])])
    assert set(entities(knowledge)) == {"scrooge", "marley"}
    assert entities(knowledge)["scrooge"].chunk_ids == (first.id, second.id)


def test_adding_says_what_is_new_and_what_it_touched(knowledge):
    carol, sequel = insert(knowledge, "carol", CAROL), insert(knowledge, "sequel", SEQUEL)
    merged = tell(knowledge, carol, SAID_OF_CAROL)
    assert (merged.entities, merged.relations, merged.unknown_ends) == (3, 2, 0)
    assert set(merged.touched) == set(drive(knowledge.entity_ids()))
    merged = tell(knowledge, sequel, SAID_OF_SEQUEL)
    assert (merged.entities, merged.relations) == (1, 1)
    assert entities(knowledge)["jacob marley"].id in merged.touched


def test_an_end_of_a_relation_that_nobody_listed_becomes_an_entity_without_a_type(knowledge):
    chunks = insert(knowledge, "carol", CAROL)
    merged = tell(knowledge, chunks[:1], [said([("Scrooge", "person", "")], [("Scrooge", "Fan", "A sister.", 1.0)])])
    fan = entities(knowledge)["fan"]
    assert (fan.type, fan.degree, fan.chunk_ids) == ("", 1, (chunks[0].id,))
    assert (merged.entities, merged.relations, merged.unknown_ends) == (2, 1, 1)


def test_a_chunk_tells_of_every_entity_it_was_said_to_whatever_it_is_called_there(knowledge):
    chunks = insert(knowledge, "carol", CAROL)
    tell(knowledge, chunks, [said([("The Counting House", "place", "An office.")]), said()])
    [counting_house] = drive(knowledge.entity_ids())
    assert drive(knowledge.entities_of([chunk.id for chunk in chunks])).get(chunks[0].id) == [(counting_house, 1.0)]
    assert not drive(knowledge.entities_of([chunks[1].id])).get(chunks[1].id)
    assert entities(knowledge)["the counting house"].chunk_ids == (chunks[0].id,)


def test_what_joins_two_entities_is_one_relation_with_the_weights_summed(knowledge):
    tell_all(knowledge)
    found = entities(knowledge)
    relations = drive(knowledge.relations_of([found["scrooge"].id]))
    assert relations == sorted(relations, key=lambda relation: (relation.source_id, relation.target_id))
    ends = {frozenset((relation.source.casefold(), relation.target.casefold())): relation for relation in relations}
    assert set(ends) == {frozenset(("scrooge", "jacob marley")), frozenset(("scrooge", "bob cratchit"))}
    both = ends[frozenset(("scrooge", "jacob marley"))]
    assert both.weight == 4.5 and not both.is_directed
    assert both.description.split("\n") == ["They ran a firm.", "A visit."]
    assert texts(knowledge, both.chunk_ids) == [CAROL.split("\n")[0], SEQUEL.split("\n")[0]]
    works = ends[frozenset(("scrooge", "bob cratchit"))]
    assert (works.source_id, works.target_id) == (found["bob cratchit"].id, found["scrooge"].id)
    assert works.is_directed and works.type == "related" and works.weight == 2.0
    assert len(drive(knowledge.relations_of(drive(knowledge.entity_ids())))) == 3
    assert drive(knowledge.relations_of(["unknown"])) == drive(knowledge.relations_of([])) == []


def test_neighbours_and_degrees_are_what_the_relations_say(knowledge):
    tell_all(knowledge)
    found = entities(knowledge)
    marley, bob, scrooge, tim = (found[name].id for name in ("jacob marley", "bob cratchit", "scrooge", "tiny tim"))
    assert drive(knowledge.neighbours([bob, marley, "unknown"])) == {
        bob: [(tim, 4.0), (scrooge, 2.0)],
        marley: [(scrooge, 4.5)],
    }
    assert drive(knowledge.degrees([scrooge, tim, "unknown"])) == {scrooge: 2, tim: 1}
    assert drive(knowledge.neighbours([])) == drive(knowledge.degrees([])) == {}
    of_bob = drive(knowledge.relations_of([bob]))
    assert drive(knowledge.relations_of([bob], among=[scrooge, tim])) == of_bob and len(of_bob) == 2
    [one] = drive(knowledge.relations_of([bob], among=[tim]))
    assert {one.source_id, one.target_id} == {bob, tim} and one in of_bob
    assert drive(knowledge.relations_of([bob, scrooge], among=[])) == [each for each in of_bob if each != one]


def test_a_relation_starts_where_most_statements_of_it_start(knowledge):
    chunks = insert(knowledge, "carol", CAROL + "\nMore.")
    towards, back = said((), [("B", "A", "", 1.0)]), said((), [("A", "B", "", 1.0)])
    tell(knowledge, chunks, [back, towards, towards])
    [relation] = drive(knowledge.relations_of(drive(knowledge.entity_ids())))
    assert (relation.source.casefold(), relation.target.casefold(), relation.is_directed) == ("b", "a", False)


def test_nothing_is_related_to_itself(knowledge):
    chunks = insert(knowledge, "carol", CAROL)
    found = said([("Scrooge", "person", "")], [("Scrooge", "SCROOGE", "Himself.", 1.0)])
    assert tell(knowledge, chunks[:1], [found]).relations == 0
    assert drive(knowledge.relations_of(drive(knowledge.entity_ids()))) == []


def test_the_weighted_graph_holds_every_pair_once_and_lonely_entities_too(knowledge):
    tell_all(knowledge)
    tell(knowledge, insert(knowledge, "third", "Fred is alone."), [said([("Fred", "person", "")])])
    found = entities(knowledge)
    graph = drive(knowledge.weighted_edges())
    assert list(graph.entity_ids) == drive(knowledge.entity_ids()) and found["fred"].id in graph.entity_ids
    weights = {frozenset((one, other)): weight for one, other, weight in graph.edges}
    assert len(graph.edges) == 3
    assert weights == {
        frozenset((found["scrooge"].id, found["jacob marley"].id)): 4.5,
        frozenset((found["scrooge"].id, found["bob cratchit"].id)): 2.0,
        frozenset((found["tiny tim"].id, found["bob cratchit"].id)): 4.0,
    }


def test_adding_what_was_added_changes_nothing(knowledge):
    tell_all(knowledge)
    before = picture(knowledge)
    carol = drive(knowledge.chunks(drive(knowledge.chunk_ids())[:2]))
    merged = tell(knowledge, carol, SAID_OF_CAROL)
    assert (merged.entities, merged.relations) == (0, 0)
    assert picture(knowledge) == before


def test_what_a_chunk_says_replaces_what_it_said_before(open_knowledge):
    again, once = open_knowledge("again"), open_knowledge("once")
    tell(again, insert(again, "carol", CAROL), SAID_OF_CAROL)
    other = said(
        [("Marley", "person", "A friend."), ("Scrooge", "person", "A miser.")], [("Scrooge", "Marley", "", 7.0)]
    )
    tell(again, drive(again.chunks(drive(again.chunk_ids())))[:1], [other])
    tell(once, insert(once, "carol", CAROL), [other, SAID_OF_CAROL[1]])
    assert picture(again) == picture(once)
    tell(again, drive(again.chunks(drive(again.chunk_ids()))), [said(), said()])
    assert drive(again.entity_ids()) == []
    assert drive(again.stats()).relations == 0


def test_extractions_finish_their_chunks_for_the_processor_that_made_them(knowledge):
    first, second = insert(knowledge, "carol", CAROL)
    tell(knowledge, [first], [SAID_OF_CAROL[0]])
    assert drive(knowledge.unfinished(ENTITIES)) == [second.id]
    assert drive(knowledge.unfinished(QUESTIONS)) == [first.id, second.id]
    tell(knowledge, [second], [said()])
    assert drive(knowledge.unfinished(ENTITIES)) == []


def test_the_order_of_the_batches_is_no_matter_of_the_result(open_knowledge):
    whole, apart = open_knowledge("whole"), open_knowledge("apart")
    tell(whole, insert(whole, "carol", CAROL), SAID_OF_CAROL)
    for chunk, found in zip(insert(apart, "carol", CAROL), SAID_OF_CAROL, strict=True):
        tell(apart, [chunk], [found])
    assert picture(whole) == picture(apart)


def test_a_summary_stands_for_exactly_the_parts_it_was_made_of(knowledge):
    carol = insert(knowledge, "carol", CAROL)
    tell(knowledge, carol, SAID_OF_CAROL)
    scrooge = entities(knowledge)["scrooge"].id
    drive(knowledge.put_summaries({scrooge: "A miser who employs a clerk.", "unknown": "Nobody."}))
    [parts] = drive(knowledge.descriptions([scrooge]))
    assert parts.is_summarised and parts.parts == ("A miser.", "An employer.")
    assert entities(knowledge)["scrooge"].description == parts.entity.description == "A miser who employs a clerk."
    tell(knowledge, carol, SAID_OF_CAROL)
    assert entities(knowledge)["scrooge"].description == "A miser who employs a clerk."
    tell(knowledge, insert(knowledge, "third", "He gave a turkey."), [said([("Scrooge", "person", "A giver.")])])
    [parts] = drive(knowledge.descriptions([scrooge]))
    assert not parts.is_summarised and parts.parts == ("A miser.", "An employer.", "A giver.")
    assert entities(knowledge)["scrooge"].description.split("\n") == list(parts.parts)
    drive(knowledge.delete_documents(["third"]))
    assert drive(knowledge.descriptions([scrooge]))[0].parts == ("A miser.", "An employer.")


# -- deletion -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gone", ["carol", "sequel"])
def test_deleting_a_document_leaves_what_the_others_alone_would_have_made(open_knowledge, gone):
    both, other = open_knowledge("both"), open_knowledge("other")
    tell_all(both)
    ids = drive(both.chunk_ids())
    mine, theirs = (ids[:2], ids[2:]) if gone == "carol" else (ids[2:], ids[:2])
    drive(both.add_similarities([Similarity(mine[0], theirs[0], 0.9), Similarity(mine[0], mine[1], 0.8)]))
    drive(both.add_questions([ChunkQuestion(id="q-gone", question="Who goes?", chunk_id=mine[0])]))
    drive(both.mark_finished(QUESTIONS, ids))
    report = drive(both.delete_documents([gone, "unknown"]))
    assert report.unknown == ("unknown",)
    assert (report.documents, report.chunks, report.questions) == (1, 2, 1)
    tell_all(other, but=gone)
    drive(other.mark_finished(QUESTIONS, drive(other.chunk_ids())))
    assert picture(both) == picture(other)
    assert report.entities == (0 if gone == "carol" else 1) and report.relations == 1


def test_a_deleted_document_may_come_back(open_knowledge):
    back, once = open_knowledge("back"), open_knowledge("once")
    tell_all(back)
    drive(back.mark_finished(QUESTIONS, drive(back.chunk_ids())))
    drive(back.add_similarities([Similarity(*drive(back.chunk_ids())[:2], 0.9)]))
    drive(back.delete_documents(["carol", "sequel"]))
    assert drive(back.stats()) == GraphStats()
    tell_all(back)
    tell_all(once)
    assert picture(back) == picture(once)


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_done_in_between_only_what_stands_in_the_end_counts(open_knowledge, seed):
    random = Random(seed)
    lived, fresh = open_knowledge("lived"), open_knowledge("fresh")
    stand: dict[str, tuple[str, list[Extraction]]] = {}
    for step in range(12):
        id = random.choice("zyx")
        act = random.choice(("insert", "insert", "tell again", "delete"))
        if act == "delete" or (act == "tell again" and id not in stand):
            drive(lived.delete_documents([id]))
            stand.pop(id, None)
        elif act == "insert":
            text = f"{id} {step}, the first.\n{id} {step}, the second."
            found = [anything(random) for _ in range(2)]
            chunks = begin(lived, id, text)
            tell(lived, chunks[::-1], found[::-1])
            drive(lived.complete_documents([id]))
            # The new text stands where it was inserted: last.
            stand.pop(id, None)
            stand[id] = (text, found)
        else:
            text, found = stand[id]
            place = random.randrange(2)
            found[place] = anything(random)
            chunks = [chunk for chunk in all_chunks(lived) if chunk.content == text.split("\n")[place]]
            tell(lived, chunks, [found[place]])
    for id, (text, found) in stand.items():
        tell(fresh, insert(fresh, id, text), found)
    assert picture(lived) == picture(fresh)


def all_chunks(knowledge: Knowledge) -> list[TextChunk]:
    return drive(knowledge.chunks(drive(knowledge.chunk_ids())))


def anything(random: Random) -> Extraction:
    """Two or three of a few names, and what joins some of them."""
    names = random.sample(["Scrooge", "Marley", "Bob", "Tim", "Fan"], random.randint(2, 3))
    parts = ("", "A miser.", "A ghost.", "Somebody.")
    listed = [(name, random.choice(["person", "ghost", None]), random.choice(parts)) for name in names]
    pairs = [(random.choice(names), random.choice(names), random.choice(("x", "y", "z"))) for _ in range(2)]
    return said(listed, [(one, other, text, random.randint(1, 8) / 2) for one, other, text in pairs])
