"""Entities made one, and taken apart again exactly.

All that is said of an entity that is merged away becomes the survivor's: what documents and chunks say of it, its
names, citations, relations. Its row in `merge` keeps what it had of its own. Later documents still write what they say
under its name as if nothing had been merged, and `settle` hands that over in the same transaction; so undoing gives
back what came in after the merge as well. What joins the two themselves rests with the one that is gone, and returns
with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import InvalidOption, NotFound
from lorelite.ingest.entities import refresh_entities
from lorelite.merge_records import MergedEntity, MergeReport
from lorelite.records import Node
from lorelite.resolution.parting import part, support_hash
from lorelite.resolution.shares import MOVED, Move, Place, latest, own_names, record_id, united
from lorelite.store.changes import Row
from lorelite.store.merges import MergeRow
from lorelite.text.title_key import title_key

CAUSE = "merge"
_MOST_SHOWN = 3


def merge_entities(
    engine: Engine, namespace: str, *, into: str, others: Sequence[str], reason: str = "stated"
) -> MergeReport:
    """Make *others* part of *into*. Raises NotFound, and InvalidOption for what is no entity: nothing is written."""
    survivor = entity_named(engine, namespace, "into", into)
    merged = list(dict.fromkeys(entity_named(engine, namespace, "others", other).id for other in others))
    if not merged:
        raise InvalidOption("others", "at least one entity", list(others))
    if survivor.id in merged:
        raise InvalidOption("others", f"entities other than {survivor.title!r}, which is into", into)
    moves: list[Move] = []
    with engine.store.atomic(CAUSE):
        for id in merged:
            engine.store.merges.allow(namespace, (id, survivor.id))
            made = MergeRow(id, survivor.id, reason, _next_moment(engine, namespace))
            moves += absorb(engine, namespace, made, is_new=True)
        stays = engine.store.nodes.get(namespace, survivor.id)
    return MergeReport(
        namespace=namespace,
        into_id=survivor.id,
        name=stays.title if stays else survivor.title,
        merged=tuple(merged),
        documents=len({move.own["document_id"] for move in moves if move.table == "support"}),
        mentions=sum(move.table == "citation" and move.own["owner_id"] in merged for move in moves),
        relations=sum(move.table == "edge" for move in moves),
    )


def entity_named(engine: Engine, namespace: str, field: str, given: str) -> Node:
    """The live entity with this id, or the only one of this title or other name. Raises NotFound, InvalidOption."""
    store = engine.store
    node = store.nodes.get(namespace, given)
    if node is None:
        keys = {title_key(given)} - {""}
        named = store.nodes.find_titled(namespace, keys).get(title_key(given), ())
        titled = [each for each in named if title_key(each.title) == title_key(given)] or named
        found = list({each.id: each for each in titled}.values())
        if len(found) > 1:
            ids = ", ".join(repr(each.id) for each in found[:_MOST_SHOWN])
            raise InvalidOption(field, f"the id of one of the {len(found)} entities of that name ({ids})", given)
        if not found:
            gone = store.merges.of(namespace, [given])
            hint = f"it is part of {gone[0].into_id!r}" if gone else "lorelite search finds entities by their words"
            raise NotFound("entity", given, hint)
        node = found[0]
    is_own_word = node.kind == "fact" and node.source_type != "immutable_document"
    if is_own_word or node.id not in store.entities.among(namespace, [node.id]):
        raise InvalidOption(field, f"an entity; {node.id!r} is a {node.kind}, which is one of a kind", given)
    return node


def settle(engine: Engine, namespace: str, ids: Iterable[str]) -> dict[str, str]:
    """Hand over what was written of entities that are part of others. Gives node → the node that it is part of now."""
    found: dict[str, MergeRow] = {}
    waiting = engine.store.merges.of(namespace, ids)
    while waiting:
        found |= {row.from_id: row for row in waiting}
        ends = {row.into_id for row in waiting} - found.keys()
        waiting = engine.store.merges.of(namespace, ends) if ends else []
    # What is part of a part comes first: a merge is younger than those into what it merges.
    for row in sorted(found.values(), key=lambda row: (row.merged_at, row.from_id)):
        absorb(engine, namespace, row, is_new=False)
    return {id: _final(id, found) for id in found}


def _final(id: str, found: dict[str, MergeRow]) -> str:
    while id in found:
        id = found[id].into_id
    return id


def absorb(engine: Engine, namespace: str, made: MergeRow, *, is_new: bool) -> list[Move]:
    """Make what is said of one entity the other's. Gives what was moved."""
    store = engine.store
    node = store.nodes.get(namespace, made.from_id)
    stayed = store.nodes.get(namespace, made.into_id)
    into = stayed or _returned(engine, namespace, made, node)
    if made.into_id not in store.rows.get("node", [made.into_id]):
        return []
    rows = store.merges.rows_of(namespace, made.from_id)
    place = Place(made.from_id, made.into_id, store.rows.get("node", [made.into_id])[made.into_id]["title"])
    kept = _kept(engine, namespace, rows["edge"], made)
    edge_ids = {row["id"]: place.edge_id(row) for row in rows["edge"] if row["id"] not in kept}
    own = {
        table: [row for row in rows[table] if not kept & {row.get("edge_id"), row.get("owner_id"), row.get("id")}]
        for table in MOVED
    }
    stated = [] if node is None or node.source_ref is None else _as_said(engine, namespace, node, rows)
    there = _there(engine, place, own, edge_ids, stated)
    moves = [
        Move(table, row, there.get((table, record_id(table, place.moved(table, row, edge_ids)))))
        for table in MOVED
        for row in own[table]
    ]
    moves += [
        Move(table, row, there.get((table, record_id(table, place.moved(table, row, {})))), is_made=True)
        for table, row in stated
    ]
    if not is_new and not moves and node is None:
        return []
    into_names = set() if into is None or not is_new else _names(engine, into)
    share: dict[str, Any] = {"moves": [move.as_json() for move in moves]}
    share["rests"] = [
        {"table": table, "own": row}
        for table in ("edge", "statement", "citation")
        for row in rows[table]
        if kept & {row.get("edge_id"), row.get("owner_id"), row.get("id")}
    ]
    if node is not None and (is_new or node.source_ref is not None):
        share["node"] = store.rows.get("node", [node.id])[node.id]
    if is_new:
        assert node is not None
        share["support"] = support_hash(engine, made.into_id) if stayed else ""
        share["into"] = store.rows.get("node", [made.into_id])[made.into_id]
        share["names"] = own_names(rows["alias"], title_key(node.title), into_names)
    _move(engine, namespace, place, moves, edge_ids)
    store.nodes.delete(namespace, [made.from_id])
    if into is not None:
        refresh_entities(engine, namespace, [made.into_id], engine.clock())
    if is_new:
        share["related"] = store.merges.relate(namespace, made.from_id, made.into_id)
        share["left"] = store.rows.get("node", [made.into_id])[made.into_id]
        store.merges.put(namespace, made, share)
    else:
        store.merges.add_share(namespace, made.from_id, share)
    return moves


def _returned(engine: Engine, namespace: str, made: MergeRow, node: Node | None) -> Node | None:
    """The survivor, which is gone, come back as the entity that is said to be part of it; None where it is itself a
    part of another: that one is told of it."""
    is_part = bool(engine.store.merges.of(namespace, [made.into_id]))
    is_there = made.into_id in engine.store.rows.get("node", [made.into_id])
    if node is None or (is_part and is_there):
        return None
    back = replace(node, id=made.into_id, kind="entity", source_ref=None, source_hash=None)
    engine.store.nodes.put([replace(back, confidence="inferred", source_type="immutable_document")])
    if is_part:
        engine.store.nodes.delete(namespace, [made.into_id])
        return None
    return back


def _kept(engine: Engine, namespace: str, edges: Sequence[Row], made: MergeRow) -> set[str]:
    """The edges that join the two, or the one and what the other is part of."""
    wholes, id = {made.into_id, made.from_id}, made.into_id
    while rows := engine.store.merges.of(namespace, [id]):
        id = rows[0].into_id
        wholes.add(id)
    return {row["id"] for row in edges if row["source_id"] in wholes and row["target_id"] in wholes}


def _as_said(engine: Engine, namespace: str, node: Node, rows: dict[str, list[Row]]) -> list[tuple[str, Row]]:
    """What a source states in the node's own fields, as rows that say it of another."""
    document = engine.store.documents.find(namespace, node.source_ref or "", node.source_hash or "")
    if document is None:
        return []
    said = {"node_id": node.id, "document_id": document.id, "ordinal": -1}
    found: list[tuple[str, Row]] = []
    if not any(row["document_id"] == document.id and row["ordinal"] == -1 for row in rows["support"]):
        found.append(("support", {**said, "title": node.title, "node_type": node.node_type, "body": node.body}))
    name = {
        "namespace": namespace,
        "alias_key": title_key(node.title),
        "node_id": node.id,
        "document_id": document.id,
    }
    if name["alias_key"] and name not in rows["alias"]:
        found.append(("alias", name))
    return found


def _there(
    engine: Engine,
    place: Place,
    own: dict[str, list[Row]],
    edge_ids: dict[str, str],
    stated: Sequence[tuple[str, Row]],
) -> dict[tuple[str, str], Row]:
    """(table, record id) → what the survivor has where rows go to."""
    found: dict[tuple[str, str], Row] = {}
    for table in MOVED:
        rows = [*own[table], *(row for name, row in stated if name == table)]
        ids = [record_id(table, place.moved(table, row, edge_ids)) for row in rows]
        if table == "edge":
            at = engine.store.merges.edges(id for id in ids if id not in edge_ids)
        else:
            at = engine.store.rows.get(table, ids)
        found |= {(table, id): row for id, row in at.items()}
    return found


def _move(engine: Engine, namespace: str, place: Place, moves: Sequence[Move], edge_ids: dict[str, str]) -> None:
    store = engine.store
    gone: dict[str, dict[str, Row | None]] = {table: {} for table in MOVED}
    come: dict[str, dict[str, Row | None]] = {table: {} for table in MOVED}
    for move in moves:
        if not move.is_made:
            gone[move.table][record_id(move.table, move.own)] = None
        after = united(move.table, place.moved(move.table, move.own, edge_ids), move.there)
        come[move.table][record_id(move.table, after)] = after
    edges, coming = gone.pop("edge"), come.pop("edge")
    store.rows.set(namespace, gone)
    store.merges.replace_edges(edges, [row for row in coming.values() if row])
    store.rows.set(namespace, come)


def _names(engine: Engine, into: Node) -> set[str]:
    return {title_key(into.title), *engine.store.entities.aliases([into.id]).get(into.id, ())}


def _next_moment(engine: Engine, namespace: str) -> int:
    """Of a merge: after all others, so that their order is known."""
    last = max((row.merged_at for row in engine.store.merges.all(namespace)), default=0)
    return max(engine.clock(), last + 1)


# -- taking apart -----------------------------------------------------------------------------------------------


def undo_merge(engine: Engine, namespace: str, merged_id: str) -> MergedEntity:
    """Take an entity out of the one that it is part of. Raises NotFound when it is part of none.

    Later merges that rest on this one are taken back first and made again.
    """
    store = engine.store
    made = _merge_of(engine, namespace, merged_id)
    told = list_merges(engine, namespace, [made])[0]
    with store.atomic(CAUSE):
        later = _resting_on(engine, namespace, made)
        before = {row.from_id: store.merges.shares(namespace, row.from_id)[0] for row in later}
        for row in [*reversed(later), made]:
            part(engine, namespace, row)
        for row in later:
            if store.nodes.get(namespace, row.from_id) is not None:
                absorb(engine, namespace, row, is_new=True)
            else:
                # Nobody says anything of it at present; its names go on standing for the whole.
                nothing = {"moves": [], "rests": [], "support": "", "related": {}}
                store.merges.put(namespace, row, before[row.from_id] | nothing)
    return told


def _resting_on(engine: Engine, namespace: str, made: MergeRow) -> list[MergeRow]:
    """The later merges of which it is a part, that have the same survivor, or that moved on an edge which it moved."""
    merges = engine.store.merges
    ids, edges, found = {made.from_id, made.into_id}, _edges_moved(engine, namespace, made)[1], []
    for row in merges.all(namespace):
        if (row.merged_at, row.from_id) <= (made.merged_at, made.from_id):
            continue
        taken, left = _edges_moved(engine, namespace, row)
        if ids & {row.from_id, row.into_id} or edges & taken:
            ids |= {row.from_id, row.into_id}
            edges |= left
            found.append(row)
    return found


def _edges_moved(engine: Engine, namespace: str, row: MergeRow) -> tuple[set[str], set[str]]:
    """The ids of the edges that a merge took from where they were, and those that they have where it left them."""
    place = Place(row.from_id, row.into_id, "")
    edges = [move.own for move in latest(engine.store.merges.shares(namespace, row.from_id)) if move.table == "edge"]
    return {edge["id"] for edge in edges}, {place.edge_id(edge) for edge in edges}


def _merge_of(engine: Engine, namespace: str, given: str) -> MergeRow:
    """The merge of the entity with this id, or the only one of this name."""
    found = engine.store.merges.of(namespace, [given])
    if not found:
        merges = engine.store.merges.all(namespace)
        told = list_merges(engine, namespace, merges)
        found = [row for row, each in zip(merges, told, strict=True) if title_key(each.name) == title_key(given)]
    if len(found) > 1:
        ids = ", ".join(repr(row.from_id) for row in found[:_MOST_SHOWN])
        raise InvalidOption("merged_id", f"the id of one of the {len(found)} merges of that name ({ids})", given)
    if not found:
        raise NotFound("merge", given, "list_merges tells what was merged")
    return found[0]


def list_merges(engine: Engine, namespace: str, merges: Sequence[MergeRow] | None = None) -> list[MergedEntity]:
    """What is part of what, the last merge first; or these merges as they come."""
    store = engine.store
    rows = list(reversed(store.merges.all(namespace))) if merges is None else merges
    names = store.merges.titles(namespace, [row.from_id for row in rows])
    there = store.rows.get("node", list(dict.fromkeys(row.into_id for row in rows)))
    return [
        MergedEntity(
            merged_id=row.from_id,
            into_id=row.into_id,
            name=names.get(row.from_id, row.from_id),
            into=there[row.into_id]["title"] if row.into_id in there else row.into_id,
            reason=row.reason,
            merged_at=row.merged_at,
        )
        for row in rows
    ]


def reject_merge(engine: Engine, namespace: str, first: str, second: str) -> None:
    """Remember that two entities are two: they are not suggested again. Raises as `merge_entities` does."""
    pair = [entity_named(engine, namespace, *given).id for given in (("first", first), ("second", second))]
    if pair[0] == pair[1]:
        raise InvalidOption("second", "another entity than first", second)
    with engine.store.atomic(CAUSE):
        engine.store.merges.reject(options.namespace(namespace), (pair[0], pair[1]))
