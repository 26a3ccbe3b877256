"""Dumps of core-llm-wiki. The conformance cases of the group "dump" are run by bench.conformance; here is what they
leave open, and the better values of dump-validation and upsert-keeps-stale-embedding."""

from __future__ import annotations

import base64
import json
import struct

import pytest

from lorelite import DumpError
from lorelite.models import HashEmbedder
from lorelite.records import Verification

HASH = "AB" * 32
TIME = 1_700_000_000_000


def fact(id="f", **fields):
    return {
        "id": id, "entity_id": "e", "title": "T", "body": "B", "tags": ["x"], "confidence": "certain",
        "source_type": "user_stated", "source_hash": None, "source_ref": None, "created_at": TIME, "updated_at": TIME,
        "last_accessed_at": None, "access_count": 0, "deleted_at": None, **fields,
    }  # fmt: skip


def dump(*facts, **rest):
    return {"generatedAt": TIME, "entities": {"e": {"facts": list(facts), **rest}}}


def imported(wiki, *facts, **rest):
    """(the facts as they are here, the report)"""
    report = wiki.import_dump(dump(*facts, **rest))
    return wiki.export_dump().namespaces["e"].facts, report


def test_every_field_of_a_fact_is_kept(wiki):
    [found], report = imported(
        wiki,
        fact(
            okf_type="person", lifecycle_status="draft", stale_after=TIME + 5, generated_by="agent/1",
            okf_verified=[{"by": "human:bo", "at": "2024-01-01T00:00:00Z"}], okf_sources=[{"resource": "https://x/y"}],
            okf_usage_window={"from": TIME, "to": None}, valid_from=1, valid_to=TIME * 2, superseded_by="g",
            superseded_at=7, last_accessed_at=8, access_count=9, shoe_size=44, trustTier="unverified",
        ),
    )  # fmt: skip
    assert report.problems == ()
    assert (found.node_type, found.lifecycle, found.generated_by) == ("person", "draft", "agent/1")
    assert found.verified == (Verification("human:bo", 1_704_067_200_000),)
    assert (found.sources, found.usage_window) == (({"resource": "https://x/y"},), (TIME, None))
    assert (found.valid_from, found.valid_to, found.superseded_by, found.superseded_at) == (1, TIME * 2, "g", 7)
    assert (found.last_accessed_at, found.access_count, found.extra) == (8, 9, {"shoe_size": 44})


def test_dump_validation_nothing_is_cut_off_and_refs_are_kept_as_given(wiki):
    [found], report = imported(wiki, fact(title="x" * 600, body="y" * 9_000, source_ref="a/b.md"))
    assert (len(found.title), len(found.body), found.source_ref) == (600, 9_000, "a/b.md")
    [found], _ = imported(wiki, fact(source_ref="///"))
    assert (found.source_ref, report.problems) == ("///", ())


@pytest.mark.parametrize(
    ("fields", "name", "value", "problem"),
    [
        ({"confidence": "sure"}, "confidence", "tentative", "confidence was 'sure', read as 'tentative'"),
        ({"updated_at": float("nan")}, "updated_at", 0, "updated_at was nan, read as None"),
        ({"updated_at": 1e300}, "updated_at", 0, "updated_at was 1e+300, read as None"),
        ({"tags": ["a", 5]}, "tags", ("a",), "tags was ['a', 5], read as ['a']"),
        ({"tags": "none"}, "tags", (), "tags was 'none', read as []"),
        ({"tags": '["a"]'}, "tags", ("a",), None),
        ({"lifecycle_status": "odd"}, "lifecycle", "stable", "lifecycle_status was 'odd', read as 'stable'"),
        ({"source_hash": "short"}, "source_hash", None, "source_hash was 'short', read as None"),
        ({"okf_verified": [{"by": "x"}]}, "verified", (), "okf_verified was [{'by': 'x'}], read as []"),
        ({"body": "a\0b\ud800"}, "body", "a\ufffdb\ufffd", "body holds characters that cannot be stored"),
        ({"body": None}, "body", "", None),
        ({"source_ref": "r" * 3_000}, "source_ref", None, "source_ref was 'rrr"),
    ],
)
def test_what_cannot_stand_is_read_as_nearly_as_possible_and_told(wiki, fields, name, value, problem):
    [found], report = imported(wiki, fact(**fields))
    assert getattr(found, name) == value
    if problem is None:
        assert report.problems == ()
    else:
        assert problem in report.problems[0]
        assert report.problems[0].startswith("e: fact 'f'")


def test_the_older_source_types_are_understood_and_others_refuse_the_import(wiki):
    found, _ = imported(wiki, fact("a", source_type="user_document"), fact("b", source_type="agent_inferred"))
    assert {item.id: item.source_type for item in found} == {"a": "immutable_document", "b": "librarian_inferred"}
    with pytest.raises(DumpError, match="found 'weird'"):
        wiki.import_dump(dump(fact("c"), fact("d", source_type="weird")))
    assert {item.id for item in wiki.export_dump().namespaces["e"].facts} == {"a", "b"}


def test_a_row_without_an_id_is_skipped_and_the_others_are_taken(wiki):
    found, report = imported(wiki, fact(None), fact("ok"), fact(5), "no row")
    assert [item.id for item in found] == ["ok"]
    assert [(row.table, row.id) for row in report.skipped] == [("node", "None"), ("node", "5"), ("facts", "")]


def test_tasks_events_and_edges_come_along(wiki):
    _, report = imported(
        wiki,
        fact("a"),
        fact("b"),
        tasks=[{"id": "t", "description": "do", "status": "in_progress", "priority": 2.5, "created_at": 1,
                "updated_at": 2, "okf_type": "chore"}],
        events=[{"id": "v", "event_type": "party", "summary": "s", "related_entry_id": "a", "created_at": 3}],
        edges=[{"id": "e1", "source_id": "a", "target_id": "b", "edge_type": "knows", "created_at": 4}],
        summary="Two friends.",
    )  # fmt: skip
    found = wiki.export_dump().namespaces["e"]
    [task], [event], [edge] = found.tasks, found.events, found.edges
    assert (task.status, task.priority, task.node_type, task.updated_at) == ("in_progress", 3, "chore", 2)
    assert (event.event_type, event.related_node_id, event.created_at) == ("observation", "a", 3)
    assert (edge.id, edge.source_id, edge.target_id, edge.edge_type) == ("e1", "a", "b", "knows")
    assert found.summary == "Two friends."
    assert [problem.split(": ")[-1] for problem in report.problems] == [
        "priority was 2.5, read as 3", "event_type was 'party', read as 'observation'",
    ]  # fmt: skip


def test_a_source_that_was_taken_in_there_counts_as_taken_in_here(wiki):
    imported(
        wiki, fact("a", source_ref="src/x.ts", source_hash=HASH), fact("b", source_ref="src/x.ts", source_hash=HASH)
    )
    [document] = wiki.list_source_refs("e")
    assert (document.source_ref, document.source_hash) == ("src/x.ts", HASH.lower())
    report = wiki.upsert_graph("e", source_ref="src/x.ts", source_hash=HASH, nodes=[{"id": "c", "title": "C"}])
    assert report.nodes_written == 0
    assert wiki.forget("e", source_ref="src/x.ts").nodes == 2


def test_a_fact_deleted_there_is_kept_as_deleted(wiki):
    found, _ = imported(wiki, fact("a", deleted_at=TIME), fact("b"))
    assert [item.id for item in found] == ["b"]
    assert [item.id for item in wiki.read("e", "T").facts] == ["b"]


NUMBERS = [0.25] * 32
BLOB = struct.pack("<32f", *NUMBERS)


@pytest.mark.parametrize(
    "given",
    [
        {"embedding_blob": BLOB},
        {"embedding_blob": {"type": "Buffer", "data": list(BLOB)}},
        {"embedding_blob": {str(place): byte for place, byte in enumerate(BLOB)}},
        {"embedding": json.dumps(NUMBERS)},
        {"embedding": NUMBERS},
    ],
    ids=["bytes", "Buffer", "numbered", "JSON text", "list"],
)
def test_a_vector_is_read_in_every_form_and_kept_under_the_model_that_is_named(open_wiki, tmp_path, given):
    wiki = open_wiki()
    model = HashEmbedder(32).model_id
    assert "1 vectors were left out" in wiki.import_dump(dump(fact(**given))).problems[0]
    wiki.import_dump(dump(fact(**given)), embedding_model=model)
    [row] = wiki.export_dump().namespaces["e"].rows["vector"]
    assert (row["model_id"], base64.b64decode(row["data"])) == (model, BLOB)
    if not isinstance(next(iter(given.values())), bytes):
        path = tmp_path / "dump.json"
        path.write_text(json.dumps(dump(fact(**given)), indent=1), "utf-8-sig")
        copy = open_wiki()
        copy.import_llm_wiki(path, embedding_model=model)
        assert copy.export_dump().namespaces["e"].rows["vector"] == (row,)


@pytest.mark.parametrize("given", [b"odd", struct.pack("<2f", 1, float("nan")), "x", {"0": 300}, [1e300], {}, 5, b"\0"])
def test_a_vector_that_is_none_is_left_out_and_told(wiki, given):
    report = wiki.import_dump(dump(fact(embedding_blob=given)), embedding_model="m")
    assert "vector" not in wiki.export_dump().namespaces["e"].rows
    assert not given or report.problems == ("e: fact 'f': its vector cannot be read and was left out",)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"entities": []}, "expected a dump"),
        ({"entities": {"e": []}}, "entity 'e': expected an object"),
        ({"entities": {"e": {"facts": {"a": 1}}}}, "expected a list of facts"),
        ({"entities": {"e": {"edges": "abc"}}}, "expected a list of edges"),
        ({"entities": {" ": {}}}, "namespace: expected a text"),
    ],
)
def test_a_mapping_that_is_no_dump_is_refused(wiki, given, message):
    with pytest.raises(DumpError, match=message):
        wiki.import_dump(given)
    assert wiki.list_namespaces() == []
