"""The runner that measures what our side of a model call costs."""

from __future__ import annotations

import json

import pytest

from bench import model_calls

pytestmark = pytest.mark.cpython_only


def test_both_ways_and_a_stream_are_measured_and_the_last_line_tells(capsys):
    assert model_calls.main(["--calls", "12", "--pieces", "5"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["calls"] == 12
    assert found["calls_per_s"] > 0 and found["overhead_ms"] > 0 and found["streamed_mb"] >= 0


def test_a_figure_beyond_its_limit_fails():
    assert model_calls.main(["--calls", "4", "--pieces", "1", "--max", "overhead_ms=0"]) == 1
    assert model_calls.main(["--calls", "4", "--pieces", "1", "--min", "calls_per_s=1000000"]) == 1
