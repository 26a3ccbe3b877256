"""What the chunks of one document say, found by rules: the document is read as a whole, then shared out among them.

A whole document shows which words are names, and that "Bob" and "Bob Cratchit" are one, better than a chunk does.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import replace

from lorelite.graph_records import TextChunk
from lorelite.pipeline.knowledge import Knowledge
from lorelite.prompts.fence import shortened
from lorelite.text.chunking import ChunkSpan
from lorelite.text.extraction import ExtractedEntity, ExtractedRelation, Extraction
from lorelite.text.heuristic import MAX_DESCRIPTION, extract_without_model
from lorelite.text.plain import plain_words
from lorelite.text.span import Span

_PAGE = 500


def extract_by_rules(chunks: Sequence[TextChunk]) -> list[tuple[TextChunk, Extraction]]:
    """The entities and relations of each of the chunks, which belong to one document.

    A chunk tells of the entities whose mentions it holds; the weight of a relation is shared by the chunks that hold
    its evidence, and a sentence of that describes it.
    """
    text = document_text(chunks)
    places = _Places(chunks)
    found = extract_without_model(text, source_ref=chunks[0].document_ids[0], chunks=places.spans)
    entities: dict[str, list[ExtractedEntity]] = defaultdict(list)
    relations: dict[str, list[ExtractedRelation]] = defaultdict(list)
    for entity in found.entities:
        for chunk, mentions in places.holding(entity.mentions):
            entities[chunk.id].append(replace(entity, mentions=mentions))
    for relation in found.relations:
        shares = places.holding(relation.evidence)
        description = relation.description or _quoted(text, relation.evidence)
        for chunk, evidence in shares:
            relations[chunk.id].append(
                replace(relation, description=description, weight=relation.weight / len(shares), evidence=evidence)
            )
    return [
        (chunk, Extraction(entities=tuple(entities[chunk.id]), relations=tuple(relations[chunk.id])))
        for chunk in chunks
    ]


async def by_document(knowledge: Knowledge, chunk_ids: Sequence[str]) -> AsyncIterator[list[TextChunk]]:
    """The chunks that stand together and belong to one document, document by document."""
    waiting: list[TextChunk] = []
    for start in range(0, len(chunk_ids), _PAGE):
        for chunk in await knowledge.chunks(chunk_ids[start : start + _PAGE]):
            if waiting and chunk.document_ids[0] != waiting[0].document_ids[0]:
                yield waiting
                waiting = []
            waiting.append(chunk)
    if waiting:
        yield waiting


def document_text(chunks: Iterable[TextChunk]) -> str:
    """The text of a document, every character in its place, as far as these chunks hold it; spaces elsewhere."""
    pieces: list[str] = []
    end = 0
    for chunk in sorted(chunks, key=lambda chunk: (chunk.start, chunk.end)):
        if chunk.end > end:
            pieces += [" " * (chunk.start - end), chunk.content[max(0, end - chunk.start) :]]
            end = chunk.end
    return "".join(pieces)


class _Places:
    """Which chunks hold a span. Sorted by their starts, they are sorted by their ends as well."""

    def __init__(self, chunks: Sequence[TextChunk]) -> None:
        self._chunks = sorted(chunks, key=lambda chunk: (chunk.start, chunk.end))
        self._starts = [chunk.start for chunk in self._chunks]

    @property
    def spans(self) -> list[ChunkSpan]:
        return [ChunkSpan(chunk.start, chunk.end, chunk.heading) for chunk in self._chunks]

    def holding(self, spans: Sequence[Span]) -> list[tuple[TextChunk, tuple[Span, ...]]]:
        """The chunks that hold some of the spans, with those; the first chunk for what stands nowhere."""
        held: dict[int, list[Span]] = defaultdict(list)
        for span in spans:
            place = bisect_right(self._starts, span.start) - 1
            while place >= 0 and self._chunks[place].end >= span.end:
                held[place].append(span)
                place -= 1
        return [(self._chunks[place], tuple(held[place])) for place in sorted(held)] or [(self._chunks[0], ())]


def _quoted(text: str, evidence: Sequence[Span]) -> str:
    """The first sentence of the evidence that is short enough to describe something, else the beginning of one."""
    quotes = [plain_words(span.of(text)) for span in evidence]
    short = (quote for quote in quotes if len(quote) <= MAX_DESCRIPTION)
    return next(short, shortened(quotes[0], MAX_DESCRIPTION) if quotes else "")
