"""N-hop retrieval: entities that the query names, and what they are connected to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorelite import options
from lorelite.toolkit import checks
from lorelite.toolkit.records import BatchReader, EntityStore, KitEntity, KitRelation, SearchResult

Chain = tuple[Mapping[str, str], ...]
_MOST_RELATIONS = 100
"""That the text of one result tells of."""


class GraphRetriever:
    """Finds entities by name and walks *hops* relations from them, in both directions."""

    def __init__(
        self, store: EntityStore, *, hops: int = 2, top_k: int = 10, max_nodes: int = 200, decay: float = 0.5
    ) -> None:
        """decay: what a hop leaves of the score, 0 … 1. top_k: entities that are set out from. max_nodes: results."""
        checks.able(store, "an EntityStore", "search_entities", "get_entity", "get_relations")
        self._store = store
        self._hops = options.whole_number("hops", hops, 0)
        self._top_k = options.whole_number("top_k", top_k, 1)
        self._max_nodes = options.whole_number("max_nodes", max_nodes, 1)
        self._decay = options.share("decay", decay)

    async def retrieve(self, query: str, hops: int | None = None, top_k: int | None = None) -> list[SearchResult]:
        """One result per entity met, the named ones included, ordered by score, hop, id.

        metadata: entity_id, name, type, hop, seed_id, and chain: the relations of a shortest path from the seed, each
        {source, type, target, direction}. No entity named: no result. Raises InvalidOption for negative hops.
        """
        depth = self._hops if hops is None else options.whole_number("hops", hops, 0)
        seeds = await self._store.search_entities(
            options.text("query", query), self._top_k if top_k is None else options.whole_number("top_k", top_k, 1)
        )
        read = _Reader(self._store)
        met = {entity.id: _Met(entity, score, 0, entity.id, ()) for entity, score in seeds}
        frontier = list(met)
        for hop in range(1, depth + 1):
            await read.relations(frontier)
            arrivals = self._arrivals(frontier, met, read)
            frontier = []
            waiting = list(arrivals)
            while waiting and len(met) < self._max_nodes:
                room = self._max_nodes - len(met)
                there = await read.entities(waiting[:room])
                waiting = waiting[room:]
                for id, entity in there.items():
                    score, before, relation = arrivals[id]
                    step = _step(relation, before.entity, entity)
                    met[id] = _Met(entity, score, hop, before.seed, (*before.chain, step))
                    frontier.append(id)
        await read.relations(list(met))
        await read.names([end for id in met for relation in read.shown(id) for end in _ends(relation)])
        results = [_result(member, read) for member in met.values()]
        return sorted(results, key=lambda result: (-result.score, result.metadata["hop"], result.id))

    def _arrivals(
        self, frontier: Sequence[str], met: Mapping[str, _Met], read: _Reader
    ) -> dict[str, tuple[float, _Met, KitRelation]]:
        """What one more hop leads to → the best score, where from, and by which relation; what was met is left out."""
        found: dict[str, tuple[float, _Met, KitRelation]] = {}
        for id in frontier:
            score = met[id].score * self._decay
            for relation in read.known_relations[id]:
                other = relation.target_id if relation.source_id == id else relation.source_id
                if other not in met and (other not in found or score > found[other][0]):
                    found[other] = score, met[id], relation
        return found


@dataclass(frozen=True, slots=True)
class _Met:
    entity: KitEntity
    score: float
    hop: int
    seed: str
    chain: Chain


class _Reader:
    """Reads a store for one walk: each thing once, and many in one go where the store can do that."""

    def __init__(self, store: EntityStore) -> None:
        self._store = store
        self.known_relations: dict[str, list[KitRelation]] = {}
        self._entities: dict[str, KitEntity | None] = {}
        self._names: dict[str, str | None] = {}

    async def relations(self, ids: Sequence[str]) -> None:
        """Of each, ordered by id."""
        wanted = [id for id in ids if id not in self.known_relations]
        if isinstance(self._store, BatchReader):
            found = await self._store.get_relations_of(wanted)
        else:
            found = [await self._store.get_relations(id) for id in wanted]
        for id, relations in zip(wanted, found, strict=True):
            self.known_relations[id] = sorted(relations, key=lambda relation: relation.key)

    async def entities(self, ids: Sequence[str]) -> dict[str, KitEntity]:
        """Those that are there, in the order of *ids*."""
        wanted = [id for id in dict.fromkeys(ids) if id not in self._entities]
        if isinstance(self._store, BatchReader):
            found = await self._store.get_entities(wanted)
        else:
            found = [await self._store.get_entity(id) for id in wanted]
        self._entities |= zip(wanted, found, strict=True)
        return {id: entity for id in ids if (entity := self._entities[id]) is not None}

    async def names(self, ids: Sequence[str]) -> None:
        """What `name` gives then."""
        if isinstance(self._store, BatchReader):
            wanted = list(dict.fromkeys(ids))
            self._names |= zip(wanted, await self._store.get_names(wanted), strict=True)
        else:
            self._names |= {id: entity.name for id, entity in (await self.entities(ids)).items()}

    def shown(self, id: str) -> list[KitRelation]:
        """The relations that a result tells of."""
        return self.known_relations[id][:_MOST_RELATIONS]

    def name(self, id: str) -> str:
        return self._names.get(id) or id


def _result(met: _Met, read: _Reader) -> SearchResult:
    entity = met.entity
    lines = [f"{entity.name} ({entity.type})"]
    if description := entity.properties.get("description"):
        lines.append(str(description))
    for relation in read.shown(entity.id):
        lines.append(f"{read.name(relation.source_id)} -[{relation.type}]-> {read.name(relation.target_id)}")
    more = len(read.known_relations[entity.id]) - _MOST_RELATIONS
    if more > 0:
        lines.append(f"and {more:,} more relations")
    return SearchResult(
        id=entity.id,
        content="\n".join(lines),
        score=met.score,
        metadata={
            "entity_id": entity.id,
            "name": entity.name,
            "type": entity.type,
            "hop": met.hop,
            "seed_id": met.seed,
            "chain": met.chain,
            "source_ids": entity.source_ids,
        },
    )


def _ends(relation: KitRelation) -> tuple[str, str]:
    return relation.source_id, relation.target_id


class GraphRetrieveProcessor:
    """A `GraphRetriever` as a step of a route: messages go through, with what was found beside what they hold."""

    def __init__(self, retriever: GraphRetriever | EntityStore, *, hops: int = 2, top_k: int = 10) -> None:
        self._retriever = (
            retriever if isinstance(retriever, GraphRetriever) else GraphRetriever(retriever, hops=hops, top_k=top_k)
        )
        self._hops = hops
        self._top_k = top_k

    async def process(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The message with the results for its `query` appended to its `results`."""
        query = options.text("message.query", message.get("query"))
        found = await self._retriever.retrieve(query, self._hops, self._top_k)
        before: Sequence[SearchResult] = message.get("results", ())
        return {**message, "results": [*before, *found]}


def _step(relation: KitRelation, here: KitEntity, there: KitEntity) -> Mapping[str, str]:
    is_forward = relation.source_id == here.id
    source, target = (here, there) if is_forward else (there, here)
    return {
        "source": source.name,
        "type": relation.type,
        "target": target.name,
        "direction": "outbound" if is_forward else "inbound",
    }
