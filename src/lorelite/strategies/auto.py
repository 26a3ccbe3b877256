"""`auto_search`: the strategy that suits what the graph holds and what is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from lorelite.graph_records import GraphStats, SearchContext
from lorelite.ports import ChatModel, Embedder
from lorelite.strategies.global_community import GlobalCommunitySearch
from lorelite.strategies.local_community import LocalCommunitySearch
from lorelite.strategies.naive import NaiveSearch
from lorelite.strategies.pagerank import PagerankSearch
from lorelite.strategies.strategy import Strategy, check_options
from lorelite.text.names import find_names
from lorelite.text.sentences import split_sentences

if TYPE_CHECKING:
    from lorelite.pipeline.run import GraphEngine

_BROAD = re.compile(
    r"\b(?:themes?|summar(?:y|i[sz]e|ies)|overview|overall|main (?:topics?|points?|ideas?|subjects?|characters?)|"
    r"in general|as a whole|what (?:is|are) (?:this|these|the (?:documents?|texts?|corpus|book|story|collection))"
    r"[^?]{0,40}\babout|gist|big picture|"
    r"hauptthemen|themen|überblick|zusammenfass\w*|insgesamt|"
    r"thèmes?|résum\w+|aperçu|vue d.ensemble|"
    r"temas?|resum\w+|panorama|visión general)\b"
    r"|主题|主題|总结|總結|概述|概括|まとめ|要約|概要|주제|요약|темы|обзор|сводк|सारांश|मुख्य विषय",
    re.IGNORECASE,
)
"""Words of questions about the whole."""
_ENTITIES_PER_CHUNK = 0.5
"""From so many on a graph is rich enough in entities for walks to lead somewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoSearch:
    """Questions about the whole go to the reports, where there are any; questions that name something, in a graph with
    reports, to what surrounds it; others walk, where the graph is rich in entities, or go by chunks alone.

    The context's `strategy` names the choice. max_tokens: of the context, whatever is chosen.
    """

    max_tokens: int = 12_000
    model: ChatModel | None = None
    embedding: Embedder | None = None

    name: ClassVar[str] = "autoSearch"
    requires: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        check_options(self, "max_tokens")

    async def retrieve(self, run: GraphEngine, prompt: str) -> SearchContext:
        chosen = best_strategy(await run.knowledge.stats(), prompt, self.max_tokens)
        context = await chosen.retrieve(run, prompt)
        if context.is_empty and not isinstance(chosen, NaiveSearch):
            context = await NaiveSearch(max_tokens=self.max_tokens).retrieve(run, prompt)
        return context


def best_strategy(stats: GraphStats, prompt: str, max_tokens: int) -> Strategy:
    """The strategy for a question to a graph that holds so much."""
    if stats.reports and is_broad(prompt):
        return GlobalCommunitySearch(max_tokens=max_tokens)
    if stats.entities < _ENTITIES_PER_CHUNK * max(1, stats.chunks):
        return NaiveSearch(max_tokens=max_tokens)
    if stats.reports and find_names(prompt, split_sentences(prompt)):
        quarter = max_tokens // 4
        return LocalCommunitySearch(
            text_unit_tokens=max_tokens - 3 * quarter,
            entity_tokens=quarter,
            relation_tokens=quarter,
            report_tokens=quarter,
        )
    return PagerankSearch(max_tokens=max_tokens)


def is_broad(question: str) -> bool:
    """Is the question about all of the documents rather than something in them?"""
    return _BROAD.search(question) is not None
