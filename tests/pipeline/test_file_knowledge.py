"""A namespace of a file as a knowledge graph: it is part of the one graph, and has a past like the rest of it."""

from __future__ import annotations

import json

import pytest
from file_world import engine_of, fill, knowledge_of, made_of
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
    report,
    said,
    spans,
    tell,
    texts,
)
from tests.conftest import NS

from lorelite import Wiki, pagerank_search
from lorelite._drive import drive
from lorelite.errors import InvalidOption
from lorelite.graph_records import ChunkQuestion, GraphDocument, GraphStats, Similarity
from lorelite.pipeline.file_knowledge import FileKnowledge
from lorelite.text.extraction import ExtractedEntity, ExtractedRelation, Extraction
from lorelite.text.span import Span

LOCK = "Ada Marsh keeps Heron Lock. Tom Weir met Ada Marsh at Heron Lock."


@pytest.fixture
def knowledge(wiki: Wiki) -> FileKnowledge:
    return knowledge_of(wiki)


# -- one graph ------------------------------------------------------------------------------------------------------


def test_what_was_taken_in_otherwise_is_there_as_chunks_entities_and_relations(wiki, knowledge):
    wiki.ingest_document(NS, source_ref="lock.txt", text=LOCK)
    [chunk] = drive(knowledge.chunks(drive(knowledge.chunk_ids())))
    assert (chunk.content, chunk.document_ids, chunk.start, chunk.end) == (LOCK, ("lock.txt",), 0, len(LOCK))
    found = entities(knowledge)
    assert {"ada marsh", "heron lock", "tom weir"} <= set(found)
    assert found["ada marsh"].chunk_ids == (chunk.id,) and found["ada marsh"].degree >= 1
    relations = drive(knowledge.relations_of([found["ada marsh"].id]))
    assert relations and all(relation.description for relation in relations)
    # What names its passage names its chunk too.
    assert {relation.chunk_ids for relation in relations} == {(chunk.id,)}
    assert drive(knowledge.known([GraphDocument(id="lock.txt", content=LOCK)])) == [True]
    # It was read by other means, so nobody need read it again; what comes beside is still to be done.
    assert drive(knowledge.unfinished(ENTITIES)) == []
    assert drive(knowledge.unfinished(QUESTIONS)) == [chunk.id]


def test_a_graph_that_a_caller_stated_is_there_whatever_the_kind_of_its_nodes(wiki, knowledge):
    nodes = [{"id": "a", "title": "parse", "type": "function"}, {"id": "b", "title": "Scanner", "kind": "entity"}]
    edges = [{"type": "reads_from", "source_id": "a", "target_id": "b", "weight": 2}]
    wiki.upsert_graph(NS, source_ref="main.py", source_hash="a" * 64, nodes=nodes, edges=edges)
    wiki.write(NS, title="A note", body="Of a user: it is no entity.")
    assert drive(knowledge.entity_ids()) == ["a", "b"]
    [relation] = drive(knowledge.relations_of(["b"]))
    assert (relation.source, relation.target, relation.weight) == ("parse", "Scanner", 2.0)
    assert relation.description == "parse reads from Scanner" and relation.chunk_ids == ()
    assert list(drive(knowledge.weighted_edges()).edges) == [("a", "b", 2.0)]
    assert drive(knowledge.stats()) == GraphStats(entities=2, relations=1)
    [hit] = drive(knowledge.nearest("entities", "scanner", 5))
    assert (hit.id, hit.score) == ("b", 1.0)
    [hit] = drive(knowledge.nearest("entities", "parse", 5))
    assert hit.id == "a"


def test_a_pipeline_adds_to_the_entities_that_are_there(wiki, knowledge):
    wiki.ingest_document(NS, source_ref="lock.txt", text=LOCK)
    before = entities(knowledge)
    [chunk] = insert(knowledge, "more", "Ada Marsh has a boat.")
    tell(knowledge, [chunk], [said([("ADA MARSH", "person", "She has a boat."), ("Boat", None, "")])])
    after = entities(knowledge)
    assert after["ada marsh"].id == before["ada marsh"].id
    assert after["ada marsh"].chunk_ids[-1] == chunk.id and len(after["ada marsh"].chunk_ids) == 2
    drive(knowledge.delete_documents(["more"]))
    assert entities(knowledge) == before


def test_walks_lead_through_what_a_pipeline_wrote(wiki, knowledge):
    fill(knowledge)
    [scrooge] = wiki.read(NS, "Scrooge", kinds=["entity"], max_results=1).facts
    walk = wiki.traverse_graph(NS, source_id=scrooge.id, max_depth=1, direction="both", max_nodes=50)
    assert {"Jacob Marley", "Bob Cratchit"} <= {node.title for node in walk.nodes}
    assert {edge.edge_type for edge in walk.edges} >= {"related", "mentions"}
    first = drive(knowledge.chunk_ids())[0]
    walk = wiki.traverse_graph(NS, source_id=first, max_depth=1, direction="both", max_nodes=50)
    assert {(node.kind, node.title) for node in walk.nodes if node.id != first} == {
        ("entity", "Scrooge"), ("entity", "Jacob Marley"), ("chunk", "Stave"), ("question", "Who ran the firm?"),
    }  # fmt: skip


def test_pagerank_follows_relations_to_chunks_that_share_no_word_with_the_question(wiki, knowledge):
    fill(knowledge)
    context = wiki.graph(NS).query("What of Scrooge?", search=pagerank_search(), only_context=True).context
    shown = {chunk.content for chunk in context.chunks}
    assert set(CAROL.split("\n")) <= shown
    assert "Marley came as a ghost with chains." in shown


def test_a_search_along_walks_writes_nothing(wiki, knowledge):
    fill(knowledge)
    connection = engine_of(wiki).store.db.connection
    before = connection.total_changes
    assert drive(knowledge.walked("What of Scrooge?", 3, 0.6))
    assert drive(knowledge.walked(" ", 3, 0.6)) == []
    assert connection.total_changes == before


def test_a_mention_that_was_found_in_the_text_is_a_citation(wiki, knowledge):
    [chunk, _] = insert(knowledge, "carol", CAROL)
    at = CAROL.index("Jacob Marley")
    mention = ExtractedEntity(name="Jacob Marley", mentions=(Span(at, at + 12),))
    tell(knowledge, [chunk], [Extraction(entities=(mention,))])
    [fact] = wiki.read(NS, "Marley", kinds=["entity"]).facts
    assert [(citation.source_ref, citation.quote) for citation in fact.citations] == [("carol", "Jacob Marley")]
    tell(knowledge, [chunk], [said()])
    assert engine_of(wiki).store.db.value("select count(*) from citation where owner_id = ?", (fact.id,)) == 0


def test_reports_and_questions_are_found_when_they_are_asked_for_and_not_otherwise(wiki, knowledge):
    fill(knowledge)
    assert {fact.kind for fact in wiki.read(NS, "firm Scrooge miser", max_results=50).facts} <= {"chunk", "entity"}
    assert {fact.kind for fact in wiki.read(NS, "", max_results=50).facts} <= {"chunk", "entity"}
    [found] = wiki.read(NS, "firm", kinds=["report"]).facts
    assert (found.title, found.body) == ("A firm", report("2", 1, title="A firm").text)
    [found] = wiki.read(NS, "firm", kinds=["question"]).facts
    assert found.title == "Who ran the firm?" and found.citations[0].quote == CAROL.split("\n")[0]
    answer = wiki.ask(NS, "Who ran the firm of Scrooge?")
    assert {source.kind for source in answer.sources} <= {"chunk", "entity", "fact"}


def test_the_same_text_in_two_documents_is_two_chunks_and_one_description(knowledge):
    one, other = insert(knowledge, "a", "Marley was dead."), insert(knowledge, "b", "Marley was dead.")
    assert one[0].id != other[0].id
    for chunks in (one, other):
        tell(knowledge, chunks, [said([("Marley", "person", "Dead.")])])
    [entity] = entities(knowledge).values()
    assert entity.description == "Dead." and entity.chunk_ids == (one[0].id, other[0].id)


def test_two_documents_that_say_the_same_of_a_pair_count_twice_and_each_goes_alone(knowledge):
    found = said((), [("Scrooge", "Marley", "Partners.", 3.0)])
    for id in ("a", "b"):
        tell(knowledge, insert(knowledge, id, "Scrooge and Marley."), [found])
    [relation] = drive(knowledge.relations_of(drive(knowledge.entity_ids())))
    assert (relation.weight, relation.description) == (6.0, "Partners.")
    assert drive(knowledge.delete_documents(["a"])).relations == 0
    [relation] = drive(knowledge.relations_of(drive(knowledge.entity_ids())))
    assert relation.weight == 3.0


def test_a_name_that_a_document_gave_as_another_of_an_entity_is_that_entity_in_later_chunks(knowledge):
    chunks = insert(knowledge, "carol", CAROL)
    ebenezer = Extraction(entities=(ExtractedEntity(name="Ebenezer Scrooge", aliases=("Scrooge",)),))
    tell(knowledge, chunks, [ebenezer, said([("Scrooge", None, "An employer.")])])
    [entity] = entities(knowledge).values()
    assert (entity.name, entity.aliases) == ("Ebenezer Scrooge", ("scrooge",))
    assert entity.chunk_ids == (chunks[0].id, chunks[1].id)


def test_descriptions_are_kept_in_the_order_of_the_text_whatever_order_they_were_read_in(knowledge):
    chunks = insert(knowledge, "z", "One.\nTwo.") + insert(knowledge, "a", "Three.")
    for place in (2, 1, 0):
        found = said([("Scrooge", "person", f"Part {place}.")], [("Scrooge", "Marley", f"Line {place}.", 1.0)])
        tell(knowledge, [chunks[place]], [found])
    assert entities(knowledge)["scrooge"].description.split("\n") == ["Part 0.", "Part 1.", "Part 2."]
    [relation] = drive(knowledge.relations_of(drive(knowledge.entity_ids())))
    assert relation.description.split("\n") == ["Line 0.", "Line 1.", "Line 2."]
    assert relation.chunk_ids == tuple(chunk.id for chunk in chunks)


def test_an_ontology_holds_for_a_pipeline_too(wiki, knowledge):
    wiki.set_ontology(
        NS,
        {
            "node_types": [{"type": "person"}],
            "edge_types": [{"type": "knows", "source_type": "person", "target_type": "person"}],
        },
        mode="strict",
    )
    [chunk] = insert(knowledge, "lock", LOCK)
    people = (ExtractedEntity(name="Ada", type="Person"), ExtractedEntity(name="Tom", type="person"))
    lock = ExtractedEntity(name="Lock", type="place")
    relations = tuple(ExtractedRelation(source="Ada", target="Tom", type=type) for type in ("knows", "eats"))
    tell(knowledge, [chunk], [Extraction(entities=(*people, lock), relations=relations)])
    assert {name: entity.type for name, entity in entities(knowledge).items()} == {
        "ada": "person", "tom": "person", "lock": "",
    }  # fmt: skip
    [relation] = drive(knowledge.relations_of(drive(knowledge.entity_ids())))
    assert relation.type == "knows"


# -- versions and interruptions -------------------------------------------------------------------------------------


def test_a_version_that_was_begun_and_given_up_goes_when_another_is_begun(knowledge):
    insert(knowledge, "carol", CAROL)
    begin(knowledge, "carol", SEQUEL)
    # The first text again: it is to be completed once more, so that the second one goes.
    assert drive(knowledge.known([GraphDocument(id="carol", content=CAROL)])) == [False]
    assert begin(knowledge, "carol", CAROL) == []
    drive(knowledge.complete_documents(["carol"]))
    assert drive(knowledge.known([GraphDocument(id="carol", content=CAROL)])) == [True]
    assert texts(knowledge, drive(knowledge.chunk_ids())) == CAROL.split("\n")


def test_a_document_that_was_begun_in_other_pieces_is_begun_anew(knowledge):
    [whole_text] = drive(knowledge.add_document(GraphDocument(id="carol", content=CAROL), spans(CAROL)[:1]))
    assert len(begin(knowledge, "carol", CAROL)) == 2
    assert texts(knowledge, drive(knowledge.chunk_ids())) == CAROL.split("\n")
    assert whole_text.content == CAROL.split("\n")[0]


def test_a_document_without_an_id_is_named_by_its_text_and_keeps_what_was_said_of_it(wiki, knowledge):
    document = GraphDocument(content=CAROL, metadata={"author": "Dickens", "year": 1843})
    [chunk, _] = drive(knowledge.add_document(document, spans(CAROL)))
    drive(knowledge.complete_documents(chunk.document_ids))
    assert drive(knowledge.known([document, GraphDocument(content=SEQUEL)])) == [True, False]
    stored = engine_of(wiki).store.db.value("select metadata from document")
    assert json.loads(stored) == {"author": "Dickens", "year": 1843}


@pytest.mark.parametrize("namespace", ["", "a\0b", "\ud800"])
def test_a_namespace_that_cannot_be_one_is_refused(wiki, namespace):
    with pytest.raises(InvalidOption):
        knowledge_of(wiki, namespace)


def test_a_write_that_fails_leaves_nothing(wiki, knowledge, monkeypatch):
    chunks = insert(knowledge, "carol", CAROL)
    before = picture(knowledge)
    with monkeypatch.context() as patched:
        patched.setattr(engine_of(wiki).store.chunks, "mark_finished", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            tell(knowledge, chunks, SAID_OF_CAROL)
    assert picture(knowledge) == before
    tell(knowledge, chunks, SAID_OF_CAROL)
    assert drive(knowledge.stats()).entities == 3


def test_a_chunk_that_went_while_it_was_read_says_nothing(knowledge):
    chunks = insert(knowledge, "carol", CAROL)
    drive(knowledge.delete_documents(["carol"]))
    assert tell(knowledge, chunks, SAID_OF_CAROL).entities == 0
    drive(knowledge.add_questions([ChunkQuestion(id="q", question="Who?", chunk_id=chunks[0].id)]))
    drive(knowledge.add_similarities([Similarity(chunks[0].id, chunks[1].id, 0.9)]))
    assert drive(knowledge.stats()) == GraphStats()


def test_doing_everything_twice_makes_no_difference_to_the_file(wiki, knowledge):
    fill(knowledge)
    before = wiki.export_dump().namespaces[NS].rows
    assert begin(knowledge, "carol", CAROL) == begin(knowledge, "sequel", SEQUEL) == []
    chunks = drive(knowledge.chunks(drive(knowledge.chunk_ids())))
    tell(knowledge, chunks, [*SAID_OF_CAROL, *SAID_OF_SEQUEL])
    made_of(knowledge)
    after = wiki.export_dump().namespaces[NS].rows
    assert after.keys() == before.keys()
    for table, rows in before.items():
        assert sorted(map(json.dumps, rows)) == sorted(map(json.dumps, after[table])), table


def test_counts_and_reports_are_read_once_until_something_is_written(wiki, knowledge, monkeypatch):
    wiki.ingest_document(NS, source_ref="lock.txt", text=LOCK)
    drive(knowledge.put_reports([report("c1")]))
    before, told = drive(knowledge.stats()), drive(knowledge.reports())
    assert before.documents == 1 and [each.community_id for each in told] == ["c1"]
    told.clear()  # what a caller does with its list is its own affair
    with monkeypatch.context() as patch:
        patch.setattr(FileKnowledge, "_weighted_edges", None)
        patch.setattr(FileKnowledge, "_all_reports", None)
        assert drive(knowledge.stats()) == before and len(drive(knowledge.reports())) == 1
    wiki.ingest_document(NS, source_ref="more.txt", text="Carl Finch keeps Tweed Mill.")
    drive(knowledge.put_reports([report("c2")]))
    assert drive(knowledge.stats()).documents == 2 and len(drive(knowledge.reports())) == 2
