"""A scripted model that reads plain sentences, and the replies it gives."""

from __future__ import annotations

import json
import re

from lorelite.models import ScriptedModel
from lorelite.ports import ModelRequest

_RELATION = re.compile(r"\b([A-Z]\w+) (knows|owns|visits) (?:that )?([A-Z]\w+(?: \w+)?)\.")
_ALIAS = re.compile(r"\b([A-Z]\w+) is also called ([A-Z]\w+)\.")
_FACT = re.compile(r"\bIt is said that ([A-Z]\w+) (sings|sleeps|paints)\.")


def reply_to(request: ModelRequest) -> str:
    """Entities for every name, relations for "A knows B." and "A knows that B
    sings.", aliases for "A is also called B.", facts for "It is said …"."""
    passage = request.user.partition("The passage:")[2]
    aliases: dict[str, list[str]] = {}
    for name, alias in _ALIAS.findall(passage):
        aliases.setdefault(name, []).append(alias)
    relations = _RELATION.findall(passage)
    facts = _FACT.findall(passage)
    names = [name for source, _, target in relations for name in (source, target)] + [name for name, _ in facts]
    names = [*dict.fromkeys([*aliases, *names])]
    return json.dumps(
        {
            "entities": [
                {"name": name, "type": "person", "description": f"{name} lives here.", "aliases": aliases.get(name, [])}
                for name in names
            ],
            "relations": [
                {"source": source, "target": target, "type": kind, "description": f"{source} {kind} {target}"}
                for source, kind, target in relations
            ],
            "facts": [
                {"title": f"{name} {does}", "body": f"{name} {does} often.", "about": [name], "quote": f"{name} {does}"}
                for name, does in facts
            ],
        }
    )


def reader() -> ScriptedModel:
    return ScriptedModel({"extract": reply_to})
