"""A small world, told to any knowledge graph, and the places where one can be kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Literal

from store_places import IN_STORES

from lorelite._drive import drive
from lorelite.engine import Engine
from lorelite.graph_records import (
    Community,
    CommunityReport,
    GraphDocument,
    GraphEntity,
    TextChunk,
)
from lorelite.models.hash_embedder import HashEmbedder
from lorelite.pipeline.file_knowledge import FileKnowledge
from lorelite.pipeline.knowledge import Knowledge
from lorelite.settings import WikiConfig
from lorelite.store.store import Store
from lorelite.text.chunking import ChunkSpan
from lorelite.text.extraction import ExtractedEntity, ExtractedRelation, Extraction

ENTITIES = "chunkEntityGeneration"
QUESTIONS = "hypotheticalQuestionGeneration"
Open = Callable[[str], Knowledge]
"""Namespace → its knowledge; every namespace of one test is kept in the same place."""


def in_a_file(embedder: HashEmbedder | None, index: Literal["auto", "memory"] = "auto") -> Callable[[ExitStack], Open]:
    def begin(files: ExitStack) -> Open:
        store = Store(":memory:", keyword_index=index, clock=lambda: 1_700_000_000_000)
        files.callback(store.close)
        engine = Engine(store, None, embedder, WikiConfig(keyword_index=index), store.clock)
        return lambda namespace: FileKnowledge(engine, namespace)

    return begin


PLACES: Mapping[str, Callable[[ExitStack], Open]] = {
    "file": in_a_file(HashEmbedder()),
    "file without vectors": in_a_file(None),
    "file without FTS5": in_a_file(None, "memory"),
    **IN_STORES,
}


# -- a small world --------------------------------------------------------------------------------------------------

CAROL = "Ebenezer Scrooge was the partner of Jacob Marley.\nBob Cratchit worked for Scrooge in the cold office."
SEQUEL = "Marley came as a ghost with chains.\nTiny Tim is the son of Bob Cratchit and uses a crutch."


def spans(text: str) -> list[ChunkSpan]:
    """One for each line."""
    found, start = [], 0
    for line in text.split("\n"):
        found.append(ChunkSpan(start, start + len(line), "Stave"))
        start += len(line) + 1
    return found


def begin(knowledge: Knowledge, id: str, text: str) -> list[TextChunk]:
    return drive(knowledge.add_document(GraphDocument(id=id, content=text), spans(text)))


def insert(knowledge: Knowledge, id: str, text: str) -> list[TextChunk]:
    chunks = begin(knowledge, id, text)
    drive(knowledge.complete_documents([id]))
    return chunks


def said(
    entities: Sequence[tuple[str, str | None, str]] = (), relations: Sequence[tuple[str, str, str, float]] = ()
) -> Extraction:
    return Extraction(
        entities=tuple(ExtractedEntity(name=name, type=type, description=text) for name, type, text in entities),
        relations=tuple(
            ExtractedRelation(source=source, target=target, type="related", description=text, weight=weight)
            for source, target, text, weight in relations
        ),
    )


SAID_OF_CAROL = (
    said(
        [("Scrooge", "person", "A miser."), ("Jacob Marley", "person", "A partner.")],
        [("Scrooge", "Jacob Marley", "They ran a firm.", 3.0)],
    ),
    said(
        [("Scrooge", "person", "An employer."), ("Bob Cratchit", "person", "A clerk.")],
        [("Bob Cratchit", "Scrooge", "He works for him.", 2.0)],
    ),
)
SAID_OF_SEQUEL = (
    said(
        [("Jacob Marley", "ghost", "A ghost."), ("Scrooge", None, "")], [("Jacob Marley", "Scrooge", "A visit.", 1.5)]
    ),
    said(
        [("Tiny Tim", "person", "A boy."), ("Bob Cratchit", "person", "A father.")],
        [("Tiny Tim", "Bob Cratchit", "Son of Bob.", 4.0)],
    ),
)


def tell(knowledge: Knowledge, chunks: Sequence[TextChunk], found: Sequence[Extraction]) -> Any:
    return drive(knowledge.add_extractions(list(zip(chunks, found, strict=True)), processor=ENTITIES))


def tell_all(knowledge: Knowledge, *, but: str = "") -> None:
    for id, text, found in (("carol", CAROL, SAID_OF_CAROL), ("sequel", SEQUEL, SAID_OF_SEQUEL)):
        if id != but:
            tell(knowledge, insert(knowledge, id, text), found)


def entities(knowledge: Knowledge) -> dict[str, GraphEntity]:
    """By name in lower case: who shows names how is the store's affair."""
    return {entity.name.casefold(): entity for entity in drive(knowledge.entities(drive(knowledge.entity_ids())))}


def texts(knowledge: Knowledge, ids: Sequence[str]) -> list[str]:
    return [chunk.content for chunk in drive(knowledge.chunks(ids))]


def picture(knowledge: Knowledge) -> dict[str, Any]:
    """All that a graph holds, without ids."""
    found = entities(knowledge)
    names = {entity.id: name for name, entity in found.items()}
    chunk_ids = drive(knowledge.chunk_ids())
    weighted = drive(knowledge.weighted_edges())
    parts = drive(knowledge.descriptions(sorted(names)))
    told = drive(knowledge.entities_of(chunk_ids))
    return {
        "chunks": [(chunk.document_ids, chunk.order, chunk.content) for chunk in drive(knowledge.chunks(chunk_ids))],
        "entities": {
            name: (entity.type, entity.description, texts(knowledge, entity.chunk_ids), entity.degree)
            for name, entity in sorted(found.items())
        },
        "parts": {names[each.entity.id]: (each.parts, each.is_summarised) for each in parts},
        "relations": sorted(
            (
                relation.source.casefold(),
                relation.target.casefold(),
                relation.type,
                relation.description,
                relation.weight,
                texts(knowledge, relation.chunk_ids),
                relation.is_directed,
            )
            for relation in drive(knowledge.relations_of(sorted(names)))
        ),
        "edges": sorted((*sorted((names[one], names[other])), weight) for one, other, weight in weighted.edges),
        "in edges": sorted(names[id] for id in weighted.entity_ids),
        "told": sorted(
            (texts(knowledge, [chunk])[0], names[id], count) for chunk, pairs in told.items() for id, count in pairs
        ),
        "similar": sorted(
            (texts(knowledge, [chunk])[0], texts(knowledge, [other])[0], weight)
            for chunk, pairs in drive(knowledge.similar_to(chunk_ids)).items()
            for other, weight in pairs
        ),
        "questions": sorted(
            (each.question, texts(knowledge, [each.chunk_id])[0]) for each in drive(knowledge.questions())
        ),
        "unfinished": {
            name: texts(knowledge, drive(knowledge.unfinished(name))) for name in (ENTITIES, QUESTIONS, "other")
        },
        "stats": drive(knowledge.stats()),
    }


def clustered(knowledge: Knowledge) -> list[Community]:
    found = entities(knowledge)
    chunks = drive(knowledge.chunk_ids())

    def community(id: str, level: int, names: Sequence[str], told: Sequence[int], **more: Any) -> Community:
        ids = tuple(sorted(found[name].id for name in names))
        return Community(id=id, level=level, entity_ids=ids, chunk_ids=tuple(chunks[place] for place in told), **more)

    return [
        community("0", 0, ["scrooge", "jacob marley", "bob cratchit"], (0, 1, 2, 3), occurrence=1.0, is_final=False,
                  children=("2", "10"), title="All"),
        community("1", 0, ["tiny tim"], (3,), occurrence=0.25),
        community("10", 1, ["bob cratchit"], (1, 3), parent="0", occurrence=0.5),
        community("2", 1, ["jacob marley", "scrooge"], (0, 1, 2), parent="0", occurrence=0.75),
    ]  # fmt: skip


def report(id: str, level: int = 0, **more: Any) -> CommunityReport:
    given = {"title": f"Title {id}", "summary": "A miser repents.", **more}
    return CommunityReport(community_id=id, level=level, **given)
