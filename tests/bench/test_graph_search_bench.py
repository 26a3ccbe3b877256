"""The runner that measures what a search along the graph costs."""

from __future__ import annotations

import json

import pytest

from bench import graph_search


@pytest.mark.cpython_only  # runs event loops
def test_every_search_is_measured_in_every_place_and_the_last_line_tells_milliseconds(capsys):
    assert graph_search.main(["--nodes", "60", "--questions", "2"]) == 0
    *_, last = capsys.readouterr().out.splitlines()
    found = json.loads(last)
    shapes = [f"hops, {shape}, {place}" for shape in graph_search.GRAPHS for place in ("memory", "file")]
    assert list(found) == ["bench", "nodes", *shapes, "pagerankSearch, file"]
    assert all(found[name] >= 0 for name in shapes)


def test_of_twenty_questions_the_dearest_is_beyond_the_95th_percentile(monkeypatch):
    clock = iter(seconds / 1000 for asked in range(1, 21) for seconds in (1000 * asked, 1001 * asked))
    monkeypatch.setattr(graph_search.time, "process_time", lambda: next(clock))
    assert graph_search.times_of(str, ["?"] * 20) == pytest.approx((10.5, 19.0))


def test_graphs_with_hubs_have_nodes_that_are_tied_to_many():
    ends = graph_search.hub_ends(2_000)
    degrees = [0] * 2_000
    for a, b in ends:
        degrees[a] += 1
        degrees[b] += 1
    assert max(degrees) > 50 > 3 * sorted(degrees)[1_000]
    assert len(set(graph_search.uniform_ends(100))) == 300
