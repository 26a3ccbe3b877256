"""Graphs of other programs, read as what `upsert_graph` takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lorelite import CannotOpen, DumpError, Wiki
from lorelite.interchange.edge_lists import GraphFile, read_graph_file

GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="name" attr.type="string"/>
  <key id="d1" for="node" attr.name="type" attr.type="string"/>
  <key id="d2" for="edge" attr.name="weight" attr.type="double"/>
  <key id="d3" for="edge" attr.name="relation" attr.type="string"/>
  <graph edgedefault="undirected">
    <node id="n0"><data key="d0">Ada &amp; Lock</data><data key="d1">person</data></node>
    <node id="n1"><data key="d0">Mühle</data></node>
    <edge source="n0" target="n1"><data key="d2">2.5</data><data key="d3">keeps</data></edge>
  </graph>
</graphml>"""


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def drawn(graph: GraphFile) -> tuple[list[str], list[tuple[str, str, str, float]]]:
    """Titles; and (source, type, target, weight) of the edges, by title."""
    titles = {node["id"]: node["title"] for node in graph.nodes}
    edges = [(titles[e["source_id"]], e["type"], titles[e["target_id"]], e["weight"]) for e in graph.edges]
    return list(titles.values()), edges


def test_a_csv_of_edges_gives_the_nodes_that_it_names(tmp_path):
    path = written(
        tmp_path, "g.csv", 'Source,Target,Weight,Type,Description\nAda,"Lock, old",2,keeps,"daily\nand well"\n'
    )
    assert drawn(read_graph_file(path)) == (["Ada", "Lock, old"], [("Ada", "keeps", "Lock, old", 2.0)])
    assert read_graph_file(path).edges[0]["description"] == "daily\nand well"


def test_semicolons_tabs_and_a_byte_order_mark_are_read(tmp_path):
    semicolons = written(tmp_path, "a.csv", "\ufefffrom;to\nÅsa;東京\n")
    tabs = written(tmp_path, "b.tsv", "subject\tpredicate\tobject\nÅsa\tlives in\t東京\n")
    assert drawn(read_graph_file(semicolons))[1] == [("Åsa", "related_to", "東京", 1.0)]
    assert drawn(read_graph_file(tabs))[1] == [("Åsa", "lives in", "東京", 1.0)]


def test_edges_name_their_ends_by_id_or_by_name_where_a_table_of_nodes_says_both(tmp_path):
    nodes = written(tmp_path, "n.csv", "id,name,type,description\n7,Ada,person,Keeper\n8,Lock,place,\n")
    edges = written(tmp_path, "e.csv", "source,target\n7,8\nAda,8\n")
    graph = read_graph_file(edges, nodes)
    assert drawn(graph) == (["Ada", "Lock"], [("Ada", "related_to", "Lock", 2.0)])
    assert graph.nodes[0]["type"] == "person" and graph.nodes[0]["body"] == "Keeper"


def test_graphml_is_read_with_its_attributes(tmp_path):
    graph = read_graph_file(written(tmp_path, "g.graphml", GRAPHML))
    assert drawn(graph) == (["Ada & Lock", "Mühle"], [("Ada & Lock", "keeps", "Mühle", 2.5)])
    assert graph.nodes[0]["type"] == "person" and "type" not in graph.nodes[1]


@pytest.mark.parametrize(
    "value",
    [
        {"nodes": [{"id": "a", "name": "Ada"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]},
        {"elements": 1, "nodes": [{"data": {"id": "a", "label": "Ada"}}, "b"], "edges": [["a", "b"]]},
        [["Ada", "b"]],
        [{"from": "Ada", "to": "b", "weight": "1.0"}],
        [["Ada", "b", 1]],
    ],
)
def test_json_is_read_in_the_shapes_programs_write(tmp_path, value):
    path = written(tmp_path, "g.json", json.dumps(value))
    assert drawn(read_graph_file(path)) == (["Ada", "b"], [("Ada", "related_to", "b", 1.0)])


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("g.csv", "who,whom\nAda,Lock\n", "columns for source and target, found who, whom"),
        ("g.json", '{"a": 1}', '"nodes" and "links"'),
        ("g.json", "[" * 5000, "nested"),
        ("g.json", '{"nodes": 3}', "a list, found int"),
        ("g.graphml", "<svg/>", "found <svg>"),
        ("g.graphml", "<graphml>", "expected GraphML"),
        ("g.graphml", '<!DOCTYPE x [<!ENTITY a "b">]><graphml/>', "without a document type"),
        ("g.docx", "", ".graphml"),
        ("n.jsonl", '{"source": "a"\n', "line 1"),
    ],
)
def test_what_cannot_be_read_says_what_was_expected(tmp_path, name, text, said):
    with pytest.raises(DumpError, match=said):
        read_graph_file(written(tmp_path, name, text))


def test_a_missing_file_is_named(tmp_path):
    for name in ("g.csv", "g.json", "g.graphml"):
        with pytest.raises(CannotOpen, match=name):
            read_graph_file(tmp_path / name)


def test_weights_that_are_no_numbers_count_as_one(tmp_path):
    path = written(tmp_path, "g.csv", "source,target,weight\na,b,nan\na,c,much\na,d,inf\na,e,\n")
    assert {edge["weight"] for edge in read_graph_file(path).edges} == {1.0}


def test_what_was_read_can_be_walked(tmp_path):
    path = written(tmp_path, "g.csv", "source,target\nAda,Lock\nLock,Canal\n")
    graph = read_graph_file(path, prefix="class")
    with Wiki.open(":memory:") as wiki:
        wiki.upsert_graph("class", source_ref="g.csv", source_hash="0" * 64, nodes=graph.nodes, edges=graph.edges)
        walked = wiki.traverse_graph("class", source_id=graph.nodes[0]["id"], max_depth=2)
        assert [node.title for node in walked.nodes] == ["Ada", "Lock", "Canal"]
