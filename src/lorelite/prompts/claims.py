"""What a reply claims, in whatever shape and under whatever names the model chose to say it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

from lorelite.ontology.merge import NO_UPDATES, OntologyUpdates
from lorelite.ontology.typing import EdgeProposal
from lorelite.prompts import keys
from lorelite.prompts.gather import Sections, first_of, gather_sections
from lorelite.prompts.typed_claims import read_edges, read_reply_updates, read_type
from lorelite.records import Confidence

MAX_NAME = 200
"""A longer name is a sentence in the wrong place."""
MAX_TITLE = 200
"""A longer title of a fact is its first sentence in the wrong place: it goes to the body, and is shortened."""
MAX_TAGS = 6
MAX_TAG = 40
_TITLE = 80
DEFAULT_TYPE = "related_to"
"""Of a relation that says no more than that there is one."""
_UNKNOWN = frozenset({"", "unknown", "none", "null", "n/a", "na", "undefined", "other", "misc"})

_CONFIDENCES: Mapping[str, Confidence] = {
    "certain": "certain", "high": "certain", "explicit": "certain", "true": "certain", "definite": "certain",
    "inferred": "inferred", "medium": "inferred", "likely": "inferred", "probable": "inferred",
    "moderate": "inferred", "tentative": "tentative", "low": "tentative", "uncertain": "tentative",
    "possible": "tentative", "speculative": "tentative",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityClaim:
    name: str
    type: str | None
    description: str
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationClaim:
    source: str
    target: str
    type: str
    description: str
    weight: float
    """From 0 to 1."""
    quote: str
    strength: float | None = None
    """The weight as the reply gives it, on a scale of its own; None where it gives no number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactClaim:
    title: str
    body: str
    about: tuple[str, ...]
    tags: tuple[str, ...]
    """In lower case, at most 6 of at most 40 characters."""
    confidence: Confidence
    quotes: tuple[str, ...]
    node_type: str | None
    edges: tuple[EdgeProposal | None, ...]


@dataclass(frozen=True, slots=True)
class Claims:
    """Everything usable in a reply, each name in one spelling. False when there is nothing."""

    entities: tuple[EntityClaim, ...]
    relations: tuple[RelationClaim, ...]
    facts: tuple[FactClaim, ...]
    lists_entities: bool
    """Whether the reply lists entities at all; one of triples alone names them in its relations."""
    honestly_empty: bool
    """Whether the reply holds the wanted lists, all of them empty."""
    off_topic: bool
    """Whether the reply holds none of the wanted lists, nor anything that could be in them."""
    rejected: tuple[tuple[int, str], ...] = ()
    """Place in the list and reason of each fact that says nothing usable."""
    updates: OntologyUpdates = NO_UPDATES
    """Types that the reply would add to the ontology."""

    def __bool__(self) -> bool:
        return bool(self.entities or self.relations or self.facts)


def name_key(name: str) -> str:
    """What two spellings of one name have in common: letters without case, single spaces, one Unicode form."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def claims_of(value: object, *, complete: bool = True) -> Claims:
    """The claims in a parsed reply; of one that is not *complete*, a fact that has a title alone was cut off there."""
    sections = gather_sections(value)
    names = _Names()
    for item in sections.entities:
        names.add(item)
    relations = [claim for item, weight in _weighted(sections) if (claim := _relation(item, weight, names)) is not None]
    read = [_fact(item, names, complete) for item in sections.facts]
    has_items = bool(sections.entities or sections.relations or sections.facts)
    return Claims(
        tuple(names.entities()),
        tuple(relations),
        tuple(fact for fact in read if isinstance(fact, FactClaim)),
        lists_entities=bool(names.known),
        honestly_empty=sections.found and not has_items,
        off_topic=not sections.found and not has_items,
        rejected=tuple((place, reason) for place, reason in enumerate(read) if isinstance(reason, str)),
        updates=read_reply_updates(value),
    )


@dataclass(slots=True)
class _Names:
    """The entities of a reply by key, and every id, alias and spelling that stands for one of them."""

    known: dict[str, EntityClaim] = field(default_factory=dict)
    standing_for: dict[str, str] = field(default_factory=dict)

    def add(self, item: object) -> None:
        record = _entity_record(item)
        name = _name(first_of(record, keys.NAME))
        label = _text(first_of(record, keys.LABEL))
        kind = _type(first_of(record, keys.TYPE))
        if not name and label and kind:
            name, label = _name(label), ""
        name = name or _name(first_of(record, keys.ID))
        if not name:
            return
        aliases = (_name(alias) for alias in _texts(first_of(record, keys.ALIASES)))
        claim = EntityClaim(
            name=name,
            type=kind or _type(label),
            description=_text(first_of(record, keys.DESCRIPTION)),
            aliases=tuple(dict.fromkeys(alias for alias in aliases if alias and alias != name)),
        )
        key = name_key(name)
        self.known[key] = _joined(self.known[key], claim) if key in self.known else claim
        for other in (*claim.aliases, _text(first_of(record, keys.ID))):
            if other:
                self.standing_for.setdefault(name_key(other), key)

    def entities(self) -> Iterable[EntityClaim]:
        return self.known.values()

    def resolve(self, given: object) -> str:
        """The listed name that *given* means, else *given* itself as a name; empty when it is none."""
        if isinstance(given, dict):
            given = first_of(_keyed(given), (*keys.NAME, *keys.ID, *keys.LABEL))
        name = _name(given)
        key = name_key(name)
        found = self.known.get(key) or self.known.get(self.standing_for.get(key, ""))
        return found.name if found else name


def _joined(first: EntityClaim, second: EntityClaim) -> EntityClaim:
    """One claim of two about the same name."""
    return EntityClaim(
        name=first.name,
        type=first.type or second.type,
        description=max(first.description, second.description, key=len),
        aliases=tuple(dict.fromkeys((*first.aliases, *second.aliases))),
    )


def _entity_record(item: object) -> dict[str, object]:
    if isinstance(item, dict):
        record = _keyed(item)
        inner = record.get("properties")  # as graph databases export nodes
        return {**_keyed(inner), **record} if isinstance(inner, dict) else record
    if isinstance(item, list):
        return dict(zip(("name", "type", "description"), item, strict=False))
    return {"name": item}


def _weighted(sections: Sections) -> list[tuple[object, float]]:
    """Each relation with its weight from 0 to 1. Models use scales to 1, 10 or 100: the largest weight tells which."""
    weights = [
        _number(first_of(_keyed(item), keys.WEIGHT)) if isinstance(item, dict) else None for item in sections.relations
    ]
    largest = max((weight for weight in weights if weight is not None), default=1.0)
    scale = next((scale for scale in (1.0, 10.0, 100.0) if largest <= scale), largest)
    return [
        (item, weight / scale if weight is not None and weight > 0 else 1.0)
        for item, weight in zip(sections.relations, weights, strict=True)
    ]


def _relation(item: object, weight: float, names: _Names) -> RelationClaim | None:
    """The relation an item tells, unless an end is missing or both are the same."""
    record = _relation_record(item, names)
    source, target = names.resolve(first_of(record, keys.SOURCE)), names.resolve(first_of(record, keys.TARGET))
    if not source or not target or name_key(source) == name_key(target):
        return None
    return RelationClaim(
        source=source,
        target=target,
        type=_type(first_of(record, keys.RELATION_TYPE)) or DEFAULT_TYPE,
        description=_text(first_of(record, keys.RELATION_DESCRIPTION)),
        weight=weight,
        quote=_text(first_of(record, keys.QUOTE)),
        strength=_number(first_of(record, keys.WEIGHT)),
    )


def _relation_record(item: object, names: _Names) -> dict[str, object]:
    if isinstance(item, dict):
        record = _keyed(item)
        inner = record.get("properties")
        return {**_keyed(inner), **record} if isinstance(inner, dict) else record
    parts = item if isinstance(item, list) else _arrow_parts(str(item))
    if len(parts) < 3:
        return dict(zip(("source", "target"), parts, strict=False))
    middle_is_end = name_key(_text(parts[1])) in names.known and name_key(_text(parts[2])) not in names.known
    order = ("source", "target", "type") if middle_is_end else ("source", "type", "target")
    return dict(zip((*order, "description"), parts, strict=False))


def _arrow_parts(text: str) -> list[str]:
    """The parts of "A -> works_at -> B", "A --works_at--> B" or "(A, works_at, B)"."""
    parts = re.split(r"\s*(?:-{1,3}>|→|={1,2}>|--+|\|)\s*", text.strip("()[] "))
    if len(parts) < 3:
        parts = text.strip("()[] ").split(",")
    return [part.strip(" \"'[]():") for part in parts] if len(parts) == 3 else []


def _fact(item: object, names: _Names, complete: bool) -> FactClaim | str:
    """The fact an item tells, or why it tells none."""
    record = _keyed(item) if isinstance(item, dict) else {"body": item}
    body = _text(first_of(record, keys.FACT_BODY))
    title = " ".join(_text(first_of(record, keys.FACT_TITLE)).split())
    if not body and title and not complete:
        return "cut_off"
    body = body or title
    if not is_name(body):
        return "missing_body" if isinstance(item, dict) else "invalid_shape"
    if len(title) > MAX_TITLE and title not in body:
        body = f"{title}\n\n{body}"
    about = (names.resolve(each) for each in _listed(first_of(record, keys.ABOUT)))
    return FactClaim(
        title=title if is_name(title) and len(title) <= MAX_TITLE else _shortened(title or body),
        body=body,
        about=tuple(dict.fromkeys(name for name in about if name)),
        tags=_tags(first_of(record, keys.TAGS)),
        confidence=_confidence(first_of(record, keys.CONFIDENCE)),
        quotes=_quotes(first_of(record, keys.QUOTE)),
        node_type=read_type(item),
        edges=read_edges(item),
    )


def _tags(value: object) -> tuple[str, ...]:
    tags = (" ".join(tag.lower().split()) for tag in _texts(value))
    return tuple(dict.fromkeys(tag for tag in tags if len(tag) <= MAX_TAG))[:MAX_TAGS]


def _quotes(value: object) -> tuple[str, ...]:
    """One quote, or a list of them. A comma parts no quote."""
    quotes = map(_text, value if isinstance(value, list) else [value])
    return tuple(dict.fromkeys(quote for quote in quotes if quote))


def _confidence(value: object) -> Confidence:
    number = _number(value)
    if number is not None:
        share = number if number <= 1 else number / (10 if number <= 10 else 100)
        return "certain" if share >= 0.8 else "inferred" if share >= 0.5 else "tentative"
    return _CONFIDENCES.get(_text(value).casefold(), "inferred")


def _keyed(record: object) -> dict[str, object]:
    """A record with its keys reduced to letters and digits: "entity_name" and "Entity Name" are one."""
    return {keys.plain(key): value for key, value in cast(dict[str, object], record).items()}


def _name(value: object) -> str:
    """*value* as a name on one line; empty when it cannot be one."""
    if isinstance(value, list) and value:
        value = value[0]
    name = " ".join(_text(value).replace("\\_", "_").split()).strip("\"'`*").strip()
    return name if is_name(name) and len(name) <= MAX_NAME else ""


def is_name(text: str) -> bool:
    """Whether *text* says something: not "...", and not a placeholder such as <name>."""
    says = any(char.isalnum() or unicodedata.category(char) == "So" for char in text)
    return says and not re.fullmatch(r"<[^<>]*>|\{[^{}]*\}|\[[^\[\]]*\]", text)


def _type(value: object) -> str | None:
    if isinstance(value, list):
        value = next((each for each in value if each), None)
    kind = " ".join(_text(value).replace("\\_", "_").split()).strip("\"'`*:<>").strip()
    return None if kind.casefold() in _UNKNOWN or len(kind) > _TITLE else kind


def _text(value: object) -> str:
    """*value* as text: strings and numbers, and lists of them joined; empty for anything else."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int | float):
        return json.dumps(value)
    if isinstance(value, list):
        return " ".join(filter(None, map(_text, value)))
    if isinstance(value, dict):
        return _text(first_of(_keyed(value), ("text", "quote", "value", "name")))
    return ""


def _listed(value: object) -> list[object]:
    if isinstance(value, str):
        return list(re.split(r"\s*[;,\n]\s*", value.strip())) if value.strip() else []
    return value if isinstance(value, list) else [] if value is None else [value]


def _texts(value: object) -> list[str]:
    return [text for each in _listed(value) if (text := _text(each))]


def _number(value: object) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return min(float(value), 1e9) if value < 1e300 else None
    match = re.match(r"\s*(\d{1,9}(?:\.\d{1,9})?)", value) if isinstance(value, str) else None
    return float(match[1]) if match else None


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE else line[: _TITLE - 1].rsplit(" ", 1)[0] + "…"
