"""`pagerank_search`: what a walker comes by who sets out from the entities and chunks that fit the question."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from lorelite import options
from lorelite.errors import InvalidOption
from lorelite.graph.pagerank import pagerank_walk
from lorelite.graph.walk import DAMPING
from lorelite.graph_records import GraphEntity, GraphHit, SearchContext, VectorIndex
from lorelite.pipeline.knowledge import Knowledge
from lorelite.pipeline.processor import CHUNK_ENTITIES
from lorelite.ports import ChatModel, Embedder
from lorelite.strategies.entity_enhanced import entity_scores
from lorelite.strategies.graph_tables import ends, graph_context
from lorelite.strategies.strategy import MIN_SCORE, check_options

if TYPE_CHECKING:
    from lorelite.pipeline.run import GraphEngine

Weights = Mapping[str, Sequence[tuple[str, float]]]

_TOLERANCE = 0.002
_MOST_NODES = 400
"""Entities and chunks whose links are read."""
_ENTITY_SHARE = 0.5
"""Of the walks; the others start at chunks."""
_OWN_SHARE = 0.1
"""Of a chunk's place: how well it fits by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PagerankSearch:
    """Personalised PageRank over entities and chunks: along relations, and between an entity and the chunks on it.

    In a Lorelite file the walks are those of `Wiki.pagerank_search`, over titles, names and edges of passages.
    top_k: entities, and chunks, that walks start from otherwise. damping: the chance that a walk goes on, 0 … 1.
    max_entities, max_relations, max_chunks: of the context, before budgets. entity_tokens, relation_tokens: at most,
    and no more than a quarter of max_tokens each; the sources have the rest.
    """

    top_k: int = 20
    damping: float = DAMPING
    max_entities: int = 20
    max_relations: int = 40
    max_chunks: int = 30
    max_tokens: int = 12_000
    entity_tokens: int = 3_000
    relation_tokens: int = 3_000
    min_score: float | None = MIN_SCORE
    model: ChatModel | None = None
    embedding: Embedder | None = None

    name: ClassVar[str] = "pagerankSearch"
    requires: ClassVar[tuple[str, ...]] = (CHUNK_ENTITIES,)

    def __post_init__(self) -> None:
        check_options(self, "top_k", "max_entities", "max_chunks", "max_tokens", "entity_tokens", "relation_tokens")
        check_options(self, "max_relations", least=0)
        if not 0 <= options.finite(f"{self.name}.damping", self.damping) < 1:
            raise InvalidOption(f"{self.name}.damping", "a number from 0 up to, but not, 1", self.damping)

    async def retrieve(self, run: GraphEngine, prompt: str) -> SearchContext:
        knowledge = run.knowledge
        if isinstance(knowledge, PassageWalker):
            chunks = {hit.id: hit.score for hit in await knowledge.walked(prompt, self.max_chunks, self.damping)}
            entities = await entity_scores(knowledge, chunks)
        else:
            chunks, entities = await self._walked(knowledge, prompt)
        entity_ids = _best(entities, self.max_entities)
        relations = sorted(
            await knowledge.relations_of(entity_ids, among=[]),
            key=lambda each: (-sum(entities[id] for id in ends(each)), -each.weight, *ends(each)),
        )
        return graph_context(
            self.name,
            await knowledge.entities(entity_ids),
            relations[: self.max_relations],
            await knowledge.chunks(_best(chunks, self.max_chunks)),
            max_tokens=self.max_tokens,
            entity_tokens=self.entity_tokens,
            relation_tokens=self.relation_tokens,
        )

    async def _walked(self, knowledge: Knowledge, prompt: str) -> tuple[dict[str, float], dict[str, float]]:
        """Chunk → score, and entity → share of the walks."""
        links = _Links(knowledge)
        chunk_fits = await _nearest(knowledge, "chunks", prompt, self.top_k, self.min_score)
        entity_fits = await _nearest(knowledge, "entities", prompt, self.top_k, self.min_score)
        await links.read_entities(list(entity_fits))
        links.chunks |= dict.fromkeys(chunk_fits)
        seeds = _seeds(entity_fits, chunk_fits, links.entities)
        walk = pagerank_walk(seeds, restart=1 - self.damping, tolerance=_TOLERANCE, max_nodes=_MOST_NODES)
        ranks = await _finished(walk, links)
        total = sum(chunk_fits.values()) or 1.0
        chunks = {
            id: (1 - _OWN_SHARE) * share + _OWN_SHARE * chunk_fits.get(id, 0.0) / total
            for id, share in ranks.items()
            if id in links.chunks
        }
        return chunks, {id: share for id, share in ranks.items() if id not in links.chunks}


@runtime_checkable
class PassageWalker(Protocol):
    """What a Knowledge may be beside: one that knows better than entities how one passage leads to another."""

    async def walked(self, text: str, top_k: int, damping: float) -> list[GraphHit]:
        """The chunks that walks from what fits *text* come by most."""
        ...


class _Links:
    """What entities and chunks lead to, read as it is asked for."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self.entities: dict[str, GraphEntity] = {}
        self.chunks: dict[str, None] = {}
        """Nodes that are chunks; all others are entities."""

    async def of(self, nodes: Sequence[str]) -> Weights:
        """From a chunk to its entities as often as it tells of them; from an entity one half of the times along its
        relations by weight, the other half to one of its chunks."""
        chunk_ids = [node for node in nodes if node in self.chunks]
        entity_ids = [node for node in nodes if node not in self.chunks]
        links: dict[str, Sequence[tuple[str, float]]] = {}
        if chunk_ids:
            links |= await self._knowledge.entities_of(chunk_ids)
        if entity_ids:
            await self.read_entities(entity_ids)
            related = await self._knowledge.neighbours(entity_ids)
            for id in entity_ids:
                on_it = self.entities[id].chunk_ids if id in self.entities else ()
                self.chunks |= dict.fromkeys(on_it)
                links[id] = [*_scaled(related.get(id, ())), *_scaled([(chunk_id, 1.0) for chunk_id in on_it])]
        return links

    async def read_entities(self, ids: Sequence[str]) -> None:
        unread = [id for id in ids if id not in self.entities]
        self.entities |= {entity.id: entity for entity in await self._knowledge.entities(unread)}


def _scaled(weights: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    total = sum(weight for _, weight in weights)
    return [(id, weight / total) for id, weight in weights if weight > 0]


async def _finished(walk: Generator[list[str], Weights, dict[str, float]], links: _Links) -> dict[str, float]:
    """The shares that a walk ends with."""
    try:
        unread = next(walk)
        while True:
            unread = walk.send(await links.of(unread))
    except StopIteration as ended:
        ranks: dict[str, float] = ended.value
        return ranks


def _best(scores: Mapping[str, float], most: int) -> list[str]:
    return sorted(scores, key=lambda id: (-scores[id], id))[:most]


async def _nearest(
    knowledge: Knowledge, index: VectorIndex, prompt: str, top_k: int, min_score: float | None
) -> dict[str, float]:
    return {hit.id: hit.score for hit in await knowledge.nearest(index, prompt, top_k, min_score) if hit.score > 0}


def _seeds(
    entity_fits: Mapping[str, float], chunk_fits: Mapping[str, float], entities: Mapping[str, GraphEntity]
) -> dict[str, float]:
    """Node → weight. An entity counts less the more chunks tell of it: it says less of where to look."""
    specific = {
        id: score / log2(2 + len(entities[id].chunk_ids)) for id, score in entity_fits.items() if id in entities
    }
    shares = ((specific, _ENTITY_SHARE), (chunk_fits, 1 - _ENTITY_SHARE))
    seeds: dict[str, float] = {}
    for fits, share in shares:
        total = sum(fits.values())
        seeds |= {id: share * score / total for id, score in fits.items()}
    return seeds
