"""N-hop retrieval: entities that the query names, and what they are connected to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lorelite import options
from lorelite.toolkit.records import EntityStore, KitEntity, KitRelation, SearchResult

Chain = tuple[Mapping[str, str], ...]


class GraphRetriever:
    """Finds entities by name and walks *hops* relations from them, in both directions."""

    def __init__(
        self, store: EntityStore, *, hops: int = 2, top_k: int = 10, max_nodes: int = 200, decay: float = 0.5
    ) -> None:
        """decay: what a hop leaves of the score, 0 … 1. top_k: entities that are set out from. max_nodes: results."""
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
            query, self._top_k if top_k is None else options.whole_number("top_k", top_k, 1)
        )
        met: dict[str, tuple[KitEntity, float, int, str, Chain]] = {
            entity.id: (entity, score, 0, entity.id, ()) for entity, score in seeds
        }
        relations: dict[str, list[KitRelation]] = {}
        frontier = list(met)
        for hop in range(1, depth + 1):
            following: list[str] = []
            for id in frontier:
                entity, score, _, seed, chain = met[id]
                for relation in await self._relations(id, relations):
                    other = relation.target_id if relation.source_id == id else relation.source_id
                    if other in met and met[other][2] < hop:
                        continue
                    found = await self._store.get_entity(other) if other not in met else met[other][0]
                    better = other not in met or score * self._decay > met[other][1]
                    if found is None or not better:
                        continue
                    if other not in met:
                        if len(met) == self._max_nodes:
                            continue
                        following.append(other)
                    step = _step(relation, entity, found, id)
                    met[other] = (found, score * self._decay, hop, seed, (*chain, step))
            frontier = following
        results = [await self._result(*member, relations) for member in met.values()]
        return sorted(results, key=lambda result: (-result.score, result.metadata["hop"], result.id))

    async def _relations(self, id: str, known: dict[str, list[KitRelation]]) -> list[KitRelation]:
        if id not in known:
            known[id] = sorted(await self._store.get_relations(id), key=lambda relation: relation.key)
        return known[id]

    async def _result(
        self,
        entity: KitEntity,
        score: float,
        hop: int,
        seed: str,
        chain: Chain,
        known: dict[str, list[KitRelation]],
    ) -> SearchResult:
        lines = [f"{entity.name} ({entity.type})"]
        if description := entity.properties.get("description"):
            lines.append(str(description))
        for relation in await self._relations(entity.id, known):
            ends = [await self._name(end) for end in (relation.source_id, relation.target_id)]
            lines.append(f"{ends[0]} -[{relation.type}]-> {ends[1]}")
        return SearchResult(
            id=entity.id,
            content="\n".join(lines),
            score=score,
            metadata={
                "entity_id": entity.id,
                "name": entity.name,
                "type": entity.type,
                "hop": hop,
                "seed_id": seed,
                "chain": chain,
                "source_ids": entity.source_ids,
            },
        )

    async def _name(self, id: str) -> str:
        entity = await self._store.get_entity(id)
        return entity.name if entity else id


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


def _step(relation: KitRelation, here: KitEntity, there: KitEntity, id: str) -> Mapping[str, str]:
    is_forward = relation.source_id == id
    source, target = (here, there) if is_forward else (there, here)
    return {
        "source": source.name,
        "type": relation.type,
        "target": target.name,
        "direction": "outbound" if is_forward else "inbound",
    }
