"""What chunks say of entities and relations as records, and the nodes and edges that follow from them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorelite.graph.weighted import weight_of
from lorelite.graph_records import GraphEntity, GraphRelation
from lorelite.pipeline.merging import (
    ChunkSaid,
    EntitySaid,
    RelationSaid,
    entity_from_json,
    entity_json,
    merged_entity,
    merged_relation,
    relation_from_json,
    relation_json,
)
from lorelite.pipeline.store_core import digest
from lorelite.store_ports import ENTITY, HAS_ENTITY, RELATES_TO

Pair = tuple[str, str]
NOBODY = ""
"""In place of the chunk, in what was in the graph before."""


@dataclass(frozen=True, slots=True)
class ToldEntity:
    """What an entity was, and what is said of it now; no statements: it goes."""

    node: Mapping[str, Any] | None
    record: Mapping[str, Any]
    said: Sequence[tuple[int, EntitySaid]]


def pair_key(pair: Pair) -> str:
    return json.dumps(pair)


def digest_of(parts: Sequence[str]) -> str:
    return digest(json.dumps(list(parts)))


def is_summary(record: Mapping[str, Any], parts: Sequence[str]) -> bool:
    return bool(record.get("summary_of") == digest_of(parts))


def in_order(said: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    return sorted(said, key=lambda each: each[0])


def without(said: Sequence[tuple[int, Any]], chunk_ids: Collection[str]) -> list[tuple[int, Any]]:
    return [(serial, each) for serial, each in said if each.chunk_id not in chunk_ids]


def widened(state: Mapping[str, Any], said: ChunkSaid | None) -> dict[str, Any]:
    """What the chunk told of, and what it will."""
    entities = dict.fromkeys([*state["entities"], *(said.entities if said else ())])
    relations = dict.fromkeys([*map(tuple, state["relations"]), *(said.relations if said else ())])
    return {**state, "entities": list(entities), "relations": list(map(list, relations))}


# -- records of what is said ----------------------------------------------------------------------------------------


def entity_record(said: Sequence[tuple[int, EntitySaid]], before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    statements = [[serial, entity_json(each)] for serial, each in said]
    return {"summary": "", "summary_of": "", **(before or {}), "said": statements}


def entity_statements(record: Mapping[str, Any]) -> list[tuple[int, EntitySaid]]:
    return [(serial, entity_from_json(value)) for serial, value in record["said"]]


def said_in(record: Mapping[str, Any]) -> list[EntitySaid]:
    return [each for _, each in entity_statements(record)]


def relation_record(said: Sequence[tuple[int, RelationSaid]]) -> list[Any]:
    return [[serial, relation_json(each)] for serial, each in said]


def relation_statements(record: Sequence[Any], pair: Pair) -> list[tuple[int, RelationSaid]]:
    return [(serial, relation_from_json(value, *pair)) for serial, value in record]


def entity_as_found(id: str, node: Mapping[str, Any] | None) -> list[tuple[int, EntitySaid]]:
    """What a node says that was there before any chunk spoke of it."""
    if node is None:
        return []
    return [
        (
            -1,
            EntitySaid(
                chunk_id=NOBODY,
                names=(node.get("name") or id,),
                types=tuple(filter(None, [node.get("entity_type")])),
                parts=tuple(filter(None, [node.get("description")])),
                aliases=tuple(node.get("aliases") or ()),
            ),
        )
    ]


def relation_as_found(pair: Pair, edge: Mapping[str, Any] | None) -> list[tuple[int, RelationSaid]]:
    if edge is None:
        return []
    direction = edge.get("direction", 1)
    return [
        (
            -1,
            RelationSaid(
                chunk_id=NOBODY,
                order=edge.get("order", 0),
                first=pair[0],
                second=pair[1],
                forward=int(direction >= 0),
                backward=int(direction <= 0),
                starts_forward=direction >= 0,
                weight=weight_of(edge.get("weight")),
                types=tuple(filter(None, [edge.get("relation")])),
                parts=tuple(filter(None, [edge.get("description")])),
                keywords=tuple(edge.get("keywords") or ()),
            ),
        )
    ]


# -- nodes and edges ------------------------------------------------------------------------------------------------


def entity_node(entity: ToldEntity) -> dict[str, Any]:
    merged = merged_entity([each for _, each in entity.said])
    description = entity.record["summary"] if is_summary(entity.record, merged.parts) else "\n".join(merged.parts)
    return {
        "label": ENTITY,
        "name": merged.name,
        "entity_type": merged.type,
        "description": description,
        "source_id": [id for id in merged.chunk_ids if id != NOBODY],
        "aliases": list(merged.aliases),
    }


def mention_edges(said: Mapping[str, ChunkSaid]) -> list[tuple[str, str, Mapping[str, Any]]]:
    return [
        (chunk_id, id, {"type": HAS_ENTITY, "weight": len(entity.names)})
        for chunk_id, each in said.items()
        for id, entity in each.entities.items()
    ]


def relation_edges(
    relations: Mapping[Pair, tuple[bool, Sequence[tuple[int, RelationSaid]]]],
) -> list[tuple[str, str, Mapping[str, Any]]]:
    found: list[tuple[str, str, Mapping[str, Any]]] = []
    for _, said in relations.values():
        if said:
            merged = merged_relation([each for _, each in said])
            data = {
                "type": RELATES_TO,
                "weight": merged.weight,
                "description": "\n".join(merged.parts),
                "relation": merged.type,
                "keywords": list(merged.keywords),
                "source_id": [id for id in merged.chunk_ids if id != NOBODY],
                "order": merged.order,
                "direction": merged.direction,
                "source": merged.source,
            }
            found.append((merged.source, merged.target, data))
    return found


def graph_entity(id: str, node: Mapping[str, Any], degree: int) -> GraphEntity:
    return GraphEntity(
        id=id,
        name=node.get("name") or id,
        type=node.get("entity_type") or "",
        description=node.get("description") or "",
        chunk_ids=tuple(node.get("source_id") or ()),
        degree=degree,
        aliases=tuple(node.get("aliases") or ()),
    )


def graph_relation(pair: Pair, edge: Mapping[str, Any], nodes: Mapping[str, Mapping[str, Any]]) -> GraphRelation:
    source = edge.get("source", pair[0])
    target = pair[1] if source == pair[0] else pair[0]
    return GraphRelation(
        source_id=source,
        target_id=target,
        source=nodes.get(source, {}).get("name") or source,
        target=nodes.get(target, {}).get("name") or target,
        type=edge.get("relation") or "",
        description=edge.get("description") or "",
        weight=weight_of(edge.get("weight")),
        chunk_ids=tuple(edge.get("source_id") or ()),
        is_directed=edge.get("direction", 1) != 0,
    )
