"""Better values of calls/ingest.py."""

from __future__ import annotations

from bench.conformance.expectations import Better, Check, Outcome, rows, value

_RECOVERED = "what the reply says is recovered"
_KEPT = "an empty reply takes nothing away"


def _ingested(chunks: int, done: int) -> Check:
    """A document of so many chunks of which so many were read."""
    return lambda ours, observed: (
        "ok" in ours and (ours["ok"]["chunks"], ours["ok"]["ingestedChunks"]) == (chunks, done)
    )


def _one_fact(ours: Outcome, observed: Outcome) -> bool:
    return rows(title=["A"], body=["B"])(ours, observed)


BETTER: tuple[Better, ...] = (
    *(Better(f"llmjson-{name}", 0, f"llmjson-{name}", _RECOVERED, _ingested(1, 1))
      for name in ("trailing-comma", "python-literals")),
    *(Better(f"llmjson-{name}", 1, f"llmjson-{name}", _RECOVERED, _one_fact)
      for name in ("trailing-comma", "python-literals", "top-level-array", "facts-not-array")),
    Better("upsert-hasChanged-list-find-pending", 8, "upsert-sourceRef-normalisation-collision",
           "refs may be of any script", value(True)),
    Better("ingest-duplicate-hash-modes", "llmCalls", "ingest-duplicate-hash-modes",
           "duplicates are found before any call", value(1)),
    Better("ingest-empty-facts-wipes-source", 1, "ingest-empty-facts-wipes-source", _KEPT, _ingested(1, 0)),
    Better("ingest-empty-facts-wipes-source", "diagnostics", "ingest-empty-facts-wipes-source", _KEPT,
           value(["ingest_empty"])),
    Better("ingest-empty-facts-wipes-source", 2, "ingest-empty-facts-wipes-source", _KEPT,
           rows(title=["A"], body=["a"])),
)  # fmt: skip
