"""What is said of one entity said of another from now on, and kept as the share of the one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lorelite.engine import Engine
from lorelite.ids import text_hash
from lorelite.ingest.entities import refresh_entities
from lorelite.records import Node
from lorelite.resolution.shares import MOVED, Move, Place, Rest, added, record_id
from lorelite.store.changes import Row
from lorelite.store.entity_graph import ABOUT, MENTIONS
from lorelite.store.merge_shares import NAMES, NO_DOCUMENT, WHOLE, ShareKey
from lorelite.store.merges import MergeRow
from lorelite.store.nodes import node_fields_of
from lorelite.text.title_key import title_key

_RESTING = ("edge", "statement", "citation")


def support_hash(engine: Engine, id: str) -> str:
    """Of all that is said of a node."""
    return text_hash(repr([tuple(row) for row in engine.store.documents.support([id])]))


def absorb(engine: Engine, namespace: str, made: MergeRow, *, is_new: bool) -> list[Move]:
    """Make what is said of one entity the other's. Gives what was moved."""
    store = engine.store
    node = store.nodes.get(namespace, made.from_id)
    stayed = store.nodes.get(namespace, made.into_id)
    into = stayed or _returned(engine, namespace, made, node)
    there_now = store.rows.get("node", [made.into_id])
    if made.into_id not in there_now:
        return []
    rows = store.merges.rows_of(namespace, made.from_id)
    place = Place(namespace, made.from_id, made.into_id, there_now[made.into_id]["title"])
    wholes = {made.from_id, made.into_id}
    kept = {row["id"] for row in rows["edge"] if {row["source_id"], row["target_id"]} <= wholes}
    edge_ids = {row["id"]: place.edge_id(row) for row in rows["edge"] if row["id"] not in kept}
    own = {table: [row for row in rows[table] if not _rests(row, kept)] for table in MOVED}
    rests = [(table, row) for table in _RESTING for row in rows[table] if _rests(row, kept)]
    made_up = [] if node is None or node.source_ref is None else _as_said(engine, namespace, node, rows)
    moves = _moves(engine, place, own, made_up, edge_ids)
    if not is_new and not moves and not rests and node is None:
        return []
    own_row = None if node is None else store.rows.get("node", [node.id])[node.id]
    names = {row["alias_key"] for row in rows["alias"]} - (set() if into is None else _names(engine, into))
    if is_new:
        names |= store.merges.names_of(namespace, store.merges.within(namespace, made.from_id)).keys()
    if node is not None and (into is None or title_key(into.title) != title_key(node.title)):
        # A title stands for its bearer, whoever else is called so.
        names |= {title_key(node.title)} - {""}
    if is_new:
        assert node is not None and own_row is not None
        undo: dict[str, Any] = {
            "node": own_row,
            "into": there_now[made.into_id],
            "support": support_hash(engine, made.into_id) if stayed else "",
            "names": sorted(names),
        }
    _take_out(engine, namespace, rests)
    _move(engine, namespace, place, moves, edge_ids)
    store.nodes.delete(namespace, [made.from_id])
    if into is not None:
        refresh_entities(engine, namespace, [made.into_id], engine.clock())
    if is_new:
        undo["related"] = store.merges.relate(namespace, made.from_id, made.into_id)
        undo["left"] = store.rows.get("node", [made.into_id])[made.into_id]
        store.merges.put(namespace, made, undo)
        _keep(engine, namespace, made.from_id, moves, rests, None)
    else:
        store.statements.work_out(namespace, list(edge_ids.values()), engine.clock())
        is_stated = node is not None and node.source_ref is not None
        if _keep(engine, namespace, made.from_id, moves, rests, own_row if is_stated else None) or node is not None:
            store.merge_shares.changed(namespace, [made.from_id])
        store.merges.add_names(namespace, made.from_id, names)
    return moves


def _returned(engine: Engine, namespace: str, made: MergeRow, node: Node | None) -> Node | None:
    """The survivor, which is gone, come back under its name as what others are part of; None where it is itself a part
    of another: that one is told of it."""
    row = engine.store.rows.get("node", [made.into_id]).get(made.into_id)
    if node is None or (row is not None and engine.store.merges.of(namespace, [made.into_id])):
        return None
    row = row or engine.store.merges.undo(namespace, made.from_id).get("into")
    back = node if row is None else Node(**node_fields_of(row))
    shared = replace(
        back,
        id=made.into_id,
        kind="entity",
        namespace=namespace,
        body="",
        tags=(),
        confidence="inferred",
        source_type="immutable_document",
        source_ref=None,
        source_hash=None,
        updated_at=engine.clock(),
    )
    engine.store.nodes.put([shared])
    return shared


def _rests(row: Row, kept: set[str]) -> bool:
    return not kept.isdisjoint({row.get("edge_id"), row.get("owner_id"), row.get("id")})


def _as_said(engine: Engine, namespace: str, node: Node, rows: Mapping[str, Sequence[Row]]) -> list[tuple[str, Row]]:
    """What a source states in the node's own fields, as rows that say it of another."""
    document = engine.store.documents.find(namespace, node.source_ref or "", node.source_hash or "")
    if document is None:
        return []
    said = {"node_id": node.id, "document_id": document.id, "ordinal": -1}
    found: list[tuple[str, Row]] = [
        ("support", {**said, "title": node.title, "node_type": node.node_type, "body": node.body})
    ]
    name = {
        "namespace": namespace,
        "alias_key": title_key(node.title),
        "node_id": node.id,
        "document_id": document.id,
    }
    if name["alias_key"] and name not in rows["alias"]:
        found.append(("alias", name))
    return found


# -- rows -------------------------------------------------------------------------------------------------------


def _moves(
    engine: Engine,
    place: Place,
    own: Mapping[str, Sequence[Row]],
    made_up: Sequence[tuple[str, Row]],
    edge_ids: Mapping[str, str],
) -> list[Move]:
    """Every row with what the survivor has where it goes to. made_up: rows that stand for fields of the entity."""
    made: dict[tuple[str, str], Row] = {}
    for table, row in [*made_up, *_bare_statements(engine, place, own, edge_ids)]:
        made[table, record_id(table, place.moved(table, row, edge_ids))] = row
    moves = []
    for table in MOVED:
        goes = [(record_id(table, place.moved(table, row, edge_ids)), row) for row in own[table]]
        # What fields say in the same place as a row goes with that.
        beside = {id: made.pop((table, id)) for id, _ in goes if (table, id) in made}
        alone = [(id, row) for (name, id), row in made.items() if name == table]
        ids = [id for id, _ in (*goes, *alone)]
        if table == "edge":
            there: Mapping[str, Row] = engine.store.merges.edges(id for id in ids if id not in edge_ids)
        else:
            there = engine.store.rows.get(table, ids)
        moves += [Move(table, row, there.get(id), also=beside.get(id)) for id, row in goes]
        moves += [Move(table, row, there.get(id), is_made=True) for id, row in alone]
    return moves


def _bare_statements(
    engine: Engine, place: Place, own: Mapping[str, Sequence[Row]], edge_ids: Mapping[str, str]
) -> list[tuple[str, Row]]:
    """Where one of two edges that become one has statements: what the other says as a statement too, for the edge's
    weight is worked out of these."""
    stated = {row["edge_id"] for row in own["statement"]}
    there = engine.store.merges.edges(id for id in edge_ids.values() if id not in edge_ids)
    stated_there = engine.store.statements.stated_edges(list(there))
    found: list[tuple[str, Row]] = []
    for row in own["edge"]:
        other = there.get(edge_ids[row["id"]])
        if other is None or (row["id"] in stated) == (other["id"] in stated_there):
            continue
        bare = row if row["id"] not in stated else other
        document = engine.store.documents.find(place.namespace, bare["source_ref"] or "", bare["source_hash"] or "")
        if document is not None:
            said = {"edge_id": bare["id"], "document_id": document.id, "ordinal": -1}
            found.append(("statement", {**said, "weight": bare["weight"], "description": bare["description"]}))
    return found


def _take_out(engine: Engine, namespace: str, rests: Sequence[Rest]) -> None:
    """What joins the two themselves is in the share of the one for as long as they are one."""
    gone: dict[str, dict[str, Row | None]] = {"statement": {}, "citation": {}}
    for table, row in rests:
        if table != "edge":
            gone[table][record_id(table, row)] = None
    engine.store.rows.set(namespace, gone)
    engine.store.merges.replace_edges(namespace, [row["id"] for table, row in rests if table == "edge"], [])


def _move(engine: Engine, namespace: str, place: Place, moves: Sequence[Move], edge_ids: Mapping[str, str]) -> None:
    store = engine.store
    gone: dict[str, dict[str, Row | None]] = {table: {} for table in MOVED}
    come: dict[str, dict[str, Row | None]] = {table: {} for table in MOVED}
    for move in moves:
        if not move.is_made:
            gone[move.table][record_id(move.table, move.own)] = None
        after = place.made_of(move, edge_ids)
        come[move.table][record_id(move.table, after)] = after
    edges, coming = gone.pop("edge"), come.pop("edge")
    store.rows.set(namespace, gone)
    store.merges.replace_edges(namespace, edges, [row for row in coming.values() if row])
    store.rows.set(namespace, come)


def _names(engine: Engine, into: Node) -> set[str]:
    return {title_key(into.title), *engine.store.entities.aliases([into.id]).get(into.id, ())}


# -- shares -----------------------------------------------------------------------------------------------------


def _keep(
    engine: Engine, namespace: str, from_id: str, moves: Sequence[Move], rests: Sequence[Rest], node: Row | None
) -> bool:
    """Keep what was moved, each row with the part of the document that says it. False: all of it was kept already."""
    shares = engine.store.merge_shares
    parts = _Parts(engine, namespace, from_id, [*((move.table, move.own) for move in moves), *rests])
    moved: defaultdict[ShareKey, list[Move]] = defaultdict(list)
    resting: defaultdict[ShareKey, list[Rest]] = defaultdict(list)
    stated: dict[ShareKey, Row] = {}
    for move in moves:
        for key in parts.of(move.table, move.own):
            moved[key].append(move)
    for table, row in rests:
        for key in parts.of(table, row):
            resting[key].append((table, row))
    if node is not None:
        stated[ShareKey(parts.document_of(node), WHOLE, from_id)] = node
    keys = moved.keys() | resting.keys() | stated.keys()
    before = shares.get(namespace, keys)
    after = {
        key: added(before.get(key), moved.get(key, ()), resting.get(key, ()), stated.get(key)) for key in sorted(keys)
    }
    changed = {key: share for key, share in after.items() if share != before.get(key)}
    shares.set(namespace, changed)
    return bool(changed)


class _Parts:
    """Which parts of which documents say what."""

    def __init__(self, engine: Engine, namespace: str, from_id: str, rows: Sequence[tuple[str, Row]]) -> None:
        self._engine = engine
        self._namespace = namespace
        self._from_id = from_id
        self._documents: dict[tuple[str | None, str | None], str] = {(None, None): NO_DOCUMENT}
        merges = engine.store.merges
        cited = {(row["document_id"], row["start"]) for table, row in rows if table == "citation"}
        self._ordinals = merges.ordinals_at(cited) if cited else {}
        mentions = {row["source_id"] for table, row in rows if table == "edge" and row["edge_type"] == MENTIONS}
        self._chunks = merges.chunk_places(mentions) if mentions else {}
        self._stated: defaultdict[str, set[str]] = defaultdict(set)
        for table, row in rows:
            if table == "statement":
                self._stated[row["edge_id"]].add(str(row["ordinal"]))

    def of(self, table: str, row: Row) -> list[ShareKey]:
        """The shares that a row belongs to; an edge is needed wherever a part states it."""
        if table == "edge":
            document, parts = self.document_of(row), self._parts_of_edge(row)
        else:
            document = row["document_id"]
            parts = {NAMES} if table == "alias" else {str(self._ordinal(table, row))}
        return [ShareKey(document, part, self._from_id) for part in sorted(parts)]

    def _ordinal(self, table: str, row: Row) -> int:
        if table == "citation":
            return self._ordinals.get((row["document_id"], row["start"]), -1)
        return int(row["ordinal"])

    def _parts_of_edge(self, edge: Row) -> set[str]:
        if edge["id"] in self._stated:
            return self._stated[edge["id"]]
        if edge["edge_type"] == MENTIONS and edge["source_id"] in self._chunks:
            return {str(self._chunks[edge["source_id"]][1])}
        return {edge["source_id"] if edge["edge_type"] == ABOUT else WHOLE}

    def document_of(self, row: Row) -> str:
        """The id of the document that states a node or an edge."""
        source = (row["source_ref"], row["source_hash"])
        if source not in self._documents:
            document = self._engine.store.documents.find(self._namespace, source[0] or "", source[1] or "")
            self._documents[source] = NO_DOCUMENT if document is None else document.id
        return self._documents[source]
