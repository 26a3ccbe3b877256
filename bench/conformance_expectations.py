"""Where Lorelite does better than the reference on purpose: the value that is expected instead, and why.

Each entry names the case and the step, the row of `differences.md` that declares the difference, and a check of our
outcome ({"ok": value} or {"error": class name}).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Outcome = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Better:
    case: str
    step: int
    declared_by: str
    reason: str
    holds: Callable[[Outcome], bool]


def _error(name: str) -> Callable[[Outcome], bool]:
    return lambda ours: ours.get("error") == name


def _value(value: Any) -> Callable[[Outcome], bool]:
    return lambda ours: ours.get("ok") == value


def _walk(nodes: list[str], edges: list[str]) -> Callable[[Outcome], bool]:
    return lambda ours: (
        "ok" in ours and ours["ok"]["nodes.id"] == nodes and sorted(ours["ok"]["edges.id"]) == sorted(edges)
    )


def _rows(**columns: list[Any]) -> Callable[[Outcome], bool]:
    """The rows of a query, by column."""
    return lambda ours: all([row[name] for row in ours.get("ok", ())] == values for name, values in columns.items())


def _wrote(nodes: int, edges: int, superseded: int) -> Callable[[Outcome], bool]:
    return _value({"nodesWritten": nodes, "edgesWritten": edges, "superseded": superseded})


def _refs(ours: Outcome) -> set[str]:
    return {row["sourceRef"] for row in ours.get("ok", ())}


_STRICT = "an option that makes no sense is refused by name"
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
    Better("trav-cap-and-order", 6, "trav-invalid-direction", _STRICT, _error("InvalidOption")),
    Better("trav-unknown-options-asOf-tokenBudget", 1, "trav-unknown-options-asOf-tokenBudget",
           "nothing was known at that time, so the walk is empty", _walk([], [])),
    Better("upsert-basic-row-shape", 1, "upsert-basic-row-shape", "the type that the caller gave is kept",
           _rows(id=["a", "b"], okf_type=["thing", "thing"], body=["x", ""],
                 source_type=["immutable_document", "immutable_document"])),
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
           "both refs are listed", lambda ours: _refs(ours) == {"src/a.ts", "srca.ts"}),
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
)  # fmt: skip


def for_case(name: str) -> dict[int, Better]:
    """The expectations of a case by step."""
    return {better.step: better for better in BETTER if better.case == name}
