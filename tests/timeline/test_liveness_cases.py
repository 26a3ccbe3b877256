"""The windows that decide what is live now and what was live then, as the shared cases have them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from lorelite import WikiConfig
from lorelite.records import Node

NS = "class"


@pytest.mark.shared
@pytest.mark.parametrize("index", ["fts5", "memory"])
def test_what_is_live_is_what_the_shared_cases_say(open_wiki, clock, index):
    folder = os.environ.get("LORELITE_SHARED")
    if not folder:
        pytest.skip("LORELITE_SHARED does not name the folder of evaluation data")
    cases = json.loads((Path(folder) / "conformance" / "temporal_and_budget.json").read_text("utf-8"))
    clock.now = 1_000
    wiki = open_wiki(config=WikiConfig(keyword_index=index, maintenance="off"))
    store = wiki._wiki._engine.store
    with store.atomic("import"):
        store.namespaces.ensure(NS)
        for row in cases["livenessRows"]:
            deleted_at = row.pop("deleted_at", None)
            store.nodes.put([Node(**row, namespace=NS, kind="fact", title=f"Fact {row['id']}", updated_at=1)])
            if deleted_at is not None:
                store.nodes.delete(NS, [row["id"]])
    for case in cases["liveness"]:
        clock.now = case["t"] if case["mode"] == "current" else 2_000
        moment = None if case["mode"] == "current" else case["t"]
        for query in ("", "fact"):
            found = wiki.read(NS, query, as_of=moment, max_results=100).facts
            assert sorted(node.id for node in found) == case["live"], case
