"""The runner that measures how fast documents go into a graph."""

from __future__ import annotations

import json

from bench import graph_insert


def test_every_place_and_pipeline_is_measured_and_the_last_line_tells_chunks_a_second(capsys):
    assert graph_insert.main(["--chunks", "30"]) == 0
    *rows, last = capsys.readouterr().out.splitlines()
    found = json.loads(last)
    assert list(found)[:2] == ["bench", "chunks"] and found["chunks"] == 30
    assert len(found) == 2 + len(graph_insert.PLACES) * len(graph_insert.PIPELINES)
    assert all(row.split()[2] == "30" for row in rows[1:])


def test_a_rate_below_the_least_fails(capsys):
    assert graph_insert.main(["--chunks", "10", "--least", "100000000"]) == 1
