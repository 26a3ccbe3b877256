"""`drift_search`: a first answer from reports, then questions that follow from it, each searched for where it leads.

After DRIFT search of Microsoft GraphRAG ("Dynamic Reasoning and Inference with Flexible Traversal", 2024).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from lorelite.errors import InvalidOption
from lorelite.graph_records import CommunityReport, SearchContext, TextChunk
from lorelite.pipeline.processor import CHUNK_ENTITIES, ENTITY_COMMUNITIES
from lorelite.ports import ChatModel, Embedder
from lorelite.prompts import drift
from lorelite.prompts.drift import Step
from lorelite.records import Usage
from lorelite.strategies.graph_tables import report_rows
from lorelite.strategies.local_community import LocalCommunitySearch
from lorelite.strategies.report_choice import best_reports
from lorelite.strategies.strategy import ask_all, check_options
from lorelite.strategies.tables import COLUMNS, SOURCES, Row, csv_table, fitting, in_turn, source_rows, table_context
from lorelite.text.budget import token_cost

if TYPE_CHECKING:
    from lorelite.pipeline.run import GraphEngine


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftSearch:
    """depth: rounds of follow-up questions. follow_ups: asked in each round, those first that follow from the answer
    with the highest score. primer_reports: reports that the first answer is made from. local: how follow-up questions
    are searched for. max_tokens: of the reports shown first, and of the context, of which answers take at most half.

    The model is asked 1 + depth * follow_ups times at most. Without one the titles and findings of the reports stand
    for the follow-up questions of one round, and the context holds reports in place of answers.
    """

    depth: int = 2
    follow_ups: int = 3
    primer_reports: int = 10
    max_tokens: int = 12_000
    local: LocalCommunitySearch = field(default_factory=LocalCommunitySearch)
    model: ChatModel | None = None
    embedding: Embedder | None = None

    name: ClassVar[str] = "driftSearch"
    requires: ClassVar[tuple[str, ...]] = (CHUNK_ENTITIES, ENTITY_COMMUNITIES)

    def __post_init__(self) -> None:
        check_options(self, "follow_ups", "primer_reports", "max_tokens")
        check_options(self, "depth", least=0)
        if not callable(getattr(self.local, "retrieve", None)):
            raise InvalidOption(f"{self.name}.local", "a local_community_search(…)", self.local)

    async def retrieve(self, run: GraphEngine, prompt: str) -> SearchContext:
        reports = await best_reports(run.knowledge, prompt, self.primer_reports)
        shown = fitting("Reports", report_rows(reports), self.max_tokens)
        if run.model is None or not shown:
            asked = _questions_of(reports)[: self.follow_ups if self.depth else 0]
            found = [await self.local.retrieve(run, question) for question in (prompt, *asked)]
            return self._context("Reports", report_rows(reports), found, Usage())
        primer = drift.build_primer(prompt, csv_table(COLUMNS["Reports"], shown), self.follow_ups)
        [first], usage = await ask_all(run, [primer], 1, drift.parse)
        answers = {prompt: first} if first is not None else {}
        found = [await self.local.retrieve(run, prompt)]
        latest = list(answers.values())
        for _ in range(self.depth):
            asked = _unasked(latest, answers)[: self.follow_ups]
            contexts = [(question, await self.local.retrieve(run, question)) for question in asked]
            contexts = [(question, context) for question, context in contexts if not context.is_empty]
            requests = [
                drift.build_follow_up(prompt, question, context.text, self.follow_ups) for question, context in contexts
            ]
            said, spent = await ask_all(run, requests, self.follow_ups, drift.parse)
            usage += spent
            found += [context for _, context in contexts]
            new = {question: step for (question, _), step in zip(contexts, said, strict=True) if step is not None}
            answers |= new
            latest = list(new.values())
        best = sorted(answers.items(), key=lambda item: -item[1].score)
        rows = [{"question": question, "answer": step.answer, "score": step.score} for question, step in best]
        return self._context("Answers", rows, found, usage)

    def _context(self, name: str, rows: Sequence[Row], found: Sequence[SearchContext], usage: Usage) -> SearchContext:
        """The rows of a table, and below it the sources of all searches in turn."""
        tables = {name: fitting(name, rows, self.max_tokens // 2)}
        chunks: dict[str, TextChunk] = {chunk.id: chunk for chunk in in_turn(context.chunks for context in found)}
        left = self.max_tokens - token_cost(table_context(self.name, tables).text)
        tables[SOURCES] = fitting(SOURCES, source_rows(chunks.values()), left)
        context = table_context(self.name, tables, list(chunks.values())[: len(tables[SOURCES])])
        return replace(context, usage=usage)


def _unasked(steps: Sequence[Step], answers: dict[str, Step]) -> list[str]:
    """The follow-up questions that were not asked, those of the best answer first."""
    known = {question.casefold() for question in answers}
    questions = (each for step in sorted(steps, key=lambda step: -step.score) for each in step.follow_ups)
    return list({each.casefold(): each for each in questions if each.casefold() not in known}.values())


def _questions_of(reports: Sequence[CommunityReport]) -> list[str]:
    """What reports are about, in the words of their titles and findings, of each one after the other."""
    texts = ([report.title, *(finding.summary for finding in report.findings)] for report in reports)
    return list(dict.fromkeys(in_turn(texts)))
