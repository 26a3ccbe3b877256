"""A small graph that everyone knows by heart, in memory, with the hits of a search set by the test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from lorelite.graph_records import (
    ChunkQuestion,
    Community,
    CommunityReport,
    GraphEntity,
    GraphHit,
    GraphRelation,
    GraphStats,
    Insight,
    TextChunk,
)
from lorelite.models import ScriptedModel
from lorelite.pipeline.run import GraphEngine, Tally

TEXTS = {
    "a": "Ada Marsh keeps Heron Lock. The lock stands on the Wharfe.",
    "b": 'Tom Weir sells eels at the ferry, and calls Ada Marsh "my sister".',
    "c": "The Wharfe floods in March.",
    "d": "Otters live on the upper Wharfe.",
}


def chunk(id: str, order: int = 0) -> TextChunk:
    text = TEXTS[id]
    return TextChunk(id=id, content=text, document_ids=(f"{id}.txt",), order=order, start=0, end=len(text))


def entity(id: str, name: str, type: str, description: str, chunk_ids: str, degree: int) -> GraphEntity:
    return GraphEntity(id=id, name=name, type=type, description=description, chunk_ids=tuple(chunk_ids), degree=degree)


def relation(source: GraphEntity, target: GraphEntity, description: str, weight: float, chunks: str) -> GraphRelation:
    return GraphRelation(
        source_id=source.id,
        target_id=target.id,
        source=source.name,
        target=target.name,
        description=description,
        weight=weight,
        chunk_ids=tuple(chunks),
    )


ADA = entity("e1", "Ada Marsh", "person", "Keeper of Heron Lock", "ab", 2)
LOCK = entity("e2", "Heron Lock", "place", "A lock, old and deep", "a", 2)
TOM = entity("e3", "Tom Weir", "person", "Sells eels", "b", 1)
RIVER = entity("e4", "Wharfe", "river", "", "acd", 2)
OTTER = entity("e5", "Otter", "animal", 'Called "river dog"', "d", 1)

RELATIONS = [
    relation(ADA, LOCK, "keeps", 5.0, "a"),
    relation(ADA, TOM, "is the sister of", 2.0, "b"),
    relation(LOCK, RIVER, "stands on", 3.0, "a"),
    relation(OTTER, RIVER, "lives on", 1.5, "d"),
]
WHOLE = Community(
    id="0", level=0, entity_ids=("e1", "e2", "e3", "e4", "e5"), children=("1", "2"), is_final=False, occurrence=1.0,
    chunk_ids=("a", "b", "c", "d"),
)  # fmt: skip
PEOPLE = Community(id="1", level=1, entity_ids=("e1", "e2", "e3"), parent="0", occurrence=0.5, chunk_ids=("a", "b"))
WATER = Community(id="2", level=1, entity_ids=("e4", "e5"), parent="0", occurrence=0.75, chunk_ids=("a", "c", "d"))
REPORTS = [
    CommunityReport(community_id="0", level=0, title="The valley", summary="People, a lock, a river.", rating=4.0),
    CommunityReport(
        community_id="1",
        level=1,
        title="Lock keepers",
        summary="Ada Marsh and her brother.",
        rating=7.5,
        findings=(Insight(summary="Ada keeps the lock", explanation="Since 1931."),),
    ),
    CommunityReport(community_id="2", level=1, title="The river", summary="Otters and floods.", rating=6.0),
]


class SmallGraph:
    """As much of a Knowledge as strategies read. hits: index → what `nearest` finds, whatever is asked."""

    namespace = "valley"

    def __init__(self) -> None:
        self.hits: dict[str, list[tuple[str, float]]] = {}
        self.asked: list[tuple[str, str]] = []
        self.embedders: list[object] = []
        self.chunk_map = {id: chunk(id) for id in TEXTS}
        self.entity_map = {each.id: each for each in (ADA, LOCK, TOM, RIVER, OTTER)}
        self.relation_list = list(RELATIONS)
        self.community_list = [WHOLE, PEOPLE, WATER]
        self.report_list = list(REPORTS)
        self.similar: dict[tuple[str, str], float] = {}
        self.question_map: dict[str, ChunkQuestion] = {}
        self.mentions = {
            "a": [("e1", 2.0), ("e2", 1.0), ("e4", 1.0)],
            "b": [("e1", 1.0), ("e3", 1.0)],
            "c": [("e4", 1.0)],
            "d": [("e4", 1.0), ("e5", 1.0)],
        }
        self.memory: dict[str, object] = {}

    has_vectors = True

    async def recall(self, key):
        return self.memory.get(key)

    async def chunks(self, ids: Sequence[str]):
        return [self.chunk_map[id] for id in ids if id in self.chunk_map]

    async def entities(self, ids: Sequence[str]):
        return [self.entity_map[id] for id in ids if id in self.entity_map]

    async def neighbours(self, entity_ids: Sequence[str]):
        found: dict[str, list[tuple[str, float]]] = {}
        for each in self.relation_list:
            for one, other in ((each.source_id, each.target_id), (each.target_id, each.source_id)):
                if one in entity_ids:
                    found.setdefault(one, []).append((other, each.weight))
        return {id: sorted(near, key=lambda item: (-item[1], item[0])) for id, near in found.items()}

    async def degrees(self, entity_ids: Sequence[str]):
        return {id: self.entity_map[id].degree for id in entity_ids if id in self.entity_map}

    async def relations_of(self, entity_ids: Sequence[str], among: Sequence[str] | None = None):
        wanted, others = set(entity_ids), {*entity_ids, *(among or ())}
        found = [each for each in self.relation_list if {each.source_id, each.target_id} & wanted]
        found = [each for each in found if among is None or {each.source_id, each.target_id} <= others]
        return sorted(found, key=lambda each: (each.source_id, each.target_id))

    async def entities_of(self, chunk_ids: Sequence[str]):
        return {id: self.mentions[id] for id in chunk_ids if id in self.mentions}

    async def communities(self, ids: Sequence[str] | None = None):
        return [each for each in self.community_list if ids is None or each.id in ids]

    async def communities_of(self, entity_ids: Sequence[str]):
        return {id: [each.id for each in self.community_list if id in each.entity_ids] for id in entity_ids}

    async def reports(self, community_ids: Sequence[str] | None = None):
        return [each for each in self.report_list if community_ids is None or each.community_id in community_ids]

    async def similar_to(self, chunk_ids: Sequence[str]):
        found: dict[str, list[tuple[str, float]]] = {}
        for (first, second), weight in self.similar.items():
            for one, other in ((first, second), (second, first)):
                if one in chunk_ids:
                    found.setdefault(one, []).append((other, weight))
        return {id: sorted(near, key=lambda item: (-item[1], item[0])) for id, near in found.items()}

    async def questions(self, ids: Sequence[str] | None = None):
        return [self.question_map[id] for id in (sorted(self.question_map) if ids is None else ids)]

    async def nearest(self, index: str, text: str, top_k: int, min_score: float | None = None):
        self.asked.append((index, text))
        hits = [GraphHit(id, score) for id, score in self.hits.get(index, [])]
        return [hit for hit in hits if min_score is None or hit.score >= min_score][:top_k]

    def with_embedder(self, embedder):
        self.embedders.append(embedder)
        return self

    async def stats(self):
        return GraphStats(
            chunks=len(self.chunk_map),
            entities=len(self.entity_map),
            relations=len(self.relation_list),
            communities=len(self.community_list),
            reports=len(self.report_list),
            similar_pairs=len(self.similar),
            questions=len(self.question_map),
        )


@pytest.fixture
def graph() -> SmallGraph:
    return SmallGraph()


@pytest.fixture
def run(graph):
    return GraphEngine(knowledge=graph, clock=lambda: 0)


@pytest.fixture
def with_model(run):
    """The engine with a scripted model: purpose → replies."""

    def made(replies):
        return replace(run, model=ScriptedModel(replies), tally=Tally())

    return made
