"""The command `python -m bench.conformance`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from bench import conformance as package
from bench.conformance.run import STATUSES, declared_differences, run_case
from bench.report import json_line, table


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="bench.conformance", description=package.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--group", nargs="+", help="only cases of these groups")
    parser.add_argument("--min", type=float, default=None, help="exit with 1 when the score is below this share")
    options = parser.parse_args(arguments)

    cases = json.loads(options.file.read_text("utf-8"))["cases"]
    chosen = [case for case in cases if options.group is None or case["group"] in options.group]
    if not chosen:
        parser.error(f"no case of group {options.group}; groups are {sorted({case['group'] for case in cases})}")
    beside = options.file.with_name("differences.md")
    declared = declared_differences(beside.read_text("utf-8")) if beside.exists() else []
    outcomes = [run_case(case, declared) for case in chosen]

    print(table(("case", "group", "status", "steps", "detail"),
                [(o.name, o.group, o.status, o.judged, o.detail) for o in outcomes]))  # fmt: skip
    for outcome in outcomes:
        if outcome.status != "skipped":
            for reason in outcome.unjudged:
                print(f"not judged: {outcome.name} {reason}")
    counts: dict[str, int] = {status: sum(o.status == status for o in outcomes) for status in STATUSES}
    runnable = len(outcomes) - counts["skipped"]
    score = (counts["passed"] + counts["better"]) / runnable if runnable else 0.0
    unjudged = sum(len(o.unjudged) for o in outcomes if o.status != "skipped")
    print(json_line({"bench": "conformance", "group": options.group, "cases": len(outcomes), **counts,
                     "unjudged_steps": unjudged, "score": round(score, 4)}))  # fmt: skip
    return 0 if options.min is None or score >= options.min else 1


if __name__ == "__main__":
    sys.exit(main())
