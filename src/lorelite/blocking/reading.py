"""Search and answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lorelite.blocking.core import Core
from lorelite.ports import OnProgress
from lorelite.records import Answer, Kind, MemoryBundle
from lorelite.retrieve.search import HybridWeight
from lorelite.spending import Budget
from lorelite.strategies.strategy import Strategy


class Reading(Core):
    def read(
        self,
        namespace: str | Sequence[str],
        query: str,
        *,
        max_results: int | None = None,
        hybrid_weight: HybridWeight = None,
        pre_filter_limit: int | None = None,
        kinds: Sequence[Kind] | None = None,
        node_types: Sequence[str] | None = None,
        exclude_drafts: bool | None = None,
        as_of: int | None = None,
        tier_weights: Mapping[str, float] | None = None,
        tier_floors: Mapping[str, int] | None = None,
        include_zero_weight: bool = False,
        token_budget: int | None = None,
        diversity: float | None = None,
        explain: bool = False,
    ) -> MemoryBundle:
        """See AsyncWiki.read."""
        return self._run(
            self._wiki.read(
                namespace,
                query,
                max_results=max_results,
                hybrid_weight=hybrid_weight,
                pre_filter_limit=pre_filter_limit,
                kinds=kinds,
                node_types=node_types,
                exclude_drafts=exclude_drafts,
                as_of=as_of,
                tier_weights=tier_weights,
                tier_floors=tier_floors,
                include_zero_weight=include_zero_weight,
                token_budget=token_budget,
                diversity=diversity,
                explain=explain,
            )
        )

    def ask(
        self,
        namespace: str,
        question: str,
        *,
        strategy: Strategy | str | None = None,
        prompt: str | None = None,
        on_progress: OnProgress | None = None,
        budget: Budget | None = None,
    ) -> Answer:
        """See AsyncWiki.ask."""
        return self._run(
            self._wiki.ask(
                namespace, question, strategy=strategy, prompt=prompt, on_progress=on_progress, budget=budget
            )
        )
