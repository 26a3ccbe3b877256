"""Are these pairs of entities one and the same? Asked of a model before they are merged, many pairs at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lorelite.errors import BadReply
from lorelite.ports import ModelRequest
from lorelite.prompts import keys
from lorelite.prompts.fence import NOTICE, fenced, json_lines
from lorelite.text.loose_json import parse_loose_json

SYSTEM = f"""You look through a knowledge graph for things that were entered twice under different names.

{NOTICE}

Each line is a numbered pair: two names, with what is said of each, and what made somebody suggest that they are one.
Decide for every pair on its own. Two spellings of one name, a name with and without a title, a short form and the full
name of the same person are one. A person and their relative, a thing and its part, a place and what stands there, the
old and the new are two. When the descriptions do not settle it, they are two.

Reply with one JSON object and nothing else: {{"same": [1, 4]}} with the numbers of the pairs that are one; an empty
list when none is."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"same": {"type": "array", "items": {"type": "integer"}}},
    "required": ["same"],
    "additionalProperties": False,
}
_MOST_DIGITS = 20
_SAME = ("same", "pairs", "one", "merge", "duplicates")


def build(pairs: Sequence[Mapping[str, Any]]) -> ModelRequest:
    """The request about *pairs*: {first, second, evidence} each; they are numbered from 1."""
    numbered = [{"pair": number, **pair} for number, pair in enumerate(pairs, 1)]
    user = f"{fenced({'Pairs': json_lines(numbered)})}\n\nReply with the JSON object."
    return ModelRequest(system=SYSTEM, user=user, schema=SCHEMA, purpose="merge_judge")


def parse(reply_text: str, count: int) -> set[int]:
    """The places, from 0, of the pairs that are one; none for what cannot be understood."""
    try:
        value = parse_loose_json(reply_text)
    except BadReply:
        return set()
    if isinstance(value, Mapping):
        record = {keys.plain(key): member for key, member in value.items()}
        value = next((record[name] for name in _SAME if name in record), None)
    if not isinstance(value, list):
        return set()
    numbers = {_number(item) for item in value}
    return {number - 1 for number in numbers if number is not None and 1 <= number <= count}


def _number(item: object) -> int | None:
    if isinstance(item, Mapping):
        item = item.get("pair")
    # Python refuses to read a number of thousands of digits.
    if isinstance(item, str) and item.strip().isdecimal() and len(item) < _MOST_DIGITS:
        item = int(item)
    return item if isinstance(item, int) and not isinstance(item, bool) else None
