"""A short, seeded campaign of `bench.tab_kills`: the browser killed and the worker ended while it commits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_no_acknowledged_commit_is_lost_when_the_browser_is_killed_or_the_worker_ended() -> None:
    command = [sys.executable, "-m", "bench.tab_kills", "--kills", "4", "--terminations", "6", "--seed", "7"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert json.loads(ended.stdout.splitlines()[-1]) == {"lives": 12, "lost": 0, "corrupt": 0, "failures": 0}
