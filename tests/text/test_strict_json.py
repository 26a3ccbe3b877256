"""JSON that others wrote."""

from __future__ import annotations

import pytest

from lorelite.text.strict_json import MAX_DEPTH, read_json


def test_it_reads_what_json_reads():
    assert read_json('{"a": [1, {"b": null}]}') == {"a": [1, {"b": None}]}


def test_the_deepest_that_is_read():
    value = read_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    for _ in range(MAX_DEPTH - 1):
        [value] = value
    assert value == []


@pytest.mark.parametrize("deep", ["[" * 201 + "]" * 201, '{"a":' * 100_000, '["\\"]", ' + "[" * 100_000], ids=len)
def test_what_is_deeper_is_an_error_and_not_the_end_of_the_interpreter(deep):
    with pytest.raises(ValueError, match="nested more than 200 levels"):
        read_json(deep)


def test_brackets_within_texts_are_no_levels():
    text = '["\\"' + "[{" * 300 + '", "' + "[" * 300 + '"]'
    assert read_json(text) == ['"' + "[{" * 300, "[" * 300]


def test_many_values_side_by_side_are_not_deep():
    assert len(read_json("[" + ",".join(["[]"] * 1000) + "]")) == 1000


def test_a_text_without_an_end_is_looked_through_once():
    with pytest.raises(ValueError, match="Unterminated"):
        read_json("[" * 150 + '"' + '\\"[{' * 200_000)
