"""Better values of calls/upkeep.py."""

from __future__ import annotations

from bench.conformance.expectations import Better, rows, value

_ONCE = "an event is read once, so the second run asks nothing and adds nothing"

BETTER: tuple[Better, ...] = (
    Better("librarian-basic", 5, "librarian-basic", _ONCE, rows(n=[3])),
    Better("librarian-basic", "llmCalls", "librarian-basic", _ONCE, value(1)),
    Better(
        "librarian-basic",
        "diagnostics",
        "librarian-basic",
        _ONCE,
        value(["fact_deduplicated", "fact_rejected", "task_rejected"]),
    ),
    Better(
        "write-validation-and-autolibrarian",
        11,
        "trav-ranking-ties",
        "events of one moment come in the order in which they were told",
        value({"events.summary": ["one", "two"], "events.event_type": ["observation", "observation"]}),
    ),
)
