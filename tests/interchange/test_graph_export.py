"""Exports of a graph, read back by what reads such files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from lorelite import InvalidOption, NotFound, Wiki
from lorelite.interchange.edge_lists import read_graph_file

NASTY = 'Ada "the lock" <Marsh> & Söhne\n\x07, 東京; {x: 1}'


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    with Wiki.open(":memory:") as wiki:
        nodes = [
            {"id": "ada", "title": NASTY, "type": "person", "kind": "entity", "body": "Keeps it.\nAlways."},
            {"id": "lock", "title": "Lock", "kind": "entity"},
            {"id": "lone", "title": "Lone", "kind": "entity"},
        ]
        edges = [{"source_id": "ada", "target_id": "lock", "type": "keeps", "weight": 2.5, "description": "it's hers"}]
        wiki.upsert_graph("fen", source_ref="x", source_hash="0" * 64, nodes=nodes, edges=edges)
        yield wiki


def test_graphml_is_well_formed_and_read_back_as_the_same_graph(wiki, tmp_path):
    text = wiki.export_graph("fen", "graphml")
    assert ElementTree.fromstring(text).tag.endswith("graphml")
    path = tmp_path / "g.graphml"
    path.write_text(text, "utf-8")
    graph = read_graph_file(path)
    titles = {node["id"]: node["title"] for node in graph.nodes}
    assert sorted(titles.values()) == sorted([NASTY.replace("\x07", "\ufffd"), "Lock", "Lone"])
    [edge] = graph.edges
    assert titles[edge["target_id"]] == "Lock" and edge["weight"] == 2.5 and edge["type"] == "keeps"


def test_networkx_reads_graphml_and_node_link_json(wiki, tmp_path):
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    path = tmp_path / "g.graphml"
    wiki.export_graph("fen", "graphml", path=path)
    graph = networkx.read_graphml(path)
    assert graph.nodes["ada"]["type"] == "person" and graph.edges["ada", "lock"]["weight"] == 2.5
    value = json.loads(wiki.export_graph("fen", "json"))
    linked = networkx.node_link_graph(value, edges="links")
    assert linked.nodes["ada"]["name"] == NASTY and linked.number_of_edges() == 1


def test_csv_tables_hold_what_the_graph_holds(wiki):
    nodes = list(csv.DictReader(io.StringIO(wiki.export_graph("fen", "nodes.csv"))))
    assert [(row["id"], row["name"], row["description"]) for row in nodes[:2]] == [
        ("ada", NASTY, "Keeps it.\nAlways."),
        ("lock", "Lock", ""),
    ]
    [edge] = csv.DictReader(io.StringIO(wiki.export_graph("fen", "edges.csv")))
    assert (edge["source"], edge["target"], edge["type"], edge["weight"], edge["directed"]) == (
        "ada",
        "lock",
        "keeps",
        "2.5",
        "true",
    )


def test_cypher_keeps_every_text_inside_its_quotes(wiki):
    text = wiki.export_graph("fen", "cypher")
    statements = text.splitlines()
    assert len(statements) == 4 and all(line.endswith(";") for line in statements)
    assert json.dumps(NASTY) in statements[2] and "MERGE (a)-[r:RELATES_TO]->(b)" in statements[3]


def test_chunks_come_along_when_asked_for(wiki):
    wiki.ingest_document("fen", source_ref="a.md", text="# Lock\n\nBen Rook keeps the Lock. Ada Marsh met Ben Rook.")
    value = json.loads(wiki.export_graph("fen", "json", chunks=True))
    chunks = {node["id"]: node for node in value["nodes"] if node["label"] == "Chunk"}
    assert {chunk["document"] for chunk in chunks.values()} == {"a.md"}
    mentions = [link for link in value["links"] if link["relation"] == "HAS_ENTITY"]
    assert mentions and {link["source"] for link in mentions} <= set(chunks)
    assert "Chunk" not in wiki.export_graph("fen", "json")


def test_a_relation_between_batches_is_exported_once(wiki):
    nodes = [{"id": f"n{at:04}", "title": f"N {at}", "kind": "entity"} for at in range(1200)]
    edges = [{"source_id": f"n{at:04}", "target_id": f"n{(at * 7 + 601) % 1200:04}", "type": "t"} for at in range(1200)]
    wiki.upsert_graph("wide", source_ref="y", source_hash="1" * 64, nodes=nodes, edges=edges)
    rows = list(csv.DictReader(io.StringIO(wiki.export_graph("wide", "edges.csv"))))
    pairs = {tuple(sorted((row["source"], row["target"]))) for row in rows}
    loops = sum(edge["source_id"] == edge["target_id"] for edge in edges)
    assert len(rows) == len(pairs) == len({tuple(sorted((e["source_id"], e["target_id"]))) for e in edges}) - loops


def test_a_file_is_written_whole(wiki, tmp_path):
    report = wiki.export_graph("fen", "json", path=tmp_path / "g.json")
    assert report.size_bytes == (tmp_path / "g.json").stat().st_size and json.loads(
        (tmp_path / "g.json").read_text("utf-8")
    )


def test_unknown_formats_and_namespaces_are_told(wiki):
    with pytest.raises(InvalidOption, match="graphml"):
        wiki.export_graph("fen", "gexf")  # type: ignore[call-overload]
    with pytest.raises(NotFound):
        wiki.export_graph("nowhere")
