"""`auto_search`: the strategy that suits what the graph holds and what is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from lorelite.graph_records import SearchContext
from lorelite.pipeline.knowledge import Knowledge
from lorelite.ports import ChatModel, Embedder
from lorelite.strategies.broad import is_broad
from lorelite.strategies.global_community import GlobalCommunitySearch
from lorelite.strategies.local_community import LocalCommunitySearch
from lorelite.strategies.naive import NaiveSearch
from lorelite.strategies.pagerank import PagerankSearch
from lorelite.strategies.strategy import MIN_SCORE, Strategy, check_options
from lorelite.text.names import find_names
from lorelite.text.sentences import split_sentences
from lorelite.text.stopwords import stop_words_for
from lorelite.text.tokens import word_tokens

if TYPE_CHECKING:
    from lorelite.pipeline.run import GraphEngine

_TELLING = frozenset(
    {"tell", "describe", "explain", "know", "known", "information", "everything", "erzähl", "beschreibe"}
)
"""Words that ask for everything about a thing, beside function words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoSearch:
    """Questions about the whole go to the reports, where there are any; "Who is X?" to what surrounds X, where it has
    reports; others walk from what fits, where entities do, or go by chunks alone.

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
        chosen = await best_strategy(run.knowledge, prompt, self.max_tokens)
        context = await chosen.retrieve(run, prompt)
        if context.is_empty and not isinstance(chosen, NaiveSearch):
            context = await NaiveSearch(max_tokens=self.max_tokens).retrieve(run, prompt)
        return context


async def best_strategy(knowledge: Knowledge, prompt: str, max_tokens: int) -> Strategy:
    """The strategy for a question to this graph."""
    if is_broad(prompt) and await knowledge.reports():
        return GlobalCommunitySearch(max_tokens=max_tokens)
    fitting = [hit.id for hit in await knowledge.nearest("entities", prompt, 1, MIN_SCORE)]
    if not fitting:
        return NaiveSearch(max_tokens=max_tokens)
    if _asks_about_a_name(prompt):
        member_of = await knowledge.communities_of(fitting)
        if await knowledge.reports(member_of.get(fitting[0], [])):
            quarter = max_tokens // 4
            return LocalCommunitySearch(
                text_unit_tokens=max_tokens - 3 * quarter,
                entity_tokens=max(1, quarter),
                relation_tokens=max(1, quarter),
                report_tokens=max(1, quarter),
            )
    return PagerankSearch(max_tokens=max_tokens)


def _asks_about_a_name(question: str) -> bool:
    """Does the question name something, and ask nothing particular of it?"""
    named = {token for name in find_names(question, split_sentences(question)) for token in word_tokens(name.name)}
    tokens = word_tokens(question)
    return bool(named) and set(tokens) <= named | stop_words_for(tokens) | _TELLING
