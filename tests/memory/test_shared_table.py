"""The table of rules for supersession and for windows that the evaluation data holds."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from lorelite import InvalidOption, SupersedeError

SHARED = os.environ.get("LORELITE_SHARED")
NS = "class"
MOMENT = 1_700_000_500_000

pytestmark = [
    pytest.mark.shared,
    pytest.mark.cpython_only,
    pytest.mark.skipif(SHARED is None, reason="LORELITE_SHARED names no folder of evaluation data"),
]


def table(name: str) -> list[dict[str, Any]]:
    path = Path(str(SHARED)) / "conformance" / "temporal_and_budget.json"
    rows: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))[name]
    return rows


@pytest.fixture
def chain(wiki):
    """a was superseded by b; c stands alone, gone was forgotten, far is elsewhere, stated is a document's."""
    for id in ("a", "b", "c", "gone"):
        wiki.write(NS, node_id=id, title=id)
    wiki.forget(NS, node_id="gone")
    wiki.write("other", node_id="far", title="far")
    wiki.upsert_graph(NS, source_ref="d", source_hash="a" * 64, nodes=[{"id": "stated", "title": "stated"}])
    wiki.supersede(NS, node_id="a", by="b")
    return wiki


CALLS = {
    "old id unknown or soft-deleted": [("nobody", "c"), ("gone", "c")],
    "old belongs to another entity": [("far", "c")],
    "old.superseded_by already set": [("a", "c")],
    "old.source_type is immutable_document": [("stated", "c")],
    "new id === old id, or new id is a predecessor of old (chain depth <= 100)": [("c", "c"), ("b", "a")],
    "replacement id unknown/deleted": [("c", "nobody"), ("c", "gone")],
    "replacement in another entity": [("c", "far")],
    "replacement object without title/body": [("c", {"title": "x"}), ("c", {"body": "x"})],
}


def test_every_rule_of_supersession_is_kept(chain, clock):
    rules = table("supersede")
    for rule in rules:
        for node_id, by in CALLS.get(rule["when"], []):
            wanted = InvalidOption if rule["error"] == "TypeError" else SupersedeError
            with pytest.raises(wanted) as caught:
                chain.supersede(NS, node_id=node_id, by=by)
            if wanted is SupersedeError:
                assert caught.value.reason == rule["error"].replace("entity", "namespace"), rule
    for odd in (float("nan"), -1):
        with pytest.raises(InvalidOption):
            chain.supersede(NS, node_id="c", by={"title": "x", "body": "y"}, valid_from=odd)
    report = chain.supersede(NS, node_id="c", by={"title": "x", "body": "y"}, valid_from=MOMENT)
    old, new = (fact for fact in chain.history(NS, node_id="c"))
    assert (old.valid_to, old.superseded_by, old.superseded_at) == (MOMENT, report.new_id, clock.now)
    assert new.valid_from == MOMENT
    told = {*CALLS, "success at t (validFrom ?? now)", "validFrom NaN/negative"}
    assert {rule["when"] for rule in rules} == told, "a rule that no call here tries"


def test_every_window_is_live_when_the_table_says(open_wiki, clock):
    rows = table("livenessRows")
    wiki = open_wiki()
    for row in rows:
        clock.now = row["created_at"]
        window = {name: row[name] for name in ("valid_from", "valid_to") if row[name] is not None}
        wiki.write(NS, node_id=row["id"], title="fact", **window)
    for row in rows:
        if "deleted_at" in row:
            clock.now = row["deleted_at"]
            wiki.forget(NS, node_id=row["id"])
    for moment in table("liveness"):
        as_of = moment["t"] if moment["mode"] == "asOf" else None
        clock.now = 1_000 if as_of is not None else moment["t"]
        found = {fact.id for fact in wiki.read(NS, "fact", as_of=as_of).facts}
        assert found == set(moment["live"]), moment
