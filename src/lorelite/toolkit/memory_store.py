"""An entity store in memory: some hundred thousand entities, gone with the process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lorelite import options
from lorelite.errors import NotFound
from lorelite.toolkit import checks
from lorelite.toolkit.entity_names import NameIndex
from lorelite.toolkit.records import KitEntity, KitRelation, Triple

DEFAULT_TOP_K = 10


class InMemoryEntityStore:
    """An `EntityStore` that is Enumerable and a Merger."""

    def __init__(self) -> None:
        self._entities: dict[str, KitEntity] = {}
        self._relations: dict[str, KitRelation] = {}
        self._outgoing: dict[str, dict[str, None]] = {}
        self._incoming: dict[str, dict[str, None]] = {}
        self._triples: dict[Triple, None] = {}
        self._index = NameIndex()

    # -- entities ---------------------------------------------------------------------------------------------

    async def add_entity(self, entity: KitEntity) -> None:
        """See EntityStore. Raises InvalidOption for an entity without an id or, unless it is there, a name."""
        known = self._entities.get(entity.id) if isinstance(entity, KitEntity) and isinstance(entity.id, str) else None
        checks.entity(entity, is_known=known is not None)
        self._put(entity if known is None else merged(known, entity))

    async def get_entity(self, id: str) -> KitEntity | None:
        return self._entities.get(id)

    async def search_entities(self, query: str, top_k: int = DEFAULT_TOP_K) -> list[tuple[KitEntity, float]]:
        """See EntityStore; a top_k of 0 or less means 10."""
        found = self._index.best(options.text("query", query), top_k if top_k > 0 else DEFAULT_TOP_K)
        return [(self._entities[id], score) for id, score in found]

    async def get_entities(self, ids: Sequence[str]) -> list[KitEntity | None]:
        return [self._entities.get(id) for id in ids]

    async def get_names(self, ids: Sequence[str]) -> list[str | None]:
        return [self._entities[id].name if id in self._entities else None for id in ids]

    async def all_entities(self) -> list[KitEntity]:
        return [self._entities[id] for id in sorted(self._entities)]

    async def size(self) -> int:
        return len(self._entities)

    def _put(self, entity: KitEntity) -> None:
        self._entities[entity.id] = entity
        self._index.put(entity.id, names_of(entity))

    # -- relations and triples ----------------------------------------------------------------------------------

    async def add_relation(self, relation: KitRelation) -> None:
        """See EntityStore."""
        checks.relation(relation)
        for end in (relation.source_id, relation.target_id):
            if end not in self._entities:
                raise NotFound("entity", end, "add the entities of a relation before it")
        known = self._relations.get(relation.key)
        if known is not None:
            self._unlink(known)
        self._link(replace(relation, id=relation.key))

    async def get_relations(self, entity_id: str) -> list[KitRelation]:
        ids = dict.fromkeys((*self._outgoing.get(entity_id, ()), *self._incoming.get(entity_id, ())))
        return [self._relations[id] for id in ids]

    async def get_relations_of(self, entity_ids: Sequence[str]) -> list[list[KitRelation]]:
        return [await self.get_relations(id) for id in entity_ids]

    async def all_relations(self) -> list[KitRelation]:
        return [self._relations[id] for id in sorted(self._relations)]

    async def add_triple(self, triple: Triple) -> None:
        self._triples[triple] = None

    async def get_triples(self, entity_id: str) -> list[Triple]:
        entity = self._entities.get(entity_id)
        names = {entity_id} | ({entity.name} if entity else set())
        return [triple for triple in self._triples if triple.subject in names or triple.object in names]

    def _link(self, relation: KitRelation) -> None:
        self._relations[relation.key] = relation
        self._outgoing.setdefault(relation.source_id, {})[relation.key] = None
        self._incoming.setdefault(relation.target_id, {})[relation.key] = None

    def _unlink(self, relation: KitRelation) -> None:
        del self._relations[relation.key]
        del self._outgoing[relation.source_id][relation.key]
        del self._incoming[relation.target_id][relation.key]

    # -- merging ------------------------------------------------------------------------------------------------

    async def merge_entities(self, canonical_id: str, duplicate_ids: Sequence[str]) -> int:
        """See Merger."""
        canonical = self._entities.get(canonical_id)
        if canonical is None:
            raise NotFound("entity", canonical_id, "the entity that others become must be there")
        wanted = (id for id in dict.fromkeys(duplicate_ids) if id != canonical_id)
        duplicates = [self._entities[id] for id in wanted if id in self._entities]
        if not duplicates:
            return 0
        self._put(with_duplicates(canonical, duplicates))
        self._move_relations(canonical_id, [duplicate.id for duplicate in duplicates])
        names = {name: canonical_id for each in duplicates for name in (each.id, each.name)}
        moved = [
            replace(
                triple,
                subject=names.get(triple.subject, triple.subject),
                object=names.get(triple.object, triple.object),
            )
            for triple in self._triples
        ]
        self._triples = dict.fromkeys(triple for triple in moved if triple.subject != triple.object)
        for duplicate in duplicates:
            self._index.drop(duplicate.id)
            del self._entities[duplicate.id]
        return len(duplicates)

    def _move_relations(self, canonical_id: str, duplicate_ids: Sequence[str]) -> None:
        gone = set(duplicate_ids)
        touched = dict.fromkeys(
            id
            for entity in (canonical_id, *duplicate_ids)
            for id in (*self._outgoing.get(entity, ()), *self._incoming.get(entity, ()))
        )
        relations = [self._relations[id] for id in touched]
        for relation in relations:
            self._unlink(relation)
        united: dict[tuple[str, str, str], KitRelation] = {}
        for relation in relations:
            ends = [canonical_id if end in gone else end for end in (relation.source_id, relation.target_id)]
            was_loop = relation.source_id == relation.target_id
            if ends[0] == ends[1] and not was_loop:
                continue
            key = (ends[0], relation.type, ends[1])
            moved = replace(relation, source_id=ends[0], target_id=ends[1])
            united[key] = moved if key not in united else _united(united[key], moved)
        for relation in united.values():
            self._link(relation)


def merged(known: KitEntity, given: KitEntity) -> KitEntity:
    """What is known with what is given: a name and a type that say something win."""
    return KitEntity(
        id=known.id,
        name=given.name if given.name.strip() else known.name,
        type=given.type if given.type.strip() and given.type != "unknown" else known.type,
        properties={**known.properties, **given.properties},
        source_ids=tuple(dict.fromkeys((*known.source_ids, *given.source_ids))),
    )


def with_duplicates(canonical: KitEntity, duplicates: Sequence[KitEntity]) -> KitEntity:
    """The canonical entity with what its duplicates say; their names become aliases."""
    properties: dict[str, Any] = {}
    for each in (*reversed(duplicates), canonical):
        properties |= each.properties
    aliases = [
        name
        for each in (canonical, *duplicates)
        for name in (*_aliases(each.properties), *((each.name,) if each is not canonical else ()))
        if name != canonical.name
    ]
    properties["aliases"] = list(dict.fromkeys(aliases))
    return replace(
        canonical,
        properties=properties,
        source_ids=tuple(dict.fromkeys(id for each in (canonical, *duplicates) for id in each.source_ids)),
    )


def names_of(entity: KitEntity) -> list[str]:
    """Its name, then its aliases."""
    return [entity.name, *_aliases(entity.properties)]


def _aliases(properties: Mapping[str, Any]) -> list[str]:
    aliases = properties.get("aliases", ())
    return [alias for alias in aliases if isinstance(alias, str)] if isinstance(aliases, list | tuple) else []


def _united(first: KitRelation, second: KitRelation) -> KitRelation:
    return replace(
        first,
        weight=first.weight + second.weight,
        properties={**second.properties, **first.properties},
        source_ids=tuple(dict.fromkeys((*first.source_ids, *second.source_ids))),
    )
