"""An entity taken out of the one that it was made part of, with all that is its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lorelite.engine import Engine
from lorelite.ingest.entities import is_shared, merged_entity, refresh_entities, said_lines, summary_of
from lorelite.ingest.ownership import remove_nodes
from lorelite.records import Node
from lorelite.resolution.absorbing import support_hash
from lorelite.resolution.giving_back import GivingBack, return_rests
from lorelite.resolution.shares import Move
from lorelite.store.changes import Row
from lorelite.store.merge_shares import Share
from lorelite.store.merges import MergeRow
from lorelite.store.nodes import node_fields_of

_WATCHED = (
    "title", "body", "node_type", "extra", "tags", "deleted_at", "source_ref", "source_hash", "lifecycle", "verified",
    "valid_to",
)  # fmt: skip
"""Columns of a survivor that tell whether it is what the merge left."""


def part(engine: Engine, namespace: str, made: MergeRow) -> None:
    """Take one merge back: what the entity has of its own by now is its own again, and the survivor says the rest."""
    store = engine.store
    undo = store.merges.undo(namespace, made.from_id)
    shares = list(store.merge_shares.of(namespace, made.from_id).values())
    is_untouched = made.into_id in store.rows.get("node", [made.into_id]) and "left" in undo
    giving = GivingBack(engine, namespace, made, shares, is_untouched=is_untouched)
    row = _own_node(engine, namespace, undo, shares, giving.standing)
    store.rows.set(namespace, {"node": {made.from_id: row}})
    giving.run()
    return_rests(engine, namespace, shares, is_untouched="left" in undo)
    if related := undo.get("related"):
        store.merges.relate(namespace, made.into_id, made.from_id, related)
    store.merges.delete(namespace, made.from_id)
    store.merge_shares.delete(namespace, [made.from_id])
    _settle_survivor(engine, namespace, made, undo, giving.is_untouched)


def _own_node(
    engine: Engine, namespace: str, undo: Mapping[str, Any], shares: Sequence[Share], moves: Sequence[Move]
) -> Row:
    """The entity as it was; deleted when nothing is left of it, for rows may refer to it."""
    rows: list[Row] = [undo["node"], *(share["node"] for share in shares if "node" in share)]
    row = next((row for row in reversed(rows) if _is_stated(engine, namespace, row)), undo["node"])
    if _is_stated(engine, namespace, row):
        return row
    node = Node(**node_fields_of(row))
    is_supported = any(move.table == "support" and not move.is_made for move in moves)
    if node.source_ref is not None and is_supported:
        shared = {"kind": "entity", "source_ref": None, "source_hash": None}
        return {**row, **shared, "confidence": "inferred", "source_type": "immutable_document"}
    is_left = is_supported if node.source_ref is not None or is_shared(node) else True
    return row if is_left else {**row, "deleted_at": engine.clock()}


def _is_stated(engine: Engine, namespace: str, row: Row) -> bool:
    ref, hash = row["source_ref"], row["source_hash"]
    return ref is not None and engine.store.documents.find(namespace, ref, hash) is not None


def _settle_survivor(
    engine: Engine, namespace: str, made: MergeRow, undo: Mapping[str, Any], is_untouched: bool
) -> None:
    store, now = engine.store, engine.clock()
    into = store.nodes.get(namespace, made.into_id)
    is_as_before = undo["support"] == support_hash(engine, made.into_id)
    if is_untouched and is_as_before and _is_as_left(store.rows.get("node", [made.into_id]), made, undo["left"]):
        store.rows.set(namespace, {"node": {made.into_id: undo["into"]}})
        return
    said = store.documents.support([made.into_id])
    if into is not None and is_shared(into):
        if not said:
            remove_nodes(engine, namespace, [made.into_id])
        else:
            before, lines = Node(**node_fields_of(undo["into"])), said_lines(said)
            if summary_of(into, lines) is None and summary_of(before, lines) is not None:
                told = replace(into, extra=before.extra, updated_at=now)
                store.nodes.put([merged_entity(told, said)], whole=True)
    refresh_entities(engine, namespace, [made.into_id, made.from_id], now)


def _is_as_left(rows: Mapping[str, Row], made: MergeRow, left: Row) -> bool:
    now = rows.get(made.into_id)
    return now is not None and all(now[name] == left[name] for name in _WATCHED)
