"""What models are told of the tools, and that it is true."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from lorelite import AsyncWiki, InvalidOption, WikiConfig
from lorelite.options import Unchanged
from lorelite.tools import to_anthropic, to_gemini, to_openai, tool_definitions
from lorelite.tools.entry import TIMES
from lorelite.tools.schema import faults, schema_of
from lorelite.tools.table import TABLE

ALL = ("read", "write", "maintain", "forget")


def parameters(name: str, **chosen: Any) -> Mapping[str, Any]:
    [found] = [tool for tool in tool_definitions(scopes=ALL, **chosen) if tool.name == name]
    return found.parameters


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry.name)
def test_every_tool_is_a_method_and_has_arguments_that_the_method_has(entry):
    signature = inspect.signature(getattr(AsyncWiki, entry.method)).parameters
    if entry.adapt is None:
        assert set(entry.parameters) <= set(signature)
        assert {name for name, of in signature.items() if of.default is of.empty} <= {
            "self", "namespace", *entry.parameters,
        }  # fmt: skip
    else:
        assert set(entry.adapt({"x": 1})) <= set(signature)
    assert ("namespace" in signature) == entry.has_namespace
    assert set(entry.limits) | set(entry.required) <= set(entry.parameters)
    assert all(told.endswith(".") for told in (entry.description, *entry.parameters.values()))


def test_names_are_told_apart_and_fit_every_provider():
    names = [entry.name for entry in TABLE]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() and len(name) <= 64 for name in names)


def test_the_values_an_argument_may_have_are_those_of_the_method():
    assert parameters("traverse_graph")["properties"]["direction"]["enum"] == ["inbound", "outbound", "both"]
    assert parameters("write_event")["properties"]["event_type"]["enum"] == [
        "observation", "decision", "action", "outcome",
    ]  # fmt: skip
    assert parameters("read")["properties"]["kinds"]["items"]["enum"][0] == "fact"
    assert parameters("traverse_graph")["properties"]["max_depth"]["maximum"] == WikiConfig().max_traversal_depth


def test_what_is_required_is_what_has_no_default():
    assert parameters("read")["required"] == ["namespace", "query"]
    assert parameters("write_fact")["required"] == ["namespace", "title"]
    assert parameters("update_task")["required"] == ["namespace", "task_id"]
    assert parameters("supersede")["required"] == ["namespace", "node_id", "title", "body"]


def test_null_is_offered_where_it_clears_something():
    changes = parameters("update_fact")["properties"]
    assert (changes["stale_after"]["type"], changes["node_type"]["type"]) == (["string", "null"], ["string", "null"])
    assert changes["title"]["type"] == "string"
    assert parameters("write_fact")["properties"]["stale_after"]["type"] == "string"


def test_times_are_iso_for_a_model():
    for entry in TABLE:
        for name in TIMES & set(entry.parameters):
            assert parameters(entry.name)["properties"][name]["format"] == "date-time"


def test_an_agent_sees_the_tools_of_its_scopes():
    assert {tool.scope for tool in tool_definitions()} == {"read"}
    assert {tool.scope for tool in tool_definitions(scopes=["write", "forget"])} == {"write", "forget"}
    assert "forget" not in {tool.name for tool in tool_definitions(scopes=("read", "write", "maintain"))}
    assert tool_definitions(scopes=()) == []
    for odd in ("read", ["everything"], 5):
        with pytest.raises(InvalidOption, match="scopes"):
            tool_definitions(scopes=odd)


def test_an_agent_of_one_namespace_is_not_asked_which_and_one_of_several_chooses_among_them():
    assert "namespace" not in parameters("read", namespaces=["class"])["properties"]
    assert parameters("read", namespaces=["a", "b"])["properties"]["namespace"]["enum"] == ["a", "b"]
    assert "enum" not in parameters("read")["properties"]["namespace"]
    with pytest.raises(InvalidOption, match="namespace"):
        tool_definitions(namespaces=[""])


@pytest.mark.cpython_only
def test_the_page_names_every_tool_at_its_scope():
    page = (Path(__file__).resolve().parents[2] / "docs" / "agents.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| (\w+) \| (`.*`) \|$", page, re.MULTILINE))
    for scope in ALL:
        assert re.findall(r"`(\w+)`", rows[scope]) == [entry.name for entry in TABLE if entry.scope == scope]


def test_nobody_can_pose_as_a_human_or_a_document():
    names = {entry.name for entry in TABLE}
    assert not names & {"verify", "promote_draft", "import_dump", "restore"}
    assert "immutable_document" not in parameters("write_fact")["properties"]["source_type"]["enum"]
    assert "clear_all" not in parameters("forget")["properties"]


def test_every_provider_gets_its_shape():
    tools = tool_definitions(scopes=ALL)
    [openai] = [tool for tool in to_openai(tools) if tool["function"]["name"] == "update_fact"]
    assert openai["type"] == "function" and openai["function"]["parameters"]["required"] == ["namespace", "node_id"]
    [anthropic] = [tool for tool in to_anthropic(tools) if tool["name"] == "update_fact"]
    assert set(anthropic) == {"name", "description", "input_schema"}
    [gemini] = to_gemini(tools)
    declared = {tool["name"]: tool for tool in gemini["functionDeclarations"]}
    assert len(declared) == len(tools)
    assert "parameters" not in declared["list_namespaces"], "an object without properties is refused there"
    stale = declared["update_fact"]["parameters"]["properties"]["stale_after"]
    assert (stale["type"], stale["nullable"]) == ("string", True)
    assert "additionalProperties" not in json.dumps(gemini)
    assert json.loads(json.dumps([openai, anthropic, gemini])) == [openai, anthropic, gemini]


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, {"type": "string"}),
        (int | None, {"type": "integer"}),
        (float | None, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Iterable[str], {"type": "array", "items": {"type": "string"}}),
        (str | Sequence[str], {"type": "array", "items": {"type": "string"}}),
        (int | Unchanged | None, {"type": ["integer", "null"]}),
        (Sequence[Mapping[str, Any]], {"type": "array", "items": {"type": "object"}}),
    ],
)
def test_an_annotation_has_its_schema(annotation, schema):
    assert schema_of(annotation) == schema


@pytest.mark.parametrize(
    ("value", "schema", "fault"),
    [
        (5, {"type": "string"}, "x: expected string, found 5"),
        (True, {"type": "integer"}, "x: expected integer, found True"),
        (1.5, {"type": "integer"}, "x: expected integer, found 1.5"),
        (3, {"type": "number"}, None),
        (None, {"type": ["string", "null"]}, None),
        (None, {"type": "string"}, "x: expected string, found None"),
        ("c", {"type": "string", "enum": ["a", "b"]}, "x: expected one of 'a', 'b', found 'c'"),
        ("", {"type": "string", "minLength": 1}, "x: expected 1 to any number of characters, found 0"),
        (11, {"type": "integer", "minimum": 0, "maximum": 10}, "x: expected minimum 0 and maximum 10, found 11"),
        (["a", 5], {"type": "array", "items": {"type": "string"}}, "x[1]: expected string, found 5"),
        ({"y": 1}, {"type": "object"}, None),
    ],
)
def test_a_fault_names_the_argument_what_was_expected_and_what_was_found(value, schema, fault):
    assert faults(value, schema, "x") == ([] if fault is None else [fault])
