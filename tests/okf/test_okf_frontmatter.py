"""Front matter: what is written is read back, and what people write is understood."""

from __future__ import annotations

import pytest

from lorelite.okf.frontmatter import Verbatim, emit, parse, split

BY_HAND = """\
type: Metric   # the kind of thing
title: "A: b"
tags: [a, "b c", 'd''e', 3]
owners:
- one
- name: two
  since: 2020
place:
  river: Wharfe
  locks:
    - Heron
    - Otter
text: |
  line 1
    line 2

folded: >-
  a
  b
generated: { by: "agent/1", at: "2024", note: null }
verified: [ { by: "human:bo", at: "2024-01-01" }, {by: x} ]
url: https://example.org/y#z
nothing:
date: 2024-01-02
long: [a,
  b]
"""


def test_maps_lists_flows_blocks_and_comments_are_read():
    assert parse(BY_HAND) == {
        "type": "Metric",
        "title": "A: b",
        "tags": ["a", "b c", "d'e", 3],
        "owners": ["one", {"name": "two", "since": 2020}],
        "place": {"river": "Wharfe", "locks": ["Heron", "Otter"]},
        "text": "line 1\n  line 2\n",
        "folded": "a b",
        "generated": {"by": "agent/1", "at": "2024", "note": None},
        "verified": [{"by": "human:bo", "at": "2024-01-01"}, {"by": "x"}],
        "url": "https://example.org/y#z",
        "nothing": None,
        "date": "2024-01-02",
        "long": ["a", "b"],
    }


@pytest.mark.parametrize(
    "value",
    ["", " ", "yes", "No", "null", "~", "12", "1.5", "1e3", "0x1f", "2024-01-02", "12:30", "- a", "a: b", "a #b", "#a",
     "'x'", '"x"', "[a]", "{a}", "a\nb", "日本: x", "é", "@x", "%x", "a:", ":a", "\u2028", "x\ty", "?", "-", "--- a"],
)  # fmt: skip
def test_a_text_that_looks_like_something_else_comes_back_as_a_text(value):
    front, rest = split(emit([("a", value), ("b", [value]), ("c", {"d": value}), ("e", [{"f": value}])]))
    assert front is not None and rest == ""
    assert parse(front) == {"a": value, "b": [value], "c": {"d": value}, "e": [{"f": value}]}


def test_numbers_switches_and_nothing_keep_their_kind():
    fields = [("a", 1), ("b", True), ("c", None), ("d", 0.5), ("e", []), ("f", {}), ("g", [1, None, "x"])]
    front, _ = split(emit(fields))
    assert parse(front or "") == dict(fields)


def test_a_moment_is_written_as_it_is():
    assert "at: 2024-01-02T03:04:05.000Z\n" in emit([("at", Verbatim("2024-01-02T03:04:05.000Z"))])


@pytest.mark.parametrize("text", ["{", "[[[[", "? a\n: b", "- x", "a: 1\n  - b: 2\n c"])
def test_what_is_no_list_of_fields_is_refused(text):
    with pytest.raises(ValueError, match="front matter"):
        parse(text)


@pytest.mark.parametrize("text", ["a: [1, 2", "a: {b", 'a: "x', "a: }", "a: [,]", "a: {:}", "a: [[[", "a: 'x"])
def test_a_value_that_is_not_closed_is_text(text):
    assert list(parse(text)) == ["a"]


def test_what_is_nested_too_deeply_is_refused():
    deep = "\n".join(f"{' ' * depth}a:" for depth in range(3_000))
    with pytest.raises(ValueError, match="nested"):
        parse(deep)


def test_a_text_without_front_matter_has_none():
    assert split("# Title\n") == (None, "# Title\n")
    assert split("---\n---\nx") == ("", "x")
    assert split("--- a\n---\n") == (None, "--- a\n---\n")
