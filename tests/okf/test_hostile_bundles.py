"""Bodies that imitate what we write, edges and events of odd names, and files made to take for ever."""

from __future__ import annotations

import time

import pytest

from lorelite import DumpError, Wiki
from lorelite.okf import format_okf_bundle, parse_okf_bundle
from lorelite.okf.bundle_file import OkfFile

MARKED = "<!-- related -->\n## Related\n\n- [knows](./a.md)\n"
BODIES = ["plain", MARKED, f"{MARKED}\n\n{MARKED}", "<!-- related -->", "\n\n<!-- related -->\n"]
BODIES += ["---\nid: x\n---\n", "a\r\nb"]
NAMES = ["knows", "two\nlines", " spaced ", "[x](./a.md)", "<!-- x -->", "\\", "\r"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("body", BODIES)
def test_any_body_edge_and_event_comes_back_as_it_was(open_wiki, body, name):
    wiki: Wiki = open_wiki()
    for id in ("a", "A", "Ä", "con"):
        wiki.write("n", title=id, body=body, node_id=id)
    store = wiki._wiki._engine.store
    wiki.upsert_graph(
        "n", source_ref="g", source_hash="0" * 64, edges=[{"type": "t", "source_id": "a", "target_id": "A", "id": "e"}]
    )
    with store.atomic():
        store.db.run("update edge set edge_type = ?", (name,))
    wiki.add_task("n", description="look", body=body)
    wiki.write("n", event={"event_type": "decision", "summary": f"{name}{body}", "related_node_id": "Ä"})
    wiki.write("n", event={"event_type": "decision", "summary": body + name})
    files = format_okf_bundle(wiki.export_dump(vectors=False))
    copy = open_wiki()
    copy.import_dump(parse_okf_bundle(None, files[::-1]))
    assert sorted_rows(copy) == sorted_rows(wiki)
    assert {file.path: file.content for file in format_okf_bundle(copy.export_dump(vectors=False))} == {
        file.path: file.content for file in files
    }


def sorted_rows(wiki: Wiki) -> dict[str, list[str]]:
    rows = wiki.export_dump(vectors=False).namespaces["n"].rows
    return {table: sorted(map(str, each)) for table, each in rows.items()}


def test_the_fields_of_a_relation_that_are_no_json_are_told(open_wiki):
    body = "---\nid: a\n---\n\nx\n\n<!-- related -->\n## Related\n\n- [k](./a.md) <!-- {bad} -->\n"
    dump = parse_okf_bundle(
        "n", [OkfFile("entities/n/facts/a.md", body), OkfFile("index.md", "---\nprofile: lorelite/1\n---\n")]
    )
    assert "no JSON" in dump.problems[0]
    assert [edge.edge_type for edge in dump.namespaces["n"].edges] == ["k"]


def test_a_row_of_no_table_is_refused(open_wiki):
    files = [OkfFile("entities/n/facts/a.md", "x"), OkfFile("entities/n/lorelite.jsonl", '{"table":["x"],"row":[]}\n')]
    with pytest.raises(DumpError):
        open_wiki().import_dump(parse_okf_bundle("n", files))


@pytest.mark.parametrize(
    "text",
    [
        "[\\" * 20_000,
        "[x](" + "(" * 20_000,
        "# " + "#" * 20_000 + " " * 20_000 + "x",
        '---\nk: "' + '\\"' * 20_000 + "\n---\n",
        "---\nk: a" + " " * 20_000 + "b\n---\n",
        "---\nk" + " " * 20_000 + "b\n---\n",
    ],
    ids=["labels", "targets", "heading", "quotes", "comment", "key"],
)
def test_no_file_takes_for_ever(text):
    begin = time.process_time()
    parse_okf_bundle("n", [OkfFile("a.md", text)])
    assert time.process_time() - begin < 5
