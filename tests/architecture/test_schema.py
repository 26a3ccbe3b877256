"""The schema, and how SQLite goes about the statements that everything rests on."""

from __future__ import annotations

import re
import sqlite3

import pytest

from lorelite import Wiki
from lorelite.store.edges import WalkFilter
from lorelite.store.migrate import MIGRATIONS, migration_text, schema_text, statements
from lorelite.store.store import Store


def schema_of(*scripts: str) -> list[tuple[str, str, str]]:
    """(type, name, SQL without comments and needless spaces) of all that the scripts make."""
    connection = sqlite3.connect(":memory:")
    for script in scripts:
        connection.executescript(script)
    rows = connection.execute("select type, name, coalesce(sql, '') from sqlite_schema order by type, name").fetchall()
    connection.close()
    return [(kind, name, _plain(sql)) for kind, name, sql in rows]


def _plain(sql: str) -> str:
    """Without comments, and without the spaces that `alter table` puts elsewhere than a writer does."""
    return re.sub(r"\s*([(),])\s*", r"\1", " ".join(re.sub(r"--[^\n]*", "", sql).split()))


def test_schema_sql_is_what_the_migrations_make():
    assert schema_of(schema_text()) == schema_of(*map(migration_text, MIGRATIONS))


def test_a_script_falls_into_its_statements():
    script = "create table a (x); -- why\ncreate trigger t after insert on a begin delete from a; end;\n"
    assert len(list(statements(script))) == 2


def test_a_new_file_has_the_schema(tmp_path):
    with Wiki.open(tmp_path / "new.db"):
        pass
    connection = sqlite3.connect(tmp_path / "new.db")
    names = {name for (name,) in connection.execute("select name from sqlite_schema where type = 'table'")}
    connection.close()
    assert {name for kind, name, _ in schema_of(schema_text()) if kind == "table"} <= names


class Recorder:
    """The statements that a store runs, with their parameters, and the plan SQLite makes for each."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.seen: list[tuple[str, object]] = []
        self._rows = store.db.rows

    def __enter__(self) -> Recorder:
        def rows(sql, params=()):
            self.seen.append((sql, params))
            return self._rows(sql, params)

        self.store.db.rows = rows
        return self

    def __exit__(self, *error: object) -> None:
        del self.store.db.rows

    def plan(self, about: str) -> str:
        """The plans of the statements seen that hold *about*, without the searches of our own parameter lists."""
        lines = [
            row["detail"]
            for sql, params in self.seen
            if about in sql
            for row in self._rows(f"explain query plan {sql}", params)
        ]
        return "\n".join(line for line in lines if not re.match(r"SCAN (f|k|json_each) VIRTUAL TABLE", line))


@pytest.fixture(scope="module")
def store():
    with Wiki.open(":memory:") as wiki:
        for number in range(30):
            wiki.write("main", title=f"Fact {number}", body="about tides")
        wiki.upsert_graph(
            "main",
            source_ref="g",
            source_hash="0" * 64,
            nodes=[{"id": f"n{number}", "title": f"Node {number}"} for number in range(30)],
            edges=[{"type": "next", "source_id": f"n{number}", "target_id": f"n{number + 1}"} for number in range(29)],
        )
        yield wiki._wiki._engine.store, wiki


def plan_of(store, call, about: str = "") -> str:
    with Recorder(store) as recorder:
        call()
    plan = recorder.plan(about)
    assert plan, "nothing was asked"
    return plan


@pytest.mark.parametrize(("direction", "index"), [("outbound", "edge_out"), ("inbound", "edge_in")])
def test_a_walk_searches_the_edge_index_of_its_direction(store, direction, index):
    store, _ = store
    plan = plan_of(store, lambda: store.edges.steps("main", ["n8", "n9"], direction == "outbound", WalkFilter()))
    near = "source_id" if direction == "outbound" else "target_id"
    assert re.search(rf"SEARCH e USING INDEX {index} \(namespace=\? AND {near}=\?", plan)
    assert "SCAN" not in plan


def test_a_title_is_looked_up_in_its_index(store):
    store, wiki = store

    def ingest() -> None:
        wiki.ingest_document("main", source_ref="links.md", text="See [[Node 3]] and [[Fact 1]].")

    plan = plan_of(store, ingest, about="title_key = k.value")
    assert "USING INDEX node_title (namespace=? AND title_key=?" in plan
    assert re.search(r"SEARCH a USING (COVERING )?(INDEX|PRIMARY KEY) .*\(namespace=\? AND alias_key=\?", plan)
    assert "SCAN n" not in plan and "SCAN a" not in plan


def test_what_changed_last_is_read_in_the_order_of_its_index(store):
    store, _ = store
    plan = plan_of(store, lambda: store.nodes.recent("main", kinds=("fact",), limit=5))
    assert "USING INDEX node_recent (namespace=? AND kind=?)" in plan
    assert "SCAN" not in plan and "TEMP B-TREE" not in plan


def test_a_hash_is_looked_up_in_its_index(store):
    store, _ = store
    plan = plan_of(store, lambda: store.documents.with_hash("main", "0" * 64))
    assert "USING INDEX document_hash (namespace=? AND source_hash=?)" in plan
    plan = plan_of(store, lambda: store.documents.find("main", "g", "0" * 64))
    assert "USING INDEX document_source (namespace=? AND source_ref=? AND source_hash=?)" in plan


def test_the_share_of_a_source_is_found_by_its_index(store):
    store, _ = store
    plan = plan_of(store, lambda: store.nodes.ids_of_source("main", "g", "0" * 64))
    assert "USING INDEX node_source (namespace=? AND source_ref=?" in plan


def test_citations_are_looked_up_by_their_owner(store):
    store, _ = store
    plan = plan_of(store, lambda: store.documents.citations(["n1", "n2"]))
    assert "SEARCH c USING PRIMARY KEY (owner_id=?)" in plan
    assert "SEARCH d USING INDEX sqlite_autoindex_document_1 (id=?)" in plan


def test_the_keyword_index_of_a_namespace_holds_that_namespace_alone(store):
    store, wiki = store
    wiki.write("other", title="Elba", body="about tides too")
    numbers = [store.namespaces.get(name).number for name in ("main", "other")]
    found = [store.keyword.index(name).frequencies(["elba"]) for name in ("main", "other")]
    assert numbers[0] != numbers[1]
    assert found == [{}, {"elba": 1}]


def test_the_log_is_searched_by_its_indexes(store):
    store, wiki = store
    for body in ("some words", "other words"):
        wiki.write("main", title="Heron", body=body, node_id="heron")
    changes = store.changes
    assert "USING INDEX change_past (namespace=? AND created_at>?)" in plan_of(
        store, lambda: changes.with_images("main", 0)
    )
    assert "USING INDEX change_record (table_name=? AND record_id=? AND sequence>?)" in plan_of(
        store, lambda: changes.of_records("node", ["heron"], 0)
    )
    for call in (
        lambda: changes.since("main", 0),
        lambda: changes.last_revision("main"),
        lambda: changes.after(0, "main", 5),
        lambda: changes.inserted("main", "node", 0),
    ):
        plan = plan_of(store, call, about="from change")
        assert re.search(r"USING (COVERING )?INDEX change_namespace \(namespace=\?", plan) and "SCAN" not in plan


def test_the_past_is_read_by_the_indexes_of_the_present(store):
    store, wiki = store
    plan = plan_of(store, lambda: wiki.traverse_graph("main", source_id="n8", as_of=store.clock()), about="edge e")
    assert "USING INDEX edge_out (namespace=? AND source_id=?" in plan
    assert "USING INDEX edge_in (namespace=? AND target_id=?" in plan
    assert "SCAN" not in plan
