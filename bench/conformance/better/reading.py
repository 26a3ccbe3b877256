"""Better values of calls/reading.py."""

from __future__ import annotations

from bench.conformance.expectations import Better, error, walk

_STRICT = "an option that makes no sense is refused by name"

BETTER = (
    Better("trav-ranking-ties", 1, "trav-ranking-ties", "ties are broken by id",
           walk(["A", "b", "m", "z"], ["A-rel-b", "A-rel-m", "A-rel-z"])),
    Better("trav-comma-id-bug", 1, "trav-comma-id-bug", "ids are opaque, every neighbour is found",
           walk(["a,b", "a", "c"], ["a,b-rel-a", "a,b-rel-c"])),
    Better("trav-invalid-direction", 1, "trav-invalid-direction", _STRICT, error("InvalidOption")),
    Better("trav-depth-clamp", 6, "trav-invalid-direction", _STRICT, error("InvalidOption")),
    Better("trav-depth-clamp", 7, "trav-invalid-direction", _STRICT, error("InvalidOption")),
    Better("trav-confidence-dead-end-anchor-exempt", 4, "trav-invalid-direction", _STRICT, error("InvalidOption")),
    Better("trav-cap-and-order", 3, "trav-invalid-direction", _STRICT, error("InvalidOption")),
    Better("trav-cap-and-order", 5, "trav-invalid-direction", _STRICT, error("InvalidOption")),
    Better("trav-cap-and-order", 6, "trav-invalid-direction", _STRICT, error("InvalidOption")),
    Better("trav-unknown-options-asOf-tokenBudget", 1, "trav-unknown-options-asOf-tokenBudget",
           "an anchor that was not held true at that time stands alone", walk(["A"], [])),
)  # fmt: skip
