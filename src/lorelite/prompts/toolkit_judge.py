"""Are these entities one and the same? Asked of a model before they are merged."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lorelite.errors import BadReply
from lorelite.ports import ModelRequest
from lorelite.prompts.fence import NOTICE, fenced, json_lines
from lorelite.text.loose_json import parse_loose_json, without_reasoning

SYSTEM = f"""Entities of a knowledge graph have names that are spelled almost alike. Say whether they are the same.

{NOTICE}

Reply with one JSON object and nothing else: {{"same": true}} when all of them are one and the same thing,
{{"same": false}} when none are, or {{"groups": [["id", "id"]]}} with the ids of those that are. Entities of different
types are seldom the same. When you are not sure, say false."""

_YES = re.compile(r"\W*(yes|same|true|ja|oui|sí|si|да|是|はい|हाँ)\b", re.IGNORECASE)


def build(entities: Sequence[Mapping[str, str]]) -> ModelRequest:
    """The request about *entities*: {id, name, type} each."""
    return ModelRequest(system=SYSTEM, user=fenced({"Entities": json_lines(entities)}), purpose="toolkit_judge")


def parse(reply_text: str, ids: Sequence[str]) -> list[list[str]]:
    """Groups of at least two of *ids* that are the same; none for a no, and for what cannot be understood."""
    try:
        value = parse_loose_json(reply_text)
    except BadReply:
        return [list(ids)] if _YES.match(without_reasoning(reply_text)) else []
    if not isinstance(value, Mapping):
        return [list(ids)] if value is True else []
    groups = value.get("groups")
    if isinstance(groups, list) and groups:
        return _groups(groups, ids)
    same = value.get("same")
    return [list(ids)] if same is True or (isinstance(same, str) and _YES.match(same)) else []


def _groups(groups: Sequence[object], ids: Sequence[str]) -> list[list[str]]:
    found: list[list[str]] = []
    taken: set[str] = set()
    for group in groups:
        members = [id for id in ids if isinstance(group, list) and id in group and id not in taken]
        if len(members) > 1:
            found.append(members)
            taken |= set(members)
    return found
