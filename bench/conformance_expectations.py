"""Where Lorelite does better than the reference on purpose: the value that is expected instead, and why.

Each entry names the case and the step, the row of `differences.md` that declares the difference, and a check of our
outcome ({"ok": value} or {"error": class name}), which also gets the observed one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Outcome = Mapping[str, Any]
Check = Callable[[Outcome, Outcome], bool]


@dataclass(frozen=True, slots=True)
class Better:
    case: str
    step: int
    declared_by: str
    reason: str
    holds: Check


def _error(name: str) -> Check:
    return lambda ours, observed: ours.get("error") == name


def _value(value: Any) -> Check:
    return lambda ours, observed: ours.get("ok") == value


def _walk(nodes: list[str], edges: list[str]) -> Check:
    return lambda ours, observed: (
        "ok" in ours and ours["ok"]["nodes.id"] == nodes and sorted(ours["ok"]["edges.id"]) == sorted(edges)
    )


def _rows(**columns: list[Any]) -> Check:
    """The rows of a query, by column."""
    return lambda ours, observed: all(
        [row[name] for row in ours.get("ok", ())] == values for name, values in columns.items()
    )


def _typed(node_type: str) -> Check:
    """The observed rows, except that each has this type."""
    return lambda ours, observed: ours.get("ok") == [{**row, "okf_type": node_type} for row in observed["ok"]]


def _wrote(nodes: int, edges: int, superseded: int) -> Check:
    return _value({"nodesWritten": nodes, "edgesWritten": edges, "superseded": superseded})


def _refs(ours: Outcome) -> set[str]:
    return {row["sourceRef"] for row in ours.get("ok", ())}


_STRICT = "an option that makes no sense is refused by name"
_TYPE_KEPT = "the type that the caller gave is kept"
_FORGOTTEN = "forget releases the source, so the same text can be seeded again"

BETTER = (
    Better("trav-ranking-ties", 1, "trav-ranking-ties", "ties are broken by id",
           _walk(["A", "b", "m", "z"], ["A-rel-b", "A-rel-m", "A-rel-z"])),
    Better("trav-comma-id-bug", 1, "trav-comma-id-bug", "ids are opaque, every neighbour is found",
           _walk(["a,b", "a", "c"], ["a,b-rel-a", "a,b-rel-c"])),
    Better("trav-invalid-direction", 1, "trav-invalid-direction", _STRICT, _error("InvalidOption")),
    Better("trav-depth-clamp", 6, "trav-invalid-direction", _STRICT, _error("InvalidOption")),
    Better("trav-depth-clamp", 7, "trav-invalid-direction", _STRICT, _error("InvalidOption")),
    Better("trav-confidence-dead-end-anchor-exempt", 4, "trav-invalid-direction", _STRICT, _error("InvalidOption")),
    Better("trav-cap-and-order", 3, "trav-invalid-direction", _STRICT, _error("InvalidOption")),
    Better("trav-cap-and-order", 5, "trav-invalid-direction", _STRICT, _error("InvalidOption")),
    Better("trav-cap-and-order", 6, "trav-invalid-direction", _STRICT, _error("InvalidOption")),
    Better("trav-unknown-options-asOf-tokenBudget", 1, "trav-unknown-options-asOf-tokenBudget",
           "an anchor that was not held true at that time stands alone", _walk(["A"], [])),
    Better("upsert-basic-row-shape", 1, "upsert-basic-row-shape", _TYPE_KEPT, _typed("thing")),
    Better("upsert-basic-row-shape", 4, "upsert-basic-row-shape", "what was written is found at once",
           _value({"facts.id": ["a"]})),
    Better("upsert-basic-row-shape", 6, "read-keyword-order-and-scores", "both are found, the shorter one first",
           _value({"facts.id": ["b", "a"]})),
    Better("upsert-supersede-resurrect", 3, "upsert-basic-row-shape", _TYPE_KEPT, _typed("thing")),
    Better("upsert-foreign-node-id", 2, "upsert-basic-row-shape", _TYPE_KEPT, _typed("thing")),
    Better("upsert-edge-id-collision", 2, "upsert-basic-row-shape", _TYPE_KEPT, _typed("thing")),
    Better("upsert-inbound-edges-dangle-after-supersede", 3, "upsert-inbound-edges-dangle-after-supersede",
           "an edge ends with its node", _value([])),
    Better("upsert-edge-id-collision", 3, "upsert-edge-id-collision",
           "the caller who catches the error and commits finds nothing written",
           _value({"caught": "NodeOwnershipConflict"})),
    Better("upsert-edge-id-collision", 4, "upsert-edge-id-collision", "checked before any write",
           _rows(id=["a", "b"])),
    Better("upsert-sourceRef-normalisation-collision", 1, "upsert-sourceRef-normalisation-collision",
           "another source's nodes are left alone", _wrote(1, 0, 0)),
    Better("upsert-sourceRef-normalisation-collision", 2, "upsert-sourceRef-normalisation-collision",
           "both refs are kept as given", _rows(source_ref=["src/a.ts", "srca.ts"], deleted=[0, 0])),
    Better("upsert-sourceRef-normalisation-collision", 3, "upsert-sourceRef-normalisation-collision",
           "both refs are listed", lambda ours, observed: _refs(ours) == {"src/a.ts", "srca.ts"}),
    Better("upsert-sourceRef-normalisation-collision", 4, "upsert-sourceRef-normalisation-collision",
           "refs may be of any script", _wrote(1, 0, 0)),
    Better("upsert-after-forget-clearAll-is-noop", 2, "upsert-after-forget-clearAll-is-noop", _FORGOTTEN,
           _wrote(1, 0, 0)),
    Better("upsert-after-forget-clearAll-is-noop", 3, "upsert-after-forget-clearAll-is-noop", _FORGOTTEN,
           _rows(id=["a"], deleted=[0])),
    Better("upsert-after-forget-by-hash-or-id-is-noop", 2, "upsert-after-forget-by-hash-or-id-is-noop", _FORGOTTEN,
           _wrote(1, 0, 0)),
    Better("upsert-after-forget-by-hash-or-id-is-noop", 3, "upsert-after-forget-by-hash-or-id-is-noop", _FORGOTTEN,
           _rows(id=["a"], deleted=[0])),
    Better("upsert-after-forget-by-hash-or-id-is-noop", 7, "upsert-after-forget-by-hash-or-id-is-noop", _FORGOTTEN,
           _rows(id=["a", "b"], deleted=[0, 0])),
    Better("upsert-after-forget-by-hash-or-id-is-noop", 8, "upsert-after-forget-by-hash-or-id-is-noop", _FORGOTTEN,
           _value(False)),
    Better("upsert-keeps-stale-embedding", 3, "upsert-keeps-stale-embedding", "a vector of an older text is renewed",
           _value({"embedded": 1, "skipped": 0, "failed": 0, "deferred": 0, "permanentlyFailed": 0})),
)  # fmt: skip


def for_case(name: str) -> dict[int, Better]:
    """The expectations of a case by step."""
    return {better.step: better for better in BETTER if better.case == name}
