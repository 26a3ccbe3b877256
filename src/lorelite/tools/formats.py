"""The definitions in the shapes that the providers of models ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lorelite.tools.definitions import Tool

_KNOWN_TO_GEMINI = {
    "type", "format", "description", "nullable", "enum", "items", "properties", "required", "minimum", "maximum",
    "minLength", "maxLength",
}  # fmt: skip


def to_openai(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """`tools=` of OpenAI's chat completions, and of every endpoint that speaks as they do."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


def to_anthropic(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """`tools=` of Anthropic's messages."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)} for tool in tools
    ]


def to_gemini(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """`tools` of Gemini's generateContent: one object with all declarations, in the part of JSON schema it knows."""
    declarations = [
        {"name": tool.name, "description": tool.description}
        # It refuses an object without properties.
        | ({"parameters": _for_gemini(tool.parameters)} if tool.parameters["properties"] else {})
        for tool in tools
    ]
    return [{"functionDeclarations": declarations}]


def _for_gemini(schema: Mapping[str, Any]) -> dict[str, Any]:
    made = {name: value for name, value in schema.items() if name in _KNOWN_TO_GEMINI}
    if isinstance(made["type"], list):
        made["type"] = next(kind for kind in made["type"] if kind != "null")
        made["nullable"] = True
    if "items" in made:
        made["items"] = _for_gemini(made["items"])
    if "properties" in made:
        made["properties"] = {name: _for_gemini(value) for name, value in made["properties"].items()}
    return made
