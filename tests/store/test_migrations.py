"""Files of earlier versions, opened by this one."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from lorelite import Wiki
from lorelite._drive import drive
from lorelite.ids import content_id
from lorelite.pipeline.file_knowledge import FileKnowledge
from lorelite.store.migrate import APPLICATION_ID, migration_text
from lorelite.text.extraction import ExtractedRelation, Extraction
from lorelite.text.tokens import TOKENIZER_VERSION

NS = "class"
ROWS = """
    insert into namespace values ('class', 1, {version}, 1);
    insert into document values ('doc_1', 'class', 'kites.txt', 'h', 'Ada flies a red kite. Tom too.', 'model',
                                 'complete', 1, 1);
    insert into node (key, id, namespace, kind, title, title_key, body, source_type, origin, source_ref, source_hash,
                      content_hash, created_at, updated_at) values
        (1, 'c', 'class', 'chunk', 'kites.txt', 'kites.txt', 'Ada flies a red kite. Tom too.', 'immutable_document',
         'structure', 'kites.txt', 'h', 'x', 1, 1),
        (2, 'a', 'class', 'entity', 'Ada', 'ada', 'She flies kites.', 'immutable_document', 'model', null, null, 'x',
         1, 1),
        (3, 't', 'class', 'entity', 'Tom', 'tom', '', 'immutable_document', 'model', null, null, 'x', 1, 1),
        (4, 'q', 'class', 'question', 'Who flies a kite?', 'who flies a kite?', '', 'immutable_document', 'stated',
         null, null, 'x', 1, 1);
    insert into chunk (document_id, ordinal, node_id, start, "end", state) values ('doc_1', 0, 'c', 0, 30, 'done');
    insert into support values ('a', 'doc_1', 0, 'Ada', 'person', 'She flies kites.');
    insert into support values ('t', 'doc_1', 0, 'Tom', null, '');
    insert into alias values ('class', 'ada', 'a', 'doc_1'), ('class', 'tom', 't', 'doc_1');
    insert into edge (id, namespace, source_id, edge_type, target_id, weight, description, origin, source_ref,
                      source_hash, created_at, updated_at) values
        ('e1', 'class', 'c', 'mentions', 'a', 1, '', 'model', 'kites.txt', 'h', 1, 1),
        ('e2', 'class', 'a', 'knows', 't', 2, 'They fly together.', 'model', 'kites.txt', 'h', 1, 1);
    insert into citation values ('c', 'doc_1', 0, 30), ('e2', 'doc_1', 0, 21);
    insert into keyword_1 (rowid, title, body, tags) values
        (1, 'kites txt', 'ada flies a red kite tom too', ''), (4, 'who flies a kite', '', '');
    insert into keyword_1_names (rowid, title, body, tags) values (2, 'ada', 'she flies kites', ''), (3, 'tom', '', '');
"""


def of_version_2(path: Path, tokenizer_version: str = str(TOKENIZER_VERSION)) -> Path:
    """A file as the second migration left it, with a document that a model read and a question that was imported."""
    connection = sqlite3.connect(path)
    for name in ("0001_initial", "0002_memory_engine"):
        connection.executescript(migration_text(name))
    for name in ("keyword_1", "keyword_1_names"):
        connection.execute(f"create virtual table {name} using fts5(title, body, tags, content='')")
    connection.executescript(ROWS.format(version=tokenizer_version))
    connection.execute(f"pragma application_id = {APPLICATION_ID}")
    connection.execute("pragma user_version = 2")
    connection.commit()
    connection.close()
    return path


@pytest.mark.cpython_only
def test_a_file_of_the_memory_engine_becomes_a_knowledge_graph(tmp_path):
    with Wiki.open(of_version_2(tmp_path / "old.db")) as wiki:
        knowledge = FileKnowledge(wiki._wiki._engine, NS)
        [chunk] = drive(knowledge.chunks(drive(knowledge.chunk_ids())))
        assert (chunk.content, chunk.document_ids) == ("Ada flies a red kite. Tom too.", ("kites.txt",))
        assert drive(knowledge.unfinished("chunkEntityGeneration")) == []
        assert drive(knowledge.unfinished("another")) == ["c"]
        ada, tom = drive(knowledge.entities(["a", "t"]))
        assert (ada.description, ada.chunk_ids, ada.degree) == ("She flies kites.", ("c",), 1)
        assert tom.chunk_ids == ("c",)
        [relation] = drive(knowledge.relations_of(["a"]))
        assert (relation.weight, relation.description, relation.chunk_ids) == (2.0, "They fly together.", ("c",))
        assert drive(knowledge.communities()) == []


@pytest.mark.cpython_only
def test_what_a_relation_said_before_there_were_statements_is_kept_when_more_is_said(tmp_path):
    with Wiki.open(of_version_2(tmp_path / "old.db")) as wiki:
        knowledge = FileKnowledge(wiki._wiki._engine, NS)
        # The id that a reading of this document gives the edge.
        id = content_id("edge", NS, "kites.txt", "h", "a", "knows", "t")
        wiki._wiki._engine.store.db.run("update edge set id = ? where id = 'e2'", (id,))
        [chunk] = drive(knowledge.chunks(["c"]))
        said = ExtractedRelation(source="Ada", target="Tom", type="knows", description="They met.", weight=1.0)
        for _ in range(2):
            drive(knowledge.add_extractions([(chunk, Extraction(relations=(said,)))], processor="p"))
            [relation] = drive(knowledge.relations_of(["a"]))
            assert relation.weight == 3.0
            assert relation.description.split("\n") == ["They fly together.", "They met."]
        assert drive(knowledge.delete_documents(["kites.txt"])).documents == 1
        assert drive(knowledge.entity_ids()) == []


@pytest.mark.cpython_only
@pytest.mark.parametrize("tokenizer_version", [str(TOKENIZER_VERSION), "null"])
def test_questions_of_an_older_file_are_counted_apart_from_now_on(tmp_path, tokenizer_version):
    with Wiki.open(of_version_2(tmp_path / "old.db", tokenizer_version)) as wiki:
        [found] = wiki.read(NS, "kite", kinds=["question"]).facts
        assert found.id == "q"
        assert [fact.id for fact in wiki.read(NS, "red kite", kinds=["chunk"]).facts] == ["c"]
        wiki.forget(NS, node_id="q")
        assert wiki.read(NS, "kite", kinds=["question"]).facts == ()


@pytest.mark.cpython_only
def test_an_older_file_has_the_schema_of_a_new_one_in_the_end(tmp_path):
    schemas = []
    for path in (of_version_2(tmp_path / "old.db"), tmp_path / "new.db"):
        with Wiki.open(path) as wiki:
            wiki.write(NS, title="Something")
            rows = wiki._wiki._engine.store.db.rows(
                "select name, sql from sqlite_schema where name not like 'keyword_%' order by name"
            )
            columns = {
                row["name"]: sorted(
                    tuple(column)
                    for column in wiki._wiki._engine.store.db.rows(
                        'select name, type, "notnull", dflt_value, pk from pragma_table_info(?)', (row["name"],)
                    )
                )
                for row in rows
            }
        schemas.append(columns)
    assert schemas[0] == schemas[1]
