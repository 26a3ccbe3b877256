"""Types for facts that have none: the prompt, and reading what comes back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorelite.errors import BadReply
from lorelite.ontology.guidance import guidance
from lorelite.ontology.manifest import Ontology
from lorelite.ontology.merge import OntologyUpdates
from lorelite.ontology.typing import EdgeProposal
from lorelite.ports import ModelRequest
from lorelite.prompts import keys
from lorelite.prompts.fence import NOTICE, fence_for, shortened
from lorelite.prompts.librarian import MAX_TAG_CHARS, MAX_TAGS
from lorelite.prompts.templates import guided, hydrated
from lorelite.prompts.typed_claims import EDGES, read_edges, read_reply_updates, read_type, typed_reply
from lorelite.records import Node
from lorelite.text.loose_json import read_loose_json

_BODY_CHARS = (4_000, 1_500, 500, 100)
"""How much of a body is shown, by level."""
_TITLE_CHARS = 400
_CLASSIFICATIONS = ("classifications", "classification", "facts", "types", "results", "items", "answers")

SYSTEM = f"""You sort the facts of a memory into the types of its ontology.

{NOTICE}

You get a JSON list of facts, each with an id. Reply with one JSON object and nothing else:
{{"classifications": [{{"id", "okf_type", "edges": [{{"edge_type", "target_title"}}]}}]}}

Answer once for every id you were given. okf_type: the node type that says what the fact is, or what the thing in its
title is; null when none fits. edges: how it is connected to other facts, by their exact titles; leave them out when the
fact does not say so. Go by what the fact says, not by what you know of the world."""


_CLASSIFIED: dict[str, Any] = {
    "id": {"type": "string"},
    "okf_type": {"type": ["string", "null"]},
    "edges": EDGES,
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "classifications": {
            "type": "array",
            "items": {"type": "object", "properties": _CLASSIFIED, "required": ["id", "okf_type"]},
        },
        **typed_reply(typed=True),
    },
    "required": ["classifications"],
}


@dataclass(frozen=True, slots=True)
class Classification:
    """What a reply says of one id."""

    id: str
    node_type: str | None
    edges: tuple[EdgeProposal | None, ...] = ()


@dataclass(frozen=True, slots=True)
class BackfillReply:
    classifications: tuple[Classification, ...]
    updates: OntologyUpdates


def build(facts: Sequence[Node], ontology: Ontology, *, level: int = 0, template: str | None = None) -> ModelRequest:
    """The request to type *facts*; the higher the level, the less of their bodies it shows."""
    shown = [
        {
            "id": fact.id,
            "title": shortened(fact.title, _TITLE_CHARS),
            "body": fact.body[: _BODY_CHARS[level]],
            "tags": [shortened(tag, MAX_TAG_CHARS) for tag in fact.tags[:MAX_TAGS]],
        }
        for fact in facts
    ]
    if template is not None:
        system, user = hydrated(template, {"facts": shown}, guidance=guidance(ontology))
        return ModelRequest(system=system, user=user, purpose="backfill")
    text = json.dumps(shown, ensure_ascii=False, indent=1)
    fence = fence_for([text])
    return ModelRequest(
        system=guided(SYSTEM, guidance(ontology)),
        user="\n".join(["The facts:", fence, text, fence, "", "Reply with the JSON object."]),
        schema=SCHEMA,
        purpose="backfill",
    )


def parse(text: str) -> tuple[BackfillReply, bool]:
    """What a reply says, and whether it is whole. Raises BadReply when it holds no classifications."""
    loose = read_loose_json(text)
    found = [each for item in _items(loose.value, text) if (each := _classification(item)) is not None]
    return BackfillReply(tuple(found), read_reply_updates(loose.value)), loose.complete


def _items(value: object, text: str) -> Sequence[object]:
    if isinstance(value, Mapping):
        named = {keys.plain(key): member for key, member in value.items()}
        listed = next((named[name] for name in _CLASSIFICATIONS if name in named), None)
        if listed is None and "id" in named:
            listed = [value]
        value = listed
    if isinstance(value, Mapping):
        # {"fact_1": "person"} or {"fact_1": {"okf_type": "person"}}
        return [
            {"id": id, **(member if isinstance(member, Mapping) else {"okf_type": member})}
            for id, member in value.items()
        ]
    if not isinstance(value, list):
        raise BadReply('an object with "classifications"', text)
    return value


def _classification(item: object) -> Classification | None:
    if not isinstance(item, Mapping):
        return None
    named = {keys.plain(key): member for key, member in item.items()}
    id = named.get("id", named.get("factid"))
    return Classification(id, read_type(item), read_edges(item)) if isinstance(id, str) else None
