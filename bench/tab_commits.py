"""What one small commit costs in a tab, and what loading costs, by the size of the file.

    python -m bench.tab_commits [--mb 1 10 100 500] [--max p50=10 --max kib=256 --max load_per_mb=20]

Needs Chromium and Playwright. A commit is persisted when its transaction of durability "strict" has completed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import sync_playwright

from bench.tab_kills import chromium, connect, serving

PATIENCE = 300.0


@dataclass(slots=True)
class Measured:
    """What the worker told: figures, or a failure."""

    rows: list[dict[str, float]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    told: threading.Event = field(default_factory=threading.Event)

    def note(self, what: str, told: dict[str, object]) -> None:
        if what == "failed":
            self.failures.append(str(told["message"]))
        else:
            self.rows.append({name: float(str(value)) for name, value in told.items()})
        self.told.set()


def measure(sizes: list[int]) -> Measured:
    """One browser, one worker for each size."""
    measured = Measured()
    with (
        sync_playwright() as playwright,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        serving(measured) as site,
        chromium(Path(profile)) as (_, address),
    ):
        page = connect(playwright, address).contexts[0].new_page()
        page.goto(f"{site}/")
        for mb in sizes:
            measured.told.clear()
            script = f"/bench/tab_commits_worker.js?mb={mb}"
            page.evaluate("(url) => { globalThis.worker = new Worker(url, { type: 'module' }); }", script)
            if not measured.told.wait(PATIENCE):
                measured.failures.append(f"{mb} MB: nothing within {PATIENCE:.0f} s")
            page.evaluate("() => worker.terminate()")
    return measured


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=int, nargs="+", default=[1, 10, 100, 500])
    parser.add_argument("--max", action="append", default=[], metavar="NAME=X")
    given = parser.parse_args()
    measured = measure(given.mb)
    print(f"{'MB':>5}{'p50 ms':>9}{'p95 ms':>9}{'KiB/commit':>12}{'load ms':>10}{'load ms/MB':>12}")
    for row in measured.rows:
        per_mb = row["load"] / row["mb"]
        print(
            f"{row['mb']:>5.0f}{row['p50']:>9.1f}{row['p95']:>9.1f}{row['bytes'] / 1024:>12.0f}"
            f"{row['load']:>10.0f}{per_mb:>12.1f}"
        )
    for failure in measured.failures:
        print(failure)
    worst = {
        "p50": max((row["p50"] for row in measured.rows), default=0.0),
        "kib": max((row["bytes"] / 1024 for row in measured.rows), default=0.0),
        "load_per_mb": max((row["load"] / row["mb"] for row in measured.rows), default=0.0),
    }
    print(json.dumps({**worst, "failures": len(measured.failures)}))
    limits = dict(each.split("=") for each in given.max)
    return int(bool(measured.failures) or any(worst[name] > float(limit) for name, limit in limits.items()))


if __name__ == "__main__":
    raise SystemExit(main())
