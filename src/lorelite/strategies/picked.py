"""An answer without a model from what was found in a graph: sentences of chunks, or summaries of reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lorelite.graph_records import CommunityReport, SearchContext, TextChunk
from lorelite.pipeline.knowledge import Knowledge
from lorelite.records import AnswerSentence, Citation
from lorelite.strategies.broad import is_broad
from lorelite.strategies.extractive import quoted_sentences
from lorelite.strategies.notes import summaries_note
from lorelite.strategies.picking import best_sentences, is_about_something_else, weighed_by
from lorelite.strategies.sources import Passage, chunk_passages
from lorelite.text.plain import plain_words
from lorelite.text.quote import find_quote

Paragraphs = list[Sequence[AnswerSentence]]

_SENTENCES = 4
_REPORTS = 4
_CHUNKS_READ, _BATCH = 240, 24
"""Chunks of a community in which the sentences of its report are looked up, and how many of them at a time."""
_GAP = " […] "
"""Between sentences that a report quotes from different places."""


async def picked_paragraphs(knowledge: Knowledge, prompt: str, context: SearchContext) -> tuple[str, Paragraphs]:
    """What is to be said before the answer, and the answer."""
    community_ids = [point["community_id"] for point in context.tables.get("Points", ()) if "community_id" in point]
    if community_ids:
        reports = await knowledge.reports(community_ids[:_REPORTS])
        if not is_broad(prompt) and is_about_something_else(prompt, [report.text for report in reports]):
            return "", []
        reports.sort(key=lambda report: community_ids.index(report.community_id))
        return summaries_note(prompt), [await _summary(knowledge, report) for report in reports]
    sources = chunk_passages(context.chunks)
    names = await _names(knowledge, context.chunks)

    def names_in(source: Passage, sentence: Citation) -> list[str]:
        text = sentence.quote.casefold()
        return [name for name in names.get(source.id, ()) if name.casefold() in text]

    chosen = best_sentences(sources, weighed_by(prompt, sources), _SENTENCES, names_in)
    return "", [[sentence] for sentence in quoted_sentences(chosen)]


async def _names(knowledge: Knowledge, chunks: Sequence[TextChunk]) -> dict[str, list[str]]:
    """Chunk → names of the entities that it tells of."""
    told = await knowledge.entities_of([chunk.id for chunk in chunks])
    ids = dict.fromkeys(id for mentions in told.values() for id, _ in mentions)
    names = {entity.id: entity.name for entity in await knowledge.entities(list(ids))}
    return {chunk_id: [names[id] for id, _ in mentions if id in names] for chunk_id, mentions in told.items()}


async def _summary(knowledge: Knowledge, report: CommunityReport) -> list[AnswerSentence]:
    """The report's title and summary; what it quotes word for word has its place as a citation."""
    is_quoted = report.origin == "heuristic"
    # The names that follow what is quoted stand in the title.
    summary = report.summary.partition("\n\n")[0] if is_quoted else report.summary
    quotes = [quote for quote in summary.split(_GAP) if quote.strip()] or [""]
    places = await _places(knowledge, report.community_id, quotes) if is_quoted else {}
    said = [AnswerSentence(text=plain_words(quote), citations=places.get(quote, ())) for quote in quotes]
    said[0] = replace(said[0], text=f"{report.title}: {said[0].text}")
    return said


async def _places(knowledge: Knowledge, community_id: str, quotes: Sequence[str]) -> Mapping[str, tuple[Citation, ...]]:
    """Where the community's chunks hold each, as far as they do."""
    ids = [id for community in await knowledge.communities([community_id]) for id in community.chunk_ids]
    places: dict[str, tuple[Citation, ...]] = {}
    for start in range(0, min(len(ids), _CHUNKS_READ), _BATCH):
        sources = chunk_passages(await knowledge.chunks(ids[start : min(start + _BATCH, _CHUNKS_READ)]))
        for quote in quotes:
            if quote not in places and (found := _place(quote, sources)):
                places[quote] = found
        if len(places) == len(set(quotes)):
            break
    return places


def _place(quote: str, sources: Sequence[Passage]) -> tuple[Citation, ...]:
    for source in sources:
        span = find_quote(source.text, quote, 0, len(source.text))
        if span is not None:
            return (source.citation(span.start, span.end),)
    return ()
