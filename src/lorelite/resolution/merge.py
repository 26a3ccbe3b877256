"""Entities made one, and taken apart again exactly.

All that is said of an entity that is merged away becomes the survivor's: what documents and chunks say of it, its
names, citations, relations. What it had of its own is kept in shares, by the part of the document that says it. Later
documents still write what they say under its name as if nothing had been merged, and `settle` hands that over in the
same transaction; a part that is read again first takes its share back (`hand_back`), and a document that goes takes its
shares along. So undoing gives what there would be without the merge. What joins the two themselves rests in the
share of the one that is gone, and returns with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import InvalidOption, NotFound, StrictOntologyViolation
from lorelite.memory.ontology import effective, violates
from lorelite.merge_records import MergedEntity, MergeReport
from lorelite.records import Node
from lorelite.resolution.absorbing import absorb
from lorelite.resolution.parting import part
from lorelite.resolution.shares import Move, Place, combined
from lorelite.store.merges import MergeRow
from lorelite.text.title_key import title_key

CAUSE = "merge"
_MOST_SHOWN = 3


def merge_entities(
    engine: Engine, namespace: str, *, into: str, others: Sequence[str], reason: str = "stated"
) -> MergeReport:
    """Make *others* part of *into*. Raises NotFound, InvalidOption for what is no entity, and StrictOntologyViolation
    for relations that a strict ontology does not permit the survivor: nothing is written then."""
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
            moved = absorb(engine, namespace, made, is_new=True)
            _check_ontology(engine, namespace, made, moved)
            moves += moved
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


def _check_ontology(engine: Engine, namespace: str, made: MergeRow, moves: Sequence[Move]) -> None:
    """Raises StrictOntologyViolation for an edge that was permitted before it was moved, and is not any more."""
    ontology = effective(engine, namespace)
    edges = [move.own for move in moves if move.table == "edge"] if ontology.mode == "strict" else []
    ends = {id for edge in edges for id in (edge["source_id"], edge["target_id"])} | {made.into_id}
    types = engine.store.ontology.types_of(namespace, ends) if edges else {}
    before = types | ({made.from_id: engine.store.merges.undo(namespace, made.from_id)["node"]["node_type"]})
    after = types | {made.from_id: types.get(made.into_id)}
    for edge in edges:
        kind, source, target = edge["edge_type"], edge["source_id"], edge["target_id"]
        was, now = (violates(ontology, kind, known.get(source), known.get(target)) for known in (before, after))
        if now and not was:
            told = f"{made.into_id} is a {after[made.from_id]}, of which the manifest does not permit it"
            raise StrictOntologyViolation(namespace, "edge", kind, f"{source} → {target}", told)


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


def wholes_of(engine: Engine, namespace: str, ids: Iterable[str]) -> list[str]:
    """These nodes, each once, and in the place of those that are part of others what they are part of."""
    found: dict[str, MergeRow] = {}
    given = list(ids)
    waiting = engine.store.merges.of(namespace, given)
    while waiting:
        found |= {row.from_id: row for row in waiting}
        waiting = engine.store.merges.of(namespace, {row.into_id for row in waiting} - found.keys())
    return list(dict.fromkeys(_final(id, found) for id in given))


def _final(id: str, found: Mapping[str, MergeRow]) -> str:
    passed = set[str]()
    while id in found and id not in passed:
        passed.add(id)
        id = found[id].into_id
    return id


def _next_moment(engine: Engine, namespace: str) -> int:
    """Of a merge: after all others, so that their order is known."""
    return max(engine.clock(), engine.store.merges.last_moment(namespace) + 1)


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
        before = {row.from_id: store.merges.undo(namespace, row.from_id) for row in [made, *later]}
        for row in [*reversed(later), made]:
            part(engine, namespace, row)
        for row in later:
            if store.nodes.get(namespace, row.from_id) is not None:
                absorb(engine, namespace, row, is_new=True)
            else:
                # Nobody says anything of it at present; its names go on standing for the whole, those aside that it
                # had of what is no longer part of it.
                undo = before[row.from_id]
                named = store.merges.names_of(namespace, store.merges.within(namespace, row.from_id)).keys()
                gone = set(before[made.from_id]["names"]) - {undo["node"]["title_key"]} - named
                kept = [name for name in undo["names"] if name not in gone]
                store.merges.put(namespace, row, undo | {"support": "", "related": {}, "names": kept})
                store.merge_shares.changed(namespace, [row.from_id])
    return told


def _resting_on(engine: Engine, namespace: str, made: MergeRow) -> list[MergeRow]:
    """The later merges of which it is a part, that have the same survivor, or that moved an edge from or to where it
    moved one."""
    shares = engine.store.merge_shares.all(namespace)

    def edges_moved(row: MergeRow) -> tuple[set[str], set[str]]:
        """The ids of the edges that a merge took from where they were, and those that they have where it left them."""
        place = Place(namespace, row.from_id, row.into_id)
        own = [move.own for move in combined(shares.get(row.from_id, {}).values()) if move.table == "edge"]
        return {edge["id"] for edge in own}, {place.edge_id(edge) for edge in own}

    ids, edges, found = {made.from_id, made.into_id}, edges_moved(made)[1], []
    for row in engine.store.merges.all(namespace):
        if (row.merged_at, row.from_id) <= (made.merged_at, made.from_id):
            continue
        taken, left = edges_moved(row)
        if ids & {row.from_id, row.into_id} or edges & (taken | left):
            ids |= {row.from_id, row.into_id}
            edges |= left
            found.append(row)
    return found


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
    names = store.merges.titles(namespace, [id for row in rows for id in (row.from_id, row.into_id)])
    there = store.rows.get("node", list(dict.fromkeys(row.into_id for row in rows)))
    return [
        MergedEntity(
            merged_id=row.from_id,
            into_id=row.into_id,
            name=names.get(row.from_id, row.from_id),
            into=there[row.into_id]["title"] if row.into_id in there else names.get(row.into_id, row.into_id),
            reason=row.reason,
            merged_at=row.merged_at,
        )
        for row in rows
    ]


def rejected_pairs(engine: Engine, namespace: str) -> set[tuple[str, str]]:
    """The pairs that are to stay two, each sorted; also as what they are part of."""
    pairs = engine.store.merges.rejected(namespace)
    merges = {row.from_id: row for row in engine.store.merges.all(namespace)} if pairs else {}
    wholes = {(_final(one, merges), _final(other, merges)) for one, other in pairs}
    return pairs | {(min(pair), max(pair)) for pair in wholes}


def reject_merge(engine: Engine, namespace: str, first: str, second: str) -> None:
    """Remember that two entities are two: they are not suggested again. Raises as `merge_entities` does."""
    pair = [entity_named(engine, namespace, *given).id for given in (("first", first), ("second", second))]
    if pair[0] == pair[1]:
        raise InvalidOption("second", "another entity than first", second)
    with engine.store.atomic(CAUSE):
        engine.store.merges.reject(options.namespace(namespace), (pair[0], pair[1]))
