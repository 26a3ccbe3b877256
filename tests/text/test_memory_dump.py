"""A memory as files to read."""

from __future__ import annotations

import json

import pytest

from lorelite import Edge, Event, InvalidOption, MemoryBundle, Node, Task, format_memory_dump

NS = "class"


@pytest.fixture
def bundle() -> MemoryBundle:
    nodes = [
        Node(id="a", namespace=NS, kind="fact", title="The heron", body="stands\nstill", tags=("bird",), updated_at=1),
        Node(id="b", namespace=NS, kind="entity", title="The lock", node_type="place", lifecycle="draft"),
    ]
    return MemoryBundle(
        facts=tuple(nodes),
        tasks=(Task(id="t", namespace=NS, description="Grease\nthe gate", priority=3),),
        events=(Event(id="e", namespace=NS, event_type="action", summary="opened", created_at=1_700_000_000_000),),
        edges=(Edge(id="ab", namespace=NS, source_id="a", target_id="b", edge_type="stands_at"),),
    )


def test_the_page_tells_everything_a_reader_wants(bundle):
    page = format_memory_dump(bundle)["namespaces/class.md"]
    assert page == (
        "# class\n\n## Facts\n\n### The heron\n\n`a` · inferred · librarian_inferred\n\nstands\nstill\n\nTags: bird\n\n"
        "## Entities\n\n### The lock\n\n`b` · place · inferred · librarian_inferred · draft\n\n"
        "## Relations\n\n- The heron — stands_at → The lock\n\n"
        "## Tasks\n\n- [ ] Grease the gate (priority 3, pending)\n\n"
        "## Events\n\n- 2023-11-14T22:13:20.000Z action: opened\n"
    )


def test_the_manifest_names_the_pages_and_holds_the_rows_without_vectors(open_wiki):
    from lorelite.models import HashEmbedder

    wiki = open_wiki(embedder=HashEmbedder(16))
    wiki.write(NS, title="A grey heron", node_id="a")
    dump = wiki.export_dump()
    assert "vector" in dump.namespaces[NS].rows
    files = format_memory_dump(dump)
    manifest = json.loads(files["manifest.json"])
    assert set(files) == {"manifest.json", *(entry["page"] for entry in manifest["namespaces"].values())}
    assert [row["id"] for row in manifest["namespaces"][NS]["rows"]["node"]] == ["a"]
    assert "vector" not in manifest["namespaces"][NS]["rows"]


def test_the_same_memory_gives_the_same_files(bundle):
    again = MemoryBundle(
        facts=bundle.facts[::-1], tasks=bundle.tasks, events=bundle.events, edges=bundle.edges, metadata={}
    )
    assert format_memory_dump(bundle) == format_memory_dump(bundle)
    assert format_memory_dump(again)["namespaces/class.md"] == format_memory_dump(bundle)["namespaces/class.md"]


def test_names_that_make_no_file_name_are_kept_apart():
    names = ["a/b", "a b", "Class", "class", "../x", "中文"]
    files = format_memory_dump(MemoryBundle(metadata={"namespaces": names}))
    pages = [path for path in files if path != "manifest.json"]
    assert len({page.lower() for page in pages}) == len(names)
    assert all(page.count("/") == 1 for page in pages)
    assert {"namespaces/class.md", "namespaces/中文.md"} <= set(pages)


def test_an_empty_memory_is_an_empty_manifest():
    files = format_memory_dump(MemoryBundle())
    assert json.loads(files["manifest.json"])["namespaces"] == {} and len(files) == 1


def test_anything_else_is_refused_by_name():
    with pytest.raises(InvalidOption, match="memory"):
        format_memory_dump({"facts": []})
