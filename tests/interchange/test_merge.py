"""import_dump: in the place of what is there, and beside it."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from itertools import pairwise

import pytest

from lorelite import DumpError, InvalidOption, MemoryDump, NamespaceDump, Node
from lorelite.models import ScriptedModel
from lorelite.records import Edge, Event, Task

NS = "class"
HASH_A, HASH_B = "a" * 64, "b" * 64


def dump(*nodes, name=NS, edges=(), tasks=(), events=(), rest=()):
    found = NamespaceDump.of(name, nodes=nodes, edges=edges, tasks=tasks, events=events, rest=rest)
    return MemoryDump(namespaces={name: found})


def node(id, title="T", updated_at=1_000, name=NS):
    return Node(id=id, namespace=name, kind="fact", title=title, created_at=1, updated_at=updated_at)


def edge(source, target, id="e", updated_at=1, edge_type="knows"):
    return Edge(id=id, namespace=NS, source_id=source, target_id=target, edge_type=edge_type, created_at=1,
                updated_at=updated_at)  # fmt: skip


def titles(wiki, name=NS):
    return {fact.id: fact.title for fact in wiki.export_dump(name).namespaces[name].facts}


def test_a_dump_takes_the_place_of_what_was_there(wiki):
    wiki.import_dump(dump(node("a"), node("b"), edges=[edge("a", "b")]))
    wiki.write(NS, event={"event_type": "action", "summary": "x"})
    wiki.add_task(NS, description="x")
    wiki.import_dump(dump(node("b", "new"), node("c")))
    found = wiki.export_dump().namespaces[NS]
    assert {fact.id: fact.title for fact in found.facts} == {"b": "new", "c": "T"}
    assert (found.edges, found.tasks, found.events) == ((), (), ())
    assert [fact.id for fact in wiki.read(NS, "new").facts] == ["b"]
    assert wiki.read(NS, "T").facts[0].id == "c"


def test_merging_a_dump_twice_changes_nothing_the_second_time(full, open_wiki):
    copy = open_wiki()
    copy.import_dump(full.export_dump(), merge=True)
    before = copy.export_dump()
    again = copy.import_dump(full.export_dump(), merge=True)
    assert copy.export_dump() == before
    assert set(again.counts.values()) == {0}
    assert again.kept == sum(map(len, before.namespaces[NS].rows.values()))


@pytest.mark.parametrize(("theirs", "title"), [(999, "ours"), (1_000, "ours"), (1_001, "theirs")])
def test_of_two_rows_with_one_id_the_newer_counts_and_ours_when_equal(wiki, theirs, title):
    wiki.import_dump(dump(node("a", "ours", 1_000)))
    wiki.import_dump(dump(node("a", "theirs", theirs)), merge=True)
    assert titles(wiki) == {"a": title}
    assert [fact.id for fact in wiki.read(NS, title).facts] == ["a"]


def test_the_order_of_two_merges_does_not_matter_where_times_differ(open_wiki):
    one = dump(node("a", "first", 1), node("b", "first", 9), edges=[edge("a", "b", updated_at=1)])
    other = dump(node("a", "second", 5), node("c", "second", 5), edges=[edge("a", "b", updated_at=2)])
    forth, back = open_wiki(), open_wiki()
    for each in (one, other):
        forth.import_dump(each, merge=True)
    for each in (other, one):
        back.import_dump(each, merge=True)
    assert titles(forth) == titles(back) == {"a": "second", "b": "first", "c": "second"}


def test_tasks_and_edges_follow_the_same_rule_and_events_are_added_once(wiki):
    task = Task(id="t", namespace=NS, description="ours", updated_at=5, created_at=1)
    event = Event(id="ev", namespace=NS, event_type="action", summary="once", created_at=1)
    first = dump(node("a"), node("b"), tasks=[task], events=[event], edges=[edge("a", "b", updated_at=5)])
    wiki.import_dump(first)
    older = Task(id="t", namespace=NS, description="theirs", updated_at=4, created_at=1)
    wiki.import_dump(dump(tasks=[older], events=[event], edges=[edge("a", "b", updated_at=4)]), merge=True)
    found = wiki.export_dump().namespaces[NS]
    assert [item.description for item in found.tasks] == ["ours"]
    assert [item.summary for item in found.events] == ["once"]
    newer = Task(id="t", namespace=NS, description="theirs", updated_at=6, created_at=1)
    wiki.import_dump(dump(tasks=[newer]), merge=True)
    assert [item.description for item in wiki.export_dump().namespaces[NS].tasks] == ["theirs"]


def test_ids_of_another_namespace_are_skipped_and_told(wiki):
    wiki.import_dump(dump(node("a", "theirs", name="owner"), name="owner"))
    report = wiki.import_dump(dump(node("a", "stolen", 9_999), node("b"), edges=[edge("a", "b")]), merge=True)
    assert titles(wiki, "owner") == {"a": "theirs"}
    assert titles(wiki) == {"b": "T"}
    [skipped] = report.skipped
    assert (skipped.table, skipped.id) == ("node", "a")
    assert "another namespace" in skipped.reason


def test_an_edge_whose_id_is_taken_by_another_edge_is_skipped_and_told(wiki):
    wiki.import_dump(dump(node("a"), node("b"), edges=[edge("a", "b")]))
    report = wiki.import_dump(dump(edges=[edge("b", "a", updated_at=9)]), merge=True)
    assert [(item.table, item.id) for item in report.skipped] == [("edge", "e")]
    assert [(found.source_id, found.target_id) for found in wiki.export_dump().namespaces[NS].edges] == [("a", "b")]


def test_the_same_edge_under_another_id_is_not_doubled(wiki):
    wiki.import_dump(dump(node("a"), node("b"), edges=[edge("a", "b", "one")]))
    report = wiki.import_dump(dump(edges=[edge("a", "b", "two", updated_at=9)]), merge=True)
    assert (report.kept, len(wiki.export_dump().namespaces[NS].edges)) == (1, 1)


def test_edges_that_lead_nowhere_are_told_and_not_walked(wiki):
    report = wiki.import_dump(dump(node("a"), edges=[edge("a", "ghost")]))
    assert report.problems == (f"{NS}: 1 edges lead to something that is not there; walks do not see them",)
    assert [found.id for found in wiki.traverse_graph(NS, source_id="a").nodes] == ["a"]


def test_a_namespace_is_renamed_on_the_way(full, open_wiki):
    copy = open_wiki()
    assert copy.import_dump(full.export_dump(), namespace="room 2").namespaces == ("room 2",)
    assert copy.list_namespaces() == ["room 2"]
    assert copy.export_dump().namespaces["room 2"].rows == full.export_dump().namespaces[NS].rows
    text = copy.get_document("room 2", "carol.txt")
    assert copy.ingest_document("room 2", source_ref="carol.txt", text=text).status == "unchanged"


def test_several_namespaces_are_renamed_by_name(full, open_wiki):
    full.write("zoo", title="Owl")
    copy = open_wiki()
    copy.import_dump(full.export_dump(), namespace={NS: "one"})
    assert copy.list_namespaces() == ["one", "zoo"]
    with pytest.raises(InvalidOption, match="several namespaces"):
        open_wiki().import_dump(full.export_dump(), namespace="one")
    with pytest.raises(InvalidOption, match="another name for each"):
        open_wiki().import_dump(full.export_dump(), namespace={NS: "zoo"})


def test_a_rehearsal_reports_the_same_and_writes_nothing(full, open_wiki):
    wiki = open_wiki()
    rehearsed = wiki.import_dump(full.export_dump(), dry_run=True)
    assert rehearsed.dry_run
    assert wiki.list_namespaces() == []
    assert wiki.import_dump(full.export_dump()).counts == rehearsed.counts


def test_a_version_of_a_source_that_is_here_under_another_id_is_not_doubled(open_wiki):
    one, other = open_wiki(), open_wiki()
    for wiki, name in ((one, "a"), (other, "b")):
        wiki.ingest_document(name, source_ref="x.txt", text="Bram Tellow keeps the dog Juniper.\n")
    report = one.import_dump(other.export_dump(), namespace="a", merge=True)
    assert [document.source_ref for document in one.list_source_refs("a")] == ["x.txt"]
    assert "document" not in {row.table for row in report.skipped}


def test_progress_is_told_while_rows_are_written(full, open_wiki):
    told = []
    open_wiki().import_dump(full.export_dump(), on_progress=told.append)
    assert [step.stage for step in told] == ["import"] * len(told)
    assert told[-1].done == sum(map(len, full.export_dump().namespaces[NS].rows.values()))


def test_a_dump_is_read_from_bytes_and_open_files_too(full, open_wiki, tmp_path):
    path = tmp_path / "class.dump"
    full.export_dump(path=path)
    wanted = full.export_dump().namespaces
    with path.open(encoding="utf-8") as text, path.open("rb") as binary:
        for source in (path, path.read_bytes(), io.BytesIO(path.read_bytes()), text, binary):
            copy = open_wiki()
            copy.import_dump(source)
            assert copy.export_dump().namespaces == wanted


def test_missing_vectors_are_made_where_there_is_an_embedder(full, open_wiki):
    copy = open_wiki(embedder=full._wiki._engine.embedder)
    copy.import_dump(full.export_dump(vectors=False))
    assert copy.get_status(NS).vectors == full.get_status(NS).vectors > 0
    plain = open_wiki()
    plain.import_dump(full.export_dump(vectors=False))
    assert "vector" not in plain.export_dump().namespaces[NS].rows


def test_an_import_can_be_undone_with_the_transaction_around_it(wiki):
    wiki.write(NS, title="Here before", node_id="before")
    with pytest.raises(ZeroDivisionError), wiki.transaction():
        wiki.import_dump(dump(node("a")))
        raise ZeroDivisionError
    assert titles(wiki) == {"before": "Here before"}
    assert [fact.id for fact in wiki.read(NS, "Here").facts] == ["before"]


def test_a_dump_that_names_a_namespace_twice_is_refused(wiki, tmp_path):
    path = tmp_path / "twice.dump"
    path.write_text('{"format":"lorelite-dump/1"}\n{"namespace":{"name":"a"}}\n{"namespace":{"name":"a"}}\n', "utf-8")
    with pytest.raises(DumpError, match="comes twice"):
        wiki.import_dump(path)


def test_a_source_released_by_the_replacement_can_be_taken_in_again(wiki):
    wiki.upsert_graph(NS, source_ref="a.ts", source_hash=HASH_A, nodes=[{"id": "a", "title": "A"}])
    wiki.import_dump(dump(node("b")))
    assert wiki.list_source_refs(NS) == []
    report = wiki.upsert_graph(NS, source_ref="a.ts", source_hash=HASH_A, nodes=[{"id": "a", "title": "A"}])
    assert report.nodes_written == 1
    assert wiki.upsert_graph(NS, source_ref="c.ts", source_hash=HASH_B, nodes=[]).nodes_written == 0


def test_events_that_the_librarian_has_read_are_not_read_again_after_an_import(open_wiki):
    reply = {"facts": [{"title": "The slip is greased", "body": "Olga did it."}]}
    model = ScriptedModel({"librarian": json.dumps(reply)})
    wiki = open_wiki(model=model)
    wiki.write(NS, event={"event_type": "action", "summary": "Olga greased the slip."})
    wiki.run_librarian(NS)
    wiki.write(NS, event={"event_type": "action", "summary": "Bram fed the dog."})
    waiting = wiki.pending_maintenance(NS)
    copy = open_wiki(model=model)
    copy.import_dump(wiki.export_dump())
    assert copy.pending_maintenance(NS) == waiting
    assert copy.export_dump().namespaces == wiki.export_dump().namespaces
    before = len(model.requests)
    copy.run_librarian(NS)
    assert "greased the slip." not in "".join(request.user for request in model.requests[before:])
    assert "fed the dog" in model.requests[-1].user


def test_an_import_is_undone_and_told_as_one_revision(full, wiki):
    wiki.write(NS, title="Here before", body="Stays.", node_id="before")
    wiki.add_task(NS, description="Oil the winch")
    before = wiki.export_dump(vectors=False)
    wiki.import_dump(full.export_dump())
    assert wiki.export_dump().namespaces != before.namespaces
    wiki.undo(NS)
    assert wiki.export_dump(vectors=False).namespaces == before.namespaces
    assert [fact.id for fact in wiki.read(NS, "Stays").facts] == ["before"]
    assert wiki.read(NS, "Scrooge").facts == ()


def test_values_that_look_like_a_default_are_kept_and_defaults_replace_what_was_there(wiki):
    wiki.import_dump(dump(replace(node("a"), tags=("x",), extra={"y": 1}, stale_after=5, body="old")))
    [fact] = wiki.export_dump().namespaces[NS].facts
    assert (fact.tags, fact.extra, fact.stale_after) == (("x",), {"y": 1}, 5)
    wiki.import_dump(dump(replace(node("a"), body="[]"), replace(node("b"), body="[]", title="{}")))
    found = {fact.id: fact for fact in wiki.export_dump().namespaces[NS].facts}
    assert (found["a"].body, found["b"].body, found["b"].title) == ("[]", "[]", "{}")
    assert (found["a"].tags, found["a"].extra, found["a"].stale_after) == ((), {}, None)


def test_every_row_of_a_large_import_is_logged_once(wiki):
    ids = [f"n{number}" for number in range(1_300)]
    edges = [edge(one, other, f"e{one}") for one, other in pairwise(ids)]
    wiki.import_dump(dump(*map(node, ids), edges=edges))
    rows = wiki._wiki._engine.store.db.rows(
        "select table_name, operation, cause, count(*), count(distinct record_id) from change group by 1, 2, 3"
    )
    assert [tuple(row) for row in rows] == [
        ("edge", "insert", "import", 1_299, 1_299),
        ("node", "insert", "import", 1_300, 1_300),
    ]
    wiki.undo(NS)
    found = wiki.export_dump().namespaces[NS]
    assert (found.nodes, found.edges) == ((), ())
