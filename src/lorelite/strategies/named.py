"""The strategies by name, each made by a function with its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lorelite.errors import InvalidOption
from lorelite.strategies.auto import AutoSearch
from lorelite.strategies.drift import DriftSearch
from lorelite.strategies.dual_level import DualLevelSearch
from lorelite.strategies.entity_enhanced import EntityEnhancedSearch
from lorelite.strategies.global_community import GlobalCommunitySearch
from lorelite.strategies.local_community import LocalCommunitySearch
from lorelite.strategies.naive import NaiveSearch
from lorelite.strategies.pagerank import PagerankSearch
from lorelite.strategies.questions import HypotheticalQuestionSearch
from lorelite.strategies.similar_chunks import SimilarChunkTraversalSearch
from lorelite.strategies.strategy import Strategy

STRATEGIES: Mapping[str, Callable[[], Strategy]] = {
    "auto": AutoSearch,
    "naive": NaiveSearch,
    "entity_enhanced": EntityEnhancedSearch,
    "local_community": LocalCommunitySearch,
    "global_community": GlobalCommunitySearch,
    "similar_chunk_traversal": SimilarChunkTraversalSearch,
    "hypothetical_question": HypotheticalQuestionSearch,
    "pagerank": PagerankSearch,
    "dual_level": DualLevelSearch,
    "drift": DriftSearch,
}
"""Short name → what makes the strategy with its defaults; its factory is called NAME_search."""


def strategy_named(name: str) -> Strategy:
    """The strategy called "naive", "naive_search" or "naiveSearch", with its defaults. Raises InvalidOption."""
    plain = name.replace("_", "").lower().removesuffix("search")
    for short, make in STRATEGIES.items():
        if short.replace("_", "") == plain:
            return make()
    raise InvalidOption("strategy", f"one of {', '.join(STRATEGIES)}", name)
