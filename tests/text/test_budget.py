"""Token budgets: which items go in."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from lorelite.records import Node
from lorelite.retrieve.read import packed
from lorelite.retrieve.tiers import Place
from lorelite.text.budget import pack, token_cost, truncated_to


def test_four_characters_begun_are_a_token():
    assert [token_cost("x" * length) for length in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert truncated_to("abcdefgh", 1) == "abcd" and truncated_to("abc", -1) == ""


def test_items_go_in_by_worth_per_token_and_come_out_in_rank_order():
    assert pack([10, 90, 30, 10], [1.0, 0.9, 0.8, 0.1], 55) == [0, 2, 3]


def test_the_best_item_is_always_kept_and_others_only_whole():
    assert pack([50, 5, 5], [1.0, 0.9, 0.8], 10) == [0]
    assert pack([], None, 10) == []


def test_a_long_item_gains_nothing_by_a_negative_score():
    assert pack([1, 100, 10], [0.5, -0.2, -0.1], 101) == [0, 2]


def test_what_has_no_score_goes_in_last():
    assert pack([1, 1, 5], [1.0, None, 0.5], 6) == [0, 2]


@pytest.mark.skipif("LORELITE_SHARED" not in os.environ, reason="LORELITE_SHARED names no folder of shared cases")
def test_packing_comes_out_as_the_shared_table_says():
    folder = Path(os.environ["LORELITE_SHARED"]) / "conformance"
    for case in json.loads((folder / "temporal_and_budget.json").read_text("utf-8"))["pack"]:
        places = [
            Place(
                Node(id=item["id"], namespace="e", kind="fact", title=item["id"], body="x" * item["bodyLen"]),
                case["scores"][item["id"]] if case["scores"] else None,
            )
            for item in case["items"]
        ]
        kept, told = packed(places, case["budget"])
        assert {
            "ids": [place.node.id for place in kept],
            "bodyLens": [len(place.node.body) for place in kept],
            "tokensUsed": told["used"],
            "candidates": told["candidates"],
            "packed": told["packed"],
        } == case["result"]
