"""Whom and what a write tells of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from lorelite.engine import Engine
from lorelite.records import Edge
from lorelite.resolution.merge import settle
from lorelite.resolution.shares import Place


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
