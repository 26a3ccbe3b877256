"""How statements stand to what is known already: asked of a model in one request for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorelite.errors import BadReply
from lorelite.ports import ModelRequest
from lorelite.prompts import keys
from lorelite.prompts.fence import NOTICE, fenced, json_lines
from lorelite.prompts.librarian import Op
from lorelite.text.loose_json import parse_loose_json

_SYSTEM = f"""You compare new statements with what a memory holds already, and say for each what is to be done.

{NOTICE}

Reply with one JSON object and nothing else: {{"decisions": [{{"id", "op", "target"}}]}}
id: the new statement's id. target: the id of the known fact it is about.
op: ADD it says something that none of its known facts says; UPDATE it says the same as `target` and more; SUPERSEDE
`target` was true and no longer is, or is corrected by it; NOOP `target` says it already.
One decision for each new statement."""

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "decisions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "op": {"type": "string", "enum": ["ADD", "UPDATE", "SUPERSEDE", "NOOP"]},
                    "target": {"type": "string"},
                },
                "required": ["id", "op"],
            },
        }
    },
    "required": ["decisions"],
}


@dataclass(frozen=True, slots=True)
class Decision:
    op: Op
    target: str = ""


def build(statements: Sequence[Mapping[str, object]]) -> ModelRequest:
    """The request about *statements*: {id, title, body, known: [{id, title, body}]} each."""
    user = fenced({"New statements": json_lines(statements)})
    return ModelRequest(system=_SYSTEM, user=user, purpose="librarian_resolve", schema=_SCHEMA)


def parse(reply_text: str) -> dict[str, Decision]:
    """The decisions by the statement's id; one that cannot be understood is left out. Raises BadReply for none."""
    decisions: dict[str, Decision] = {}
    for record in _records(parse_loose_json(reply_text)):
        named = {keys.plain(key): value for key, value in record.items()}
        id, op, target = named.get("id"), named.get("op"), named.get("target")
        known = _OPS.get(op.strip().upper()) if isinstance(op, str) else None
        if isinstance(id, str) and known is not None:
            decisions[id.strip()] = Decision(known, target.strip() if isinstance(target, str) else "")
    if not decisions:
        raise BadReply('"decisions", each with an id and an op', reply_text)
    return decisions


_OPS: Mapping[str, Op] = {"ADD": "add", "UPDATE": "update", "SUPERSEDE": "supersede", "NOOP": "noop"}


def _records(value: object) -> list[dict[str, object]]:
    """Every record with an op, wherever it stands."""
    if isinstance(value, list):
        return [record for item in value for record in _records(item)]
    if not isinstance(value, dict):
        return []
    if "op" in map(keys.plain, value):
        return [value]
    return [record for member in value.values() for record in _records(member)]
