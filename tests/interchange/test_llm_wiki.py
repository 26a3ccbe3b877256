"""import_llm_wiki: the SQLite file of core-llm-wiki, in several versions, and files that mean harm."""

from __future__ import annotations

import json
import random
import sqlite3
import struct

import pytest

from lorelite import CannotOpen, DumpError, InvalidOption
from lorelite.models import HashEmbedder

TIME = 1_700_000_000_000
HASH = "c" * 64
ENTRIES_1 = """
    id text primary key, entity_id text not null, title text not null, body text not null, tags text default '[]',
    confidence text default 'inferred', source_type text default 'librarian_inferred', source_hash text,
    source_ref text, created_at integer, updated_at integer, last_accessed_at integer, access_count integer default 0,
    deleted_at integer"""
ENTRIES_12 = f"""{ENTRIES_1}, embedding text, embedding_blob blob, okf_type text, ontology_checked_at integer,
    heal_checked_at integer, lifecycle_status text default 'stable', stale_after integer, generated_by text,
    last_verified_at integer, last_verified_by text, okf_sources text, okf_verified text, okf_usage_window text,
    embedding_failed_at integer, embedding_failure_kind text, embedding_attempts integer default 0"""
ENTRIES_13 = f"{ENTRIES_12}, valid_from integer, valid_to integer, superseded_by text, superseded_at integer"
TASKS = """
    id text primary key, entity_id text, description text, status text default 'pending', priority integer default 0,
    created_at integer, updated_at integer, resolved_at integer, deleted_at integer"""
EVENTS = "id text primary key, entity_id text, event_type text, summary text, related_entry_id text, created_at integer"
MANIFESTS = "entity_id text primary key, mode text, manifest_json text, updated_at integer"
SOURCES = "id text, entity_id text, source_hash text, source_ref text, created_at integer, deleted_at integer"
EDGES = "id text primary key, entity_id text, source_id text, target_id text, edge_type text, created_at integer"


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "memory.db")


class Sample:
    """A file in that program's schema, as far as its documents describe it."""

    def __init__(self, path, version=12, prefix="llm_wiki_"):
        self.db = sqlite3.connect(path)
        self.prefix = prefix
        entries = {1: ENTRIES_1, 12: ENTRIES_12, 13: ENTRIES_13}.get(version, ENTRIES_13)
        self.table("entries", entries)
        self.table("tasks", TASKS)
        self.table("events", EVENTS)
        if version > 1:
            self.table("edges", EDGES)
            self.table(
                "entity_manifests", "entity_id text primary key, mode text, manifest_json text, updated_at integer"
            )
            self.table("source_ref_index", SOURCES)
            self.table("meta", "key text primary key, value text")
            self.add("meta", key="schema_version", value=str(version))

    def table(self, name, columns):
        self.db.execute(f"create table {self.prefix}{name} ({columns})")

    def add(self, table, **row):
        if table == "entries":
            row = {"entity_id": "me", "title": "T", "body": "B", "created_at": TIME, "updated_at": TIME,
                   "source_type": "user_stated"} | row  # fmt: skip
        names = ", ".join(row)
        self.db.execute(
            f"insert into {self.prefix}{table} ({names}) values ({', '.join('?' * len(row))})", list(row.values())
        )

    def close(self):
        self.db.commit()
        self.db.close()


def test_everything_that_is_alive_comes_along(wiki, path):
    sample = Sample(path, 13)
    sample.add("entries", id="a", tags='["x"]', okf_type="person", okf_verified='[{"by":"human:bo","at":5}]',
               okf_sources='[{"resource":"https://x"}]', okf_usage_window='{"from":1,"to":2}', heal_checked_at=9,
               valid_to=TIME * 2, source_ref="a.md", source_hash=HASH)  # fmt: skip
    sample.add("entries", id="b", entity_id="you", title="Yours")
    sample.add("entries", id="gone", deleted_at=TIME)
    sample.add("tasks", id="t", entity_id="me", description="do", created_at=1, updated_at=2)
    sample.add("tasks", id="t2", entity_id="me", description="done away", created_at=1, updated_at=2, deleted_at=3)
    sample.add("events", id="v", entity_id="me", event_type="decision", summary="s", created_at=3)
    sample.add("edges", id="e", entity_id="me", source_id="a", target_id="a", edge_type="self", created_at=4)
    manifest = {"node_types": [{"type": "person", "description": ""}], "edge_types": []}
    sample.add("entity_manifests", entity_id="me", mode="strict", manifest_json=json.dumps(manifest), updated_at=6)
    sample.add("source_ref_index", id="s", entity_id="me", source_hash="d" * 64, source_ref="empty.md", created_at=7)
    sample.add("meta", key="entity_summary:me", value="About me.")
    sample.close()
    report = wiki.import_llm_wiki(path)
    assert (report.namespaces, report.problems, report.skipped) == (("me", "you"), (), ())
    found = wiki.export_dump().namespaces["me"]
    [fact] = found.facts
    assert (fact.id, fact.tags, fact.node_type, fact.valid_to) == ("a", ("x",), "person", TIME * 2)
    assert (fact.verified[0].by, fact.sources, fact.usage_window) == ("human:bo", ({"resource": "https://x"},), (1, 2))
    assert found.rows["node"][0]["healed_at"] == 9
    assert [task.id for task in found.tasks] == ["t"]
    assert ([event.id for event in found.events], [edge.id for edge in found.edges]) == (["v"], ["e"])
    assert (found.ontology, found.summary) == ({"mode": "strict", "manifest": manifest, "updated_at": 6}, "About me.")
    assert [document.source_ref for document in wiki.list_source_refs("me")] == ["a.md", "empty.md"]
    assert [item.title for item in wiki.read("you", "yours").facts] == ["Yours"]


@pytest.mark.parametrize("version", [1, 12, 13])
def test_older_files_lack_columns_and_tables(wiki, path, version):
    sample = Sample(path, version)
    sample.add("entries", id="a")
    sample.close()
    assert wiki.import_llm_wiki(path).problems == ()
    assert [fact.id for fact in wiki.export_dump().namespaces["me"].facts] == ["a"]


def test_a_newer_file_is_read_as_far_as_it_is_known_and_told(wiki, path):
    sample = Sample(path, 14)
    sample.add("entries", id="a")
    sample.close()
    [problem] = wiki.import_llm_wiki(path).problems
    assert "schema version 14" in problem
    assert wiki.list_namespaces() == ["me"]


def test_any_prefix_is_found_and_of_several_one_is_chosen(wiki, path):
    sample = Sample(path, prefix="notes_")
    sample.add("entries", id="a")
    sample.close()
    assert wiki.import_llm_wiki(path).namespaces == ("me",)
    sample = Sample(path, prefix="work_")
    sample.add("entries", id="b", entity_id="job")
    sample.close()
    with pytest.raises(InvalidOption, match="holds several wikis"):
        wiki.import_llm_wiki(path)
    with pytest.raises(InvalidOption, match=r"one of \['notes_', 'work_'\]"):
        wiki.import_llm_wiki(path, table_prefix="x; drop table notes_entries")
    assert wiki.import_llm_wiki(path, table_prefix="work_").namespaces == ("job",)


def test_vectors_are_kept_under_the_model_that_is_named(open_wiki, path):
    blob = struct.pack("<32f", *[0.5] * 32)
    sample = Sample(path)
    sample.add("entries", id="blob", embedding_blob=blob)
    sample.add("entries", id="text", embedding=json.dumps([0.5] * 32))
    sample.close()
    wiki = open_wiki()
    assert "2 vectors were left out" in wiki.import_llm_wiki(path).problems[0]
    model = HashEmbedder(32).model_id
    wiki.import_llm_wiki(path, embedding_model=model)
    rows = wiki.export_dump().namespaces["me"].rows["vector"]
    assert {(row["node_id"], row["model_id"]) for row in rows} == {("blob", model), ("text", model)}


def test_importing_twice_with_merge_changes_nothing(wiki, path):
    sample = Sample(path)
    sample.add("entries", id="a", source_ref="x", source_hash=HASH)
    sample.close()
    wiki.import_llm_wiki(path, merge=True)
    before = wiki.export_dump()
    report = wiki.import_llm_wiki(path, merge=True)
    assert (wiki.export_dump(), set(report.counts.values())) == (before, {0})


def test_the_names_of_entities_become_other_namespaces(wiki, path):
    sample = Sample(path)
    sample.add("entries", id="a")
    sample.add("entries", id="b", entity_id="you")
    sample.close()
    assert wiki.import_llm_wiki(path, namespace={"me": "mine"}).namespaces == ("mine", "you")


@pytest.mark.cpython_only
def test_what_a_crashed_writer_left_in_its_log_is_read_and_nothing_beside_the_file_changes(wiki, tmp_path, path):
    sample = Sample(path)
    sample.db.commit()
    sample.db.execute("pragma journal_mode = wal")
    sample.add("entries", id="logged")
    sample.db.commit()
    before = {item.name: item.read_bytes() for item in tmp_path.iterdir() if not item.name.endswith("-shm")}
    assert "memory.db-wal" in before
    wiki.import_llm_wiki(path)
    assert [fact.id for fact in wiki.export_dump().namespaces["me"].facts] == ["logged"]
    after = {item.name: item.read_bytes() for item in tmp_path.iterdir() if not item.name.endswith("-shm")}
    assert after == before
    sample.close()


# -- files that mean harm -----------------------------------------------------------------------------------------


def test_views_triggers_and_virtual_tables_are_never_run(wiki, path):
    sample = Sample(path)
    sample.add("entries", id="a")
    sample.db.execute("create trigger t after insert on llm_wiki_entries begin delete from llm_wiki_entries; end")
    sample.db.execute("drop table llm_wiki_events")
    sample.db.execute(
        "create view llm_wiki_events as with recursive n(i) as (select 1 union all select i + 1 from n)"
        " select i as id, 'me' as entity_id from n"
    )
    sample.db.execute("drop table llm_wiki_tasks")
    sample.db.execute("create virtual table llm_wiki_tasks using fts5(id, entity_id, description)")
    sample.close()
    report = wiki.import_llm_wiki(path)
    assert report.counts == {"node": 1}


def test_a_view_in_the_place_of_the_facts_is_no_wiki(wiki, path):
    db = sqlite3.connect(path)
    db.execute("create view llm_wiki_entries as select 'a' id, 'me' entity_id, randomblob(9) title, 'b' body")
    db.commit()
    db.close()
    with pytest.raises(DumpError, match="holds no wiki"):
        wiki.import_llm_wiki(path)


@pytest.mark.cpython_only
def test_a_value_of_monstrous_length_is_refused(wiki, path):
    sample = Sample(path)
    sample.db.execute("drop table llm_wiki_entries")
    sample.db.execute(
        "create table llm_wiki_entries (id text, entity_id text, title text, body text as (hex(zeroblob(40000000))))"
    )
    sample.db.execute("insert into llm_wiki_entries (id, entity_id, title) values ('a', 'me', 'T')")
    sample.close()
    with pytest.raises(DumpError, match="cannot be read: string or blob too big"):
        wiki.import_llm_wiki(path)
    assert wiki.list_namespaces() == []


@pytest.mark.parametrize("value", [5, 2.5, b"\xff\xfe", b"\x00" * 100, 2**62, "x\0y", "\\ud800", -(2**63), ""])
@pytest.mark.parametrize(
    "column",
    ["id", "entity_id", "title", "tags", "confidence", "created_at", "access_count", "okf_verified", "source_ref"],
)
def test_values_of_any_kind_in_any_column_do_no_harm(wiki, path, column, value):
    sample = Sample(path)
    sample.add("entries", **{"id": "a", column: value})
    sample.add("entries", id="sound")
    sample.close()
    try:
        wiki.import_llm_wiki(path)
    except DumpError:
        assert column == "entity_id"
        assert wiki.list_namespaces() == []
        return
    found = {fact.id: fact for fact in wiki.export_dump().namespaces["me"].facts}
    assert "sound" in found
    wiki.read("me", "T")


def test_a_file_that_is_something_else_is_refused(open_wiki, wiki, tmp_path):
    own = tmp_path / "own.db"
    open_wiki(own).write("a", title="x")
    with pytest.raises(DumpError, match="file of Lorelite"):
        wiki.import_llm_wiki(own)
    other = tmp_path / "other.db"
    db = sqlite3.connect(other)
    db.execute("create table llm_wiki_entries (a)")
    db.commit()
    db.close()
    with pytest.raises(DumpError, match="holds no wiki"):
        wiki.import_llm_wiki(other)
    torn = tmp_path / "torn.db"
    torn.write_bytes(other.read_bytes()[:1_000])
    with pytest.raises(DumpError):
        wiki.import_llm_wiki(torn)
    with pytest.raises(CannotOpen):
        wiki.import_llm_wiki(tmp_path / "absent.db")
    with pytest.raises(CannotOpen):
        wiki.import_llm_wiki(tmp_path)


@pytest.mark.parametrize("seed", range(40))
def test_a_file_with_damaged_bytes_is_read_or_refused(wiki, path, seed):
    sample = Sample(path)
    for number in range(60):
        sample.add("entries", id=f"n{number}", body="some words " * 30)
    sample.close()
    chosen = random.Random(seed)
    with open(path, "rb") as stream:
        data = bytearray(stream.read())
    for _ in range(20):
        data[chosen.randrange(100, len(data))] = chosen.randrange(256)
    with open(path, "wb") as stream:
        stream.write(data)
    try:
        wiki.import_llm_wiki(path)
    except DumpError:
        assert wiki.list_namespaces() == []
