"""A question put to a group of community reports: the points of an answer that they hold."""

from __future__ import annotations

import re
from typing import Any

from lorelite.errors import BadReply
from lorelite.ports import ModelRequest
from lorelite.prompts import keys
from lorelite.prompts.fence import NOTICE, fenced
from lorelite.prompts.gather import first_of
from lorelite.text.loose_json import parse_loose_json

Point = tuple[str, int]
"""What it says, and how much it helps to answer: 0 … 100."""

_SYSTEM = f"""You are given reports, each on a part of a large body of documents, and a question about the whole.
List the points that these reports contribute to an answer. Others read the other reports; somebody puts the best
points of all together.

{NOTICE}

Reply with one JSON object and nothing else: {{"points": [{{"description": "…", "score": 0}}]}}
description: one point, complete in itself, with the names and numbers that matter. Say only what the reports say.
score: from 0 to 100, how much the point helps to answer the question; 0 not at all.
When the reports say nothing on the question, reply {{"points": []}}. Write in the language of the question."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "points": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"description": {"type": "string"}, "score": {"type": "integer"}},
                "required": ["description", "score"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["points"],
    "additionalProperties": False,
}
MAX_SCORE = 100
_POINTS = ("points", "keypoints", "keypoint", "results", "answers", "findings")
_TEXT = ("description", "point", "text", "content", "answer", "summary", "claim")
_SCORE = ("score", "importance", "importancescore", "rating", "relevance", "helpfulness")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def build(question: str, reports: str) -> ModelRequest:
    """The request; *reports* is a table of them."""
    user = f"{fenced({'Reports': reports.rstrip()})}\n\nQuestion: {question.strip()}\n\nReply with the JSON object."
    return ModelRequest(system=_SYSTEM, user=user, schema=SCHEMA, purpose="global_map")


def parse(reply: str) -> list[Point]:
    """The points of a reply, in its order; those without text or score are left out. Raises BadReply for no list."""
    value = parse_loose_json(reply)
    if isinstance(value, dict):
        value = first_of({keys.plain(key): member for key, member in value.items()}, _POINTS) or []
    if not isinstance(value, list):
        raise BadReply('"points", each with a description and a score', reply)
    return [point for point in map(_point, value) if point is not None]


def number_in(value: object) -> float | None:
    """The number in 7, 7.5, "7" or "7/10"; None when there is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    found = _NUMBER.search(str(value))
    return float(found[0]) if found else None


def _point(item: object) -> Point | None:
    if not isinstance(item, dict):
        return None
    record = {keys.plain(key): member for key, member in item.items()}
    text = first_of(record, _TEXT)
    score = number_in(first_of(record, _SCORE))
    if not isinstance(text, str) or not text.strip() or score is None:
        return None
    return " ".join(text.split()), round(max(0.0, min(MAX_SCORE, score)))
