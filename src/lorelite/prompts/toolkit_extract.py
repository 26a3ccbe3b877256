"""Entities and relations of a document, as lines of name|type and source|target|type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lorelite.errors import BadReply
from lorelite.ports import ModelRequest
from lorelite.prompts import keys
from lorelite.prompts.fence import NOTICE, fenced
from lorelite.text.loose_json import clean_reply, parse_loose_json, without_reasoning

SYSTEM = f"""You read a document and list the things it tells of and how they are related.

{NOTICE}

Reply with two lists and nothing else. Under the line ENTITIES: one line for each thing, name|type. Under the line
RELATIONS: one line for each relation, source|target|type, where source and target are names from the first list.
Write names as the document writes them, types in one or two words. Leave a list empty when there is nothing for it.
"""

_HEADING = re.compile(r"\W*(entit|relation|node|edge|triple)\w*\W*", re.IGNORECASE)
_MARK = re.compile(r"^(?:[-*•]\s+|\d{1,4}[.)]\s*)")
_PREFIX = re.compile(r"^(entity|relation|relationship)\s*[:=]\s*", re.IGNORECASE)
_RULE = re.compile(r"^[|\s:-]+$")
_OUTER = " \t\"'`*()[]"


@dataclass(frozen=True, slots=True)
class Line:
    """An entity (name, type, description), or where `target` is not empty a relation."""

    name: str
    type: str = ""
    description: str = ""
    target: str = ""


def build(
    text: str, *, entity_types: Sequence[str] | None = None, relation_types: Sequence[str] | None = None
) -> ModelRequest:
    """The request about a text; types: those to choose from, None for any."""
    system = SYSTEM
    if entity_types:
        system += f"Types of entities: {', '.join(entity_types)}.\n"
    if relation_types:
        system += f"Types of relations: {', '.join(relation_types)}.\n"
    return ModelRequest(system=system, user=fenced({"Document": text}), purpose="toolkit_extract")


def parse(reply_text: str) -> list[Line]:
    """The lines of a reply, or the same as JSON; what is neither is passed over.

    Under no heading two fields are an entity and three a relation; what follows is a description. Bullets, numbers,
    prefixes such as "ENTITY:", pipes around a line and rules of tables do not count.
    """
    try:
        value = parse_loose_json(reply_text)
    except BadReply:
        value = None
    if isinstance(value, dict | list) and (found := list(_of_json(value))):
        return found
    return list(_of_lines(clean_reply(without_reasoning(reply_text))))


def _of_lines(text: str) -> Iterator[Line]:
    listed = ""
    for raw in text.splitlines():
        line = _MARK.sub("", raw.strip())
        prefix = _PREFIX.match(line)
        line = _PREFIX.sub("", line, count=1)
        fields = [field.strip(_OUTER) for field in line.strip("| ").split("|")]
        if len(fields) < 2:
            if heading := _HEADING.fullmatch(line):
                listed = "entity" if heading[1].lower() in ("entit", "node") else "relation"
            continue
        lowered = [field.lower() for field in fields]
        if _RULE.match(line) or lowered[:2] in (["name", "type"], ["source", "target"]) or not fields[0]:
            continue
        kind = prefix[1].lower() if prefix else listed
        is_relation = kind.startswith("relation") if kind else len(fields) > 2
        if is_relation and len(fields) > 2 and fields[1]:
            yield Line(fields[0], fields[2], " ".join(fields[3:]), target=fields[1])
        elif not is_relation:
            yield Line(fields[0], fields[1], " ".join(fields[2:]))


def _of_json(value: object) -> Iterator[Line]:
    if isinstance(value, list):
        for item in value:
            yield from _of_json(item)
    elif isinstance(value, Mapping):
        named = {keys.plain(key): item for key, item in value.items()}
        source, target, name = (_text(named, *names) for names in (_SOURCES, _TARGETS, ("name", "entity", "title")))
        kind, description = _text(named, "type", "relation", "predicate", "kind"), _text(named, "description")
        if source and target:
            yield Line(source, kind, description, target=target)
        elif name:
            yield Line(name, kind, description)
        else:
            for item in value.values():
                yield from _of_json(item)


_SOURCES = ("source", "subject", "from", "head")
_TARGETS = ("target", "object", "to", "tail")


def _text(named: Mapping[str, object], *names: str) -> str:
    return next((found.strip() for name in names if isinstance(found := named.get(name), str) and found.strip()), "")
