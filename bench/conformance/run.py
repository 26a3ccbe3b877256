"""Cases run step by step and judged."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal, get_args

from bench.conformance.better import for_case, general
from bench.conformance.expectations import Better
from bench.conformance.rows import Unavailable
from bench.conformance.session import Session, table
from bench.conformance.values import same
from lorelite import LoreliteError

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

    def problem(where: int | str, ours: Mapping[str, Any], observed: Mapping[str, Any]) -> str:
        better = expectations.get(where)
        found = _problem(session, ours, observed, better, declared)
        if found and better is None:
            better = next((each for each in general() if each.holds(ours, observed)), None)
            found = found if better is None else _problem(session, ours, observed, better, declared)
        if not found and better is not None and _problem(session, ours, observed, None, declared):
            reasons.append(better.reason)
        return found

    try:
        session = Session(case)
    except Unavailable as missing:
        return outcome("skipped", str(missing))
    except LoreliteError as error:
        judged += 1
        return outcome("passed" if "setupError" in case else "failed", f"opening: {error}")
    try:
        is_blocked = False
        for number, step in enumerate(case["steps"]):
            try:
                ours = session.step(number, step)
            except Unavailable as missing:
                unjudged.append(f"step {number}: {missing}")
                if missing.blocks:
                    unjudged[-1] += ", and what follows"
                    is_blocked = True
                    break
                continue
            if "observed" not in step:
                continue
            found = problem(number, ours, step["observed"])
            if found:
                return outcome("failed", f"step {number}: {found}")
            # Setting up a case proves nothing about it, unless it is about just that.
            judged += step.get("method") != "importDump" or case["group"] == "dump"
        for name in () if is_blocked else table("JUDGED").get(case["group"], ()):
            found = problem(name, {"ok": session.side(name)}, {"ok": _observed_side(case, name)})
            if found:
                return outcome("failed", f"{name}: {found}")
    finally:
        session.close()
    if not judged:
        return outcome("skipped", "; ".join(unjudged) or "nothing to judge")
    return outcome("better" if reasons else "passed", "; ".join(dict.fromkeys(reasons)))


def _problem(
    session: Session,
    ours: Mapping[str, Any],
    observed: Mapping[str, Any],
    better: Better | None,
    declared: Sequence[str],
) -> str:
    """Why our outcome is not the expected one; empty when it is."""
    if better is None:
        agrees = same(ours, observed, errors=table("ERRORS"), ids=session.ids)
        return "" if agrees else f"observed {_short(observed)}, ours {_short(ours)}"
    if not any(fnmatchcase(better.declared_by, pattern) for pattern in declared):
        return f"differences.md does not declare {better.declared_by}"
    return "" if better.holds(ours, observed) else f"expected better ({better.reason}), ours {_short(ours)}"


def _observed_side(case: Mapping[str, Any], name: str) -> Any:
    """A side value as the file gives it; of diagnostics the codes, sorted."""
    given = case.get("side", {}).get(name)
    if name == "diagnostics":
        return sorted(diagnostic["code"] for diagnostic in given or ())
    if given is None:
        return 0 if name.endswith("Calls") else []
    return given


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
