"""Better values of calls/ontology.py."""

from __future__ import annotations

from bench.conformance.expectations import Better, error, value

_BOTH_ENDS = "both ends of an edge are checked, and nothing of the call is written"
_NOTHING_THERE = "nothing was written before"
_GLOBAL = "the mode of the settings holds for every namespace"
_OFF = "off: a model's types and edges are not stored"
_NO_LINT = {
    "danglingEdges": 0,
    "manifestViolations": 0,
    "untypedFacts": 0,
    "drafts": 0,
    "unverifiedInferred": 0,
    "sample": {"danglingEdgeIds": [], "manifestViolationEdgeIds": []},
}

BETTER: tuple[Better, ...] = (
    Better("onto-strict-upsert", 1, "onto-strict-upsert", _BOTH_ENDS, error("StrictOntologyViolation")),
    Better("onto-strict-upsert", 2, "onto-strict-upsert", _BOTH_ENDS, value([])),
    Better("onto-strict-upsert", 3, "onto-strict-upsert", _BOTH_ENDS, value([])),
    Better("onto-strict-upsert", 7, "onto-strict-upsert", _BOTH_ENDS, error("StrictOntologyViolation")),
    Better("onto-strict-upsert", 8, "onto-strict-upsert", _NOTHING_THERE, value([])),
    Better("onto-strict-upsert", 9, "onto-strict-upsert", _NOTHING_THERE, value(_NO_LINT)),
    Better("onto-global-mode-without-seed-is-off", 1, "onto-global-mode-without-seed-is-off", _GLOBAL,
           error("StrictOntologyViolation")),
    Better("onto-global-mode-without-seed-is-off", 2, "onto-global-mode-without-seed-is-off", _GLOBAL, value([])),
    Better("onto-off-mode-with-manifest-still-types", 2, "onto-off-mode-with-manifest-still-types", _OFF,
           value([{"title": "Bob Smith", "okf_type": None}, {"title": "Jane", "okf_type": None}])),
    Better("onto-off-mode-with-manifest-still-types", 3, "onto-off-mode-with-manifest-still-types", _OFF, value([])),
)  # fmt: skip
