"""The runner that measures how fast documents go into a graph."""

from __future__ import annotations

import json

from bench import graph_insert
from lorelite._drive import drive
from lorelite.ports import ModelRequest


def test_every_place_and_pipeline_is_measured_and_the_last_line_tells_chunks_a_second(capsys):
    assert graph_insert.main(["--chunks", "30"]) == 0
    *rows, last = capsys.readouterr().out.splitlines()
    found = json.loads(last)
    assert list(found)[:2] == ["bench", "chunks"] and found["chunks"] == 30
    assert len(found) == 2 + len(graph_insert.PLACES) * len(graph_insert.PIPELINES) + 1
    assert all(" 30 " in row for row in rows[1:])


def test_documents_of_one_chunk_go_into_a_file_and_the_model_keeps_nothing_of_them(tmp_path):
    path = tmp_path / "documents.db"
    row = graph_insert.measured_on_disk(path, 9)
    assert row["chunks"] == 9 and row["entities"] > 2 and row["grown"] >= 0 and path.exists()
    assert [text.count("\n\n") for text in graph_insert.documents(9, per_document=1)] == [0] * 9
    model = graph_insert.instant_model()
    drive(model.complete([ModelRequest(purpose="extract_graph", system="", user="Ann1 Bell1 met Ann2 Bell2.")]))
    assert model.requests == []


def test_a_rate_below_the_least_fails(capsys):
    assert graph_insert.main(["--chunks", "10", "--least", "100000000"]) == 1
