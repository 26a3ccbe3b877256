"""What a reply says of entities and relations, record by record, before names are looked for in the passage.

The rules of cleaning are those that GraphRAG systems agree on; what they cannot use is counted, never guessed.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from lorelite.errors import BadReply
from lorelite.prompts.claims import DEFAULT_TYPE, Claims, claims_of, is_name
from lorelite.prompts.delimited import Tuples, parse_delimited, read_tuples
from lorelite.text.loose_json import read_loose_json
from lorelite.text.title_key import title_key

MAX_NAME = 256
"""A longer name is cut after a word."""
OTHER = "other"
"""The type of what is none of the wanted ones."""
_MAX_WEIGHT = 1e6
"""More is no strength that anybody means."""
_TUPLE_FIELDS = 5
_END = re.compile(r"<\|\s*COMPLETE\s*\|>", re.IGNORECASE)
_OUTER = " \t\"'`*“”„«»「」『』"
_NOT_IN_TYPE = re.compile(r"[<>()\\#]")
_TYPE_END = re.compile(r"[,;/|、，]")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:[.,]\d+)?|\.\d+|nan|inf(?:inity)?)(?:\s*/\s*\d+)?", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_KEYWORD_END = re.compile(r"[,;、，；]")


@dataclass(frozen=True, slots=True)
class Named:
    """An entity of a reply. type: in lower case, None where it says none."""

    name: str
    type: str | None
    description: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Joined:
    """A relation of a reply."""

    source: str
    target: str
    type: str
    description: str
    weight: float
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphRecords:
    """The usable records of a reply in its order."""

    entities: tuple[Named, ...] = ()
    relations: tuple[Joined, ...] = ()
    complete: bool = True
    """False when the reply ended too early."""
    dropped: int = 0
    """Records that could not be used: half, without a name, of a type nobody asked for, of a thing to itself."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for. types: in any case, () for any; others: are further types kept, as "other"?"""

    types: tuple[str, ...] = ()
    others: bool = True

    def type_of(self, given: str) -> tuple[bool, str | None]:
        """Whether a record of that type is kept, and its type: the first of a list, in lower case, without spaces."""
        kind = next((bare for part in _TYPE_END.split(given) if (bare := _plain(part).strip(_OUTER))), "")
        if _NOT_IN_TYPE.search(kind):
            return False, None
        known = {_squeezed(each): each.lower() for each in self.types}
        if not known or _squeezed(kind) in known:
            return True, known.get(_squeezed(kind)) or _squeezed(kind) or None
        return self.others, OTHER


def read_records(reply_text: str, wanted: Wanted) -> GraphRecords:
    """The records of a reply: delimited tuples, JSON, or Markdown tables.

    Raises BadReply when there is none, unless the reply says that there is none: by the end mark, or by empty lists.
    """
    if _END.fullmatch(reply_text.strip()):
        return GraphRecords()
    found = read_tuples(reply_text)
    if found is not None:
        records = _of_tuples(found, wanted)
        if records.entities or records.relations or records.dropped:
            return records
    claims, complete = _claims(reply_text)
    if claims is None and _END.search(reply_text):
        return GraphRecords()
    if not claims and not (claims is not None and claims.honestly_empty and complete):
        raise BadReply("records of entities and relations", reply_text, empty=not reply_text.strip())
    return _of_claims(claims, complete, wanted)


def clean_name(text: str) -> str:
    """A name without entities of HTML, control characters and quotes around it, on one line; "" for none."""
    name = _plain(text).strip(_OUTER)
    if len(name) > MAX_NAME:
        name = name[:MAX_NAME].rsplit(" ", 1)[0]
    return name if is_name(name) else ""


def _of_tuples(found: Tuples, wanted: Wanted) -> GraphRecords:
    entities: list[Named] = []
    relations: list[Joined] = []
    dropped = 0
    for number, fields in enumerate(found.records, 1):
        is_entity = fields[0].startswith("entit") and not _is_relation(fields, wanted)
        if not is_entity and not fields[0].startswith(("relation", "entit")):
            continue
        is_half = found.is_cut and number == len(found.records)
        read = None if is_half else _entity(fields, wanted) if is_entity else _relation(fields)
        if read is None:
            dropped += 1
        elif isinstance(read, Named):
            entities.append(read)
        else:
            relations.append(read)
    return GraphRecords(tuple(entities), tuple(relations), found.complete, dropped)


def _is_relation(fields: Sequence[str], wanted: Wanted) -> bool:
    """Is a record that calls itself an entity a relation? It has a relation's fields, and no type in third place."""
    if len(fields) < _TUPLE_FIELDS:
        return False
    return _squeezed(_plain(fields[2])) not in map(_squeezed, wanted.types)


def _entity(fields: Sequence[str], wanted: Wanted) -> Named | None:
    if len(fields) < 3 or not (name := clean_name(fields[1])):
        return None
    keep, kind = wanted.type_of(fields[2])
    return Named(name, kind, _plain(" ".join(fields[3:]))) if keep else None


def _relation(fields: Sequence[str]) -> Joined | None:
    """source, target, description, keywords where there are any, and the strength; or keywords before a description."""
    ends, rest = fields[1:3], [text for text in fields[3:] if text]
    weight = 1.0
    if rest and _NUMBER.fullmatch(rest[-1]):
        weight = _weight(rest.pop())
        texts = rest
    else:
        texts = rest[::-1] if len(rest) == 2 and len(rest[0]) < len(rest[1]) else rest
    if len(fields) < 4 or len(ends) < 2:
        return None
    has_keywords = len(texts) == 2
    return _joined(
        ends[0],
        ends[1],
        DEFAULT_TYPE,
        texts[0] if has_keywords else " ".join(texts),
        weight,
        _keywords(texts[1]) if has_keywords else (),
    )


def _joined(
    source: str, target: str, kind: str, description: str, weight: float, keywords: tuple[str, ...] = ()
) -> Joined | None:
    source, target = clean_name(source), clean_name(target)
    if not source or not target or title_key(source) == title_key(target):
        return None
    return Joined(source, target, kind, _plain(description), weight, keywords)


def _claims(reply_text: str) -> tuple[Claims | None, bool]:
    try:
        loose = read_loose_json(reply_text)
    except BadReply:
        pass
    else:
        return claims_of(loose.value, complete=loose.complete), loose.complete
    delimited = parse_delimited(reply_text)
    return (claims_of(delimited[0]), delimited[1]) if delimited else (None, True)


def _of_claims(claims: Claims | None, complete: bool, wanted: Wanted) -> GraphRecords:
    entities: list[Named] = []
    relations: list[Joined] = []
    dropped = 0 if complete else 1
    for entity in claims.entities if claims else ():
        keep, kind = wanted.type_of(entity.type or "")
        if keep and (name := clean_name(entity.name)):
            aliases = tuple(filter(None, map(clean_name, entity.aliases)))
            entities.append(Named(name, kind, _plain(entity.description), aliases))
        else:
            dropped += 1
    for relation in claims.relations if claims else ():
        weight = 1.0 if relation.strength is None else _weight(str(relation.strength))
        read = _joined(relation.source, relation.target, relation.type, relation.description, weight)
        if read:
            relations.append(read)
        else:
            dropped += 1
    return GraphRecords(tuple(entities), tuple(relations), complete, dropped)


def _weight(text: str) -> float:
    """A strength; 1 for one that is negative, or no number."""
    weight = float(text.split("/")[0].strip().replace(",", "."))
    return weight if math.isfinite(weight) and 0 <= weight <= _MAX_WEIGHT else 1.0


def _keywords(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for part in _KEYWORD_END.split(text) if (word := _plain(part).strip(_OUTER))))


def _plain(text: str) -> str:
    """On one line, without entities of HTML and control characters."""
    text = html.unescape(text).replace("\\_", "_").replace('\\"', '"')
    return " ".join(_CONTROL.sub("", text).split())


def _squeezed(text: str) -> str:
    return "".join(text.split()).lower()
