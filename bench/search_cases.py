"""Search cases through `read`: the share that finds what it must in every keyword index.

    python -m bench.search_cases FILE [--index fts5 memory] [--min X]

FILE is JSON Lines: {"id", "docs": [{"id", "text"}], "query", "must_match_doc_ids", "top1"?, "must_not_raise"}.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from bench.report import json_line, table
from lorelite import LoreliteError, Wiki, WikiConfig
from lorelite.records import MemoryBundle

Index = Literal["fts5", "memory"]
INDEXES: tuple[Index, ...] = get_args(Index)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What one case did in one index; `problem` is empty when it passed."""

    id: str
    kind: str
    index: Index
    passed: bool
    problem: str = ""


def load(text: str) -> list[dict[str, Any]]:
    """The cases of a JSON Lines file."""
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def run(cases: Iterable[Mapping[str, Any]], index: Index) -> list[CaseResult]:
    """Each case in a namespace of its own, all in one file held in memory.

    Documents are ingested as a user would, and a document counts as found where any node that stems from it is.
    """
    with Wiki.open(":memory:", config=WikiConfig(keyword_index=index)) as wiki:
        results = []
        for case in cases:
            problem = _problem(wiki, case)
            results.append(CaseResult(case["id"], case.get("kind", ""), index, not problem, problem))
        return results


def score(results: Sequence[CaseResult]) -> float:
    """The share of cases that passed in every index they ran in; 0 when there are none."""
    every = {result.id for result in results}
    failed = {result.id for result in results if not result.passed}
    return (len(every) - len(failed)) / len(every) if every else 0.0


def _problem(wiki: Wiki, case: Mapping[str, Any]) -> str:
    namespace = case["id"]
    for doc in case["docs"]:
        wiki.ingest_document(namespace, source_ref=doc["id"], text=doc["text"])
    try:
        found = _documents(wiki.read(namespace, case["query"]))
    except LoreliteError as error:
        return f"raised {type(error).__name__}: {error}" if case.get("must_not_raise", True) else ""
    missing = [doc for doc in case["must_match_doc_ids"] if doc not in found]
    if missing:
        return f"missing {', '.join(missing)}; found {', '.join(found) or 'nothing'}"
    if "top1" in case and found[:1] != [case["top1"]]:
        return f"first is {found[0] if found else 'nothing'}, expected {case['top1']}"
    return ""


def _documents(bundle: MemoryBundle) -> list[str]:
    """The documents behind the nodes found, best first. An empty query finds none (the bundle has no scores)."""
    refs: dict[str, None] = {}
    for node in bundle.facts:
        if node.id in bundle.fact_scores:
            refs.update(dict.fromkeys(citation.source_ref for citation in node.citations))
            if node.source_ref is not None:
                refs.setdefault(node.source_ref)
    return list(refs)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.search_cases", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--index", nargs="+", choices=INDEXES, default=list(INDEXES))
    parser.add_argument("--min", type=float, default=None, help="exit with 1 when the score is below this share")
    options = parser.parse_args(arguments)

    cases = load(options.file.read_text("utf-8"))
    results = [result for index in options.index for result in run(cases, index)]
    failures = [result for result in results if not result.passed]
    print(table(("case", "kind", "index", "problem"), [(r.id, r.kind, r.index, r.problem) for r in failures]))
    passed = {index: sum(r.passed for r in results if r.index == index) for index in options.index}
    total = score(results)
    print(json_line({"bench": "search_cases", "cases": len(cases), "passed": passed, "score": round(total, 4)}))
    return 0 if options.min is None or total >= options.min else 1


if __name__ == "__main__":
    sys.exit(main())
