"""`lorelite merges`: what it lists, and what it does."""

from __future__ import annotations

import pytest

from lorelite import Wiki

pytestmark = pytest.mark.cpython_only


@pytest.fixture
def graph(folder):
    """The present folder, with OpenAI and the tide gauge twice in lorelite.db."""
    names = ("OpenAI", "Open AI", "Tide Gauge", "The Tide Gauge")
    with Wiki.open("lorelite.db") as wiki:
        wiki.upsert_graph(
            "main",
            source_ref="graph",
            source_hash="a" * 64,
            nodes=[{"id": name, "title": name, "kind": "entity", "type": "thing"} for name in names],
            edges=[{"type": "reads", "source_id": "Open AI", "target_id": "Tide Gauge"}],
        )


def test_pairs_are_listed_with_what_speaks_for_them(graph, lorelite):
    done = lorelite("merges")
    assert done.code == 0
    assert done.out.splitlines() == [
        "1.00  Open AI ← OpenAI [thing]",
        "      + the same letters",
        "0.93  Tide Gauge ← The Tide Gauge [thing]",
        "      + the same but for an article",
    ]
    assert lorelite("merges", "--min-score", "0.95", "--json").json[0]["evidence"][0]["kind"] == "name"
    assert lorelite("merges", "--type", "person").out == "no two entities look like one\n"


def test_pairs_are_accepted_rejected_and_undone(graph, lorelite):
    assert lorelite("merges", "--list").out == "nothing was merged\n"
    assert lorelite("merges", "--accept", "OpenAI", "Open AI").out == "Open AI is part of OpenAI now (1 relation)\n"
    assert lorelite("merges", "--list").out == "Open AI → OpenAI (ID: Open AI; stated)\n"
    assert lorelite("merges", "--reject", "Tide Gauge", "The Tide Gauge").code == 0
    assert lorelite("merges").out == "no two entities look like one\n"
    assert lorelite("merges", "--undo", "Open AI").out == "Open AI is no longer part of OpenAI\n"
    assert len(lorelite("merges", "--json").json) == 1


def test_all_that_is_sure_is_merged(graph, lorelite):
    assert lorelite("merges", "--all", "0.9", "--dry-run").out.splitlines()[-1] == "2 pairs would be merged"
    assert lorelite("merges", "--list").out == "nothing was merged\n"
    assert lorelite("merges", "--all", "0.95").out.splitlines()[-1] == "1 pair merged"
    assert [each["merged_id"] for each in lorelite("merges", "--list", "--json").json] == ["OpenAI"]


def test_wrong_usage_is_told(graph, lorelite):
    assert lorelite("merges", "--dry-run").code == 2
    assert lorelite("merges", "--all", "7").code == 2
    assert lorelite("merges", "--accept", "OpenAI", "Nobody").code == 1
    assert lorelite("merges", "--accept", "OpenAI", "Open AI", "--undo", "x").code == 2
