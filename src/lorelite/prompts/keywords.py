"""What a question is about, on two levels: the things it names, and the themes it asks after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lorelite.errors import BadReply
from lorelite.ports import ModelRequest
from lorelite.prompts import keys
from lorelite.prompts.fence import NOTICE, fenced
from lorelite.prompts.gather import first_of
from lorelite.text.loose_json import parse_loose_json

_SYSTEM = f"""You prepare a question for a search in a knowledge graph.

{NOTICE}

Reply with one JSON object and nothing else: {{"high_level": ["…"], "low_level": ["…"]}}
low_level: the particular things that the question names: people, places, organisations, products, terms, dates.
high_level: its subjects and the kinds of relation it asks after, such as "international trade" or "who founded what".
Short phrases in the language of the question, at most ten of each; nothing that the question does not give."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "high_level": {"type": "array", "items": {"type": "string"}},
        "low_level": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["high_level", "low_level"],
    "additionalProperties": False,
}
_HIGH = ("highlevel", "highlevelkeywords", "high", "themes", "subjects", "topics")
_LOW = ("lowlevel", "lowlevelkeywords", "low", "entities", "names", "terms")
_MOST = 10


@dataclass(frozen=True, slots=True)
class Keywords:
    high: tuple[str, ...] = ()
    """Themes and kinds of relations."""
    low: tuple[str, ...] = ()
    """Things."""


def build(question: str) -> ModelRequest:
    user = f"{fenced({'Question': question.strip()})}\n\nReply with the JSON object."
    return ModelRequest(system=_SYSTEM, user=user, schema=SCHEMA, purpose="keywords")


def parse(reply: str) -> Keywords:
    """The keywords of a reply. Raises BadReply when it has neither kind."""
    value = parse_loose_json(reply)
    record = {keys.plain(key): member for key, member in value.items()} if isinstance(value, dict) else {}
    found = Keywords(_texts(first_of(record, _HIGH)), _texts(first_of(record, _LOW)))
    if not found.high and not found.low:
        raise BadReply('"high_level" and "low_level" keywords', reply)
    return found


def _texts(value: object) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    texts = (" ".join(item.split()) for item in items if isinstance(item, str))
    return tuple(dict.fromkeys(text for text in texts if text))[:_MOST]
