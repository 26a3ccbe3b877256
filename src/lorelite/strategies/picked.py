"""An answer without a model from what was found in a graph: sentences of chunks, or summaries of reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lorelite.graph_records import CommunityReport, SearchContext, TextChunk
from lorelite.pipeline.knowledge import Knowledge
from lorelite.records import AnswerSentence, Citation
from lorelite.strategies.broad import is_broad
from lorelite.strategies.extractive import quoted_sentences
from lorelite.strategies.picking import best_sentences, is_about_something_else, weighed_by
from lorelite.strategies.sources import Passage, chunk_passages
from lorelite.text.plain import plain_words
from lorelite.text.quote import find_quote

Paragraphs = list[Sequence[AnswerSentence]]

SUMMARIES_NOTE = "No model read the reports for this question. Those that fit best say in short:"
_SENTENCES = 4
_REPORTS = 4
_CHUNKS_READ = 24
"""Chunks of a community in which the sentences of its report are looked up."""
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
        return SUMMARIES_NOTE, [await _summary(knowledge, report) for report in reports]
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
    sources: list[Passage] = []
    if report.origin == "heuristic":
        for community in await knowledge.communities([report.community_id]):
            sources += chunk_passages(await knowledge.chunks(community.chunk_ids[:_CHUNKS_READ]))
    # The names that follow what is quoted stand in the title.
    summary = report.summary.partition("\n\n")[0] if sources else report.summary
    quotes = [quote for quote in summary.split(_GAP) if quote.strip()] or [""]
    said = [AnswerSentence(text=plain_words(quote), citations=_places(quote, sources)) for quote in quotes]
    said[0] = replace(said[0], text=f"{report.title}: {said[0].text}")
    return said


def _places(quote: str, sources: Sequence[Passage]) -> tuple[Citation, ...]:
    for source in sources:
        span = find_quote(source.text, quote, 0, len(source.text))
        if span is not None:
            return (source.citation(span.start, span.end),)
    return ()
