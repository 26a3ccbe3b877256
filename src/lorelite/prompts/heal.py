"""Heal's question, what is wrong with these facts, and the reading of the replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lorelite.errors import BadReply
from lorelite.ontology.merge import OntologyUpdates
from lorelite.ports import ModelRequest
from lorelite.prompts import keys
from lorelite.prompts.fence import NOTICE, fenced, json_lines
from lorelite.prompts.librarian import FactClaim, Rejected, read_facts
from lorelite.prompts.templates import guided, hydrated
from lorelite.prompts.typed_claims import read_reply_updates, typed_fact, typed_reply
from lorelite.text.loose_json import read_loose_json

SYSTEM = f"""You keep the long-term memory of a person or a project in order. You are given facts to check, other facts
and passages of documents that may bear on them, the open tasks and what happened lately.

{NOTICE}

Reply with one JSON object and nothing else:
{{"downgraded": ["id"], "deleted": ["id"], "newFacts": [{{"title", "body", "tags", "confidence", "evidence"}}],
 "contradictions": [{{"a": "id", "b": "id", "keep": "id"}}], "duplicates": [["id", "id"]]}}

downgraded: facts to check that may no longer hold, or that nothing supports.
deleted: facts to check that are plainly wrong, empty, or about nothing. When in doubt, downgrade.
newFacts: a fact that follows from several of these and that none of them says. title: up to eight words that say it.
  body: one or two sentences, true by themselves. tags: up to six lower-case words. confidence: "certain", "inferred"
  or "tentative". evidence: words copied exactly from what it rests on.
contradictions: two facts that cannot both be true. keep: the one that stands, if that is plain; else leave it out.
duplicates: facts that say the same, the best of them first.

Only ids that are given. A document's facts are never wrong by your word: name a contradiction instead.
Write new facts in the language of the facts. Where nothing is to be done, leave a list empty."""

_TEXT = {"type": "string"}
_IDS = {"type": "array", "items": _TEXT}
_FACT: dict[str, Any] = {
    "title": _TEXT,
    "body": _TEXT,
    "tags": _IDS,
    "confidence": {"type": "string", "enum": ["certain", "inferred", "tentative"]},
    "evidence": _IDS,
}

_DOWNGRADED = ("downgraded", "downgrade", "demoted", "tentative")
_DELETED = ("deleted", "delete", "removed", "remove")
_NEW = ("newfacts", "newfact", "added", "add", "facts")
_CONTRADICTIONS = ("contradictions", "contradiction", "conflicts")
_DUPLICATES = ("duplicates", "duplicate", "merged", "merge")
_MEMBERS = (_DOWNGRADED, _DELETED, _NEW, _CONTRADICTIONS, _DUPLICATES)


@dataclass(frozen=True, slots=True)
class ContradictionClaim:
    a: str
    b: str
    keep: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HealReply:
    """Everything usable in a reply. Ids are as the reply gives them, not yet held against those that were shown."""

    downgraded: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    facts: tuple[FactClaim, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    contradictions: tuple[ContradictionClaim, ...] = ()
    duplicates: tuple[tuple[str, ...], ...] = ()
    updates: OntologyUpdates = field(default_factory=OntologyUpdates)
    complete: bool = True


Shown = Mapping[str, object]
"""A fact, task or event as the model sees it."""


def build(
    candidates: Sequence[Shown],
    *,
    related: Sequence[Shown],
    documented: Sequence[Shown],
    tasks: Sequence[Shown],
    events: Sequence[Shown],
    template: str | None = None,
    guidance: Mapping[str, str] | None = None,
) -> ModelRequest:
    """The request about *candidates*. template: a prompt of the caller's; guidance: what to say about the ontology."""
    if template is not None:
        values = {
            "heal_candidates": candidates,
            "document_anchors": documented,
            "all_tasks": tasks,
            "recent_events": events,
        }
        system, user = hydrated(template, values, guidance=guidance)
        return ModelRequest(system=system, user=user, purpose="heal")
    parts = {
        "Facts to check": candidates,
        "Other facts": related,
        "Facts of documents": documented,
        "Open tasks": tasks,
        "What happened lately": events,
    }
    return ModelRequest(
        system=guided(SYSTEM, guidance or {}),
        user=fenced({name: json_lines(items) for name, items in parts.items() if items}),
        purpose="heal",
        schema=_schema(typed=bool(guidance)),
    )


def _schema(*, typed: bool) -> dict[str, Any]:
    pair = {"type": "object", "properties": {"a": _TEXT, "b": _TEXT, "keep": _TEXT}, "required": ["a", "b"]}
    members: dict[str, Any] = {
        "downgraded": _IDS,
        "deleted": _IDS,
        "newFacts": typed_fact(_FACT, typed=typed),
        "contradictions": {"type": "array", "items": pair},
        "duplicates": {"type": "array", "items": _IDS},
    }
    return {"type": "object", "properties": members | typed_reply(typed=typed), "required": list(members)}


def parse(reply_text: str) -> HealReply:
    """What a reply says. Raises BadReply when it has none of the wanted members, unless it is plainly empty."""
    loose = read_loose_json(reply_text)
    record = _record(loose.value)
    if record is None:
        raise BadReply('"downgraded", "deleted" or "newFacts"', reply_text)
    facts, rejected = read_facts(_first(record, _NEW))
    return HealReply(
        downgraded=_ids(_first(record, _DOWNGRADED)),
        deleted=_ids(_first(record, _DELETED)),
        facts=tuple(facts),
        rejected=tuple(rejected),
        contradictions=tuple(_pairs(_first(record, _CONTRADICTIONS))),
        duplicates=tuple(_groups(_first(record, _DUPLICATES))),
        updates=read_reply_updates(record),
        complete=loose.complete,
    )


def _record(value: object) -> dict[str, object] | None:
    """The reply's object: of several the last, which is what the model came to; inside of a wrapper if need be."""
    if isinstance(value, list):
        found = [record for item in value if isinstance(item, dict) and (record := _record(item)) is not None]
        return found[-1] if found else None
    if not isinstance(value, dict):
        return None
    named: dict[str, object] = {keys.plain(key): member for key, member in value.items()}
    if not named or any(name in named for names in _MEMBERS for name in names):
        return named
    inner = [member for member in named.values() if isinstance(member, dict)]
    return _record(inner[0]) if len(named) == 1 and inner and inner[0] else None


def _first(record: Mapping[str, object], names: Sequence[str]) -> object:
    return next((record[name] for name in names if name in record), None)


def _ids(value: object) -> tuple[str, ...]:
    """Ids given as texts, numbers, or objects with an id; one alone, or a list."""
    items = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(id for item in items if (id := _id(item))))


def _id(value: object) -> str:
    if isinstance(value, dict):
        named = {keys.plain(key): member for key, member in value.items()}
        return _id(_first(named, ("id", "factid", "nodeid")))
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return str(value).strip()


def _pairs(value: object) -> list[ContradictionClaim]:
    found = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, list):
            item = dict(zip(("a", "b", "keep"), item, strict=False))
        if not isinstance(item, dict):
            continue
        named = {keys.plain(key): member for key, member in item.items()}
        a, b = _id(named.get("a")), _id(named.get("b"))
        listed = _ids(_first(named, ("ids", "facts", "between")))
        if len(listed) == 2:
            a, b = listed
        keep = _id(_first(named, ("keep", "kept", "stands")))
        if a and b and a != b:
            found.append(ContradictionClaim(a, b, keep or None))
    return found


def _groups(value: object) -> list[tuple[str, ...]]:
    """[[a, b], …]; a bare [a, b] is one group."""
    items = value if isinstance(value, list) else []
    if items and all(isinstance(item, str | int) for item in items):
        items = [items]
    groups = []
    for item in items:
        if isinstance(item, dict):
            named = {keys.plain(key): member for key, member in item.items()}
            kept = _ids(_first(named, ("keep", "kept")))
            item = [*kept, *_ids(_first(named, ("ids", "facts", "duplicates", "others", "drop")))]
        groups.append(_ids(item))
    return [group for group in groups if len(group) > 1]
