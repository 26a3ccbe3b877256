"""Reading what an endpoint answered."""

from __future__ import annotations

import json

from lorelite.models.wire import json_of


def test_brackets_inside_a_text_are_no_nesting():
    answer = {"choices": [{"message": {"content": "[" * 500}}]}
    assert json_of(json.dumps(answer)) == answer


def test_what_is_nested_without_end_is_no_json():
    assert json_of("[" * 5_000 + "]" * 5_000) is None
    assert json_of("no json") is None
