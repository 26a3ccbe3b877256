"""How much a community report has to do with a question: whether what lies below it is worth reading."""

from __future__ import annotations

from typing import Any

from lorelite.errors import BadReply
from lorelite.ports import ModelRequest
from lorelite.prompts import keys
from lorelite.prompts.fence import NOTICE, fenced
from lorelite.prompts.gather import first_of
from lorelite.prompts.global_map import number_in
from lorelite.text.loose_json import parse_loose_json

_SYSTEM = f"""You judge whether a report helps to answer a question.

{NOTICE}

Reply with one JSON object and nothing else: {{"rating": 0}}
rating: a whole number. 0 the report has nothing to do with the question; 1 it touches on its subject; 3 it answers a
part of it; 5 it answers it."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"rating": {"type": "integer"}},
    "required": ["rating"],
    "additionalProperties": False,
}
MAX_RATING = 5
_RATING = ("rating", "score", "relevance", "relevancerating")


def build(question: str, report: str) -> ModelRequest:
    user = f"{fenced({'Report': report})}\n\nQuestion: {question.strip()}\n\nReply with the JSON object."
    return ModelRequest(system=_SYSTEM, user=user, schema=SCHEMA, purpose="rate_report")


def parse(reply: str) -> float:
    """The rating, 0 … 5. Raises BadReply when there is none."""
    try:
        value = parse_loose_json(reply)
    except BadReply:
        value = reply
    if isinstance(value, dict):
        value = first_of({keys.plain(key): member for key, member in value.items()}, _RATING) or 0
    rating = number_in(value)
    if rating is None:
        raise BadReply('a "rating" from 0 to 5', reply)
    return max(0.0, min(MAX_RATING, rating))
