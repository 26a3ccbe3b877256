"""Entities that are one thing under several names: suggested, merged, taken apart."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite.blocking.core import Core
from lorelite.merge_records import DuplicatesReport, MergedEntity, MergeReport, MergeSuggestion
from lorelite.spending import Budget


class Merging(Core):
    def suggest_merges(
        self, namespace: str, *, min_score: float = 0.6, limit: int = 50, types: Sequence[str] | None = None
    ) -> list[MergeSuggestion]:
        """See AsyncWiki.suggest_merges."""
        return self._run(self._wiki.suggest_merges(namespace, min_score=min_score, limit=limit, types=types))

    def merge_entities(
        self, namespace: str, *, into: str, others: str | Sequence[str], reason: str = "stated"
    ) -> MergeReport:
        """See AsyncWiki.merge_entities."""
        return self._run(self._wiki.merge_entities(namespace, into=into, others=others, reason=reason))

    def undo_merge(self, namespace: str, merged_id: str) -> MergedEntity:
        """See AsyncWiki.undo_merge."""
        return self._run(self._wiki.undo_merge(namespace, merged_id))

    def reject_merge(self, namespace: str, first: str, second: str) -> None:
        """See AsyncWiki.reject_merge."""
        self._run(self._wiki.reject_merge(namespace, first, second))

    def list_merges(self, namespace: str) -> list[MergedEntity]:
        """See AsyncWiki.list_merges."""
        return self._run(self._wiki.list_merges(namespace))

    def resolve_duplicates(
        self,
        namespace: str,
        *,
        min_score: float = 0.9,
        judge: bool | None = None,
        dry_run: bool = False,
        budget: Budget | None = None,
    ) -> DuplicatesReport:
        """See AsyncWiki.resolve_duplicates."""
        return self._run(
            self._wiki.resolve_duplicates(namespace, min_score=min_score, judge=judge, dry_run=dry_run, budget=budget)
        )
