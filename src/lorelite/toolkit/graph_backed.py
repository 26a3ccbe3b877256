"""Any graph store of the SDK as an entity store: the kit then works on what a pipeline built, and a pipeline on its."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lorelite import options
from lorelite.adapters.adopted import adopted_graph
from lorelite.errors import NotFound
from lorelite.store_ports import ENTITY, RELATES_TO, GraphStore, StoredEdge
from lorelite.toolkit import checks
from lorelite.toolkit.entity_names import NameIndex
from lorelite.toolkit.memory_store import DEFAULT_TOP_K, InMemoryEntityStore, merged
from lorelite.toolkit.records import KitEntity, KitRelation, Triple, relation_id

_HUB = 50
"""Relations that make an entity a hub."""
_MOST_KEPT = 20_000
"""Relations of hubs that are remembered: 9 MB."""
_OWN_FIELDS = ("label", "name", "entity_type", "source_id", "triples", "clusters", "degree")


class GraphBackedEntities:
    """An `EntityStore`, Enumerable and a Merger, over nodes labelled "Entity" and edges RELATES_TO of a graph store.

    The SDK joins a pair of nodes by one such edge; the relations of the pair are listed in it, and its weight is their
    sum. A triple is kept with the entity that its subject or, failing that, its object names; one that names none is
    refused (NotFound).
    """

    def __init__(self, graph: GraphStore) -> None:
        """graph: any graph store, one of one's own that has the methods of `GraphStore` alone included."""
        self._graph = adopted_graph(graph)
        self._index: tuple[object, NameIndex] | None = None
        """Names as they were at a version of the graph."""
        self._hubs = _Hubs(None)

    # -- entities -----------------------------------------------------------------------------------------------

    async def add_entity(self, entity: KitEntity) -> None:
        checks.entity(entity, is_known=True)
        known = await self.get_entity(entity.id)
        checks.entity(entity, is_known=known is not None)
        await self._graph.upsert_node(entity.id, _data(entity if known is None else merged(known, entity)))

    async def get_entity(self, id: str) -> KitEntity | None:
        return (await self.get_entities([id]))[0]

    async def get_entities(self, ids: Sequence[str]) -> list[KitEntity | None]:
        found = zip(ids, await self._graph.get_nodes_batch(ids), strict=True)
        return [
            None if data is None or data.get("label", ENTITY) != ENTITY else _entity(id, data) for id, data in found
        ]

    async def get_names(self, ids: Sequence[str]) -> list[str | None]:
        index = await self._names()
        return [index.name(id) for id in ids]

    async def search_entities(self, query: str, top_k: int = DEFAULT_TOP_K) -> list[tuple[KitEntity, float]]:
        """See EntityStore; a top_k of 0 or less means 10."""
        best = dict((await self._names()).best(options.text("query", query), top_k if top_k > 0 else DEFAULT_TOP_K))
        found = await self.get_entities(list(best))
        return [(entity, best[entity.id]) for entity in found if entity is not None]

    async def _names(self) -> NameIndex:
        """The names of all entities, read again where the graph has changed or cannot tell."""
        version = self._graph.version()
        if self._index is None or version is None or self._index[0] != version:
            index = NameIndex()
            for id, names in await self._graph.entity_names():
                index.put(id, names)
            self._index = version, index
        return self._index[1]

    async def all_entities(self) -> list[KitEntity]:
        return [_entity(id, data) for id, data in await self._graph.all_nodes() if data.get("label", ENTITY) == ENTITY]

    async def size(self) -> int:
        return len(await self.all_entities())

    # -- relations ----------------------------------------------------------------------------------------------

    async def add_relation(self, relation: KitRelation) -> None:
        checks.relation(relation)
        for end in (relation.source_id, relation.target_id):
            if await self.get_entity(end) is None:
                raise NotFound("entity", end, "add the entities of a relation before it")
        data = await self._graph.get_edge(relation.source_id, relation.target_id, RELATES_TO) or {}
        known = {each.key: each for each in _relations(relation.source_id, relation.target_id, data)}
        known[relation.key] = replace(relation, id=relation.key)
        await self._put_pair(relation.source_id, relation.target_id, known.values())

    async def get_relations(self, entity_id: str) -> list[KitRelation]:
        return (await self.get_relations_of([entity_id]))[0]

    async def get_relations_of(self, entity_ids: Sequence[str]) -> list[list[KitRelation]]:
        version = self._graph.edge_version()
        if version is None or self._hubs.version != version:
            self._hubs = _Hubs(version)
        hubs = self._hubs
        wanted = [id for id in dict.fromkeys(entity_ids) if id not in hubs.relations]
        found = dict(zip(wanted, await self._read_relations(wanted), strict=True))
        if version is not None:
            hubs.keep(found)
        return [list(found[id] if id in found else hubs.relations[id]) for id in entity_ids]

    async def _read_relations(self, entity_ids: Sequence[str]) -> list[list[KitRelation]]:
        lists = await self._graph.get_nodes_edges_batch(entity_ids, RELATES_TO)
        return [_outgoing_first(id, edges or ()) for id, edges in zip(entity_ids, lists, strict=True)]

    async def all_relations(self) -> list[KitRelation]:
        found = [each for edge in await self._graph.all_edges(RELATES_TO) for each in _of_edge(edge)]
        return sorted(found, key=lambda each: each.key)

    async def _put_pair(self, first: str, second: str, relations: Iterable[KitRelation]) -> None:
        """Make these the relations of a pair."""
        listed = list(relations)
        descriptions = [str(each.properties["description"]) for each in listed if each.properties.get("description")]
        data = {
            "type": RELATES_TO,
            "weight": sum(each.weight for each in listed),
            "description": "\n".join(dict.fromkeys(descriptions)),
            "source_id": list(dict.fromkeys(id for each in listed for id in each.source_ids)),
            "relations": [_relation_data(each) for each in listed],
        }
        await self._graph.upsert_edge(first, second, data)

    # -- triples ------------------------------------------------------------------------------------------------

    async def add_triple(self, triple: Triple) -> None:
        owner = await self._named(triple.subject) or await self._named(triple.object)
        if owner is None:
            raise NotFound("entity", triple.subject, "a triple is kept with the entity that it names")
        data = await self._graph.get_node(owner) or {}
        stored = {"subject": triple.subject, "predicate": triple.predicate, "object": triple.object}
        stored |= {} if triple.source_id is None else {"source_id": triple.source_id}
        if stored not in data.get("triples", []):
            await self._graph.upsert_node(owner, {"triples": [*data.get("triples", []), stored]})

    async def _named(self, id_or_name: str) -> str | None:
        """The id of the entity with this id or, failing that, exactly this name."""
        if await self.get_entity(id_or_name) is not None:
            return id_or_name
        return (await self._names()).called(id_or_name)

    async def get_triples(self, entity_id: str) -> list[Triple]:
        return await self._triples_of([entity_id])

    async def _triples_of(self, entity_ids: Sequence[str]) -> list[Triple]:
        names = {*entity_ids} | {each.name for each in await self.get_entities(entity_ids) if each}
        found = [Triple(**each) for _, data in await self._graph.all_nodes() for each in data.get("triples", [])]
        return [triple for triple in found if triple.subject in names or triple.object in names]

    # -- merging ------------------------------------------------------------------------------------------------

    async def merge_entities(self, canonical_id: str, duplicate_ids: Sequence[str]) -> int:
        """As the store in memory does it, on the entities concerned and what is around them."""
        there = [id for id in dict.fromkeys((canonical_id, *duplicate_ids)) if await self.get_entity(id) is not None]
        if canonical_id not in there:
            raise NotFound("entity", canonical_id, "the entity that others become must be there")
        around = InMemoryEntityStore()
        relations = [each for id in there for each in await self.get_relations(id)]
        for id in dict.fromkeys((*there, *(end for each in relations for end in (each.source_id, each.target_id)))):
            if entity := await self.get_entity(id):
                await around.add_entity(entity)
        for relation in relations:
            await around.add_relation(relation)
        for triple in await self._triples_of(there):
            await around.add_triple(triple)
        gone = await around.merge_entities(canonical_id, there)
        if not gone:
            return 0
        await self._graph.delete_nodes_batch([id for id in there if id != canonical_id])
        canonical = await around.get_entity(canonical_id)
        assert canonical is not None
        await self._graph.upsert_node(canonical_id, {**_data(canonical), "triples": []})
        pairs: dict[tuple[str, str], list[KitRelation]] = {}
        for relation in await around.get_relations(canonical_id):
            pairs.setdefault(tuple(sorted((relation.source_id, relation.target_id))), []).append(relation)  # type: ignore[arg-type]
        for (first, second), found in pairs.items():
            await self._graph.delete_edge(first, second, RELATES_TO)
            await self._put_pair(first, second, found)
        for triple in await around.get_triples(canonical_id):
            await self.add_triple(triple)
        return gone


@dataclass(slots=True)
class _Hubs:
    """Relations of entities that have many, as they were at a version of the graph: most walks come by the same."""

    version: object
    relations: dict[str, list[KitRelation]] = field(default_factory=dict)
    count: int = 0
    """Of all these relations."""

    def keep(self, found: Mapping[str, list[KitRelation]]) -> None:
        """Those of them that are hubs, as long as there is room."""
        for id, relations in found.items():
            if _HUB <= len(relations) <= _MOST_KEPT - self.count:
                self.relations[id] = relations
                self.count += len(relations)


def _entity(id: str, data: Mapping[str, Any]) -> KitEntity:
    return KitEntity(
        id=id,
        name=str(data.get("name") or id),
        type=str(data.get("entity_type") or "unknown"),
        properties={key: value for key, value in data.items() if key not in _OWN_FIELDS},
        source_ids=tuple(data.get("source_id", ())),
    )


def _data(entity: KitEntity) -> dict[str, Any]:
    return {
        **entity.properties,
        "label": ENTITY,
        "name": entity.name,
        "entity_type": entity.type,
        "source_id": list(entity.source_ids),
    }


def _outgoing_first(entity_id: str, edges: Iterable[StoredEdge]) -> list[KitRelation]:
    found = {each.key: each for edge in edges for each in _of_edge(edge)}.values()
    return sorted(found, key=lambda each: each.source_id != entity_id)


def _of_edge(edge: StoredEdge) -> list[KitRelation]:
    return _relations(edge.source, edge.target, edge.data)


def _relations(first: str, second: str, data: Mapping[str, Any]) -> list[KitRelation]:
    """The relations that an edge lists; one that a pipeline made is one relation."""
    if "relations" in data:
        return [KitRelation(**{**each, "source_ids": tuple(each["source_ids"])}) for each in data["relations"]]
    if not data:
        return []
    source, target = sorted((first, second))
    if data.get("direction", 1) < 0:
        source, target = target, source
    kind = str(data.get("relation") or RELATES_TO)
    relation = KitRelation(
        source_id=source,
        target_id=target,
        type=kind,
        id=relation_id(source, kind, target),
        properties={"description": data["description"]} if data.get("description") else {},
        weight=float(data.get("weight", 1.0)),
        source_ids=tuple(data.get("source_id", ())),
    )
    return [relation]


def _relation_data(relation: KitRelation) -> dict[str, Any]:
    return {
        "id": relation.key,
        "source_id": relation.source_id,
        "target_id": relation.target_id,
        "type": relation.type,
        "properties": dict(relation.properties),
        "weight": relation.weight,
        "source_ids": list(relation.source_ids),
    }
