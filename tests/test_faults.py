"""An ingest that is killed at any moment and run again gives the graph of an undisturbed run."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

faults = pytest.importorskip("bench.faults", reason="the runners live beside the package, not in it")
MODES = faults.MODES
break_once, fill_once, kill_once = faults.break_once, faults.fill_once, faults.kill_once

POINTS = {mode: sorted(random.Random(mode).sample(range(1, 170), 3)) for mode in MODES}


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> dict[str, object]:
    return {mode: faults.undisturbed(tmp_path_factory.mktemp("undisturbed"), mode) for mode in MODES}


@pytest.mark.parametrize(("mode", "point"), [(mode, point) for mode in MODES for point in (1, 2, *POINTS[mode])])
def test_an_ingest_that_stops_at_some_statement_loses_nothing_and_ends_whole(tmp_path, expected, mode, point):
    """KeyboardInterrupt stands for whatever ends a process: nobody handles it on the way out."""
    _, losses = break_once(tmp_path, mode, point, expected[mode], KeyboardInterrupt())
    assert losses == []


@pytest.mark.parametrize("mode", MODES)
def test_an_ingest_that_meets_a_disk_error_loses_nothing_and_ends_whole(tmp_path, expected, mode):
    was_reached, losses = break_once(tmp_path, mode, 60, expected[mode])
    assert was_reached
    assert losses == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("pages", [0, 8])
def test_an_ingest_that_fills_the_disk_loses_nothing_and_ends_whole(tmp_path, expected, mode, pages):
    was_full, losses = fill_once(tmp_path, mode, pages, expected[mode])
    assert was_full
    assert losses == []


@pytest.mark.cpython_only
def test_five_killed_processes_lose_nothing_and_end_whole(tmp_path, expected):
    chosen, hits = random.Random(5), 0
    for number, mode in enumerate([*MODES, *MODES][:5]):
        delay = chosen.random() * faults.duration(tmp_path, mode)
        was_running, losses = kill_once(tmp_path, mode, number, delay, expected[mode])
        (tmp_path / f"timed {mode}.db").unlink()
        hits += was_running
        assert losses == []
    assert hits > 0


def test_a_difference_would_be_seen(tmp_path: Path, expected):
    missing = expected["model"] | {"edges": expected["model"]["edges"][1:]}
    assert faults.differences(missing, expected["model"]) == ["edges: 1 missing, 0 too many"]
    assert faults.differences(expected["model"], expected["model"]) == []
