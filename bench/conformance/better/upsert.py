"""Better values of calls/upsert.py."""

from __future__ import annotations

from bench.conformance.expectations import Better, Check, Outcome, rows, value

_TYPE_KEPT = "the type that the caller gave is kept"
_FORGOTTEN = "forget releases the source, so the same text can be seeded again"


def _typed(node_type: str) -> Check:
    """The observed rows, except that each has this type."""
    return lambda ours, observed: ours.get("ok") == [{**row, "okf_type": node_type} for row in observed["ok"]]


def _wrote(nodes: int, edges: int, superseded: int) -> Check:
    return value({"nodesWritten": nodes, "edgesWritten": edges, "superseded": superseded})


def _refs(ours: Outcome) -> set[str]:
    return {row["sourceRef"] for row in ours.get("ok", ())}


BETTER = (
    Better("upsert-basic-row-shape", 1, "upsert-basic-row-shape", _TYPE_KEPT, _typed("thing")),
    # The row speaks of types alone. The reference finds a graph only once its index was rebuilt, and has no call for
    # that; ours keeps the index in the same transaction, so to find nothing would be to break it.
    Better("upsert-basic-row-shape", 4, "upsert-basic-row-shape", "what was written is found at once",
           value({"facts.id": ["a"]})),
    # A tie there, where only titles with the word are measured; BM25 over the whole text puts the shorter one first.
    Better("upsert-basic-row-shape", 6, "read-keyword-order-and-scores", "both are found, the shorter one first",
           value({"facts.id": ["b", "a"]})),
    Better("upsert-supersede-resurrect", 3, "upsert-basic-row-shape", _TYPE_KEPT, _typed("thing")),
    Better("upsert-foreign-node-id", 2, "upsert-basic-row-shape", _TYPE_KEPT, _typed("thing")),
    Better("upsert-edge-id-collision", 2, "upsert-basic-row-shape", _TYPE_KEPT, _typed("thing")),
    Better("upsert-inbound-edges-dangle-after-supersede", 3, "upsert-inbound-edges-dangle-after-supersede",
           "an edge ends with its node", value([])),
    Better("upsert-inbound-edges-dangle-after-supersede", 4, "upsert-inbound-edges-dangle-after-supersede",
           "no edge dangles, and the types that the caller gave are kept",
           lambda ours, observed: (ours["ok"]["danglingEdges"], ours["ok"]["untypedFacts"]) == (0, 0)),
    Better("upsert-edge-id-collision", 3, "upsert-edge-id-collision",
           "the caller who catches the error and commits finds nothing written",
           value({"caught": "NodeOwnershipConflict"})),
    Better("upsert-edge-id-collision", 4, "upsert-edge-id-collision", "checked before any write",
           rows(id=["a", "b"])),
    Better("upsert-sourceRef-normalisation-collision", 1, "upsert-sourceRef-normalisation-collision",
           "another source's nodes are left alone", _wrote(1, 0, 0)),
    Better("upsert-sourceRef-normalisation-collision", 2, "upsert-sourceRef-normalisation-collision",
           "both refs are kept as given", rows(source_ref=["src/a.ts", "srca.ts"], deleted=[0, 0])),
    Better("upsert-sourceRef-normalisation-collision", 3, "upsert-sourceRef-normalisation-collision",
           "both refs are listed", lambda ours, observed: _refs(ours) == {"src/a.ts", "srca.ts"}),
    Better("upsert-sourceRef-normalisation-collision", 4, "upsert-sourceRef-normalisation-collision",
           "refs may be of any script", _wrote(1, 0, 0)),
    Better("upsert-after-forget-clearAll-is-noop", 2, "upsert-after-forget-clearAll-is-noop", _FORGOTTEN,
           _wrote(1, 0, 0)),
    Better("upsert-after-forget-clearAll-is-noop", 3, "upsert-after-forget-clearAll-is-noop", _FORGOTTEN,
           rows(id=["a"], deleted=[0])),
    Better("upsert-after-forget-by-hash-or-id-is-noop", 2, "upsert-after-forget-by-hash-or-id-is-noop", _FORGOTTEN,
           _wrote(1, 0, 0)),
    Better("upsert-after-forget-by-hash-or-id-is-noop", 3, "upsert-after-forget-by-hash-or-id-is-noop", _FORGOTTEN,
           rows(id=["a"], deleted=[0])),
    Better("upsert-after-forget-by-hash-or-id-is-noop", 7, "upsert-after-forget-by-hash-or-id-is-noop", _FORGOTTEN,
           rows(id=["a", "b"], deleted=[0, 0])),
    Better("upsert-after-forget-by-hash-or-id-is-noop", 8, "upsert-after-forget-by-hash-or-id-is-noop", _FORGOTTEN,
           value(False)),
    Better("upsert-keeps-stale-embedding", 3, "upsert-keeps-stale-embedding", "a vector of an older text is renewed",
           value({"embedded": 1, "skipped": 0, "failed": 0, "deferred": 0, "permanentlyFailed": 0})),
)  # fmt: skip
