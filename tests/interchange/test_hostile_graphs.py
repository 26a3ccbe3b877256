"""Files with graphs as people, spreadsheets and attackers make them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from lorelite import CannotOpen, DumpError, Wiki
from lorelite.interchange.edge_lists import GraphFile, read_graph_file
from lorelite.interchange.tuple_replies import read_replies_file


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def edges_of(graph: GraphFile) -> list[tuple[str, str, str]]:
    titles = {node["id"]: node["title"] for node in graph.nodes}
    return [(titles[edge["source_id"]], edge["type"], titles[edge["target_id"]]) for edge in graph.edges]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("LIST.CSV", "source,target\nAda,Lock\n"),
        ("LIST.TSV", "source\ttarget\nAda\tLock\n"),
        ("LIST.JSONL", '{"source": "Ada", "target": "Lock"}\n'),
        ("utf16.csv", "source,target\nAda,Lock\n".encode("utf-16")),
        ("pipes.csv", "source|target\nAda|Lock\n"),
        ("spaces.csv", " source , target \r\nAda,Lock\r\n"),
        ("blank.csv", "source,target\n\n,\nAda,Lock\n , \n"),
        ("longer.csv", "source,target\nAda,Lock,more,cells\n"),
        ("twice.csv", "source,source,target\nAda,Nobody,Lock\n"),
        ("neo4j.csv", "person:START_ID(Person),:END_ID(Place),:TYPE,weight:float\nAda,Lock,related_to,2\n"),
    ],
)
def test_tables_are_read_however_a_spreadsheet_wrote_them(tmp_path, name, content):
    assert edges_of(read_graph_file(written(tmp_path, name, content))) == [("Ada", "related_to", "Lock")]


@pytest.mark.parametrize(
    "value",
    [
        {"elements": {"nodes": [{"data": {"id": "a", "label": "Ada"}, "position": {"x": 1}, "group": "nodes"}],
                      "edges": [{"data": {"source": "a", "target": "Lock", "id": "e"}}]}},
        {"elements": [{"data": {"id": "a", "label": "Ada"}}, {"data": {"source": "a", "target": "Lock", "id": "e"}}]},
        {"nodes": [{"id": "a", "name": "Ada"}], "links": [{"source": {"id": "a", "x": 1}, "target": {"id": "Lock"}}]},
        {"nodes": [{"name": "Ada"}, {"name": "Lock"}], "links": [{"source": 0, "target": 1}]},
        {"nodes": [{"id": 1, "name": "Ada"}, {"id": 2, "name": "Lock"}], "links": [{"source": 1.0, "target": 2}]},
    ],
)  # fmt: skip
def test_json_is_read_as_drawing_programs_leave_it(tmp_path, value):
    assert edges_of(read_graph_file(written(tmp_path, "g.json", json.dumps(value)))) == [("Ada", "related_to", "Lock")]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("g.csv", "", "it is empty"),
        ("g.csv", "\nsource,target\n", "expected a header"),
        ("g.csv", "source,target\na,b\nc\n", "edge 2: expected a source and a target"),
        ("g.csv", f"source,target,type\na,b,{'x' * 3000}\n", "edge 1: expected a type of at most 2,000"),
        ("g.csv", b"source,target\n\xff,b\n", "UTF-8"),
        ("g.json", '{"nodes": [{"id": "a"}, {"id": null}], "links": []}', "node 2: expected an id or a name"),
        ("g.json", '{"nodes": [{"id": "a"}], "adjacency": [[{"id": "a"}]]}', "adjacency"),
        ("g.json", "[[1, 2, " + "9" * 5000 + "]]", "expected JSON"),
        ("g.graphml", '<?xml version="1.0" encoding="nonsense"?><graphml/>', "unknown encoding"),
        ("g.graphml", "<graphml><graph><node/></graph></graphml>", "node 1"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, name, content, said):
    with pytest.raises(DumpError, match=said):
        read_graph_file(written(tmp_path, name, content))


DOCTYPE = '<!DOCTYPE g [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><graphml><graph><node id="&b;"/></graph></graphml>'


@pytest.mark.parametrize(
    "content",
    [
        DOCTYPE,
        f"<!--{'x' * 70_000}-->{DOCTYPE}",
        f'<?xml version="1.0" encoding="utf-16"?>{DOCTYPE}'.encode("utf-16"),
        DOCTYPE.replace(" [", ' SYSTEM "file:///etc/passwd" ['),
    ],
)
def test_a_document_type_is_refused_wherever_and_in_whatever_encoding_it_stands(tmp_path, content):
    with pytest.raises(DumpError, match="without a document type"):
        read_graph_file(written(tmp_path, "g.graphml", content))


def test_defaults_of_graphml_keys_count_and_what_is_nested_deeply_is_read(tmp_path):
    text = (
        '<graphml><key id="k" for="node" attr.name="type"><default>person</default></key>'
        '<key id="w" for="edge" attr.name="weight"><default>3</default></key>'
        '<graph><node id="a"><graph><node id="b"><data key="k">place</data></node></graph></node>'
        '<edge source="a" target="b"/></graph></graphml>'
    )
    graph = read_graph_file(written(tmp_path, "g.graphml", text))
    assert {node["title"]: node["type"] for node in graph.nodes} == {"a": "person", "b": "place"}
    assert graph.edges[0]["weight"] == 3.0
    deep = "<graphml>" + "<graph>" * 50_000 + "</graph>" * 50_000 + "</graphml>"
    assert read_graph_file(written(tmp_path, "deep.graphml", deep)) == GraphFile()


def test_weights_that_no_number_holds_are_the_largest_that_one_does(tmp_path):
    path = written(tmp_path, "g.csv", "source,target,weight\na,b,1e308\na,b,1e308\n")
    assert read_graph_file(path).edges[0]["weight"] == sys.float_info.max
    huge = written(tmp_path, "g.json", json.dumps([{"source": "a", "target": "b", "weight": 10**400}]))
    assert read_graph_file(huge).edges[0]["weight"] == 1.0
    with Wiki.open(":memory:") as wiki:
        assert wiki.import_graph("class", path).edges_written == 1


def test_half_characters_and_nul_are_taken_in_as_replacement_characters(tmp_path):
    path = written(tmp_path, "g.json", r'[{"source": "a\ud800", "target": "b", "type": "is\u0000so"}]')
    with Wiki.open(":memory:") as wiki:
        assert wiki.import_graph("class", path).nodes_written == 2
        exported = wiki.export_graph("class", "edges.csv")
        assert "is\ufffdso" in exported and "\ufffd" in wiki.export_graph("class", "nodes.csv")


@pytest.mark.parametrize("name", ["a\0b.csv", "\ud800.csv", "a\0.graphml", "\ud800.json"])
def test_what_is_no_path_cannot_be_opened(name):
    for read in (read_graph_file, read_replies_file):
        with pytest.raises(CannotOpen):
            read(Path(name))


def test_a_cache_of_many_replies_is_read_in_their_order(tmp_path):
    replies = {
        f"key {number}": {"return": f'("entity"<|>Ada {number}<|>person<|>Keeper.)<|COMPLETE|>'}
        for number in range(2000)
    }
    graph = read_replies_file(written(tmp_path, "cache.json", json.dumps(replies)))
    assert [node["title"] for node in graph.nodes] == [f"Ada {number}" for number in range(2000)]
    assert {node["body"] for node in graph.nodes} == {"Keeper."}
