"""The strategies as functions of their options, by Python's names, by the SDK's, and by a short name each.

Options may be written in the SDK's spelling too: `local_community_search(top_k=10)` is `localCommunitySearch(topK=10)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

from lorelite.errors import InvalidOption
from lorelite.given import as_embedder, as_model
from lorelite.options import seed_names
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

P = ParamSpec("P")
T = TypeVar("T")


def _factory(strategy: Callable[P, T]) -> Callable[P, T]:
    """The class as a function, which takes the SDK's names too, and functions for models and embedders."""

    @wraps(strategy, updated=())
    def make(*args: P.args, **kwargs: P.kwargs) -> T:
        for name, as_port in (("model", as_model), ("embedding", as_embedder)):
            if name in kwargs:
                kwargs[name] = as_port(kwargs[name], name)
        return strategy(*args, **kwargs)

    return seed_names(make)


naive_search = _factory(NaiveSearch)
entity_enhanced_search = _factory(EntityEnhancedSearch)
local_community_search = _factory(LocalCommunitySearch)
global_community_search = _factory(GlobalCommunitySearch)
similar_chunk_traversal_search = _factory(SimilarChunkTraversalSearch)
hypothetical_question_search = _factory(HypotheticalQuestionSearch)
pagerank_search = _factory(PagerankSearch)
dual_level_search = _factory(DualLevelSearch)
drift_search = _factory(DriftSearch)
auto_search = _factory(AutoSearch)

naiveSearch = naive_search
entityEnhancedSearch = entity_enhanced_search
localCommunitySearch = local_community_search
globalCommunitySearch = global_community_search
similarChunkTraversalSearch = similar_chunk_traversal_search
hypotheticalQuestionSearch = hypothetical_question_search
pagerankSearch = pagerank_search
dualLevelSearch = dual_level_search
driftSearch = drift_search
autoSearch = auto_search

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
"""Short name → the strategy with its defaults."""


def strategy_named(name: str) -> Strategy:
    """The strategy called "naive", "naive_search" or "naiveSearch", with its defaults. Raises InvalidOption.

    "local" and "global" stand for the two that search communities.
    """
    plain = name.replace("_", "").lower().removesuffix("search")
    for short, make in STRATEGIES.items():
        if plain in (short.replace("_", ""), short.removesuffix("_community")):
            return make()
    raise InvalidOption("strategy", f"one of {', '.join(STRATEGIES)}", name)
