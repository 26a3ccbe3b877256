"""What holds of a knowledge graph wherever it is kept. Ids are opaque: things are known by names and texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from random import Random
from typing import Any, Literal

import pytest
from store_places import IN_STORES

from lorelite._drive import drive
from lorelite.engine import Engine
from lorelite.graph_records import (
    ChunkQuestion,
    Community,
    CommunityReport,
    GraphDocument,
    GraphEntity,
    GraphStats,
    Insight,
    Similarity,
    TextChunk,
)
from lorelite.models.hash_embedder import HashEmbedder
from lorelite.pipeline.file_knowledge import FileKnowledge
from lorelite.pipeline.knowledge import Knowledge
from lorelite.settings import WikiConfig
from lorelite.store.store import Store
from lorelite.text.chunking import ChunkSpan
from lorelite.text.extraction import ExtractedEntity, ExtractedRelation, Extraction

ENTITIES = "chunkEntityGeneration"
QUESTIONS = "hypotheticalQuestionGeneration"
Open = Callable[[str], Knowledge]
"""Namespace → its knowledge; every namespace of one test is kept in the same place."""


def in_a_file(embedder: HashEmbedder | None, index: Literal["auto", "memory"] = "auto") -> Callable[[ExitStack], Open]:
    def begin(files: ExitStack) -> Open:
        store = Store(":memory:", keyword_index=index, clock=lambda: 1_700_000_000_000)
        files.callback(store.close)
        engine = Engine(store, None, embedder, WikiConfig(keyword_index=index), store.clock)
        return lambda namespace: FileKnowledge(engine, namespace)

    return begin


PLACES: Mapping[str, Callable[[ExitStack], Open]] = {
    "file": in_a_file(HashEmbedder()),
    "file without vectors": in_a_file(None),
    "file without FTS5": in_a_file(None, "memory"),
    **IN_STORES,
}


@pytest.fixture(params=PLACES)
def open_knowledge(request: pytest.FixtureRequest) -> Iterator[Open]:
    with ExitStack() as files:
        yield PLACES[request.param](files)


@pytest.fixture
def knowledge(open_knowledge: Open) -> Iterator[Knowledge]:
    opened = open_knowledge("class")
    yield opened
    drive(opened.close())


# -- a small world --------------------------------------------------------------------------------------------------

CAROL = "Ebenezer Scrooge was the partner of Jacob Marley.\nBob Cratchit worked for Scrooge in the cold office."
SEQUEL = "Marley came as a ghost with chains.\nTiny Tim is the son of Bob Cratchit and uses a crutch."


def spans(text: str) -> list[ChunkSpan]:
    """One for each line."""
    found, start = [], 0
    for line in text.split("\n"):
        found.append(ChunkSpan(start, start + len(line), "Stave"))
        start += len(line) + 1
    return found


def begin(knowledge: Knowledge, id: str, text: str) -> list[TextChunk]:
    return drive(knowledge.add_document(GraphDocument(id=id, content=text), spans(text)))


def insert(knowledge: Knowledge, id: str, text: str) -> list[TextChunk]:
    chunks = begin(knowledge, id, text)
    drive(knowledge.complete_documents([id]))
    return chunks


def said(
    entities: Sequence[tuple[str, str | None, str]] = (), relations: Sequence[tuple[str, str, str, float]] = ()
) -> Extraction:
    return Extraction(
        entities=tuple(ExtractedEntity(name=name, type=type, description=text) for name, type, text in entities),
        relations=tuple(
            ExtractedRelation(source=source, target=target, type="related", description=text, weight=weight)
            for source, target, text, weight in relations
        ),
    )


SAID_OF_CAROL = (
    said(
        [("Scrooge", "person", "A miser."), ("Jacob Marley", "person", "A partner.")],
        [("Scrooge", "Jacob Marley", "They ran a firm.", 3.0)],
    ),
    said(
        [("Scrooge", "person", "An employer."), ("Bob Cratchit", "person", "A clerk.")],
        [("Bob Cratchit", "Scrooge", "He works for him.", 2.0)],
    ),
)
SAID_OF_SEQUEL = (
    said(
        [("Jacob Marley", "ghost", "A ghost."), ("Scrooge", None, "")], [("Jacob Marley", "Scrooge", "A visit.", 1.5)]
    ),
    said(
        [("Tiny Tim", "person", "A boy."), ("Bob Cratchit", "person", "A father.")],
        [("Tiny Tim", "Bob Cratchit", "Son of Bob.", 4.0)],
    ),
)


def tell(knowledge: Knowledge, chunks: Sequence[TextChunk], found: Sequence[Extraction]) -> Any:
    return drive(knowledge.add_extractions(list(zip(chunks, found, strict=True)), processor=ENTITIES))


def tell_all(knowledge: Knowledge, *, but: str = "") -> None:
    for id, text, found in (("carol", CAROL, SAID_OF_CAROL), ("sequel", SEQUEL, SAID_OF_SEQUEL)):
        if id != but:
            tell(knowledge, insert(knowledge, id, text), found)


def entities(knowledge: Knowledge) -> dict[str, GraphEntity]:
    """By name in lower case: who shows names how is the store's affair."""
    return {entity.name.casefold(): entity for entity in drive(knowledge.entities(drive(knowledge.entity_ids())))}


def texts(knowledge: Knowledge, ids: Sequence[str]) -> list[str]:
    return [chunk.content for chunk in drive(knowledge.chunks(ids))]


def picture(knowledge: Knowledge) -> dict[str, Any]:
    """All that a graph holds, without ids."""
    found = entities(knowledge)
    names = {entity.id: name for name, entity in found.items()}
    chunk_ids = drive(knowledge.chunk_ids())
    weighted = drive(knowledge.weighted_edges())
    parts = drive(knowledge.descriptions(sorted(names)))
    told = drive(knowledge.entities_of(chunk_ids))
    return {
        "chunks": [(chunk.document_ids, chunk.order, chunk.content) for chunk in drive(knowledge.chunks(chunk_ids))],
        "entities": {
            name: (entity.type, entity.description, texts(knowledge, entity.chunk_ids), entity.degree)
            for name, entity in sorted(found.items())
        },
        "parts": {names[each.entity.id]: (each.parts, each.is_summarised) for each in parts},
        "relations": sorted(
            (
                relation.source.casefold(),
                relation.target.casefold(),
                relation.type,
                relation.description,
                relation.weight,
                texts(knowledge, relation.chunk_ids),
                relation.is_directed,
            )
            for relation in drive(knowledge.relations_of(sorted(names)))
        ),
        "edges": sorted((*sorted((names[one], names[other])), weight) for one, other, weight in weighted.edges),
        "in edges": sorted(names[id] for id in weighted.entity_ids),
        "told": sorted(
            (texts(knowledge, [chunk])[0], names[id], count) for chunk, pairs in told.items() for id, count in pairs
        ),
        "similar": sorted(
            (texts(knowledge, [chunk])[0], texts(knowledge, [other])[0], weight)
            for chunk, pairs in drive(knowledge.similar_to(chunk_ids)).items()
            for other, weight in pairs
        ),
        "questions": sorted(
            (each.question, texts(knowledge, [each.chunk_id])[0]) for each in drive(knowledge.questions())
        ),
        "unfinished": {
            name: texts(knowledge, drive(knowledge.unfinished(name))) for name in (ENTITIES, QUESTIONS, "other")
        },
        "stats": drive(knowledge.stats()),
    }


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


# -- communities and reports ----------------------------------------------------------------------------------------


def clustered(knowledge: Knowledge) -> list[Community]:
    found = entities(knowledge)
    chunks = drive(knowledge.chunk_ids())

    def community(id: str, level: int, names: Sequence[str], told: Sequence[int], **more: Any) -> Community:
        ids = tuple(sorted(found[name].id for name in names))
        return Community(id=id, level=level, entity_ids=ids, chunk_ids=tuple(chunks[place] for place in told), **more)

    return [
        community("0", 0, ["scrooge", "jacob marley", "bob cratchit"], (0, 1, 2, 3), occurrence=1.0, is_final=False,
                  children=("2", "10"), title="All"),
        community("1", 0, ["tiny tim"], (3,), occurrence=0.25),
        community("10", 1, ["bob cratchit"], (1, 3), parent="0", occurrence=0.5),
        community("2", 1, ["jacob marley", "scrooge"], (0, 1, 2), parent="0", occurrence=0.75),
    ]  # fmt: skip


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


def report(id: str, level: int = 0, **more: Any) -> CommunityReport:
    given = {"title": f"Title {id}", "summary": "A miser repents.", **more}
    return CommunityReport(community_id=id, level=level, **given)


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
