"""Extraction replies of other programs' caches, taken in as a graph."""

from __future__ import annotations

import json

import pytest

from lorelite import DumpError
from lorelite.interchange.tuple_replies import read_replies_file

REPLY = (
    '("entity"<|>"SCROOGE"<|>"PERSON"<|>"Scrooge is a miser.")##\n'
    '("entity"<|>"MARLEY"<|>"PERSON"<|>"Marley is dead.")##\n'
    '("relationship"<|>"SCROOGE"<|>"MARLEY"<|>"They were partners for years."<|>8)<|COMPLETE|>'
)
OTHER = (
    '("entity"<|>"Scrooge"<|>"person"<|>"Scrooge changes.")##'
    '("relationship"<|>"SCROOGE"<|>"MARLEY"<|>"Marley visits Scrooge at night."<|>4)<|COMPLETE|>'
)


@pytest.mark.parametrize(
    "text",
    [
        f"{REPLY}\n\n{OTHER}",
        json.dumps({"5f": {"return": REPLY, "model": "m"}, "60": {"return": OTHER, "model": "m"}}),
        json.dumps({"default": {"a": {"return": REPLY}, "b": {"return": OTHER}, "c": {"return": '{"title": "x"}'}}}),
        json.dumps([REPLY, OTHER]),
    ],
)
def test_replies_are_found_in_text_and_anywhere_in_a_cache(tmp_path, text):
    path = tmp_path / "kv_store_llm_response_cache.json"
    path.write_text(text, "utf-8")
    graph = read_replies_file(path)
    titles = [(node["title"].title(), node["type"]) for node in graph.nodes]
    assert titles == [("Scrooge", "person"), ("Marley", "person")]
    assert graph.nodes[0]["body"] == "Scrooge is a miser.\nScrooge changes."
    assert [edge["description"] for edge in graph.edges] == [
        "They were partners for years.\nMarley visits Scrooge at night."
    ]
    assert graph.edges[0]["weight"] == pytest.approx(1.2)


@pytest.mark.parametrize("content", [b"Once upon a time.", b'{"a": 1}', b"\xff\xfe\x00"])
def test_a_file_without_replies_says_what_was_expected(tmp_path, content):
    path = tmp_path / "log.txt"
    path.write_bytes(content)
    with pytest.raises(DumpError, match="expected"):
        read_replies_file(path)
