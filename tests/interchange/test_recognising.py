"""What can be imported is told by what it holds; what cannot is named."""

from __future__ import annotations

import json
import zipfile

import pytest

from lorelite import Wiki
from lorelite.errors import CannotOpen, DumpError
from lorelite.interchange.recognising import IMPORTABLE, kind_of

GRAPHML = '<?xml version="1.0"?>\n<graphml><graph edgedefault="directed"/></graphml>'
NODE_LINK = {"directed": True, "nodes": [{"id": "a"}], "links": [{"source": "a", "target": "b"}]}
REPLY = '("entity"<|>MOLE<|>PERSON<|>A mole)##("relationship"<|>MOLE<|>RAT<|>friends<|>9)<|COMPLETE|>'


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("g.graphml", GRAPHML, "graph"),
        ("g.json", json.dumps(NODE_LINK), "graph"),
        ("g.json", json.dumps(NODE_LINK, indent=2), "graph"),
        ("g.json", json.dumps([["a", "b"], ["b", "c"]]), "graph"),
        ("g.json", json.dumps([{"from": "a", "to": "b"}]), "graph"),
        ("g.json", json.dumps({"elements": {"nodes": [], "edges": []}}), "graph"),
        ("g.json", json.dumps({"entities": [{"name": "a"}], "relationships": []}), "graph"),
        ("g.csv", "\ufeffSource;Target;weight\na;b;2\n", "graph"),
        ("g.csv", "\n\nsubject,predicate,object\na,b,c\n", "graph"),
        ("g.tsv", "from\tto\na\tb\n", "graph"),
        ("g.jsonl", '{"source": "a", "target": "b"}\n{"source": "b", "target": "c"}\n', "graph"),
        ("replies.txt", REPLY, "replies"),
        ("cache.json", json.dumps({"default": {"1f": {"return": REPLY}}}), "replies"),
        ("old.json", json.dumps({"entities": {"me": {"facts": []}}}), "dump"),
        ("old", json.dumps({"entities": {"me": {"facts": []}}}, indent=1), "dump"),
    ],
)
def test_a_file_is_recognised_by_its_content(tmp_path, name, content, kind):
    (tmp_path / name).write_text(content, "utf-8")
    assert kind_of(tmp_path / name) == kind


def test_dumps_bundles_and_folders_of_tables_are_recognised(tmp_path):
    with Wiki.open(":memory:") as wiki:
        wiki.ingest_document("main", source_ref="a", text="Mole digs.")
        wiki.export_dump(path=tmp_path / "whatever")
    assert kind_of(tmp_path / "whatever") == "dump"
    (tmp_path / "notes" / "deep").mkdir(parents=True)
    (tmp_path / "notes" / "deep" / "a.md").write_text("# A", "utf-8")
    assert kind_of(tmp_path / "notes") == "okf"
    with zipfile.ZipFile(tmp_path / "notes.bin", "w") as archive:
        archive.writestr("deep/a.md", "# A")
    assert kind_of(tmp_path / "notes.bin") == "okf"
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "entities.csv").write_text("id,title\n1,Mole\n", "utf-8")
    assert kind_of(tmp_path / "index") == "graphrag"


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        (
            "a.csv",
            "name,age\nMole,3\n",
            "a table with the columns name, age (edges need two such as source and target)",
        ),
        ("a.txt", "Mole met Rat.\nThey rowed.\n", "found a text, which `lorelite ingest` takes in as a document"),
        ("a.md", "# Mole\n\nHe digs, and rows.\n", "found a text, which `lorelite ingest` takes in as a document"),
        ("a.json", '{"title": "Mole", "pages": 3}', "found JSON with the keys title, pages"),
        ("a.json", "[1, 2]", "a JSON list of something else than edges"),
        ("a.json", '{"nodes": [', "found JSON that is cut off or damaged"),
        ("a.gexf", "<?xml version='1.0'?>\n<gexf></gexf>", "found XML or HTML of <gexf>"),
        ("a.html", "<!doctype html>\n<html></html>", "found XML or HTML of <html>"),
        (
            "calls.jsonl",
            '{"format": "lorelite-calls/1"}\n',
            "recorded model calls, which `lorelite calls import` takes in",
        ),
        ("a.csv", " \n", "found an empty file"),
        ("a.pdf", "%PDF-1.7", "found a PDF file"),
        ("a.bin", "\0\1\2", "found a binary file"),
    ],
)
def test_what_cannot_be_imported_is_named_beside_what_can(tmp_path, name, content, found):
    (tmp_path / name).write_text(content, "utf-8")
    with pytest.raises(DumpError) as caught:
        kind_of(tmp_path / name)
    assert found in str(caught.value) and IMPORTABLE in str(caught.value) and name in str(caught.value)


def test_folders_and_zips_that_hold_something_else_are_named(tmp_path):
    (tmp_path / "project" / "output").mkdir(parents=True)
    with pytest.raises(DumpError, match="neither Markdown files nor a table of entities"):
        kind_of(tmp_path / "project")
    (tmp_path / "project" / "output" / "create_final_entities.csv").write_text("id,title\n", "utf-8")
    with pytest.raises(DumpError, match=r"whose tables are in .*output, which can be imported"):
        kind_of(tmp_path / "project")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.txt", "Mole")
    with pytest.raises(DumpError, match="a zip without Markdown files"):
        kind_of(tmp_path / "a.zip")
    with pytest.raises(CannotOpen):
        kind_of(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "content", "wanted"),
    [
        ("g.txt", "source,target\na,b\n", ".csv"),
        ("g", json.dumps(NODE_LINK), ".json"),
        ("g.bak", GRAPHML, ".graphml or .xml"),
    ],
)
def test_a_graph_whose_name_says_something_else_gets_advice(tmp_path, name, content, wanted):
    (tmp_path / name).write_text(content, "utf-8")
    with pytest.raises(DumpError, match=f"expected a name that ends in {wanted}"):
        kind_of(tmp_path / name)
