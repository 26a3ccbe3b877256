"""One fact as a caller states it, or changes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import ImmutableFact, InvalidOption, NotFound
from lorelite.ids import random_id
from lorelite.memory.fields import check_window, checked_fact
from lorelite.memory.ontology import stated_type
from lorelite.records import Node

TRUST_FIELDS = frozenset({"lifecycle", "stale_after", "generated_by", "sources", "usage_window"})
"""What may be set of a fact that a document states: what is thought of it, not what it says."""


def write_fact(engine: Engine, namespace: str, node_id: str | None, given: Mapping[str, object]) -> Node:
    """Store a fact and give it back. With *node_id* that fact is stated anew: fields that are not given stay.

    A verification speaks of what was said then, so those of other words go. Raises ImmutableFact for a fact of a
    document, NodeOwnershipConflict for a node of another namespace, StrictOntologyViolation for a type outside a
    strict ontology.
    """
    fields = checked_fact(given)
    node_id = None if node_id is None else options.node_id("node_id", node_id)
    store = engine.store
    with store.atomic():
        # Not before the log's own moment, so that the row is there at the moment it names.
        now = engine.clock()
        known = None if node_id is None else store.nodes.get(namespace, node_id)
        if known is None:
            if node_id is not None and (part := store.merges.of(namespace, [node_id])):
                told = f"{node_id}, an entity that is part of {part[0].into_id}"
                raise InvalidOption("node_id", "the id of a fact, or one that nothing has", told)
            fact = new_fact(namespace, node_id, now, fields)
        else:
            fact = changed(_changeable(known, set(fields)), fields, now)
        if "node_type" in fields:
            fact = replace(fact, node_type=stated_type(engine, namespace, fact.node_type, fact.id))
        check_window(fact.valid_from, fact.valid_to)
        store.namespaces.ensure(namespace)
        store.nodes.put([fact], whole=True)
    return fact


def update_fact(engine: Engine, namespace: str, node_id: str, given: Mapping[str, object]) -> Node:
    """Change the given fields of a fact and give it back. Raises NotFound, and ImmutableFact as `write_fact` does."""
    fields = checked_fact(given)
    with engine.store.atomic():
        known = engine.store.nodes.get(namespace, options.node_id("node_id", node_id))
        if known is None:
            raise NotFound("fact", node_id, "it was never there, or was forgotten")
        fact = changed(_changeable(known, set(fields)), fields, engine.clock())
        if "node_type" in fields:
            fact = replace(fact, node_type=stated_type(engine, namespace, fact.node_type, fact.id))
        check_window(fact.valid_from, fact.valid_to)
        engine.store.nodes.put([fact], whole=True)
    return fact


def new_fact(namespace: str, node_id: str | None, now: int, fields: Mapping[str, Any]) -> Node:
    """A fact that a caller states, from checked fields."""
    stated = {"confidence": "certain", "source_type": "user_stated"} | dict(fields)
    return Node(
        id=random_id("fact") if node_id is None else node_id,
        namespace=namespace,
        kind="fact",
        created_at=now,
        updated_at=now,
        **stated,
    )


def changed(fact: Node, fields: Mapping[str, Any], now: int) -> Node:
    """The fact with checked fields in place of its own. Other words are the caller's and no inference any more, and
    nobody has verified them. Without an end it holds again, whatever took its place."""
    after = replace(fact, **fields, updated_at=now)
    if "valid_to" in fields and after.valid_to is None:
        after = replace(after, superseded_by=None, superseded_at=None)
    if (after.title, after.body) == (fact.title, fact.body):
        return after
    is_inferred = after.source_type == "librarian_inferred" and "source_type" not in fields
    return replace(after, origin="stated", verified=(), source_type="user_stated" if is_inferred else after.source_type)


def _changeable(node: Node, fields: set[str]) -> Node:
    if node.kind != "fact":
        raise InvalidOption("node_id", "the id of a fact", f"{node.id}, a node of kind {node.kind!r}")
    if node.source_type == "immutable_document" and not fields <= TRUST_FIELDS:
        raise ImmutableFact(node.id, node.source_ref)
    return node
