"""Bundles: what goes out comes back, and what others wrote is understood."""

from __future__ import annotations

import pytest

from lorelite.dumps import MemoryDump, NamespaceDump
from lorelite.errors import DumpError
from lorelite.okf import format_okf_bundle, parse_okf_bundle
from lorelite.okf.bundle_file import OkfFile
from lorelite.records import Edge, Event, Node, Task, Verification

NS = "class"
T0 = 1_700_000_000_123


def node(id: str, **fields: object) -> Node:
    given = {"title": id, "namespace": NS, "kind": "fact", "created_at": T0, "updated_at": T0} | fields
    return Node(id=id, **given)  # type: ignore[arg-type]


def edge(id: str, source: str, target: str, **fields: object) -> Edge:
    given = {"edge_type": "knows", "namespace": NS, "created_at": T0, "updated_at": T0} | fields
    return Edge(id=id, source_id=source, target_id=target, **given)  # type: ignore[arg-type]


def written(*dumps: NamespaceDump, profile: str = "lorelite/1") -> list[OkfFile]:
    return format_okf_bundle(MemoryDump(namespaces={dump.name: dump for dump in dumps}), profile=profile)


def read(files: list[OkfFile], namespace: str | None = None, **options: object) -> list[NamespaceDump]:
    return list(parse_okf_bundle(namespace, files, now=T0, **options).namespaces.values())


FULL = NamespaceDump.of(
    NS,
    summary="What the class knows.",
    nodes=(
        node(
            "keeper",
            title="Ada: the [keeper]\nof Heron Lock",
            body="Body with [a link](./lock.md).\n\n## Related\n\n- [none](x.md)\n",
            kind="entity",
            node_type="person",
            tags=("yes", "a, b"),
            confidence="tentative",
            source_type="librarian_inferred",
            origin="model",
            lifecycle="draft",
            source_ref="logs/灯.txt",
            source_hash="a" * 64,
            valid_from=5,
            valid_to=9,
            superseded_by="lock",
            superseded_at=8,
            stale_after=T0,
            generated_by="agent/1",
            verified=(Verification("human:bo", 1), Verification("process:x", 2)),
            sources=({"resource": "https://example.org/?a=1#b", "pages": [1, 2]},),
            usage_window=(1, None),
            extra={"owner": "team", "rating": 4.5, "nested": {"a": [1, {"b": None}]}},
            last_accessed_at=3,
            access_count=4,
        ),
        node("lock", body=""),
        node("LOCK", body="\n\nspace around \n\n<!-- related -->\n## Related\n"),
        node("a/b c", body="Windows\r\nlines"),
    ),
    edges=(
        edge("e1", "keeper", "lock", weight=0.1, description="since > 1931 --> end", confidence="inferred"),
        edge("e2", "lock", "todo 1", edge_type="needs [oil]", origin="model", valid_to=7, source_ref="x"),
        edge("e3", "LOCK", "keeper"),
    ),
    tasks=(
        Task(
            id="todo 1", namespace=NS, description="Oil [it]", body="with care", status="done", priority=7,
            related_node_id="lock", created_at=T0, updated_at=T0 + 1, resolved_at=T0 + 2, node_type="chore",
            lifecycle="deprecated", stale_after=T0, verified=(Verification("human:bo", 1),), extra={"team": "red"},
        ),
    ),
    events=(
        Event(id="v1", namespace=NS, event_type="decision", summary="chose [a]\nover b", related_node_id="lock",
              created_at=T0),
        Event(id="v2", namespace=NS, event_type="action", summary="same moment", created_at=T0),
        Event(id="v3", namespace=NS, event_type="outcome", summary=" of a chunk -->", related_node_id="chunk_1",
              created_at=T0 + 86_400_000),
    ),
    rest=[("document", {"id": "doc_1", "text": "…"})],
)  # fmt: skip


def by_id(content: NamespaceDump) -> dict[str, object]:
    return {row.id: row for rows in (content.nodes, content.edges, content.tasks, content.events) for row in rows}


def test_our_profile_loses_nothing():
    [back] = read(written(FULL))
    assert by_id(back) == by_id(FULL)
    assert [event.id for event in back.events] == ["v1", "v2", "v3"]
    assert (back.name, back.summary, back.rest) == (FULL.name, FULL.summary, FULL.rest)


def test_a_second_export_equals_the_first_byte_for_byte():
    first = written(FULL)
    assert written(*read(first)) == first


@pytest.mark.parametrize("profile", ["llm-wiki/1", "llm-wiki/2"])
def test_the_profiles_of_others_keep_ids_texts_and_relations(profile):
    [back] = read(written(FULL, profile=profile))
    assert {found.id for found in back.nodes} == {found.id for found in FULL.nodes}
    assert ("keeper", "knows", "lock") in {(e.source_id, e.edge_type, e.target_id) for e in back.edges}
    [task] = back.tasks
    assert (task.description, task.status, task.priority) == ("Oil [it]", "done", 7)


def test_ids_that_differ_in_case_alone_get_files_of_their_own():
    paths = [file.path.casefold() for file in written(FULL)]
    assert len(paths) == len(set(paths))


def test_several_namespaces_come_back_under_their_own_names():
    other = NamespaceDump.of("Klasse/7: 数学", nodes=[node("x", namespace="Klasse/7: 数学")])
    back = read(written(FULL, other))
    assert sorted(dump.name for dump in back) == ["Klasse/7: 数学", NS]


def test_one_namespace_cannot_hold_a_bundle_of_several():
    files = written(FULL, NamespaceDump.of("b", nodes=[node("x", namespace="b")]))
    with pytest.raises(DumpError, match="2 namespaces"):
        read(files, namespace="only")


@pytest.mark.parametrize("path", ["../x.md", "/etc/passwd.md", "a\\b.md", "C:/x.md", "a/../../b.md", "a\0.md"])
def test_a_path_that_leads_out_of_the_bundle_is_refused(path):
    with pytest.raises(DumpError, match="stay inside"):
        read([OkfFile(path, "---\ntype: x\n---\n")])


FOREIGN = [
    OkfFile("index.md", '---\nokf_version: "0.2"\n---\n\n# Sales\n\n* [Orders](tables/orders.md)\n'),
    OkfFile(
        "tables/orders.md",
        "---\ntype: BigQuery Table\ntitle: Orders\ntags: [sales]\nowner: team-a\nstatus: deprecated\n---\n\n"
        "# Schema\n\n"
        "Joins [customers](/tables/customers.md) and [lost](gone.md); see `[code](customers.md)`.\n\n"
        "# Citations\n\n[1] https://example.org/spec.\n",
    ),
    OkfFile("tables/customers.md", "---\ntype: BigQuery Table\nstatus: retired\n---\n# Customers\n"),
    OkfFile("notes.md", "no front matter at all"),
    OkfFile("log.md", "# Log\n\n## 2026-05-22: refresh\n\n* [Orders](tables/orders.md)\n- (decision) kept\n"),
]


def test_a_bundle_of_another_program_becomes_facts_and_edges():
    dump = parse_okf_bundle("sales", FOREIGN, now=T0)
    found = dump.namespaces["sales"]
    orders, customers = by_id(found)["tables/orders"], by_id(found)["tables/customers"]
    assert (orders.title, orders.node_type, orders.tags) == ("Orders", "BigQuery Table", ("sales",))
    assert orders.lifecycle == "deprecated" and orders.extra == {"owner": "team-a"}
    assert orders.sources == ({"resource": "https://example.org/spec"},)
    assert customers.title == "Customers" and customers.lifecycle == "stable"
    assert [(e.source_id, e.edge_type, e.target_id) for e in found.edges] == [
        ("tables/orders", "customers", "tables/customers")
    ]
    assert [(e.summary, e.related_node_id) for e in found.events] == [("kept", None), ("Orders", "tables/orders")]
    assert any("retired" in problem for problem in dump.problems) and any(
        "notes.md" in problem for problem in dump.problems
    )


def test_types_are_routed_as_the_caller_says():
    [found] = read(FOREIGN, namespace="sales", type_mapping={"BigQuery Table": "task"}, default_schema="ignore")
    assert sorted(task.id for task in found.tasks) == ["tables/customers", "tables/orders"]
    assert found.nodes == ()


def test_reading_a_foreign_bundle_twice_gives_the_same_ids():
    assert by_id(read(FOREIGN, namespace="sales")[0]).keys() == by_id(read(FOREIGN, namespace="sales")[0]).keys()


def test_a_bundle_that_windows_converted_reads_the_same():
    files = written(NamespaceDump.of(NS, nodes=[node("a", body="one\ntwo")]))
    converted = [OkfFile(file.path, file.content.replace("\n", "\r\n")) for file in files]
    assert by_id(read(converted)[0]) == by_id(read(files)[0])
