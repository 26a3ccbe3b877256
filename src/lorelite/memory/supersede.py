"""`supersede`: from a moment on one fact holds in another's place, and the old one stays as what was held before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import InvalidOption, SupersedeError
from lorelite.memory.facts import new_fact
from lorelite.memory.fields import check_window, checked_fact
from lorelite.memory.ontology import stated_type
from lorelite.records import Node
from lorelite.reports import SupersedeReport


def supersede(
    engine: Engine, namespace: str, node_id: str, by: str | Mapping[str, Any], valid_from: int | None
) -> SupersedeReport:
    """End *node_id* and begin *by* (an id, or the fields of a new fact) at *valid_from*, all or nothing.

    Raises SupersedeError with its reason; InvalidOption for a replacement that is no fact.
    """
    store = engine.store
    with store.atomic("supersede"):
        now = engine.clock()
        moment = now if valid_from is None else valid_from
        old = _live(engine, namespace, node_id, node_id)
        if old.kind != "fact":
            raise InvalidOption("node_id", "the id of a fact", f"{old.id}, a node of kind {old.kind!r}")
        # A successor that was forgotten holds nobody's place.
        if old.superseded_by is not None and store.nodes.get(namespace, old.superseded_by) is not None:
            raise SupersedeError("already_superseded", node_id, f"{old.superseded_by!r} took its place; supersede that")
        if old.source_type == "immutable_document":
            raise SupersedeError(
                "immutable_target", node_id, "a document states it; forget it, or take the changed document in"
            )
        new = _successor(engine, namespace, old, by, now, moment)
        # One that has ended by then, as what something else took the place of, keeps its window.
        if new.valid_from is None and (new.valid_to is None or moment < new.valid_to):
            new = replace(new, valid_from=moment)
        ended = replace(old, valid_to=_end(old, moment), superseded_by=new.id, superseded_at=now, updated_at=now)
        store.nodes.put([ended, new], whole=True)
    return SupersedeReport(old_id=old.id, new_id=new.id, valid_from=moment)


def _end(old: Node, moment: int) -> int:
    """When the old fact ends: at the moment, unless it had ended before, and not by a supersession now overruled."""
    if old.valid_to is None or old.superseded_by is not None:
        return moment
    return min(old.valid_to, moment)


def _successor(engine: Engine, namespace: str, old: Node, by: str | Mapping[str, Any], now: int, moment: int) -> Node:
    if isinstance(by, str):
        new = _live(engine, namespace, options.node_id("by", by), old.id)
        if new.kind != "fact":
            raise InvalidOption("by", "the id of a fact", f"{new.id}, a node of kind {new.kind!r}")
        if engine.store.succession.leads_to(namespace, new.id, old.id):
            raise SupersedeError("cycle", old.id, f"it took the place of {new.id!r} itself")
        return replace(new, updated_at=now)
    if not isinstance(by, Mapping):
        raise InvalidOption("by", "the id of a fact, or a mapping with title and body", by)
    missing = [name for name in ("title", "body") if by.get(name) is None]
    if missing:
        raise InvalidOption("by", "a new fact with title and body", f"no {' and no '.join(missing)}")
    fields = {str(name): value for name, value in by.items()}
    node_id = fields.pop("node_id", None)
    if node_id is not None:
        node_id = options.node_id("by.node_id", node_id)
        engine.store.nodes.check_owner(namespace, [node_id])
        if engine.store.nodes.get(namespace, node_id) is not None:
            raise InvalidOption("by.node_id", "an id that is not in use; pass the id itself as by=", node_id)
    fact = new_fact(namespace, node_id, now, checked_fact(fields))
    check_window(moment if fact.valid_from is None else fact.valid_from, fact.valid_to)
    return replace(fact, node_type=stated_type(engine, namespace, fact.node_type, fact.id))


def _live(engine: Engine, namespace: str, id: str, old_id: str) -> Node:
    node = engine.store.nodes.get(namespace, id)
    if node is not None:
        return node
    subject = "it" if id == old_id else f"{id!r}, which is to take its place,"
    if engine.store.succession.is_elsewhere(namespace, id):
        raise SupersedeError("cross_namespace", old_id, f"{subject} belongs to another namespace")
    raise SupersedeError("not_found", old_id, f"{subject} is not there, or was forgotten")
