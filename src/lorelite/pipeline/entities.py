"""`chunk_entity_generation`: the entities of chunks and how they are related."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from lorelite import asking
from lorelite import options as given
from lorelite.errors import BadReply
from lorelite.given import as_model
from lorelite.graph_records import TextChunk
from lorelite.ids import text_hash
from lorelite.pipeline.merging import entity_key
from lorelite.pipeline.processor import CHUNK_ENTITIES
from lorelite.pipeline.rule_extraction import by_document, extract_by_rules
from lorelite.pipeline.run import GraphEngine
from lorelite.pipeline.summaries import summarise
from lorelite.ports import ChatModel, ModelReply, ModelRequest
from lorelite.prompts import extract_graph
from lorelite.prompts.graph_reply import GraphRecords, Wanted, read_records
from lorelite.records import Origin
from lorelite.text.extraction import Extraction

OrphanRelations = Literal["create", "drop"]

ENTITY_TYPES = ("organization", "person", "geo", "event")
SUMMARY_TOKENS = 500
BATCH_SIZE = 32
_OPEN_SUMMARIES = f"{CHUNK_ENTITIES}.summaries"
_PAGE = 500
_MOST_OPEN = 10_000
"""More entities are not remembered one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityOptions:
    """The options of `chunk_entity_generation`, checked."""

    wanted: Wanted = field(default_factory=lambda: Wanted(ENTITY_TYPES))
    max_gleanings: int = 1
    summary_max_tokens: int = SUMMARY_TOKENS
    language: str | None = None
    orphan_relations: OrphanRelations = "create"
    record_limit: int | None = None
    prompt: str | None = None
    batch_size: int = BATCH_SIZE


@dataclass(slots=True)
class _Reading:
    """What the model has said about one chunk so far."""

    chunk: TextChunk
    request: ModelRequest
    replies: list[str] = field(default_factory=list)
    records: list[GraphRecords] = field(default_factory=list)
    error: Exception | None = None


class ChunkEntityGeneration:
    """Asks the model for the entities and relations of each chunk, and merges them into the graph.

    Rounds of gleaning add what the first reply missed; entities that many chunks describe get a summary. Without a
    model names, terms and what stands together are found by rules, one document at a time.
    """

    name = CHUNK_ENTITIES
    version = 1
    requires: tuple[str, ...] = ()
    works_on: Literal["chunks"] = "chunks"

    def __init__(self, settings: EntityOptions, model: ChatModel | None, cheap_model: ChatModel | None) -> None:
        self.settings = settings
        self.model = model
        self.cheap_model = cheap_model

    def options(self) -> Mapping[str, Any]:
        settings = self.settings
        return {
            "entity_types": list(settings.wanted.types),
            "allow_other_types": settings.wanted.others,
            "max_gleanings": settings.max_gleanings,
            "summary_max_tokens": settings.summary_max_tokens,
            "language": settings.language,
            "orphan_relations": settings.orphan_relations,
            "record_limit": settings.record_limit,
            "model": None if self.model is None else self.model.name,
            "cheap_model": None if self.cheap_model is None else self.cheap_model.name,
            "prompt": None if settings.prompt is None else text_hash(settings.prompt),
        }

    async def process(self, run: GraphEngine, chunk_ids: Sequence[str]) -> Mapping[str, int]:
        run = run.using(model=self.model, cheap_model=self.cheap_model)
        counts: Counter[str] = Counter(entities=0, relations=0)
        if not run.has_model:
            await self._by_rules(run, chunk_ids, counts)
            return counts
        if chunk_ids:
            await self._read_all(run, chunk_ids, counts)
        else:
            await self._summarise(run, counts)
        return counts

    async def remove(self, run: GraphEngine, chunk_ids: Sequence[str]) -> None:
        """Note whose summaries will no longer hold when the chunks are gone; `process` then writes new ones."""
        await self._open(run, await _told_by(run, chunk_ids), await run.knowledge.recall(_OPEN_SUMMARIES))

    async def _read_all(self, run: GraphEngine, chunk_ids: Sequence[str], counts: Counter[str]) -> None:
        """Read the chunks, and note whose descriptions change: they are summarised when the documents are complete."""
        was_open = await run.knowledge.recall(_OPEN_SUMMARIES)
        await run.knowledge.remember(_OPEN_SUMMARIES, True)
        touched = await self._by_model(run, chunk_ids, counts)
        await self._open(run, touched, was_open)

    async def _open(
        self, run: GraphEngine, entity_ids: Sequence[str], was_open: list[str] | Literal[True] | None
    ) -> None:
        """Remember whose descriptions need a look beside those that did before; True: all, after a call was cut off."""
        ids = list(dict.fromkeys([*was_open, *entity_ids] if isinstance(was_open, list) else entity_ids))
        is_all = was_open is True or len(ids) > _MOST_OPEN
        await run.knowledge.remember(_OPEN_SUMMARIES, True if is_all else ids or None)

    async def _summarise(self, run: GraphEngine, counts: Counter[str]) -> None:
        open_ids = await run.knowledge.recall(_OPEN_SUMMARIES)
        if open_ids is None:
            return
        counts += await summarise(
            run,
            await run.knowledge.entity_ids() if open_ids is True else open_ids,
            max_tokens=self.settings.summary_max_tokens,
            language=self.settings.language,
        )
        await run.knowledge.remember(_OPEN_SUMMARIES, None)

    async def _by_model(self, run: GraphEngine, chunk_ids: Sequence[str], counts: Counter[str]) -> list[str]:
        """Read the chunks a batch at a time; gives the ids of the entities whose descriptions changed."""
        settings = self.settings
        known = await _known_names(run) if settings.orphan_relations == "drop" and chunk_ids else None
        touched: dict[str, None] = {}
        new = set(chunk_ids)
        for start in range(0, len(chunk_ids), settings.batch_size):
            batch = await run.knowledge.chunks(chunk_ids[start : start + settings.batch_size])
            readings = await self._read(run, batch, counts)
            found = []
            for reading in readings:
                if reading.error is None:
                    found.append((reading.chunk, self._extraction(reading, known, counts)))
            touched |= dict.fromkeys(await self._store(run, found, "model", counts))
            touched |= dict.fromkeys(await _told_by_earlier(run, batch, new))
            run.tell(self.name, start + len(batch), len(chunk_ids))
            for reading in readings:
                if reading.error is not None:
                    run.failed(reading.chunk.id, self.name, reading.error)
        return list(touched)

    async def _read(self, run: GraphEngine, chunks: Sequence[TextChunk], counts: Counter[str]) -> list[_Reading]:
        """The first reply on each chunk, and the rounds that add to it; each round is one batch of requests."""
        settings = self.settings
        readings = [_Reading(chunk, self._request(chunk, chunk.content)) for chunk in chunks]
        answers = await self._ask(run, [reading.request for reading in readings])
        for reading, answered in zip(readings, answers, strict=True):
            if asking.is_too_much(answered.error):
                await self._in_halves(run, reading, answered)
            else:
                self._take(run, reading, [answered])
        going_on = [reading for reading in readings if reading.replies]
        for number in range(1, settings.max_gleanings + 1):
            replies = await run.complete([_again(extract_graph.glean, reading) for reading in going_on])
            counts["gleanings"] += len(going_on)
            # What a later round fails to add leaves what the first one found.
            failed = [not self._glean(run, *each) for each in zip(going_on, replies, strict=True)]
            counts["gleanings_failed"] += sum(failed)
            if number == settings.max_gleanings:
                break
            going_on = [reading for reading, is_over in zip(going_on, failed, strict=True) if not is_over]
            replies = await run.complete([_again(extract_graph.glean_more, reading) for reading in going_on])
            going_on = [
                reading
                for reading, reply in zip(going_on, replies, strict=True)
                if reply.error is None and extract_graph.wants_more(reply.text)
            ]
        return readings

    def _request(self, chunk: TextChunk, content: str) -> ModelRequest:
        """The request about a chunk, or a part of it."""
        settings = self.settings
        request = extract_graph.build(
            content,
            settings.wanted,
            heading=chunk.heading,
            language=settings.language,
            record_limit=settings.record_limit,
            instructions=settings.prompt,
        )
        return replace(request, source_ref=chunk.document_ids[0])

    async def _ask(
        self, run: GraphEngine, requests: Sequence[ModelRequest]
    ) -> list[asking.Answered[tuple[str, GraphRecords]]]:
        """Text and records of each reply."""
        return await asking.read_replies(
            run.complete, requests, lambda _, text: (text, read_records(text, self.settings.wanted))
        )

    async def _in_halves(
        self, run: GraphEngine, reading: _Reading, whole: asking.Answered[tuple[str, GraphRecords]]
    ) -> None:
        """Read the parts of a chunk that was too much for one reply; nothing is gleaned from it."""
        content = reading.chunk.content

        async def ask_about(spans: Sequence[tuple[int, int]]) -> list[asking.Answered[tuple[str, GraphRecords]]]:
            return await self._ask(run, [self._request(reading.chunk, content[slice(*span)]) for span in spans])

        parts = await asking.in_halves(content, 0, len(content), ask_about)
        self._take(run, reading, parts or [whole])
        reading.replies = []

    def _take(
        self, run: GraphEngine, reading: _Reading, answers: Sequence[asking.Answered[tuple[str, GraphRecords]]]
    ) -> None:
        """Keep what the replies about a chunk say, or the first error."""
        for answered in answers:
            for reply in answered.unread:
                run.judge(reply, "none")
            if answered.value is None:
                reading.error = reading.error or answered.error
            else:
                text, records = answered.value
                reading.replies.append(text)
                reading.records.append(records)

    def _glean(self, run: GraphEngine, reading: _Reading, reply: ModelReply) -> bool:
        """Add what a later round says; False for a reply that cannot be used."""
        if reply.error is not None:
            return False
        try:
            reading.records.append(read_records(reply.text, self.settings.wanted))
        except BadReply:
            run.judge(reply, "none")
            return False
        reading.replies.append(reply.text)
        return True

    def _extraction(self, reading: _Reading, known: set[str] | None, counts: Counter[str]) -> Extraction:
        reply = extract_graph.placed(
            reading.records,
            text=reading.chunk.content,
            start=reading.chunk.start,
            record_limit=self.settings.record_limit,
        )
        counts["records_dropped"] += reply.dropped
        counts["replies_cut"] += not reply.complete
        if known is None:
            return reply.extraction
        known |= {entity_key(name) for entity in reply.extraction.entities for name in (entity.name, *entity.aliases)}
        kept = tuple(
            relation
            for relation in reply.extraction.relations
            if entity_key(relation.source) in known and entity_key(relation.target) in known
        )
        counts["relations_dropped"] += len(reply.extraction.relations) - len(kept)
        return replace(reply.extraction, relations=kept)

    async def _by_rules(self, run: GraphEngine, chunk_ids: Sequence[str], counts: Counter[str]) -> None:
        done = 0
        async for chunks in by_document(run.knowledge, chunk_ids):
            await self._store(run, extract_by_rules(chunks), "heuristic", counts)
            done += len(chunks)
            run.tell(self.name, done, len(chunk_ids))

    async def _store(
        self, run: GraphEngine, found: Sequence[tuple[TextChunk, Extraction]], origin: Origin, counts: Counter[str]
    ) -> tuple[str, ...]:
        if not found:
            return ()
        if not any(extraction.entities or extraction.relations for _, extraction in found):
            run.warn(f"{self.name} found no entity in some of the chunks")
        merged = await run.knowledge.add_extractions(found, origin=origin, processor=self.name)
        counts["entities"] += merged.entities
        counts["relations"] += merged.relations
        counts["orphans"] += merged.unknown_ends
        return merged.touched


def _again(build: Any, reading: _Reading) -> ModelRequest:
    request: ModelRequest = build(reading.request, reading.chunk.content, reading.replies)
    return request


async def _told_by(run: GraphEngine, chunk_ids: Sequence[str]) -> list[str]:
    """Ids of the entities that chunks tell of."""
    told = await run.knowledge.entities_of(chunk_ids)
    return list(dict.fromkeys(entity_id for chunk_id in chunk_ids for entity_id, _ in told.get(chunk_id, ())))


async def _told_by_earlier(run: GraphEngine, chunks: Sequence[TextChunk], new: set[str]) -> list[str]:
    """Ids of the entities that earlier versions of these chunks' documents tell of."""
    of_documents = await run.knowledge.chunks_of(list(dict.fromkeys(chunk.document_ids[0] for chunk in chunks)))
    return await _told_by(run, [chunk_id for chunk_id in of_documents if chunk_id not in new])


async def _known_names(run: GraphEngine) -> set[str]:
    """The keys of all names in the graph."""
    ids = await run.knowledge.entity_ids()
    known: set[str] = set()
    for start in range(0, len(ids), _PAGE):
        for entity in await run.knowledge.entities(ids[start : start + _PAGE]):
            known |= {entity_key(name) for name in (entity.name, *entity.aliases)}
    return known


@given.seed_names
def chunk_entity_generation(
    entity_types: Sequence[str] = ENTITY_TYPES,
    max_gleanings: int = 1,
    summary_max_tokens: int = SUMMARY_TOKENS,
    language: str | None = None,
    model: Any = None,
    cheap_model: Any = None,
    orphan_relations: OrphanRelations = "create",
    allow_other_types: bool = True,
    record_limit: int | None = None,
    prompt: str | None = None,
    batch_size: int = BATCH_SIZE,
) -> ChunkEntityGeneration:
    """A processor that finds the entities and relations of chunks.

    entity_types: those to look for, () for any; what is none of them becomes "other", or with allow_other_types=False
    is left out. max_gleanings: rounds in which the model adds what it missed; 0: one request for each chunk.
    summary_max_tokens: descriptions of one entity that together reach it, or are eight or more, are summarised.
    language: of the descriptions, None for that of the text. orphan_relations: of a relation with an end that no reply
    up to its chunk lists, "create" that entity, or "drop" the relation. record_limit: the most records of a chunk.
    prompt: instructions in place of ours; the form of the reply follows. batch_size: chunks that are asked about
    together. model, cheap_model (which summarises): in place of the graph's; without any model rules find names and
    what stands together, and types are those that the rules know. Raises InvalidOption.
    """
    return ChunkEntityGeneration(
        EntityOptions(
            wanted=Wanted(
                tuple(dict.fromkeys(" ".join(kind.split()) for kind in given.texts("entity_types", entity_types))),
                given.switch("allow_other_types", allow_other_types),
            ),
            max_gleanings=given.whole_number("max_gleanings", max_gleanings, 0, 10),
            summary_max_tokens=given.whole_number("summary_max_tokens", summary_max_tokens, 1),
            language=None if language is None else given.text("language", language),
            orphan_relations=given.one_of("orphan_relations", orphan_relations, ("create", "drop")),
            record_limit=None if record_limit is None else given.whole_number("record_limit", record_limit, 1),
            prompt=None if prompt is None else given.text("prompt", prompt),
            batch_size=given.whole_number("batch_size", batch_size, 1),
        ),
        as_model(model),
        as_model(cheap_model, "cheap_model"),
    )


chunkEntityGeneration = chunk_entity_generation
