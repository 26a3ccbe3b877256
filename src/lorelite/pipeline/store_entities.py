"""Entities and relations in a graph store, worked out from what each chunk says of them, which is kept beside it.

Node ids are the names in capitals, as `entity_key` cleans them. A node that somebody else put into the graph keeps
what it was given: that counts as said by nobody's chunk.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorelite.graph.weighted import weight_of
from lorelite.graph_records import GraphEntity, GraphRelation, TextChunk
from lorelite.pipeline.knowledge import Merged, Parts, WeightedEdges
from lorelite.pipeline.merging import ChunkSaid, RelationSaid, merged_entity, said_by
from lorelite.pipeline.store_core import StoreCore, digest
from lorelite.pipeline.store_statements import (
    Pair,
    ToldEntity,
    digest_of,
    entity_as_found,
    entity_node,
    entity_record,
    entity_statements,
    graph_entity,
    graph_relation,
    in_order,
    is_summary,
    mention_edges,
    pair_key,
    relation_as_found,
    relation_edges,
    relation_record,
    relation_statements,
    said_in,
    widened,
    without,
)
from lorelite.records import Origin
from lorelite.store_ports import ENTITY, HAS_ENTITY, RELATES_TO
from lorelite.text.extraction import Extraction


@dataclass(frozen=True, slots=True)
class _Change:
    """What chunks that say something else change."""

    entities: int
    relations: int
    implied: int
    """New entities that relations alone name."""
    gone_entities: int
    gone_relations: int


class StoredEntities(StoreCore):
    async def add_extractions(
        self, found: Sequence[tuple[TextChunk, Extraction]], *, origin: Origin = "model", processor: str
    ) -> Merged:
        said = {chunk.id: said_by(chunk, extraction) for chunk, extraction in found}
        states = await self._states_of(said)
        for state in states.values():
            state["finished"] = [name for name in state["finished"] if name != processor]
        change = await self._retell(states, said)
        for id, state in states.items():
            state["entities"], state["relations"] = list(said[id].entities), list(map(list, said[id].relations))
            state["finished"] = sorted({*state["finished"], processor})
        await self._kv.upsert(self._states.stored(states))
        return Merged(
            entities=change.entities,
            relations=change.relations,
            touched=tuple(sorted({key for each in said.values() for key in each.entities})),
            unknown_ends=change.implied,
        )

    async def descriptions(self, entity_ids: Sequence[str]) -> list[Parts]:
        records = await self._of_entities.many(entity_ids)
        found = []
        for entity in await self.entities(entity_ids):
            record = records.get(entity.id)
            parts = merged_entity(said_in(record)).parts if record else tuple(filter(None, [entity.description]))
            is_summarised = record is not None and is_summary(record, parts)
            found.append(Parts(entity=entity, parts=parts, is_summarised=is_summarised))
        return found

    async def put_summaries(self, summaries: Mapping[str, str]) -> None:
        nodes = await self._nodes(list(summaries))
        records = await self._of_entities.many(list(nodes))
        for id, node in nodes.items():
            record = records.setdefault(id, entity_record(entity_as_found(id, node)))
            parts = merged_entity(said_in(record)).parts
            records[id] = record | {"summary": summaries[id], "summary_of": digest_of(parts)}
        changed = [id for id, node in nodes.items() if node.get("description", "") != summaries[id]]
        await self._of_entities.put(records, await self._texts_changed("entities", changed))
        await self._graph.upsert_nodes_batch({id: {"description": summaries[id]} for id in changed})

    async def entities(self, ids: Sequence[str]) -> list[GraphEntity]:
        nodes = await self._nodes(ids)
        degrees = dict(zip(nodes, await self._graph.node_degrees(list(nodes), RELATES_TO), strict=True))
        made = {id: graph_entity(id, node, degrees[id]) for id, node in nodes.items()}
        return [made[id] for id in ids if id in made]

    async def entity_ids(self) -> list[str]:
        return sorted(await self._of_entities.keys.all())

    async def relations_of(self, entity_ids: Sequence[str], among: Sequence[str] | None = None) -> list[GraphRelation]:
        edges = await self._edges_of(RELATES_TO, entity_ids)
        if among is not None:
            wanted = {*entity_ids, *among}
            edges = [edge for edge in edges if all(end in wanted for end in edge.pair)]
        nodes = await self._nodes([end for edge in edges for end in edge.pair])
        found = [graph_relation(edge.pair, edge.data, nodes) for edge in edges]
        return sorted(found, key=lambda relation: (relation.source_id, relation.target_id))

    async def neighbours(self, entity_ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        found: dict[str, list[tuple[str, float]]] = {id: [] for id in entity_ids}
        for edge in await self._edges_of(RELATES_TO, entity_ids):
            for one, other in (edge.pair, edge.pair[::-1]):
                if one in found:
                    found[one].append((other, weight_of(edge.data.get("weight"))))
        return {id: sorted(near, key=lambda pair: (-pair[1], pair[0])) for id, near in found.items() if near}

    async def degrees(self, entity_ids: Sequence[str]) -> dict[str, int]:
        ids = list(dict.fromkeys(entity_ids))
        degrees = await self._graph.node_degrees(ids, RELATES_TO)
        return {id: degree for id, degree in zip(ids, degrees, strict=True) if degree}

    async def entities_of(self, chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        return await self._ties(HAS_ENTITY, chunk_ids)

    async def weighted_edges(self) -> WeightedEdges:
        ids = await self.entity_ids()
        edges = [(*edge.pair, weight_of(edge.data.get("weight"))) for edge in await self._edges(RELATES_TO, ids)]
        return WeightedEdges(entity_ids=ids, edges=sorted(edges))

    # -- what chunks say ----------------------------------------------------------------------------------------

    async def _fall_silent(self, states: Mapping[str, Mapping[str, Any]]) -> tuple[int, int]:
        """Take away what the chunks of these states say; gives how many entities and relations went with it."""
        change = await self._retell(states, {})
        return change.gone_entities, change.gone_relations

    async def _states_of(self, chunk_ids: Collection[str]) -> dict[str, dict[str, Any]]:
        states = await self._states.many(list(chunk_ids))
        return {id: states.get(id) or unprocessed() for id in chunk_ids}

    async def _retell(self, states: Mapping[str, Mapping[str, Any]], said: Mapping[str, ChunkSaid]) -> _Change:
        """Put what chunks say in the place of what they said before, according to their states."""
        entities = await self._entities_told(states, said)
        relations = await self._relations_told(states, said)
        nodes = {id: entity_node(entity) for id, entity in entities.items() if entity.said}
        changed = [id for id, node in nodes.items() if _text(node) != _text(entities[id].node or {})]
        new_entities = [id for id in nodes if entities[id].node is None]
        new_relations = [pair for pair, (was_there, said_now) in relations.items() if said_now and not was_there]
        listed = [id for id in nodes if not entities[id].record]
        # Whatever is interrupted from here on: the states name all that the chunks may have told of.
        await self._kv.upsert(
            self._states.stored({id: widened(state, said.get(id)) for id, state in states.items()})
            | self._of_entities.stored(
                {id: entity_record(entity.said, entity.record) for id, entity in entities.items()}
            )
            | self._of_relations.stored({pair_key(pair): relation_record(now) for pair, (_, now) in relations.items()})
            | await self._of_entities.keys.with_added(listed)
            | await self._texts_changed("entities", changed)
        )
        await self._graph.upsert_nodes_batch(nodes)
        await self._graph.upsert_edges_batch([*mention_edges(said), *relation_edges(relations)])
        gone = [id for id, entity in entities.items() if not entity.said]
        gone_relations = [pair for pair, (_, now) in relations.items() if not now]
        await self._take_away(gone, gone_relations, states, said)
        return _Change(
            entities=len(new_entities),
            relations=len(new_relations),
            implied=sum(all(each.implied for _, each in entities[id].said) for id in new_entities),
            gone_entities=sum(entities[id].node is not None for id in gone),
            gone_relations=sum(relations[pair][0] for pair in gone_relations),
        )

    async def _entities_told(
        self, states: Mapping[str, Mapping[str, Any]], said: Mapping[str, ChunkSaid]
    ) -> dict[str, ToldEntity]:
        ids = [id for state in states.values() for id in state["entities"]]
        ids = list(dict.fromkeys([*ids, *(id for each in said.values() for id in each.entities)]))
        records, nodes = await self._of_entities.many(ids), await self._nodes(ids)
        serials = await self._serials(said)
        found = {}
        for id in ids:
            record, node = records.get(id, {}), nodes.get(id)
            before = entity_statements(record) if record else entity_as_found(id, node)
            new = [(serials[chunk], each.entities[id]) for chunk, each in said.items() if id in each.entities]
            found[id] = ToldEntity(node, record, in_order([*without(before, states), *new]))
        return found

    async def _relations_told(
        self, states: Mapping[str, Mapping[str, Any]], said: Mapping[str, ChunkSaid]
    ) -> dict[Pair, tuple[bool, Sequence[tuple[int, RelationSaid]]]]:
        """Pair → was it there, and what is said of it now."""
        before: list[Pair] = [(one, other) for state in states.values() for one, other in state["relations"]]
        pairs = list(dict.fromkeys([*before, *(pair for each in said.values() for pair in each.relations)]))
        records = await self._of_relations.many([pair_key(pair) for pair in pairs])
        edges = await self._graph.get_edges_batch(pairs, RELATES_TO) if pairs else []
        serials = await self._serials(said)
        found: dict[Pair, tuple[bool, Sequence[tuple[int, RelationSaid]]]] = {}
        for pair, edge in zip(pairs, edges, strict=True):
            record = records.get(pair_key(pair))
            told = relation_statements(record, pair) if record is not None else relation_as_found(pair, edge)
            new = [(serials[chunk], each.relations[pair]) for chunk, each in said.items() if pair in each.relations]
            found[pair] = edge is not None, in_order([*without(told, states), *new])
        return found

    async def _take_away(
        self,
        entities: Sequence[str],
        relations: Sequence[Pair],
        states: Mapping[str, Mapping[str, Any]],
        said: Mapping[str, ChunkSaid],
    ) -> None:
        """Delete what nobody tells of any more, and the edges from chunks to entities that they tell of no more."""
        untold = [
            (chunk_id, id)
            for chunk_id, state in states.items()
            for id in state["entities"]
            if chunk_id not in said or id not in said[chunk_id].entities
        ]
        if untold:
            await self._graph.delete_edges_batch(untold, HAS_ENTITY)
        if relations:
            await self._graph.delete_edges_batch(relations, RELATES_TO)
            await self._kv.delete([self._of_relations.key(pair_key(pair)) for pair in relations])
        if entities:
            await self._graph.delete_nodes_batch(entities)
            await self._texts_gone("entities", entities, [vector_id(id) for id in entities])
            await self._of_entities.delete(entities)

    async def _serials(self, chunk_ids: Collection[str]) -> dict[str, int]:
        """Chunk id → its place in the order of insertion."""
        records = await self._chunks.many(list(chunk_ids))
        return {id: records[id]["serial"] if id in records else 0 for id in chunk_ids}

    async def _nodes(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        ids = list(dict.fromkeys(ids))
        nodes = await self._graph.get_nodes_batch(ids) if ids else []
        return {
            id: node
            for id, node in zip(ids, nodes, strict=True)
            if node is not None and node.get("label", ENTITY) == ENTITY
        }


def unprocessed() -> dict[str, Any]:
    """The state of a chunk of which nothing has been made."""
    return {"finished": [], "entities": [], "relations": [], "questions": []}


def vector_id(entity_id: str) -> str:
    return f"ent-{digest(entity_id)}"


def entity_text(id: str, node: Mapping[str, Any]) -> str:
    """What the vector of an entity is made of."""
    return f"{node.get('name', id)} {node.get('description', '')}".strip()


def _text(node: Mapping[str, Any]) -> tuple[Any, Any]:
    return node.get("name"), node.get("description")
