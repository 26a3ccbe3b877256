"""`entity_enhanced_search`: the chunks that fit the question, what they tell of, and how that is related."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from lorelite.graph_records import GraphEntity, GraphRelation, SearchContext
from lorelite.pipeline.knowledge import Knowledge
from lorelite.pipeline.processor import CHUNK_ENTITIES
from lorelite.ports import ChatModel, Embedder
from lorelite.strategies.graph_tables import ends, graph_context, pair
from lorelite.strategies.naive import nearest_chunks
from lorelite.strategies.strategy import MIN_SCORE, check_options

if TYPE_CHECKING:
    from lorelite.pipeline.run import GraphEngine


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityEnhancedSearch:
    """From chunks over the entities that they mention to what these are related to.

    top_k: chunks looked up. max_entities: taken from the chunks, before those that relations lead to. hops: relations
    in a row. entity_tokens, relation_tokens: at most, and no more than a quarter of max_tokens each; the sources have
    the rest of it.
    """

    top_k: int = 10
    max_entities: int = 20
    max_relations: int = 40
    max_tokens: int = 12_000
    entity_tokens: int = 3_000
    relation_tokens: int = 3_000
    hops: int = 1
    min_score: float | None = MIN_SCORE
    model: ChatModel | None = None
    embedding: Embedder | None = None

    name: ClassVar[str] = "entityEnhancedSearch"
    requires: ClassVar[tuple[str, ...]] = (CHUNK_ENTITIES,)

    def __post_init__(self) -> None:
        check_options(self, "top_k", "max_entities", "max_tokens", "entity_tokens", "relation_tokens")
        check_options(self, "max_relations", "hops", least=0)

    async def retrieve(self, run: GraphEngine, prompt: str) -> SearchContext:
        knowledge = run.knowledge
        found = await nearest_chunks(knowledge, prompt, self.top_k, self.min_score)
        scores = await entity_scores(knowledge, {chunk.id: score for chunk, score in found})
        entities = await knowledge.entities(list(scores))
        entities.sort(key=lambda entity: (-scores[entity.id], -entity.degree, entity.name, entity.id))
        entities = entities[: self.max_entities]
        relations, neighbours = await related(knowledge, entities, self.hops, self.max_relations)
        return graph_context(
            self.name,
            [*entities, *neighbours],
            relations,
            [chunk for chunk, _ in found],
            max_tokens=self.max_tokens,
            entity_tokens=self.entity_tokens,
            relation_tokens=self.relation_tokens,
        )


async def entity_scores(knowledge: Knowledge, chunk_scores: Mapping[str, float]) -> dict[str, float]:
    """Entity → its share of what each chunk tells of, times the chunk's score, summed."""
    scores: dict[str, float] = {}
    told = await knowledge.entities_of(list(chunk_scores))
    for chunk_id, score in chunk_scores.items():
        mentions = told.get(chunk_id, ())
        total = sum(weight for _, weight in mentions)
        for entity_id, weight in mentions:
            scores[entity_id] = scores.get(entity_id, 0.0) + score * weight / total
    return scores


async def related(
    knowledge: Knowledge, entities: Sequence[GraphEntity], hops: int, limit: int
) -> tuple[list[GraphRelation], list[GraphEntity]]:
    """The best *limit* relations within *hops* of the entities, and the entities that they lead to, in that order.

    First those between two of the entities, then by the degrees of both ends, then by weight.
    """
    known = {entity.id: entity.degree for entity in entities}
    pairs: dict[tuple[str, str], None] = {}
    frontier = list(known)
    for _ in range(hops):
        room = limit - len(pairs)
        if not frontier or not room:
            break
        near = await knowledge.neighbours(frontier)
        found = {pair(id, other): weight for id, others in near.items() for other, weight in others}
        degrees = known | await knowledge.degrees([id for both in found for id in both if id not in known])
        order = sorted(
            (both for both in found if both not in pairs),
            key=lambda both: (
                not all(id in known for id in both), -sum(degrees.get(id, 0) for id in both), -found[both], both
            ),
        )  # fmt: skip
        pairs |= dict.fromkeys(order[:room])
        frontier = [id for id in dict.fromkeys(id for both in order[:room] for id in both) if id not in known]
        known |= {id: degrees.get(id, 0) for id in frontier}
    ids = list(known)
    told = {pair(*ends(each)): each for each in await knowledge.relations_of(ids, among=ids)} if pairs else {}
    return [told[both] for both in pairs if both in told], await knowledge.entities(ids[len(entities) :])
