"""Whom and what a write tells of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from lorelite.engine import Engine
from lorelite.records import Edge
from lorelite.resolution.giving_back import hand_back
from lorelite.resolution.merge import settle
from lorelite.resolution.shares import Place
from lorelite.store.documents import Chunk, Document
from lorelite.store.merge_shares import NAMES, WHOLE


@dataclass(frozen=True, slots=True)
class Told:
    ids: Mapping[str, str] = field(default_factory=dict)
    """Title key → node."""
    new_entities: tuple[str, ...] = ()
    new_relations: tuple[Edge, ...] = ()


def settled(engine: Engine, namespace: str, told: Told, handed_back: Sequence[str] = ()) -> Told:
    """What was told of entities that are part of others by now is told of these. handed_back: entities to which what
    was said of them was given back for the while."""
    wholes = settle(engine, namespace, [*told.ids.values(), *handed_back])
    if not wholes:
        return told
    relations = [_retold(edge, wholes) for edge in told.new_relations]
    return Told(
        ids={key: wholes.get(id, id) for key, id in told.ids.items()},
        new_entities=tuple(id for id in told.new_entities if id not in wholes),
        new_relations=tuple(edge for edge in relations if edge.source_id != edge.target_id),
    )


def _retold(edge: Edge, wholes: Mapping[str, str]) -> Edge:
    for end in (edge.source_id, edge.target_id):
        if end in wholes:
            place = Place(edge.namespace, end, wholes[end])
            row = place.moved("edge", asdict(edge), {edge.id: place.edge_id(asdict(edge))})
            edge = replace(edge, id=row["id"], source_id=row["source_id"], target_id=row["target_id"])
    return edge


def retold(engine: Engine, document: Document, chunk: Chunk | None, fact_ids: Iterable[str]) -> list[str]:
    """Give what merges keep of a chunk, or of the whole document, back to the entities that it was said of, before it
    is said anew. Gives their ids."""
    if not engine.store.merges.are_any(document.namespace):
        return []
    if chunk is None:
        return hand_back(engine, document.namespace, document.id)
    beside = engine.store.merges.ordinals_within(document.id, chunk.start, chunk.end)
    parts = {NAMES, WHOLE, *map(str, (chunk.ordinal, *beside)), *fact_ids}
    return hand_back(engine, document.namespace, document.id, parts)


def merged_edges(edges: Sequence[Edge]) -> list[Edge]:
    """Edges of one id joined, so that the store's weight for a pair is the sum whatever the batches were."""
    merged: dict[str, Edge] = {}
    for edge in edges:
        before = merged.get(edge.id)
        if before is None:
            merged[edge.id] = edge
            continue
        descriptions = dict.fromkeys(text for text in (before.description, edge.description) if text)
        merged[edge.id] = replace(before, weight=before.weight + edge.weight, description="\n".join(descriptions))
    return list(merged.values())
