"""export_dump, and import_dump of what it gave."""

from __future__ import annotations

import base64
import errno
import json

import pytest

from lorelite import DumpError, InvalidOption, MemoryDump, NamespaceDump, Node, NotFound
from lorelite.models import HashEmbedder
from lorelite.store.dump import DUMPED_TABLES

NS = "class"


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "class.dump")


def lines_of(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read().splitlines(keepends=True)


def write(path, lines):
    with open(path, "w", encoding="utf-8") as stream:
        stream.writelines(lines)


def test_the_sample_fills_every_table_but_those_of_graph_pipelines_and_merges(full):
    of_pipelines = {"statement", "community", "member", "memo"}
    assert set(full.export_dump().namespaces[NS].rows) == set(DUMPED_TABLES) - {"job", "merge", *of_pipelines}


def test_an_imported_dump_is_the_same_picture(full, open_wiki, path):
    report = full.export_dump(path=path)
    copy = open_wiki()
    taken = copy.import_dump(path)
    assert copy.export_dump().namespaces == full.export_dump().namespaces
    assert dict(taken.counts) == dict(sorted(report.counts.items()))
    assert (taken.skipped, taken.problems, taken.kept) == ((), (), 0)


def test_a_dump_in_memory_is_the_same_as_one_in_a_file(full, open_wiki, path):
    full.export_dump(path=path)
    one, other = open_wiki(), open_wiki()
    one.import_dump(path)
    other.import_dump(full.export_dump())
    assert one.export_dump().namespaces == other.export_dump().namespaces == full.export_dump().namespaces


def test_the_same_wiki_gives_the_same_bytes(full, open_wiki, path, tmp_path):
    full.export_dump(path=path)
    copy = open_wiki()
    copy.import_dump(path)
    copy.export_dump(path=tmp_path / "again.dump")
    assert lines_of(path) == lines_of(tmp_path / "again.dump")


def test_what_was_imported_is_found_walked_and_cited_as_before(full, open_wiki, path):
    full.export_dump(path=path)
    copy = open_wiki(embedder=HashEmbedder(32))
    copy.import_dump(path)
    for query in ("Scrooge", "tide gauge", "a"):
        one, other = full.read(NS, query), copy.read(NS, query)
        assert [fact.id for fact in other.facts] == [fact.id for fact in one.facts]
        assert [fact.citations for fact in other.facts] == [fact.citations for fact in one.facts]
    walk = copy.traverse_graph(NS, source_id="fn,a")
    assert ([node.id for node in walk.nodes], walk.edges[0].weight) == (["fn,a", "fn b"], 0.5)
    assert copy.history(NS, node_id="gauge") == full.history(NS, node_id="gauge")


def test_a_source_that_was_taken_in_counts_as_taken_in(full, open_wiki, path):
    full.export_dump(path=path)
    copy = open_wiki()
    copy.import_dump(path)
    text = copy.get_document(NS, "carol.txt")
    assert copy.ingest_document(NS, source_ref="carol.txt", text=text).status == "unchanged"


def test_without_vectors_there_are_none(full, open_wiki, path):
    full.export_dump(path=path, vectors=False)
    copy = open_wiki()
    assert "vector" not in copy.import_dump(path).counts


def test_deleted_rows_stay_behind(full, open_wiki, path):
    full.forget(NS, node_id="fn b")
    full.export_dump(path=path)
    copy = open_wiki()
    copy.import_dump(path)
    found = copy.export_dump().namespaces[NS]
    assert "fn b" not in {node.id for node in found.nodes}
    assert not [edge for edge in found.edges if edge.target_id == "fn b"]


def test_one_namespace_of_several_is_chosen(full, path):
    full.write("other", title="Apart")
    assert full.export_dump("other", path=path).namespaces == ("other",)
    assert list(full.export_dump().namespaces) == [NS, "other"]
    with pytest.raises(NotFound, match="nobody"):
        full.export_dump(["other", "nobody"])


def test_records_are_read_from_a_dump_and_made_into_one(open_wiki):
    node = Node(id="n", namespace="me", kind="fact", title="T", tags=("a",), created_at=5, updated_at=6,
                usage_window=(1, None), extra={"x": [1]})  # fmt: skip
    made = NamespaceDump.of("me", nodes=[node])
    assert made.nodes == made.facts == (node,)
    wiki = open_wiki()
    wiki.import_dump(MemoryDump(namespaces={"me": made}))
    assert wiki.export_dump().namespaces["me"].nodes == (node,)


def test_a_dump_put_together_from_records_is_imported_whichever_way_its_tables_stand(full, open_wiki):
    found = full.export_dump().namespaces[NS]
    made = NamespaceDump.of(
        NS, nodes=found.nodes, edges=found.edges, tasks=found.tasks, events=found.events, rest=reversed(found.rest)
    )
    copy = open_wiki()
    assert copy.import_dump(MemoryDump(namespaces={NS: made})).problems == ()
    taken = copy.export_dump().namespaces[NS]
    assert (taken.nodes, taken.edges, taken.tasks, taken.events) == (
        found.nodes, found.edges, found.tasks, found.events,
    )  # fmt: skip
    assert {table: len(rows) for table, rows in taken.rows.items()} == {
        table: len(rows) for table, rows in found.rows.items()
    }


# -- damage -------------------------------------------------------------------------------------------------------


def refusal(wiki, path):
    """The error of importing *path*, after which nothing may have been written."""
    before = wiki.export_dump()
    with pytest.raises(DumpError) as caught:
        wiki.import_dump(path)
    assert wiki.export_dump() == before
    return caught.value


def test_a_dump_cut_off_anywhere_is_refused_and_nothing_is_written(full, open_wiki, path):
    full.export_dump(path=path, vectors=False)
    with open(path, "rb") as stream:
        whole = stream.read()
    wiki = open_wiki()
    wiki.write(NS, title="Here before")
    for end in range(1, len(whole), 611):
        with open(path, "wb") as stream:
            stream.write(whole[:end])
        refusal(wiki, path)


def test_a_missing_last_line_is_told_with_its_number(full, open_wiki, path):
    full.export_dump(path=path)
    lines = lines_of(path)
    write(path, lines[:-1])
    assert refusal(open_wiki(), path).data["line"] == len(lines)


def test_a_changed_letter_is_seen(full, open_wiki, path):
    full.export_dump(path=path)
    lines = [line.replace("Olga", "Anna") for line in lines_of(path)]
    write(path, lines)
    assert "SHA-256" in str(refusal(open_wiki(), path))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"title": 5}, "node.title: expected a text, found 5"),
        ({"kind": "thing"}, "node.kind: expected one of fact, entity"),
        ({"tags": ["a", None]}, "node.tags: expected a list of texts"),
        ({"verified": [{"by": "x"}]}, "node.verified: expected a list of {by, at}"),
        ({"created_at": 1e400}, "node.created_at: expected a whole number"),
        ({"id": ""}, "node.id: expected a text of 1 to 2,000 characters"),
        ({"colour": "red"}, "node: unknown columns ['colour']"),
        ({"title": "a\0b"}, "a NUL or half a character"),
        ({"title": "\ud800"}, "a NUL or half a character"),
    ],
)
def test_a_row_that_cannot_be_ours_is_refused_by_line_and_column(open_wiki, path, change, message):
    row = {"id": "n", "kind": "fact", "title": "T", "created_at": 1, "updated_at": 1} | change
    head = ['{"format":"lorelite-dump/1"}\n', '{"namespace":{"name":"class"}}\n']
    write(path, [*head, json.dumps({"node": row}) + "\n"])
    error = refusal(open_wiki(), path)
    assert message in str(error)
    assert error.data["line"] == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("{}", "expected a dump"),
        ("[1]", "expected a dump"),
        ("not JSON", "found no JSON"),
        pytest.param("[" * 100_000, "found no JSON", id="nested too deep"),
        pytest.param(
            '{"format":"lorelite-dump/1"}\n{"namespace":' + "[" * 100_000 + "\n", "nested more than", id="deep within"
        ),
        ('{"format":"lorelite-dump/2"}\n', "a newer Lorelite reads it"),
        ('{"format":"lorelite-dump/1"}\n{"node":{}}\n', "expected a namespace before the first node"),
        ('{"format":"lorelite-dump/1"}\n{"namespace":{"name":"a"}}\n{"cow":{}}\n', "expected a row of one of document"),
        ('{"format":"lorelite-dump/1"}\n{"namespace":{"name":"a"}}\n[1]\n', "expected an object with one key"),
        ('{"format":"lorelite-dump/1"}\n{"namespace":{"name":"a"}}\n{"node":\n', "expected JSON"),
        ('{"format":"lorelite-dump/1"}\n{"namespace":{"name":" "}}\n', "namespace: expected a text"),
        ("SQLite format 3\0", "it is an SQLite file"),
    ],
)
def test_what_is_no_dump_is_refused(open_wiki, path, text, message):
    write(path, [text])
    assert message in str(refusal(open_wiki(), path))


def test_a_vector_must_be_finite(full, open_wiki):
    dump = full.export_dump()
    rows = dump.namespaces[NS].rows["vector"]
    bad = base64.b64encode(b"\0\0\x80\x7f" * 8).decode()
    spoilt = NamespaceDump(name=NS, rows={**dump.namespaces[NS].rows, "vector": ({**rows[0], "data": bad},)})
    assert "finite float32" in str(refusal(open_wiki(), MemoryDump(namespaces={NS: spoilt})))


def test_an_error_in_the_last_namespace_undoes_the_first(full, open_wiki, path):
    full.write("zoo", title="Apart")
    full.export_dump(path=path)
    lines = lines_of(path)
    write(path, [*lines[:-2], '{"node":{}}\n', lines[-1]])
    refusal(open_wiki(), path)


def test_the_dump_is_written_whole_or_not_at_all(full, tmp_path, monkeypatch):
    target = tmp_path / "class.dump"
    full.export_dump(path=target)
    before = target.read_bytes()

    def broken(namespace, table):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(full._wiki._engine.store.dump, "rows", broken)
    with pytest.raises(Exception, match="no room to write"):
        full.export_dump(path=target)
    assert target.read_bytes() == before
    assert [item.name for item in tmp_path.iterdir()] == ["class.dump"]


def test_an_import_needs_something_to_import(open_wiki, tmp_path):
    wiki = open_wiki()
    with pytest.raises(InvalidOption, match="source"):
        wiki.import_dump(5)
    with pytest.raises(Exception, match="No such file"):
        wiki.import_dump(tmp_path / "absent.dump")


def test_the_memory_of_an_export_does_not_grow_with_the_wiki(open_wiki, path):
    tracemalloc = pytest.importorskip("tracemalloc")
    wiki = open_wiki()
    body = "many words of one fact " * 40

    def peak(count):
        wiki.upsert_graph(
            NS,
            source_ref=str(count),
            source_hash=f"{count:064d}",
            nodes=[{"id": f"{count}-{number}", "title": f"{number}", "body": body} for number in range(count)],
        )
        tracemalloc.start()
        wiki.export_dump(path=path)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(1_000) < 2 * peak(100)
