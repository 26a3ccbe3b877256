"""What a pipeline wrote into a file: its past, its dumps, and what reading it costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from file_world import engine_of, fill, knowledge_of, whole
from knowledge_world import (
    CAROL,
    ENTITIES,
    QUESTIONS,
    SAID_OF_CAROL,
    SEQUEL,
    begin,
    insert,
    picture,
    report,
    said,
    tell,
    tell_all,
)
from tests.conftest import NS, SetClock

from lorelite import Wiki
from lorelite._drive import drive
from lorelite.graph_records import ChunkQuestion, Community, GraphStats, Similarity
from lorelite.models import HashEmbedder
from lorelite.pipeline.file_knowledge import FileKnowledge
from lorelite.text.extraction import Extraction


@pytest.fixture
def knowledge(wiki: Wiki) -> FileKnowledge:
    return knowledge_of(wiki)


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
