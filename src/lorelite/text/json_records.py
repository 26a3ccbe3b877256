"""JSON and JSON Lines as entities, relations and facts, every value with its place in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]

from lorelite.text.gathering import Gathering
from lorelite.text.span import Span
from lorelite.text.tables import ID_COLUMNS, NAME_COLUMNS, TRIPLES, TYPE_COLUMNS, Cell, gather_triple
from lorelite.text.values import is_short_text, label, looks_like_name

MAX_DEPTH = 40

_SPACE = re.compile(r"[ \t\r\n]*")
_LITERAL = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null")


@dataclass(frozen=True, slots=True)
class Json:
    """A JSON value and its span: scalar text in `text`, members of an object in `members`, items in `items`."""

    span: Span
    text: str | None = None
    is_string: bool = False
    members: tuple[tuple[str, Json], ...] | None = None
    items: tuple[Json, ...] | None = None


def parse_json(text: str) -> list[Json] | None:
    """The value of a JSON text, or the values of its lines; None when it is neither."""
    try:
        start = _skip(text, 1 if text.startswith("\ufeff") else 0)
        values = []
        while start < len(text):
            value = _value(text, start, 0)
            values.append(value)
            start = _skip(text, value.span.end)
        return values or None
    except (ValueError, IndexError):
        return None


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _value(text: str, start: int, depth: int) -> Json:
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    if text[start] == '"':
        value, end = scanstring(text, start + 1, False)
        return Json(Span(start + 1, end - 1), text=value, is_string=True)
    if text[start] == "{":
        members, end = _members(text, start, depth)
        return Json(Span(start, end), members=tuple(members))
    if text[start] == "[":
        items, position = [], _skip(text, start + 1)
        while text[position] != "]":
            item = _value(text, position, depth + 1)
            items.append(item)
            position = _after_item(text, item.span.end + item.is_string, "]")
        return Json(Span(start, position + 1), items=tuple(items))
    literal = _LITERAL.match(text, start)
    if literal is None:
        raise ValueError("no JSON value")
    return Json(Span(*literal.span()), text=literal[0])


def _members(text: str, start: int, depth: int) -> tuple[list[tuple[str, Json]], int]:
    members, position = [], _skip(text, start + 1)
    while text[position] != "}":
        if text[position] != '"':
            raise ValueError("no key")
        key, end = scanstring(text, position + 1, False)
        position = _skip(text, end)
        if text[position] != ":":
            raise ValueError("no colon")
        value = _value(text, _skip(text, position + 1), depth + 1)
        members.append((key, value))
        position = _after_item(text, value.span.end + value.is_string, "}")
    return members, position + 1


def _after_item(text: str, position: int, closer: str) -> int:
    position = _skip(text, position)
    if text[position] == ",":
        return _skip(text, position + 1)
    if text[position] != closer:
        raise ValueError("no comma")
    return position


def long_strings(values: list[Json]) -> Iterator[Span]:
    """The strings that are prose: longer than 40 characters, or four words and more."""
    stack = list(values)
    while stack:
        value = stack.pop()
        if value.is_string and value.text and (len(value.text) > 40 or len(value.text.split()) > 3):
            yield value.span
        stack += [member for _, member in value.members or ()]
        stack += value.items or ()


def gather_json(values: list[Json], gathering: Gathering) -> None:
    """Add records: an object is about its name (else its first short string); nested objects relate to the outer one.

    Objects with source and target (subject and object, from and to) are relations.
    """
    for value in values:
        _gather(value, None, "", gathering)


def _gather(value: Json, owner: str | None, relation: str, gathering: Gathering) -> None:
    for item in value.items or ():
        _gather(item, owner, relation, gathering)
    if value.members is None or _gather_triple(value, gathering):
        return
    fields = dict(value.members)
    subject = _subject(value)
    name = owner
    if subject is not None and subject.text is not None:
        name = subject.text.strip()
        kind = next((fields[key].text for key in fields if label(key) in TYPE_COLUMNS and fields[key].text), None)
        gathering.entity(name, type=label(kind) if kind and is_short_text(kind) else None, mentions=(subject.span,))
        if owner is not None:
            gathering.relate(owner, name, relation or "has", evidence=(value.span,))
    said = []
    for key, member in value.members:
        if member is subject:
            continue
        if member.members is not None or member.items is not None:
            said += _gather_nested(key, member, name, gathering)
        elif member.text and member.text != "null":
            said.append(f"{key}: {member.text}")
            _gather_named(key, member, name, gathering)
    if said and name is not None:
        gathering.fact(name, "; ".join(said), about=(name,), evidence=(value.span,))


def _gather_nested(key: str, member: Json, name: str | None, gathering: Gathering) -> list[str]:
    strings = [item for item in member.items or () if item.text]
    if member.items is not None and len(strings) == len(member.items):
        for item in strings:
            _gather_named(key, item, name, gathering)
        return [f"{key}: {', '.join(item.text or '' for item in strings)}"] if strings else []
    _gather(member, name, label(key), gathering)
    return []


def _gather_named(key: str, member: Json, name: str | None, gathering: Gathering) -> None:
    value = (member.text or "").strip()
    if name is None or not member.is_string or label(key) in TYPE_COLUMNS + ID_COLUMNS:
        return
    if looks_like_name(value) or (value and is_short_text(value) and gathering.knows(value)):
        gathering.entity(value, mentions=(member.span,))
        gathering.relate(name, value, label(key) or "has", evidence=(member.span,))


def _subject(value: Json) -> Json | None:
    members = [(label(key), member) for key, member in value.members or () if member.is_string and member.text]
    for wanted in NAME_COLUMNS:
        for key, member in members:
            if key == wanted and is_short_text(member.text or ""):
                return member
    return next((member for _, member in members if looks_like_name(member.text or "")), None)


def _gather_triple(value: Json, gathering: Gathering) -> bool:
    fields = {label(key): member for key, member in value.members or () if member.text}
    for source, target, types in TRIPLES:
        if source in fields and target in fields:
            kind = next((fields[name].text for name in types if name in fields), "") or ""
            ends = [Cell((fields[end].text or "").strip(), fields[end].span) for end in (source, target)]
            if all(end.value for end in ends):
                gather_triple(ends[0], ends[1], kind, value.span, gathering)
            return True
    return False


def looks_like_json(text: str) -> bool:
    """Whether the text begins like a JSON object or array."""
    start = text.lstrip("\ufeff \t\r\n")[:200]
    return start.startswith("{") or bool(re.match(r"\[\s*[\[{\"\d\]]", start))
