"""The tables that Microsoft GraphRAG writes, taken into a knowledge graph: an index that somebody paid for goes on.

Formats: the output folder of versions 0.3 to 3.1, as Parquet, CSV or JSON
(https://microsoft.github.io/graphrag/index/outputs/).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from lorelite.errors import BadReply, DumpError, NotFound
from lorelite.graph_records import Community, CommunityReport, GraphDocument, GraphImport, Insight, TextChunk
from lorelite.ids import content_id, text_hash
from lorelite.interchange.tables import Row, find_table, listed, number, read_table, text
from lorelite.options import MAX_SOURCE_REF_CHARS
from lorelite.pipeline.knowledge import Knowledge
from lorelite.text.chunking import ChunkSpan
from lorelite.text.clean import clean_text
from lorelite.text.extraction import ExtractedEntity, ExtractedRelation, Extraction
from lorelite.text.loose_json import parse_loose_json
from lorelite.text.quote import QuoteFinder
from lorelite.text.span import Span
from lorelite.text.stitching import stitched
from lorelite.text.title_key import title_key

ENTITY_PROCESSOR = "chunkEntityGeneration"
RELATED = "related_to"
_SAID = "microsoftGraphRAG"
"""Key of what is remembered: document → a hash of what the tables said of it."""
_NAMES: Mapping[str, tuple[str, ...]] = {
    "entities": ("entities", "create_final_entities"),
    "relationships": ("relationships", "create_final_relationships"),
    "text_units": ("text_units", "create_final_text_units"),
    "documents": ("documents", "create_final_documents"),
    "communities": ("communities", "create_final_communities"),
    "community_reports": ("community_reports", "create_final_community_reports"),
}
_BATCH = 50
_MOST_LEVELS = 1_000
_MOST_COMMUNITIES = 2**53
_NAME_CHARS = 1_000
"""What is kept of a document's title that is too long for a name."""


@dataclass(slots=True)
class _Unit:
    """What one text unit says."""

    entities: list[Row] = field(default_factory=list)
    relations: list[Row] = field(default_factory=list)


async def import_microsoft_graphrag(knowledge: Knowledge, folder: Path) -> GraphImport:
    """Take the tables of *folder* in. Raises NotFound without its entities or text units, DumpError for damaged ones.

    Needed: entities, relationships, text_units. Used where they are there: documents, communities, community_reports.
    A text unit becomes a chunk; without a table of documents the units of a document are put together where they
    overlap. Entities' descriptions and relations' weights stay as they are. Running it again changes nothing; where the
    tables say something else of a document now, that takes the place of what they said before.
    """
    tables = {name: find_table(folder, names) for name, names in _NAMES.items()}
    for name in ("entities", "relationships", "text_units"):
        if tables[name] is None:
            raise NotFound("table", name, f"expected {name}.parquet, .csv or .json in {str(folder)!r}")
    rows = {name: list(read_table(path)) if path else [] for name, path in tables.items()}
    if not any(map(_unit_text, rows["text_units"])):
        raise DumpError(str(tables["text_units"]), "expected text units with a text, found none")
    problems: list[str] = []
    texts = {
        text(unit.get("id")) or f"unit {place}": (_owner(unit), content)
        for place, unit in enumerate(rows["text_units"])
        if (content := _unit_text(unit))
    }
    said = _said(rows["entities"], rows["relationships"], texts, problems)
    chunks = await _documents(knowledge, texts, rows["documents"], said)
    await _extractions(knowledge, chunks, said)
    ids = await _ids_by_title(knowledge, rows["entities"])
    ends = {text(row.get("id")): (text(row.get("source")), text(row.get("target"))) for row in rows["relationships"]}
    communities = await _communities(knowledge, rows["communities"], ids, ends, chunks)
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


async def _documents(
    knowledge: Knowledge, texts: Mapping[str, tuple[str, str]], documents: Sequence[Row], said: Mapping[str, _Unit]
) -> dict[str, TextChunk]:
    """Text unit id → the chunk it became; *texts*: its document and its text."""
    by_document: dict[str, list[str]] = {}
    for unit, (owner, _) in texts.items():
        by_document.setdefault(owner, []).append(unit)
    rows = {text(row.get("id")): row for row in documents}
    names = _names_of(list(by_document), rows)
    before: Mapping[str, str] = await knowledge.recall(_SAID) or {}
    now = {
        content_id("doc", names[owner]): text_hash(repr([said[unit] for unit in units]))
        for owner, units in by_document.items()
    }
    found: dict[str, TextChunk] = {}
    for owner, units in by_document.items():
        row = rows.get(owner, {})
        whole = clean_text(_whole_text(row.get("text")) or _whole_text(row.get("raw_content")))  # so called in 0.3
        content, spans = _placed(whole, [texts[unit][1] for unit in units])
        document = GraphDocument(id=names[owner], content=content)
        key = content_id("doc", document.id)
        [is_known] = await knowledge.known([document])
        if is_known and before.get(key, now[key]) != now[key]:
            await knowledge.delete_documents([document.id])
            is_known = False
        chunks: list[TextChunk] = []
        if not is_known:
            cut = [ChunkSpan(span.start, span.end, "") for span in sorted(spans)]
            chunks = await knowledge.add_document(document, cut)
        chunks = chunks or await knowledge.chunks(await knowledge.chunks_of([document.id]))
        by_span = {Span(chunk.start, chunk.end): chunk for chunk in chunks}
        found |= {unit: by_span[span] for unit, span in zip(units, spans, strict=True) if span in by_span}
    if before != {**before, **now}:
        await knowledge.remember(_SAID, {**before, **now})
    return found


def _owner(unit: Row) -> str:
    return text(unit.get("document_id")) or next(iter(listed(unit.get("document_ids"))), "documents")


def _names_of(owners: Sequence[str], documents: Mapping[str, Row]) -> dict[str, str]:
    """Id of a document → the name under which it is kept: its title, where no other has that."""
    titles = {owner: _storable_name(text(documents.get(owner, {}).get("title")) or owner) for owner in owners}
    shared = Counter(titles.values())
    return {
        owner: title if shared[title] == 1 else _storable_name(f"{title[:_NAME_CHARS]} ({owner})")
        for owner, title in titles.items()
    }


def _storable_name(name: str) -> str:
    clean = clean_text(name)
    return clean if len(clean) <= MAX_SOURCE_REF_CHARS else f"{clean[:_NAME_CHARS]}… {content_id('doc', clean)}"


def _unit_text(unit: Row) -> str:
    """The text of a unit as it stands, "" for a blank one."""
    content = clean_text(_whole_text(unit.get("text")))
    return content if content.strip() else ""


def _whole_text(value: object) -> str:
    return value if isinstance(value, str) else text(value)


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
    entities: Sequence[Row], relations: Sequence[Row], units: Iterable[str], problems: list[str]
) -> dict[str, _Unit]:
    """Text unit id → what it says. What names no unit that is there counts as said by the first."""
    said = {unit: _Unit() for unit in units}
    first = next(iter(said))
    homeless = 0
    for rows, is_entity in ((entities, True), (relations, False)):
        for row in rows:
            named = [unit for unit in listed(row.get("text_unit_ids")) if unit in said]
            homeless += not named
            for place, unit in enumerate(named or [first]):
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
    return clean_text(text(row.get("title")) or text(row.get("name")))


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
    knowledge: Knowledge,
    rows: Sequence[Row],
    ids: Mapping[str, str],
    ends: Mapping[str, tuple[str, str]],
    chunks: Mapping[str, TextChunk],
) -> list[Community]:
    found: dict[str, Community] = {}
    for place, row in enumerate(rows):
        named = listed(row.get("entity_ids"))
        for relation in () if named else listed(row.get("relationship_ids")):  # all that versions before 1.0 say
            named += ends.get(relation, ())
        members = sorted({ids[id] for id in named if id in ids})
        if members:
            units = [chunks[unit].id for unit in listed(row.get("text_unit_ids")) if unit in chunks]
            id = _community_id(row.get("community")) or _community_id(row.get("id")) or str(place)
            level = number(row.get("level"), 0)
            found.setdefault(
                id,
                Community(
                    id=id,
                    level=int(level) if 0 <= level <= _MOST_LEVELS else 0,
                    entity_ids=tuple(members),
                    parent=_community_id(row.get("parent")),
                    chunk_ids=tuple(dict.fromkeys(units)),
                    title=clean_text(text(row.get("title"))),
                ),
            )
    communities = _related(found)
    if communities:
        await knowledge.put_communities(communities)
    return communities


def _related(found: Mapping[str, Community]) -> list[Community]:
    """With their children and occurrence. A parent that is not there, or not on a level above, is none."""
    children: dict[str, list[str]] = {}
    parents = {
        id: each.parent
        for id, each in found.items()
        if each.parent in found and found[each.parent].level < each.level  # type: ignore[index]
    }
    for id, parent in parents.items():
        children.setdefault(str(parent), []).append(id)
    most = max((len(community.chunk_ids) for community in found.values()), default=0) or 1
    return [
        replace(
            community,
            parent=parents.get(id),
            children=tuple(sorted(children.get(id, ()))),
            is_final=id not in children,
            occurrence=len(community.chunk_ids) / most,
        )
        for id, community in found.items()
    ]


def _community_id(value: object) -> str | None:
    """The number of a community, or its name; -1 and nothing are none."""
    at = number(value, -1)
    named = text(value)
    return f"{int(at)}" if 0 <= at < _MOST_COMMUNITIES else None if number(value, 0) < 0 else named or None


async def _reports(knowledge: Knowledge, rows: Sequence[Row], communities: Sequence[Community]) -> int:
    there = {community.id: community for community in communities}
    found: dict[str, CommunityReport] = {}
    for row in rows:
        community = there.get(_community_id(row.get("community", row.get("community_id"))) or "")
        if community is None:
            continue
        title = clean_text(text(row.get("title"))) or community.title
        report = CommunityReport(
            community_id=community.id,
            level=community.level,
            title=title,
            summary=clean_text(text(row.get("summary"))),
            rating=min(10.0, max(0.0, number(row.get("rank", row.get("rating")), 0.0))),
            rating_explanation=clean_text(text(row.get("rating_explanation", row.get("rank_explanation")))),
            findings=tuple(_findings(row.get("findings"))),
        )
        if title and (report.summary or report.findings):
            found.setdefault(community.id, report)
    if found:
        await knowledge.put_reports(list(found.values()))
    return len(found)


def _findings(value: object) -> Iterable[Insight]:
    """Findings as a list, as JSON, or as Python and numpy print a list of them."""
    if isinstance(value, str):
        try:
            value = parse_loose_json(value)
        except BadReply:
            value = [value]
    for item in value if isinstance(value, list) else [value]:
        summary, explanation = (
            (item.get("summary"), item.get("explanation")) if isinstance(item, Mapping) else (item, None)
        )
        if text(summary) or text(explanation):
            yield Insight(summary=clean_text(text(summary)), explanation=clean_text(text(explanation)))


def _batches(ids: Iterable[str]) -> Iterable[list[str]]:
    remaining = iter(ids)
    while batch := list(islice(remaining, _BATCH)):
        yield batch
