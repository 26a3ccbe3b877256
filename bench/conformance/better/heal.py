"""Better values of calls/heal.py."""

from __future__ import annotations

from bench.conformance.expectations import Better, rows, value

_NEVER = "what a user stated is never deleted by a job"
_NO_DANGLING = "an edge goes with its node"


def _report(scanned: int, downgraded: int, deleted: int, new_facts: int, deferred: int) -> dict[str, object]:
    return {
        "scanned": scanned,
        "downgraded": downgraded,
        "deleted": deleted,
        "newFactsCreated": new_facts,
        "skipped": [],
        "degraded": [],
        "remaining": 0,
        "deferred": deferred,
    }


BETTER: tuple[Better, ...] = (
    Better("heal-sql-passes", 1, "heal-sql-passes", _NEVER, value(_report(4, 1, 1, 0, 4))),
    Better(
        "heal-sql-passes",
        2,
        "heal-sql-passes",
        _NEVER,
        rows(
            id=["accessed", "boundary", "old_doc", "old_inf", "old_user", "young"],
            confidence=["tentative", "certain", "inferred", "inferred", "certain", "certain"],
            **{"del": [0, 0, 0, 1, 0, 0], "chk": [1, 1, 0, 0, 1, 1]},
        ),
    ),
    Better("heal-llm-decisions", 1, "heal-sql-passes", _NEVER, value(_report(2, 1, 0, 1, 3))),
    Better(
        "heal-llm-decisions",
        2,
        "heal-sql-passes",
        _NEVER,
        rows(
            title=["Merged brand new statement", "a", "b", "doc"],
            confidence=["inferred", "tentative", "certain", "certain"],
            **{"del": [0, 0, 0, 0]},
        ),
    ),
    Better("heal-llm-decisions", 3, "heal-sql-passes", _NEVER, value(_report(0, 0, 0, 0, 3))),
    Better(
        "heal-llm-decisions",
        "diagnostics",
        "heal-sql-passes",
        "the refused deletion is told",
        value(["fact_rejected", "heal_skipped"]),
    ),
    Better("prune-boundaries", 4, "prune-boundaries", _NO_DANGLING, value([])),
)
