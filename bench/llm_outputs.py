"""Replies as models really write them through the extraction parser: the share recovered as labelled.

    python -m bench.llm_outputs FILE [--min X]

FILE is JSON Lines: {"id", "kind", "raw", "what_a_good_parser_recovers": {"status": "ok" | "partial" | "none",
"entities": [{"name", "type"}], "relations": [{"source", "type", "target"}], "descriptions"?: {name: text}}}.
Recovered counts 1, not recovered (an error, or admitted to be partial) 0, and silently wrong −1.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bench.report import json_line, table
from lorelite.errors import BadReply
from lorelite.prompts.extract import ExtractReply, read_reply
from lorelite.text.extraction import Extraction

Outcome = Literal["recovered", "not recovered", "silently wrong"]
POINTS: Mapping[Outcome, int] = {"recovered": 1, "not recovered": 0, "silently wrong": -1}


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What one reply gave; `problem` is empty when it was recovered."""

    id: str
    kind: str
    outcome: Outcome
    problem: str = ""


def load(text: str) -> list[dict[str, Any]]:
    """The cases of a JSON Lines file."""
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def run(cases: Iterable[Mapping[str, Any]]) -> list[CaseResult]:
    """Each reply parsed as if for an empty chunk: only what the reply itself says counts."""
    return [_judged(case) for case in cases]


def score(results: Sequence[CaseResult]) -> float:
    """Points per case: 1 when all are recovered, below 0 when most are silently wrong; 0 without cases."""
    return sum(POINTS[result.outcome] for result in results) / len(results) if results else 0.0


def _judged(case: Mapping[str, Any]) -> CaseResult:
    label = case["what_a_good_parser_recovers"]
    reply: ExtractReply | None
    try:
        reply = read_reply(case["raw"], chunk_start=0, chunk_end=0, document_text="")
    except BadReply:
        reply = None
    problem = _problem(reply, label)
    admitted = reply is None or not reply.complete
    outcome: Outcome = "recovered" if not problem else "not recovered" if admitted else "silently wrong"
    return CaseResult(case["id"], case.get("kind", ""), outcome, problem)


def _problem(reply: ExtractReply | None, label: Mapping[str, Any]) -> str:
    if reply is None:
        return "" if label["status"] == "none" else "raised BadReply"
    if label["status"] == "none":
        return "took something from a reply that holds nothing"
    if label["status"] == "partial" and reply.complete:
        return "did not notice that the reply is cut off"
    return _difference(
        "entities", _entities(reply.extraction), {(e["name"], e["type"]) for e in label["entities"]}
    ) or (
        _difference(
            "relations",
            {(r.source, r.type, r.target) for r in reply.extraction.relations},
            {(r["source"], r["type"], r["target"]) for r in label["relations"]},
        )
        or _difference(
            "descriptions",
            {(e.name, e.description) for e in reply.extraction.entities if e.name in label.get("descriptions", {})},
            set(label.get("descriptions", {}).items()),
        )
    )


def _entities(extraction: Extraction) -> set[tuple[str, str | None]]:
    return {(entity.name, entity.type) for entity in extraction.entities}


def _difference(what: str, found: set[Any], expected: set[Any]) -> str:
    missing, surplus = sorted(map(str, expected - found)), sorted(map(str, found - expected))
    return f"{what}: missing {missing}, surplus {surplus}" if missing or surplus else ""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.llm_outputs", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--min", type=float, default=None, help="exit with 1 when the score is below this")
    options = parser.parse_args(arguments)

    results = run(load(options.file.read_text("utf-8")))
    print(table(("case", "kind", "outcome", "problem"), [(r.id, r.kind, r.outcome, r.problem) for r in results]))
    counts = {outcome.replace(" ", "_"): sum(r.outcome == outcome for r in results) for outcome in POINTS}
    total = score(results)
    print(json_line({"bench": "llm_outputs", "cases": len(results), **counts, "score": round(total, 4)}))
    return 0 if options.min is None or total >= options.min else 1


if __name__ == "__main__":
    sys.exit(main())
