"""The reference engine from npm beside ours, in one run on the same data, and libraries that search alone.

    python -m bench.reference [--n 10000] [--repeats 30] [--runtime cpython pyodide]
                              [--min name=ratio ...] [--max name=ms ...]

    open      open an existing file until it can be read
    keyword   read by keywords alone            semantic  read by vectors alone, 384 numbers each
    hybrid    read by both, hybrid_weight 0.7   add       write one fact that is found from then on
    walk      depth 3, both directions, average degree 10, at most 20 nodes, 10,000 nodes in the file
    hub       the same from a node of degree 1,000 more

Ours runs in CPython against the reference on better-sqlite3, and in Pyodide under Node against the reference on
sql.js under Node, each in a process of its own. They take turns: five calls each for reads and walks, else one. Both
read from the same generated data with the same embedder, whose vectors of the queries are made before anything is
measured, and make 10 results. The reference has good conditions: a write-ahead log, kept statements, and for its walks
statistics (ANALYZE), which it never makes itself; with --analyze for its reads too. `add` is upsert_graph with one
node on both sides; the reference then needs a call that rebuilds its index. In Pyodide and sql.js the files lie in
memory. The npm packages are installed under build/ by the first run.

Ratios are the reference's median over ours, of processor time. A walk is ended after --patience seconds; its ratio
is then at least what is told. `minisearch` (as the reference sets it), `minisearch_exact` and `bm25s` are libraries
that hold everything in memory and only rank: their ratios are of their search to our whole keyword read.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from bench.reference.compare import ALONE, Results, Runtime, compare, ours, theirs
from bench.reference.install import Missing
from bench.reference.timing import Limits, Timing
from bench.report import json_line, limits, table


def pairs(results: Results) -> Iterator[tuple[str, Timing, Timing]]:
    """(name, ours, the other) of everything that was compared; what ran in Pyodide is named pyodide.…"""
    for runtime in get_args(Runtime):
        prefix = "" if runtime == "cpython" else f"{runtime}."
        for operation, timings in results.timings.items():
            mine, other = timings.get(ours(runtime)), timings.get(theirs(runtime))
            if mine is None:
                continue
            if other is not None:
                yield prefix + operation, mine, other
            if runtime == "cpython":
                yield from ((label, mine, timings[label]) for label in ALONE if label in timings)


def ratio(mine: Timing, other: Timing) -> float:
    return other.cpu_ms / max(mine.cpu_ms, 1e-3)


def _row(name: str, mine: Timing, other: Timing) -> tuple[str, ...]:
    sign = "≥ " if other.gave_up else ""
    times = [(t.cpu_ms, t.cpu_p95, t.wall_ms) for t in (mine, other)]
    cells = [f"{number:,.2f}" for numbers in times for number in numbers]
    return (name, *cells, f"{sign}{ratio(mine, other):,.1f}", f"{len(mine.cpu)}/{len(other.cpu)}")


_HEADINGS = ("operation", "ours cpu", "p95", "wall", "other cpu", "p95", "wall", "ratio", "turns")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="bench.reference", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=10_000, help="facts")
    parser.add_argument("--repeats", type=int, default=30, help="turns of an operation, 30 at most for reads")
    parser.add_argument(
        "--seconds", type=float, default=60, help="for the turns of an operation; three are made anyway"
    )
    parser.add_argument("--patience", type=float, default=60, help="seconds for one walk")
    parser.add_argument("--runtime", nargs="+", choices=get_args(Runtime), default=list(get_args(Runtime)))
    parser.add_argument("--min", nargs="+", default=[], metavar="name=ratio", help="exit with 1 when one is lower")
    parser.add_argument("--max", nargs="+", default=[], metavar="name=ms", help="exit with 1 when ours is slower")
    parser.add_argument("--analyze", action="store_true", help="give the reference statistics for its reads as well")
    parser.add_argument("--folder", type=Path, help="keep the built files there; what is there is not built again")
    parser.add_argument("--no-install", action="store_true", help="skip what is not installed")
    options = parser.parse_args(arguments)
    least, most = limits(options.min), limits(options.max)

    results = Results()
    if options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        try:
            turns = Limits(options.repeats, options.seconds, options.patience)
            results = compare(
                options.n,
                options.runtime,
                turns,
                Path(folder),
                built=options.folder,
                may_install=not options.no_install,
                analyze=options.analyze,
            )
        except Missing as reason:
            results.skipped.append(f"everything: {reason}")

    found = {name: (mine, other) for name, mine, other in pairs(results)}
    print(table(_HEADINGS, [_row(name, mine, other) for name, (mine, other) in found.items()]))
    for label, megabytes in results.memory_mb.items():
        built = results.build_s.get(label)
        print(f"{label}: {megabytes:,.0f} MB resident" + ("" if built is None else f", built in {built:,.1f} s (cpu)"))
    for name, share in results.agreement.items():
        print(f"{name}: {share:.0%} of the reference's results of one call are among ours")
    for part in results.skipped:
        print(f"skipped {part}")

    ratios = {name: ratio(*both) for name, both in found.items()}
    mine_ms = {name: mine.cpu_ms for name, (mine, _) in found.items()}
    failed = [
        f"{name}: {ratios.get(name, 0):.2f} times, less than {limit:g}"
        for name, limit in least.items()
        if ratios.get(name, 0) < limit
    ]
    failed += [
        f"{name}: {mine_ms[name]:.2f} ms, more than {limit:g}" if name in mine_ms else f"{name}: not measured"
        for name, limit in most.items()
        if mine_ms.get(name, math.inf) > limit
    ]
    for fault in failed:
        print(fault)
    line: dict[str, Any] = {
        "bench": "reference",
        "n": options.n,
        "analyze": options.analyze,
        "ratios": _rounded(ratios),
    }
    line |= {
        "ours_ms": _rounded(mine_ms),
        "other_ms": _rounded({name: other.cpu_ms for name, (_, other) in found.items()}),
        "at_least": [name for name, (_, other) in found.items() if other.gave_up],
        "memory_mb": _rounded(results.memory_mb),
        "skipped": results.skipped,
    }
    print(json_line(line))
    return 1 if failed else 0


def _rounded(numbers: dict[str, float]) -> dict[str, float]:
    return {name: round(number, 3) for name, number in numbers.items()}


if __name__ == "__main__":
    sys.exit(main())
