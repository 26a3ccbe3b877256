"""The tables that Microsoft GraphRAG writes, taken into a knowledge graph: an index that somebody paid for goes on.

Formats: the output folder of versions 0.3 to 3.1, as Parquet, CSV or JSON
(https://microsoft.github.io/graphrag/index/outputs/).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from lorelite.errors import NotFound
from lorelite.graph_records import Community, CommunityReport, GraphDocument, GraphImport, Insight, TextChunk
from lorelite.interchange.tables import Row, find_table, listed, number, read_table, text
from lorelite.pipeline.knowledge import Knowledge
from lorelite.text.chunking import ChunkSpan
from lorelite.text.extraction import ExtractedEntity, ExtractedRelation, Extraction
from lorelite.text.quote import QuoteFinder
from lorelite.text.span import Span
from lorelite.text.stitching import stitched
from lorelite.text.strict_json import read_json
from lorelite.text.title_key import title_key

ENTITY_PROCESSOR = "chunkEntityGeneration"
RELATED = "related_to"
_NAMES: Mapping[str, tuple[str, ...]] = {
    "entities": ("entities", "create_final_entities"),
    "relationships": ("relationships", "create_final_relationships"),
    "text_units": ("text_units", "create_final_text_units"),
    "documents": ("documents", "create_final_documents"),
    "communities": ("communities", "create_final_communities"),
    "community_reports": ("community_reports", "create_final_community_reports"),
}
_BATCH = 50


@dataclass(slots=True)
class _Unit:
    """What one text unit says."""

    entities: list[Row] = field(default_factory=list)
    relations: list[Row] = field(default_factory=list)


async def import_microsoft_graphrag(knowledge: Knowledge, folder: Path) -> GraphImport:
    """Take the tables of *folder* in. Raises NotFound without its entities or text units, DumpError for damaged ones.

    Needed: entities, relationships, text_units. Used where they are there: documents, communities, community_reports.
    A text unit becomes a chunk; without a table of documents the units of a document are put together where they
    overlap. Entities' descriptions and relations' weights stay as they are. Running it again changes nothing.
    """
    tables = {name: find_table(folder, names) for name, names in _NAMES.items()}
    for name in ("entities", "relationships", "text_units"):
        if tables[name] is None:
            raise NotFound("table", name, f"expected {name}.parquet, .csv or .json in {str(folder)!r}")
    rows = {name: list(read_table(path)) if path else [] for name, path in tables.items()}
    problems: list[str] = []
    chunks = await _documents(knowledge, rows["text_units"], rows["documents"])
    said = _said(rows["entities"], rows["relationships"], chunks, problems)
    await _extractions(knowledge, chunks, said)
    ids = await _ids_by_title(knowledge, rows["entities"])
    communities = await _communities(knowledge, rows["communities"], ids, chunks)
    reports = await _reports(knowledge, rows["community_reports"], communities)
    await knowledge.complete_documents(sorted({chunk.document_ids[0] for chunk in chunks.values()}))
    await knowledge.embed_new()
    stats = await knowledge.stats()
    return GraphImport(
        documents=stats.documents,
        chunks=stats.chunks,
        entities=stats.entities,
        relations=stats.relations,
        communities=len(communities),
        reports=reports,
        problems=tuple(problems),
    )


# -- documents and chunks ---------------------------------------------------------------------------------------


async def _documents(knowledge: Knowledge, units: Sequence[Row], documents: Sequence[Row]) -> dict[str, TextChunk]:
    """Text unit id → the chunk it became."""
    by_document: dict[str, list[Row]] = {}
    for unit in units:
        if text(unit.get("text")):
            owner = text(unit.get("document_id")) or next(iter(listed(unit.get("document_ids"))), "documents")
            by_document.setdefault(owner, []).append(unit)
    known = {text(row.get("id")): row for row in documents}
    found: dict[str, TextChunk] = {}
    for owner, members in by_document.items():
        row = known.get(owner, {})
        content, spans = _placed(str(row.get("text") or ""), [str(unit["text"]) for unit in members])
        order = sorted(range(len(members)), key=lambda place: (spans[place], place))
        document = GraphDocument(id=text(row.get("title")) or owner, content=content)
        [is_known] = await knowledge.known([document])
        if not is_known:
            await knowledge.add_document(document, [ChunkSpan(spans[at].start, spans[at].end, "") for at in order])
        chunks = await _chunks_of(knowledge, document.id)
        by_span = {(chunk.start, chunk.end): chunk for chunk in chunks}
        for place, unit in enumerate(members):
            if chunk := by_span.get((spans[place].start, spans[place].end)):
                found[text(unit.get("id"))] = chunk
    return found


async def _chunks_of(knowledge: Knowledge, document_id: str) -> list[TextChunk]:
    found = []
    for ids in _batches(await knowledge.chunk_ids()):
        found += [chunk for chunk in await knowledge.chunks(ids) if document_id in chunk.document_ids]
    return found


def _placed(document: str, pieces: Sequence[str]) -> tuple[str, list[Span]]:
    """The document's text and where its pieces stand: in the text given, or else in one put together from them."""
    spans = []
    place = 0
    for piece in pieces:
        start = document.find(piece, place)
        start = document.find(piece) if start < 0 else start
        if start < 0:
            return stitched(pieces)
        spans.append(Span(start, start + len(piece)))
        place = start + 1
    return document, spans


# -- entities and relations -------------------------------------------------------------------------------------


def _said(
    entities: Sequence[Row], relations: Sequence[Row], chunks: Mapping[str, TextChunk], problems: list[str]
) -> dict[str, _Unit]:
    """Text unit id → what it says. What names no unit that is there counts as said by the first."""
    said = {unit: _Unit() for unit in chunks}
    first = next(iter(said), None)
    homeless = 0
    for rows, is_entity in ((entities, True), (relations, False)):
        for row in rows:
            units = [unit for unit in listed(row.get("text_unit_ids")) if unit in said]
            homeless += not units
            for place, unit in enumerate(units or ([first] if first else [])):
                # The description is of all units together, and so is the weight: they are told once.
                told = row if place == 0 else {**row, "description": "", "weight": 0}
                (said[unit].entities if is_entity else said[unit].relations).append(told)
    if homeless:
        problems.append(f"{homeless:,} entities and relations name no text unit that is there; the first one has them")
    return said


async def _extractions(knowledge: Knowledge, chunks: Mapping[str, TextChunk], said: Mapping[str, _Unit]) -> None:
    waiting = set(await knowledge.unfinished(ENTITY_PROCESSOR))
    units = [unit for unit, chunk in chunks.items() if chunk.id in waiting]
    for batch in _batches(units):
        found = [(chunks[unit], _extraction(chunks[unit], said[unit])) for unit in batch]
        await knowledge.add_extractions(found, origin="model", processor=ENTITY_PROCESSOR)


def _extraction(chunk: TextChunk, unit: _Unit) -> Extraction:
    finder = QuoteFinder(chunk.content, 0, len(chunk.content))
    entities = []
    for row in unit.entities:
        name = _title(row)
        if title_key(name):
            mentions = tuple(Span(chunk.start + at.start, chunk.start + at.end) for at in finder.mentions(name, 20))
            kind = text(row.get("type")).lower() or None
            entities.append(
                ExtractedEntity(name=name, type=kind, description=text(row.get("description")), mentions=mentions)
            )
    relations = [
        ExtractedRelation(
            source=text(row.get("source")),
            target=text(row.get("target")),
            type=RELATED,
            description=text(row.get("description")),
            weight=number(row.get("weight"), 1.0),
        )
        for row in unit.relations
        if title_key(text(row.get("source"))) and title_key(text(row.get("target")))
    ]
    return Extraction(entities=tuple(entities), relations=tuple(relations))


def _title(row: Row) -> str:
    return text(row.get("title") or row.get("name"))


async def _ids_by_title(knowledge: Knowledge, entities: Sequence[Row]) -> dict[str, str]:
    """Entity id and title in the tables → id here."""
    here: dict[str, str] = {}
    for ids in _batches(await knowledge.entity_ids()):
        here |= {title_key(entity.name): entity.id for entity in await knowledge.entities(ids)}
    found = {}
    for row in entities:
        if id := here.get(title_key(_title(row))):
            found[text(row.get("id"))] = id
            found[_title(row)] = id
    return found


# -- communities and reports ------------------------------------------------------------------------------------


async def _communities(
    knowledge: Knowledge, rows: Sequence[Row], ids: Mapping[str, str], chunks: Mapping[str, TextChunk]
) -> list[Community]:
    found = []
    for row in rows:
        members = sorted({ids[id] for id in listed(row.get("entity_ids")) if id in ids})
        if members:
            units = [chunks[unit].id for unit in listed(row.get("text_unit_ids")) if unit in chunks]
            parent = _community_id(row.get("parent"))
            found.append(
                Community(
                    id=_community_id(row.get("community", row.get("id"))) or text(row.get("id")),
                    level=int(number(row.get("level"), 0)),
                    entity_ids=tuple(members),
                    parent=parent,
                    chunk_ids=tuple(dict.fromkeys(units)),
                    title=text(row.get("title")),
                )
            )
    if found:
        await knowledge.put_communities(_related(found))
    return found


def _related(communities: Sequence[Community]) -> list[Community]:
    """With their children and occurrence."""
    children: dict[str, list[str]] = {}
    for community in communities:
        if community.parent is not None:
            children.setdefault(community.parent, []).append(community.id)
    most = max((len(community.chunk_ids) for community in communities), default=0) or 1
    there = {community.id for community in communities}
    return [
        Community(
            id=community.id,
            level=community.level,
            entity_ids=community.entity_ids,
            parent=community.parent if community.parent in there else None,
            children=tuple(sorted(children.get(community.id, ()))),
            is_final=community.id not in children,
            occurrence=len(community.chunk_ids) / most,
            chunk_ids=community.chunk_ids,
            title=community.title,
        )
        for community in communities
    ]


def _community_id(value: object) -> str | None:
    """The number of a community; -1 and nothing are none."""
    at = number(value, -1)
    return f"{int(at)}" if at >= 0 else None


async def _reports(knowledge: Knowledge, rows: Sequence[Row], communities: Sequence[Community]) -> int:
    levels = {community.id: community.level for community in communities}
    found = []
    for row in rows:
        id = _community_id(row.get("community", row.get("community_id")))
        if id in levels and text(row.get("title")):
            found.append(
                CommunityReport(
                    community_id=id,
                    level=levels[id],
                    title=text(row.get("title")),
                    summary=text(row.get("summary")),
                    rating=min(10.0, max(0.0, number(row.get("rank", row.get("rating")), 0.0))),
                    rating_explanation=text(row.get("rating_explanation", row.get("rank_explanation"))),
                    findings=tuple(_findings(row)),
                )
            )
    if found:
        await knowledge.put_reports(found)
    return len(found)


def _findings(row: Row) -> Iterable[Insight]:
    value = row.get("findings")
    if isinstance(value, str):
        try:
            value = read_json(value)
        except ValueError:
            value = [value] if value.strip() else []
    for item in value if isinstance(value, list) else []:
        if isinstance(item, Mapping):
            yield Insight(summary=text(item.get("summary")), explanation=text(item.get("explanation")))
        elif text(item):
            yield Insight(summary=text(item))


def _batches(ids: Iterable[str]) -> Iterable[list[str]]:
    remaining = iter(ids)
    while batch := list(islice(remaining, _BATCH)):
        yield batch
