"""Dump and import of n facts with 384-dimensional vectors and a chain of edges, beside the reference engine's figures.

    python -m bench.interchange [--n 10000] [--max name=X ...]

    export   the whole namespace into a file    (the reference: exportDump and JSON.stringify)
    memory   the same as a MemoryDump           (the reference: exportDump)
    import   that file into an empty wiki, the keyword index ready at the end
    merge    the same file again, into what it made: nothing changes
    rss      the most memory the process ever held, in MB

Medians of the processor time in ms. The reference's figures are those published for 10,000 facts on better-sqlite3;
they are scaled to n. `--max` judges ours: `--max import=1500 rss=271`.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import synthetic
from bench.report import json_line, limits, table
from bench.speed import measure
from lorelite import Wiki

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

PUBLISHED = {"export": 1527.15 + 3450.66, "memory": 1527.15, "import": 7489.08, "rss": 542.0}
PUBLISHED_FACTS = 10_000
DIMENSIONS = 384
RUNS = 3
NAMESPACE = "notes"


class SeededVectors:
    """As many random vectors as asked for: their values do not matter here, their size does."""

    model_id = "seeded"
    blocking = True

    def __init__(self) -> None:
        self._random = random.Random(5)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[self._random.uniform(-1, 1) for _ in range(DIMENSIONS)] for _ in texts]

    def as_blocking(self) -> SeededVectors:
        return self


def filled(path: Path, count: int) -> None:
    """Make a wiki of *count* facts, with a vector each and edges from each to the next."""
    with Wiki.open(path, embedder=SeededVectors()) as wiki:
        wiki.upsert_graph(
            NAMESPACE,
            source_ref="bench",
            source_hash="0" * 64,
            nodes=[
                {"id": f"f{number:07d}", "title": fact.title, "body": fact.body}
                for number, fact in enumerate(synthetic.facts(count))
            ],
            edges=[
                {"id": f"e{number:07d}", "type": "next", "source_id": f"f{number:07d}",
                 "target_id": f"f{number + 1:07d}"}
                for number in range(count - 1)
            ],
        )  # fmt: skip
        wiki.sync_search_index(NAMESPACE)


def run(count: int, folder: Path) -> dict[str, float]:
    """The figures by name."""
    source, dump = folder / "source.db", folder / "notes.dump"
    filled(source, count)
    figures: dict[str, float] = {}
    with Wiki.open(source, read_only=True) as wiki:
        figures["export"] = measure([lambda: wiki.export_dump(NAMESPACE, path=dump)] * RUNS).cpu_ms
    copies = [Wiki.open(folder / f"copy{number}.db") for number in range(RUNS)]
    figures["import"] = measure([lambda copy=copy: copy.import_dump(dump) for copy in copies]).cpu_ms
    figures["merge"] = measure([lambda: copies[0].import_dump(dump, merge=True)] * RUNS).cpu_ms
    for copy in copies:
        copy.close()
    if resource is not None:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        figures["rss"] = peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
    # Last, since a dump in memory takes memory.
    with Wiki.open(source, read_only=True) as wiki:
        figures["memory"] = measure([lambda: wiki.export_dump(NAMESPACE)] * RUNS).cpu_ms
    figures["dump_mb"] = dump.stat().st_size / 1e6
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="bench.interchange", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=PUBLISHED_FACTS)
    parser.add_argument("--max", nargs="+", default=[], metavar="name=X", help="exit with 1 when a figure is larger")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        figures = run(options.n, Path(folder))

    scale = options.n / PUBLISHED_FACTS
    published = {name: value if name == "rss" else value * scale for name, value in PUBLISHED.items()}
    ratios = {name: published[name] / value for name, value in figures.items() if name in published and value}
    print(table(
        ("figure", "ours", "reference", "ratio"),
        [(name, f"{value:.1f}", f"{published[name]:.1f}" if name in published else "-",
          f"{ratios[name]:.1f}" if name in ratios else "-") for name, value in figures.items()],
    ))  # fmt: skip
    large = {name: limit for name, limit in limits(options.max).items() if figures[name] > limit}
    for name, limit in large.items():
        print(f"{name}: {figures[name]:.1f}, more than {limit:g}")
    line: dict[str, Any] = {"bench": "interchange", "n": options.n}
    line |= {name: round(value, 2) for name, value in figures.items()}
    line["ratios"] = {name: round(value, 2) for name, value in ratios.items()}
    print(json_line(line))
    return 1 if large else 0


if __name__ == "__main__":
    sys.exit(main())
