"""A namespace of a file as a knowledge graph: it is part of the one graph, and has a past like the rest of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.conftest import NS, SetClock
from tests.pipeline.test_knowledge_contract import (
    CAROL,
    ENTITIES,
    QUESTIONS,
    SAID_OF_CAROL,
    SAID_OF_SEQUEL,
    SEQUEL,
    begin,
    clustered,
    entities,
    insert,
    picture,
    report,
    said,
    spans,
    tell,
    tell_all,
    texts,
)

from lorelite import Wiki, pagerank_search
from lorelite._drive import drive
from lorelite.engine import Engine
from lorelite.errors import InvalidOption
from lorelite.graph_records import ChunkQuestion, GraphDocument, GraphStats, Similarity
from lorelite.models import HashEmbedder
from lorelite.pipeline.file_knowledge import FileKnowledge
from lorelite.text.extraction import ExtractedEntity, ExtractedRelation, Extraction
from lorelite.text.span import Span

LOCK = "Ada Marsh keeps Heron Lock. Tom Weir met Ada Marsh at Heron Lock."


def engine_of(wiki: Wiki) -> Engine:
    return wiki._wiki._engine


def knowledge_of(wiki: Wiki, namespace: str = NS) -> FileKnowledge:
    return FileKnowledge(engine_of(wiki), namespace)


@pytest.fixture
def knowledge(wiki: Wiki) -> FileKnowledge:
    return knowledge_of(wiki)


def fill(knowledge: FileKnowledge) -> None:
    """Something of everything."""
    tell_all(knowledge)
    made_of(knowledge)


def made_of(knowledge: FileKnowledge) -> None:
    """What is made of the chunks and entities that are there."""
    first, second, *_ = drive(knowledge.chunk_ids())
    drive(knowledge.put_summaries({entities(knowledge)["scrooge"].id: "A miser who repents."}))
    drive(knowledge.put_communities(clustered(knowledge)))
    drive(knowledge.put_reports([report("0"), report("2", 1, title="A firm")]))
    drive(knowledge.add_similarities([Similarity(first, second, 0.5)]))
    drive(knowledge.add_questions([ChunkQuestion(id="q-1", question="Who ran the firm?", chunk_id=first)]))
    drive(knowledge.mark_finished(QUESTIONS, [first]))
    drive(knowledge.remember("pipeline", {"schema": 1}))
    drive(knowledge.embed_new())


def whole(knowledge: FileKnowledge) -> dict[str, Any]:
    return picture(knowledge) | {
        "communities": drive(knowledge.communities()),
        "reports": drive(knowledge.reports()),
        "pipeline": drive(knowledge.recall("pipeline")),
    }


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


# -- the past -------------------------------------------------------------------------------------------------------


def test_undo_and_restore_take_back_what_a_pipeline_wrote_step_by_step(wiki, knowledge, clock):
    steps: list[Callable[[], Any]] = [
        lambda: insert(knowledge, "carol", CAROL),
        lambda: tell(knowledge, drive(knowledge.chunks(drive(knowledge.chunk_ids()))), SAID_OF_CAROL),
        lambda: drive(knowledge.put_summaries({drive(knowledge.entity_ids())[0]: "In short."})),
        lambda: drive(knowledge.put_communities(some_community(knowledge))),
        lambda: drive(knowledge.put_reports([report("0")])),
        lambda: drive(knowledge.mark_finished(QUESTIONS, drive(knowledge.chunk_ids()))),
        lambda: drive(knowledge.remember("pipeline", [1])),
        lambda: drive(knowledge.delete_documents(["carol"])),
    ]
    moments = []
    for step in steps:
        moments.append((clock.now, whole(knowledge)))
        clock.tick()
        step()
        after = whole(knowledge)
        wiki.undo(NS)
        if step is not steps[0]:  # it marks its document as complete in a step of its own
            assert whole(knowledge) == moments[-1][1]
        wiki.undo(NS)
        assert whole(knowledge) == after
    for moment, before in reversed(moments):
        wiki.restore(NS, as_of=moment)
        assert whole(knowledge) == before


def some_community(knowledge: FileKnowledge) -> list[Any]:
    from lorelite.graph_records import Community

    ids = tuple(drive(knowledge.entity_ids()))
    return [Community(id="0", level=0, entity_ids=ids, chunk_ids=tuple(drive(knowledge.chunk_ids())))]


def test_a_read_as_of_then_sees_the_version_of_then(wiki, knowledge, clock: SetClock):
    tell(knowledge, insert(knowledge, "carol", CAROL), SAID_OF_CAROL)
    then = clock.tick()
    clock.tick()
    chunks = begin(knowledge, "carol", SEQUEL)
    tell(knowledge, chunks, [said(), said([("Tiny Tim", "person", "A boy.")])])
    drive(knowledge.complete_documents(["carol"]))
    assert {fact.title for fact in wiki.read(NS, "Scrooge", kinds=["entity"]).facts} == set()
    assert {fact.title for fact in wiki.read(NS, "Scrooge", kinds=["entity"], as_of=then).facts} == {"Scrooge"}


def test_a_deleted_document_is_forgotten_by_the_past_too(wiki, knowledge, clock):
    tell(knowledge, insert(knowledge, "carol", CAROL), SAID_OF_CAROL)
    then = clock.tick()
    clock.tick()
    drive(knowledge.delete_documents(["carol"]))
    assert wiki.read(NS, "Scrooge Marley", as_of=then).facts == ()


def test_forgetting_a_source_takes_all_that_a_pipeline_made_of_it(open_wiki):
    one, other = open_wiki(), open_wiki()
    fill(knowledge_of(one))
    one.forget(NS, source_ref="carol")
    drive(knowledge_of(other).put_communities([]))
    tell_all(knowledge_of(other), but="carol")
    assert picture(knowledge_of(one))["entities"] == picture(knowledge_of(other))["entities"]
    stats = drive(knowledge_of(one).stats())
    assert (stats.questions, stats.similar_pairs) == (0, 0)


def test_forgetting_everything_takes_communities_and_memos_and_undo_brings_them_back(wiki, knowledge):
    fill(knowledge)
    before = whole(knowledge)
    wiki.forget(NS, clear_all=True)
    assert drive(knowledge.stats()) == GraphStats()
    assert drive(knowledge.recall("pipeline")) is None
    wiki.undo(NS)
    assert whole(knowledge) == before


def test_prune_leaves_no_trace_of_what_was_deleted(wiki, knowledge, clock):
    fill(knowledge)
    drive(knowledge.delete_documents(["carol", "sequel"]))
    clock.tick(400 * 86_400_000)
    wiki.run_prune(NS, retain_deleted_for=1)
    db = engine_of(wiki).store.db
    for table in ("statement", "member", "support", "citation", "chunk", "edge"):
        assert db.value(f"select count(*) from {table}") == 0, table
    assert db.value("select count(*) from node where kind <> 'report'") == 0


# -- dumps ----------------------------------------------------------------------------------------------------------


def test_a_dump_carries_the_whole_graph(open_wiki, tmp_path):
    wiki = open_wiki(embedder=HashEmbedder())
    fill(knowledge_of(wiki))
    path = str(tmp_path / "graph.jsonl")
    wiki.export_dump(path=path)
    copy = open_wiki(embedder=HashEmbedder())
    assert copy.import_dump(path).problems == ()
    assert whole(knowledge_of(copy)) == whole(knowledge_of(wiki))
    assert copy.export_dump() == wiki.export_dump()
    # A pipeline goes on in the copy as it would here.
    assert drive(knowledge_of(copy).unfinished(QUESTIONS)) == drive(knowledge_of(wiki).unfinished(QUESTIONS))
    wiki.import_dump(path)
    assert whole(knowledge_of(wiki)) == whole(knowledge_of(copy))


def test_a_file_that_follows_by_the_outbox_holds_the_same(open_wiki):
    wiki, copy = open_wiki(), open_wiki()
    fill(knowledge_of(wiki))
    drive(knowledge_of(wiki).delete_documents(["sequel"]))
    while events := wiki.get_outbox_events(consumer="copy", limit=7):
        copy.apply_outbox_events(NS, events)
        wiki.mark_outbox_events_processed(events, consumer="copy")
    assert whole(knowledge_of(copy)) == whole(knowledge_of(wiki))


def test_what_is_remembered_of_a_file_ends_with_the_next_write_whoever_writes(wiki, knowledge, monkeypatch):
    fill(knowledge)
    before = drive(knowledge.communities())
    assert statements_of(wiki, lambda: drive(knowledge.communities())) == ["pragma data_version"]
    drive(knowledge.communities()).clear()
    assert drive(knowledge.communities()) == before
    drive(knowledge_of(wiki).delete_documents(["sequel"]))
    assert drive(knowledge.communities()) != before
    after = drive(knowledge.communities())
    with pytest.raises(ZeroDivisionError), engine_of(wiki).store.atomic():
        drive(knowledge.put_communities([]))
        assert drive(knowledge.communities()) == []
        raise ZeroDivisionError
    assert drive(knowledge.communities()) == after


# -- cost -----------------------------------------------------------------------------------------------------------


def statements_of(wiki: Wiki, call: Callable[[], object]) -> list[str]:
    seen: list[str] = []
    connection = engine_of(wiki).store.db.connection
    connection.set_trace_callback(seen.append)
    try:
        call()
    finally:
        connection.set_trace_callback(None)
    return [sql for sql in seen if not sql.startswith("--")]


def many(knowledge: FileKnowledge, count: int) -> tuple[list[Any], list[Extraction]]:
    chunks = insert(knowledge, f"doc {count}", "\n".join(f"Line {number}." for number in range(count)))
    found = [
        said([(f"E{n}", "t", "x"), (f"E{n + 1}", "t", "y")], [(f"E{n}", f"E{n + 1}", "z", 1.0)]) for n in range(count)
    ]
    return chunks, found


def test_what_is_asked_of_the_file_does_not_grow_with_the_batch(wiki, knowledge):
    asked = []
    for count in (10, 40):
        chunks, found = many(knowledge, count)
        asked.append(len(statements_of(wiki, lambda c=chunks, f=found: tell(knowledge, c, f))))
    # Rows are written by as many statements as they need; each statement of a trigger counts too.
    reads = []
    ids = drive(knowledge.entity_ids())
    for some in (ids[:3], ids):
        for read in (knowledge.entities, knowledge.relations_of, knowledge.descriptions):
            reads.append(len(statements_of(wiki, lambda r=read, s=some: drive(r(s)))))
    assert reads[:3] == reads[3:]
    assert max(reads) <= 12
    chunk_ids = drive(knowledge.chunk_ids())
    for some_chunks in (chunk_ids[:2], chunk_ids):
        assert len(statements_of(wiki, lambda s=some_chunks: drive(knowledge.entities_of(s)))) == 1
        assert len(statements_of(wiki, lambda s=some_chunks: drive(knowledge.chunks(s)))) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda k, ids, chunks: k.entities(ids),
        lambda k, ids, chunks: k.relations_of(ids),
        lambda k, ids, chunks: k.descriptions(ids),
        lambda k, ids, chunks: k.entities_of(chunks),
        lambda k, ids, chunks: k.chunks(chunks),
        lambda k, ids, chunks: k.similar_to(chunks),
        lambda k, ids, chunks: k.communities_of(ids),
        lambda k, ids, chunks: k.reports(["0"]),
        lambda k, ids, chunks: k.questions(["q-1"]),
        lambda k, ids, chunks: k.mark_finished("x", chunks),
        lambda k, ids, chunks: k.add_questions([ChunkQuestion(id="q-2", question="What?", chunk_id=chunks[0])]),
        lambda k, ids, chunks: k.add_similarities([Similarity(chunks[1], chunks[2], 0.4)]),
        lambda k, ids, chunks: k.add_extractions(
            list(zip(drive(k.chunks(chunks[:2])), SAID_OF_CAROL, strict=True)), processor=ENTITIES
        ),
        lambda k, ids, chunks: k.delete_documents(["carol"]),
    ],
)
def test_hot_statements_search_indexes_and_scan_no_table(wiki, knowledge, call):
    fill(knowledge)
    ids, chunks = drive(knowledge.entity_ids()), drive(knowledge.chunk_ids())
    connection = engine_of(wiki).store.db.connection
    seen = statements_of(wiki, lambda: drive(call(knowledge, ids, chunks)))
    tables = ("node", "edge", "chunk", "document", "support", "statement", "citation", "alias", "member", "community")
    for sql in seen:
        if sql.lstrip().split(" ")[0].lower() not in ("select", "update", "delete"):
            continue
        for row in connection.execute(f"explain query plan {sql}"):
            detail = str(row["detail"])
            if detail.startswith("SCAN"):
                aliases = sql.lower()
                name = detail.split()[1]
                is_table = name in tables or any(f" {table} {name} " in f"{aliases} " for table in tables)
                assert not is_table, f"{detail}\n{sql}"


def test_reads_of_one_namespace_never_read_another(wiki):
    knowledge, other = knowledge_of(wiki), knowledge_of(wiki, "other")
    fill(knowledge)
    tell_all(other)
    drive(other.remember("pipeline", 2))
    before = whole(other)
    assert wiki.traverse_graph("other", source_id=drive(knowledge.entity_ids())[0]).nodes == ()
    assert drive(other.entities(drive(knowledge.entity_ids()))) == []
    assert drive(other.chunks(drive(knowledge.chunk_ids()))) == []
    assert drive(other.relations_of(drive(knowledge.entity_ids()))) == []
    assert drive(other.entities_of(drive(knowledge.chunk_ids()))) == {}
    drive(other.mark_finished(ENTITIES, drive(knowledge.chunk_ids())))
    drive(knowledge.drop())
    assert whole(other) == before
