"""Reading types, edges and new types out of a reply: the members that an ontology adds to its facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorelite.ontology.merge import OntologyUpdates, read_updates
from lorelite.ontology.typing import EdgeProposal
from lorelite.prompts import keys

MAX_TYPE = 100
MAX_TITLE = 200
_DEPTH = 2
_FACT_TYPE = ("okftype", "nodetype", "type", "facttype", "entitytype", "category", "kind", "class")
_EDGES = ("edges", "edge", "links", "relations", "relationships")
_EDGE_TYPE = ("edgetype", "type", "relation", "relationship", "predicate", "relationtype", "label", "name")
_TARGET = ("targettitle", "target", "to", "title", "object", "targetname", "tail")
_UPDATES = ("ontologyupdates", "ontologyupdate", "newtypes", "manifestupdates")


_TEXT: Mapping[str, Any] = {"type": "string"}
EDGES: Mapping[str, Any] = {
    "type": "array",
    "items": {"type": "object", "properties": {"edge_type": _TEXT, "target_title": _TEXT}},
}
"""The JSON Schema of how a fact is connected."""


def typed_fact(fact: Mapping[str, Any], *, typed: bool) -> dict[str, Any]:
    """The JSON Schema of a list of facts with these members; *typed*: with a type and edges as well."""
    more = {"okf_type": _TEXT, "edges": EDGES} if typed else {}
    items = {"type": "object", "properties": {**fact, **more}, "required": ["title", "body"]}
    return {"type": "array", "items": items}


def typed_reply(*, typed: bool) -> dict[str, Any]:
    """The member of a reply that holds new types, where it may have one."""
    return {"ontology_updates": {"type": "object"}} if typed else {}


def read_type(record: object) -> str | None:
    """The type that a fact's record claims, as it is written there."""
    return _line(_first(record, _FACT_TYPE), MAX_TYPE) or None


def read_edges(record: object) -> tuple[EdgeProposal | None, ...]:
    """The edges of a fact's record; None stands for one that names no type or no target."""
    value = _first(record, _EDGES)
    items = value if isinstance(value, list) else [] if value is None else [value]
    return tuple(map(_edge, items))


def read_reply_updates(reply: object) -> OntologyUpdates:
    """The new types that a reply proposes: in its object, in that of a wrapper, or in one of a list of objects."""
    return _updates(reply, _DEPTH)


def _updates(value: object, depth: int) -> OntologyUpdates:
    found = read_updates(_first(value, _UPDATES))
    if found or not depth:
        return found
    members = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for member in members:
        if isinstance(member, Mapping):
            found += _updates(member, depth - 1)
    return found


def _edge(item: object) -> EdgeProposal | None:
    edge_type, target = _line(_first(item, _EDGE_TYPE), MAX_TYPE), _line(_first(item, _TARGET), MAX_TITLE)
    return EdgeProposal(edge_type, target) if edge_type and target else None


def _first(record: object, names: tuple[str, ...]) -> object:
    if not isinstance(record, Mapping):
        return None
    plain = {keys.plain(key): value for key, value in record.items()}
    return next((plain[name] for name in names if plain.get(name) not in (None, "", [], {})), None)


def _line(value: object, limit: int) -> str:
    line = " ".join(value.split()) if isinstance(value, str) else ""
    return line if len(line) <= limit else ""
