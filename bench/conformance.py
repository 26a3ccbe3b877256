"""Vectors observed from the reference engine, run through an adapter against Lorelite.

    python -m bench.conformance FILE [--group G ...] [--min X]

A case is passed when every step gives the observed value, better when a step gives the better value that
`differences.md` (beside FILE) declares and conformance_expectations.py states, failed when a step does neither,
and skipped when no step can be judged yet. Steps that cannot be run are named; those after a missing write are not
judged. Score: (passed + better) / (all - skipped).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, get_args

from bench.conformance_adapter import Session, same
from bench.conformance_expectations import Better, for_case
from bench.conformance_rows import Unavailable
from bench.report import json_line, table

Status = Literal["passed", "better", "failed", "skipped"]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    name: str
    group: str
    status: Status
    judged: int
    """Steps whose outcome was compared with an expected one."""
    detail: str = ""
    unjudged: tuple[str, ...] = ()
    """Why steps were left out."""


def run_case(case: Mapping[str, Any], declared: Sequence[str]) -> CaseOutcome:
    """Run the steps in order until one fails or the rest depends on what is missing."""
    expectations = for_case(case["name"])
    unjudged: list[str] = []
    reasons: list[str] = []
    judged = 0

    def outcome(status: Status, detail: str = "") -> CaseOutcome:
        return CaseOutcome(case["name"], case["group"], status, judged, detail, tuple(unjudged))

    session = Session(case)
    try:
        for number, step in enumerate(case["steps"]):
            try:
                ours = session.step(number, step)
            except Unavailable as missing:
                unjudged.append(f"step {number}: {missing}")
                if missing.blocks:
                    unjudged[-1] += ", and what follows"
                    break
                continue
            if "observed" not in step:
                continue
            problem = _problem(ours, step["observed"], expectations.get(number), declared)
            if problem:
                return outcome("failed", f"step {number}: {problem}")
            # Setting up a case proves nothing about it.
            judged += step.get("method") != "importDump"
            if number in expectations:
                reasons.append(expectations[number].reason)
    finally:
        session.close()
    if not judged:
        return outcome("skipped", "; ".join(unjudged) or "nothing to judge")
    return outcome("better" if reasons else "passed", "; ".join(dict.fromkeys(reasons)))


def _problem(
    ours: Mapping[str, Any], observed: Mapping[str, Any], better: Better | None, declared: Sequence[str]
) -> str:
    """Why our outcome is not the expected one; empty when it is."""
    if better is None:
        return "" if same(ours, observed) else f"observed {_short(observed)}, ours {_short(ours)}"
    if not any(fnmatchcase(better.declared_by, pattern) for pattern in declared):
        return f"differences.md does not declare {better.declared_by}"
    return "" if better.holds(ours, observed) else f"expected better ({better.reason}), ours {_short(ours)}"


def declared_differences(markdown: str) -> list[str]:
    """The case names and patterns in the first column of the table."""
    names = []
    for line in markdown.splitlines():
        cell = line.split("|")[1] if line.startswith("| ") else ""
        names += [name.split()[0] for name in cell.split(",") if re.match(r"\s*[a-zA-Z]+-", name)]
    return names


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 240 else text[:239] + "…"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="bench.conformance", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
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
