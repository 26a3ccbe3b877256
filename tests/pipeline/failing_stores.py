"""Three stores in memory that can be made to fail, and documents to fill them with."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from lorelite._drive import drive
from lorelite.adapters.in_memory import InMemoryGraph, InMemoryKV, InMemoryVector
from lorelite.graph_records import ChunkQuestion, Community, CommunityReport, GraphDocument, Similarity
from lorelite.pipeline.knowledge import Knowledge
from lorelite.pipeline.store_knowledge import StoreKnowledge
from lorelite.text.chunking import ChunkSpan
from lorelite.text.extraction import ExtractedEntity, ExtractedRelation, Extraction

ENTITIES = "chunkEntityGeneration"
CAROL = "Scrooge was the partner of Marley.\nBob worked for Scrooge."
SEQUEL = "Bob worked for Scrooge.\nTiny Tim is the son of Bob."


class Broken(Exception):
    pass


class Stores:
    """Three stores in memory, whose writes can be made to fail."""

    def __init__(self) -> None:
        self.graph, self.vectors, self.kv = InMemoryGraph("x"), InMemoryVector("x"), InMemoryKV("x")
        self.writes = 0
        self.fails_at: int | None = None
        for store in (self.graph, self.vectors, self.kv):
            for name in ("upsert", "delete", "upsert_nodes_batch", "upsert_edges_batch", "delete_nodes_batch",
                         "delete_edges_batch", "create_index"):  # fmt: skip
                if hasattr(store, name):
                    setattr(store, name, self._counted(getattr(store, name)))

    def _counted(self, act: Callable[..., Any]) -> Callable[..., Any]:
        async def counted(*args: Any, **more: Any) -> Any:
            self.writes += 1
            if self.writes == self.fails_at:
                raise Broken
            return await act(*args, **more)

        return counted

    def knowledge(self, embedder: Any = None) -> StoreKnowledge:
        return StoreKnowledge("x", self.graph, self.vectors, self.kv, embedder)

    def dump(self) -> Any:
        indexes = {name: drive(self.vectors.query(name, [1.0] * 64, 10_000, include_vector=True))
                   for name in drive(self.vectors.list_indexes())}  # fmt: skip
        values = {key: drive(self.kv.get_by_id(key)) for key in drive(self.kv.all_keys())}
        return drive(self.graph.all_nodes()), drive(self.graph.all_edges()), indexes, values


def insert(knowledge: Knowledge, id: str, text: str) -> None:
    spans, start = [], 0
    for line in text.split("\n"):
        spans.append(ChunkSpan(start, start + len(line), ""))
        start += len(line) + 1
    drive(knowledge.add_document(GraphDocument(id=id, content=text), spans))
    ids = drive(knowledge.unfinished(ENTITIES))
    found = [(chunk, extraction(chunk.content)) for chunk in drive(knowledge.chunks(ids))]
    drive(knowledge.add_extractions(found, processor=ENTITIES))
    drive(knowledge.complete_documents([id]))
    drive(knowledge.embed_new())


def extraction(text: str) -> Extraction:
    """Its capitalised words, each related to the next."""
    names = [word.strip(".") for word in text.split() if word[0].isupper()]
    return Extraction(
        entities=tuple(
            ExtractedEntity(name=name, type="person", description=f"{name} of {len(text)}") for name in names
        ),
        relations=tuple(
            ExtractedRelation(source=one, target=other, type="r", description="", weight=2.0)
            for one, other in pairwise(names)
        ),
    )


def scenario(knowledge: Knowledge) -> None:
    """Everything that writes, in the order of an insert, a new version and a deletion."""
    insert(knowledge, "carol", CAROL)
    insert(knowledge, "sequel", SEQUEL)
    first, second, *_ = drive(knowledge.chunk_ids())
    drive(knowledge.put_summaries({"SCROOGE": "A miser."}))
    drive(knowledge.add_similarities([Similarity(first, second, 0.5)]))
    drive(knowledge.add_questions([ChunkQuestion(id="q", question="Who?", chunk_id=first)]))
    drive(knowledge.mark_finished("other", [first]))
    drive(knowledge.put_communities([Community(id="0", level=0, entity_ids=("BOB", "SCROOGE"))]))
    drive(knowledge.put_reports([CommunityReport(community_id="0", level=0, title="T", summary="S")]))
    drive(knowledge.embed_new())
    insert(knowledge, "sequel", "Tim dances with Scrooge.")
    drive(knowledge.delete_documents(["carol"]))
    drive(knowledge.embed_new())
