"""The ontology's statements: each finds its rows by an index, whatever else the file holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from lorelite import Ontology, StoreError, Wiki
from lorelite.ontology.typing import WaitingEdge

NS = "main"
CALLS: dict[str, Callable[[Any], Any]] = {
    "get": lambda table: table.get(NS),
    "targets": lambda table: table.targets(NS, ["fact 3"], source_ref="d", source_hash="a" * 64),
    "types_of": lambda table: table.types_of(NS, ["n1"]),
    "untyped": lambda table: table.untyped(NS, tried_before=1, limit=3),
    "count_untyped": lambda table: table.count_untyped(NS, tried_before=1),
    "entities_titled": lambda table: table.entities_titled(NS, ["fact 3"]),
    "entity_types": lambda table: table.entity_types(NS, ["n1"]),
    "waiting": lambda table: table.waiting("doc"),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_statement_searches_an_index(wiki: Wiki, name: str):
    for number in range(30):
        wiki.write(NS, title=f"Fact {number}", body="b")
    db = wiki._wiki._engine.store.db
    rows, plans = db.rows, []

    def spy(sql: str, params: Any = ()) -> Any:
        plans.extend(row["detail"] for row in rows(f"explain query plan {sql}", params))
        return rows(sql, params)

    db.rows = spy  # type: ignore[method-assign]
    CALLS[name](wiki._wiki._engine.store.ontology)
    assert plans and not [line for line in plans if line.startswith("SCAN") and line.split()[1] not in ("k", "used")]


def test_edges_wait_once_and_in_order(wiki: Wiki):
    wiki.ingest_document(NS, source_ref="d", text="Some text.")
    table = wiki._wiki._engine.store.ontology
    [document] = wiki.list_source_refs(NS)
    edges = [WaitingEdge("b", "knows", "Zoe"), WaitingEdge("a", "knows", "Zoe"), WaitingEdge("b", "knows", "Zoe")]
    table.add_waiting(document.id, edges)
    assert table.waiting(document.id) == [edges[1], edges[0]]
    wiki.forget(NS, source_ref="d")
    assert table.waiting(document.id) == []


@pytest.mark.parametrize("manifest", ["{", "[]", json.dumps({"node_types": [{}], "edge_types": []}), "{}"])
def test_a_manifest_that_was_spoilt_from_outside_is_an_error_with_a_remedy(wiki: Wiki, manifest: str):
    wiki.set_ontology(NS, {}, mode="strict")
    wiki._wiki._engine.store.db.run("update ontology set manifest = ?", (manifest,))
    with pytest.raises(StoreError, match="set_ontology"):
        wiki.get_ontology(NS)
    assert wiki.set_ontology(NS, Ontology("off")).mode == "off"
