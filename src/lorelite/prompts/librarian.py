"""The librarian's question, what to remember of these events, and the reading of the replies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from lorelite.errors import BadReply
from lorelite.ontology.merge import OntologyUpdates
from lorelite.ontology.typing import EdgeProposal
from lorelite.ports import ModelRequest
from lorelite.prompts import keys
from lorelite.prompts.fence import NOTICE, fenced, json_lines
from lorelite.prompts.gather import first_of
from lorelite.prompts.templates import guided, hydrated
from lorelite.prompts.typed_claims import read_edges, read_reply_updates, read_type, typed_fact, typed_reply
from lorelite.records import Confidence
from lorelite.text.clean import clean_text
from lorelite.text.loose_json import read_loose_json
from lorelite.text.title_key import title_key

Op = Literal["add", "update", "supersede", "noop"]
RejectReason = Literal["invalid_shape", "missing_title", "missing_body", "missing_description", "too_many"]

MAX_TITLE = 200
MAX_TAGS = 6
MAX_TAG_CHARS = 40
MAX_MEMBERS = 1_000
"""Facts, and tasks, that are taken from one reply: more than any honest one holds."""
_TASKS = ("tasks", "todos", "todo", "tasklist", "actionitems")
_DEPTH = 4
_OPS: Mapping[str, Op] = {
    "add": "add", "new": "add", "create": "add", "insert": "add",
    "update": "update", "edit": "update", "extend": "update", "merge": "update",
    "supersede": "supersede", "replace": "supersede", "invalidate": "supersede", "contradict": "supersede",
    "noop": "noop", "none": "noop", "skip": "noop", "duplicate": "noop", "ignore": "noop", "keep": "noop",
}  # fmt: skip
_DONE = frozenset({"done", "close", "closed", "complete", "completed", "finished", "resolve", "resolved"})

SYSTEM = f"""You keep the long-term memory of a person or a project. You are given events, in the order in which
they happened, with what is remembered already and the open tasks. Decide what to remember.

{NOTICE}

Reply with one JSON object and nothing else:
{{"facts": [{{"op", "target", "title", "body", "tags", "confidence", "evidence"}}],
 "tasks": [{{"op", "target", "description", "priority"}}]}}

facts: what stays true and is worth knowing later, each true by itself: names instead of pronouns, dates instead of
"today". Leave out what matters only at the moment.
  op: "add" something new; "update" the known fact `target` says the same with less; "supersede" the known fact
  `target` was true and no longer is, or is corrected; "noop" the known fact `target` says it already.
  target: the id of that known fact; leave it out for "add".
  title: up to eight words that say it. body: one or two sentences, the whole statement as it now stands.
  tags: up to six lower-case words. confidence: "certain" when an event says it, "inferred" when it follows,
  "tentative" otherwise. evidence: words copied exactly from the summary of the event that says it.
tasks: what somebody still has to do. op: "add", or "done" when an event says that the open task `target` is finished.
  priority: 0 (whenever) to 10 (now).

Write titles and bodies in the language of the events. If nothing is worth remembering, reply
{{"facts": [], "tasks": []}}."""

_TEXT = {"type": "string"}
_FACT: dict[str, Any] = {
    "op": {"type": "string", "enum": ["add", "update", "supersede", "noop"]},
    "target": _TEXT,
    "title": _TEXT,
    "body": _TEXT,
    "tags": {"type": "array", "items": _TEXT},
    "confidence": {"type": "string", "enum": ["certain", "inferred", "tentative"]},
    "evidence": {"type": "array", "items": _TEXT},
}
_TASK: dict[str, Any] = {
    "op": {"type": "string", "enum": ["add", "done"]},
    "target": _TEXT,
    "description": _TEXT,
    "priority": {"type": "integer", "minimum": 0, "maximum": 10},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FactClaim:
    """A fact as a reply states it. `op` is None when the reply does not say what to do with it."""

    index: int
    """Its place in the reply."""
    title: str
    body: str
    op: Op | None = None
    target: str = ""
    tags: tuple[str, ...] = ()
    confidence: Confidence = "inferred"
    node_type: str | None = None
    edges: tuple[EdgeProposal | None, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskClaim:
    index: int
    description: str
    priority: int = 0
    done: bool = False
    target: str = ""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A member of a reply that cannot be used, and why."""

    kind: Literal["fact", "task"]
    index: int
    reason: RejectReason


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrarianReply:
    """Everything usable in a reply; `complete` is False when it ended too early and only whole members were taken."""

    facts: tuple[FactClaim, ...] = ()
    tasks: tuple[TaskClaim, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    updates: OntologyUpdates = field(default_factory=OntologyUpdates)
    complete: bool = True


def build(
    events: Sequence[Mapping[str, object]],
    current_facts: Sequence[Mapping[str, object]],
    open_tasks: Sequence[Mapping[str, object]],
    *,
    template: str | None = None,
    guidance: Mapping[str, str] | None = None,
) -> ModelRequest:
    """The request about *events*. template: a prompt of the caller's; guidance: what to say about the ontology."""
    if template is not None:
        values = {"events": events, "current_facts": current_facts}
        system, user = hydrated(template, values, guidance=guidance)
        return ModelRequest(system=system, user=user, purpose="librarian")
    parts = {"Events": events, "Known facts": current_facts, "Open tasks": open_tasks}
    return ModelRequest(
        system=guided(SYSTEM, guidance or {}),
        user=fenced({name: json_lines(items) or "none" for name, items in parts.items()}),
        purpose="librarian",
        schema=_schema(typed=bool(guidance)),
    )


def _schema(*, typed: bool) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "facts": typed_fact(_FACT, typed=typed),
            "tasks": {
                "type": "array",
                "items": {"type": "object", "properties": _TASK, "required": ["description"]},
            },
            **typed_reply(typed=typed),
        },
        "required": ["facts", "tasks"],
    }


def parse(reply_text: str) -> LibrarianReply:
    """What a reply says. Raises BadReply when it holds neither a list of facts nor one of tasks."""
    loose = read_loose_json(reply_text)
    found: dict[str, list[object]] = {}
    _gather(loose.value, found, _DEPTH)
    if not found:
        raise BadReply('"facts" or "tasks"', reply_text)
    facts, rejected = read_facts(found.get("facts", []))
    tasks: list[TaskClaim] = []
    items = found.get("tasks", [])
    rejected += _too_many("task", items)
    for index, item in enumerate(items[:MAX_MEMBERS]):
        task = _task(item, index)
        if isinstance(task, Rejected):
            rejected.append(task)
        else:
            tasks.append(task)
    return LibrarianReply(
        facts=tuple(facts),
        tasks=tuple(tasks),
        rejected=tuple(rejected),
        updates=read_reply_updates(loose.value),
        complete=loose.complete,
    )


def read_facts(value: object) -> tuple[list[FactClaim], list[Rejected]]:
    """The facts of a reply's list of them, or of the one it has, and those that cannot be used."""
    facts: list[FactClaim] = []
    items = _items(value)
    rejected = _too_many("fact", items)
    for index, item in enumerate(items[:MAX_MEMBERS]):
        fact = _fact(item, index)
        if isinstance(fact, Rejected):
            rejected.append(fact)
        else:
            facts.append(fact)
    return facts, rejected


def _too_many(kind: Literal["fact", "task"], items: Sequence[object]) -> list[Rejected]:
    return [Rejected(kind, MAX_MEMBERS, "too_many")] if len(items) > MAX_MEMBERS else []


def _gather(value: object, found: dict[str, list[object]], depth: int) -> None:
    """Collect the items of every list of facts and tasks, wherever a reply has put it."""
    if depth <= 0:
        return
    if isinstance(value, list):
        records = [item for item in value if isinstance(item, dict)]
        if records and all(_looks_like_a_fact(record) for record in records):
            found.setdefault("facts", []).extend(records)
            return
        for record in records:
            _gather(record, found, depth - 1)
    elif isinstance(value, dict):
        inner = []
        for key, member in value.items():
            name = keys.plain(key)
            section = "facts" if name in keys.FACTS else "tasks" if name in _TASKS else ""
            if section and (member is None or isinstance(member, list | dict)):
                found.setdefault(section, []).extend(_items(member))
            else:
                inner.append(member)
        if not found:
            for member in inner:
                _gather(member, found, depth - 1)


def _items(member: object) -> list[object]:
    if isinstance(member, list):
        return member
    if isinstance(member, dict):
        is_one = {keys.plain(key) for key in member} & {*keys.FACT_TITLE, "description"}
        return [member] if is_one else list(member.values())
    return []


def _looks_like_a_fact(record: dict[str, object]) -> bool:
    named = {keys.plain(key) for key in record}
    return bool(named & set(keys.FACT_TITLE)) and bool(named & set(keys.FACT_BODY))


def _fact(item: object, index: int) -> FactClaim | Rejected:
    if not isinstance(item, dict):
        return Rejected("fact", index, "invalid_shape")
    record = {keys.plain(key): value for key, value in item.items()}
    title, body = _member(record, keys.FACT_TITLE), _member(record, keys.FACT_BODY)
    if not isinstance(title, str) or not isinstance(body, str):
        return Rejected("fact", index, "invalid_shape")
    title, body = " ".join(clean_text(title).split()), clean_text(body).strip()
    if not title_key(title) or not title_key(body):
        return Rejected("fact", index, "missing_body" if title_key(title) else "missing_title")
    if len(title) > MAX_TITLE:
        title, body = title[: MAX_TITLE - 1].rstrip() + "…", f"{title}\n\n{body}"
    return FactClaim(
        index=index,
        title=title,
        body=body,
        op=_OPS.get(_word(record, "op", "operation", "action")),
        target=_label(record),
        tags=_tags(first_of(record, keys.TAGS)),
        confidence=_confidence(first_of(record, keys.CONFIDENCE)),
        node_type=read_type(record),
        edges=read_edges(record),
        evidence=_quotes(first_of(record, keys.QUOTE)),
    )


def _member(record: dict[str, Any], names: Sequence[str]) -> object:
    """The first of the named members that is there at all."""
    return next((record[name] for name in names if name in record), None)


def _task(item: object, index: int) -> TaskClaim | Rejected:
    if isinstance(item, str):
        item = {"description": item}
    if not isinstance(item, dict):
        return Rejected("task", index, "invalid_shape")
    record = {keys.plain(key): value for key, value in item.items()}
    description = _member(record, ("description", "task", "title", "text", "name"))
    done = _word(record, "op", "operation", "action", "status") in _DONE
    if not isinstance(description, str) and not (done and description is None):
        return Rejected("task", index, "invalid_shape")
    description = clean_text(description or "").strip()
    if not description and not (done and _label(record)):
        return Rejected("task", index, "missing_description")
    return TaskClaim(
        index=index,
        description=description,
        priority=priority(record.get("priority")),
        done=done,
        target=_label(record),
    )


def priority(value: object) -> int:
    """A number, or a text that is one, rounded and put between 0 and 10; 0 for anything else."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return 0
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    # Compared, not converted: an integer may be too large for a float, and NaN is in no order.
    return math.floor(value + 0.5) if 0 <= value <= 10 else 10 if value > 10 else 0


def _confidence(value: object) -> Confidence:
    word = value.strip().lower() if isinstance(value, str) else ""
    return "certain" if word == "certain" else "tentative" if word == "tentative" else "inferred"


def _tags(value: object) -> tuple[str, ...]:
    found = (
        (clean_text(tag).strip().lower() for tag in value if isinstance(tag, str)) if isinstance(value, list) else ()
    )
    return tuple(dict.fromkeys(tag for tag in found if 0 < len(tag) <= MAX_TAG_CHARS))[:MAX_TAGS]


def _quotes(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(item.strip() for item in items if isinstance(item, str) and item.strip())


def _label(record: dict[str, Any]) -> str:
    return _line(first_of(record, ("target", "targetid", "id", "factid", "taskid")))


def _line(value: object) -> str:
    return " ".join(clean_text(value).split()) if isinstance(value, str) else ""


def _word(record: dict[str, Any], *names: str) -> str:
    return _line(first_of(record, names)).lower()
