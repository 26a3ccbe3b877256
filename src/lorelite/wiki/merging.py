"""Entities that are one thing under several names: suggested, merged, taken apart."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import ConfigError, TransactionError
from lorelite.merge_records import DuplicatesReport, MergedEntity, MergeReport, MergeSuggestion
from lorelite.spending import Budget, budgeted
from lorelite.wiki.core import Core


class Merging(Core):
    async def suggest_merges(
        self, namespace: str, *, min_score: float = 0.6, limit: int = 50, types: Sequence[str] | None = None
    ) -> list[MergeSuggestion]:
        """Pairs of entities that may be one, likeliest first, each with what speaks for it and against it.

        min_score: from 0 to 1. types: only entities of these types. Entities whose known types differ are never
        suggested, nor what `reject_merge` keeps apart. No model is asked; 10,000 entities take about a second.
        """
        from lorelite.resolution.suggest import suggest_merges

        return suggest_merges(
            self._known(namespace),
            namespace,
            min_score=options.share("min_score", min_score),
            limit=options.whole_number("limit", limit, 0),
            types=None if types is None else options.texts("types", types),
        )

    async def merge_entities(
        self, namespace: str, *, into: str, others: str | Sequence[str], reason: str = "stated"
    ) -> MergeReport:
        """Make entities part of another, which keeps its id and name.

        Each is given by id, or by a name that one entity alone has. All that is said of *others* is said of *into*
        from now on: descriptions, names, citations, relations, and what later documents say under their names.
        reason: kept with the merge. Raises NotFound, InvalidOption for what is no entity, and StrictOntologyViolation
        for relations that a strict ontology does not permit the survivor; nothing is written then.
        """
        from lorelite.resolution.merge import merge_entities

        engine = self._merging(namespace)
        given = [others] if isinstance(others, str) else others
        report = merge_entities(
            engine,
            namespace,
            into=options.node_id("into", into),
            others=[options.node_id("others", other) for other in options.texts("others", given)],
            reason=options.text("reason", reason),
        )
        await _follow(engine, namespace, report.merged)
        return report

    async def undo_merge(self, namespace: str, merged_id: str) -> MergedEntity:
        """Take an entity out of the one that it was merged into, with all that was its own.

        What came in after the merge under its name goes with it. merged_id: its id, as `list_merges` gives it, or its
        name. Raises NotFound when it is part of nothing.
        """
        from lorelite.resolution.merge import undo_merge
        from lorelite.retrieve.ranker import vectors_came

        engine = self._merging(namespace)
        undone = undo_merge(engine, namespace, options.node_id("merged_id", merged_id))
        await _follow(engine, namespace, [] if engine.store.nodes.get(namespace, undone.into_id) else [undone.into_id])
        await vectors_came(engine, namespace, [undone.merged_id])
        return undone

    async def reject_merge(self, namespace: str, first: str, second: str) -> None:
        """Remember that two entities, given by id or name, are two: they are not suggested again.

        Goes with the namespace when it is exported. `merge_entities` on the two takes it back.
        """
        from lorelite.resolution.merge import reject_merge

        engine = self._known(namespace)
        reject_merge(engine, namespace, options.node_id("first", first), options.node_id("second", second))

    async def list_merges(self, namespace: str) -> list[MergedEntity]:
        """What is part of what, the last merge first."""
        from lorelite.resolution.merge import list_merges

        return list_merges(self._known(namespace), namespace)

    @budgeted
    async def resolve_duplicates(
        self,
        namespace: str,
        *,
        min_score: float = 0.9,
        judge: bool | None = None,
        dry_run: bool = False,
        budget: Budget | None = None,
    ) -> DuplicatesReport:
        """Merge all that is suggested with at least this score.

        judge: ask the wiki's model about every pair first, many in one request, and merge what it calls one; None: if
        there is a model. A reply that nobody understands is a no. dry_run: only tell what would be merged.
        Raises ConfigError for judge=True without a model, and the model's error; nothing is merged then.
        budget: what its calls may cost at most, as within `spending`.
        """
        from lorelite.resolution.duplicates import resolve_duplicates

        engine = self._merging(namespace)
        is_judged = options.switch("judge", judge, engine.model is not None)
        if is_judged and engine.model is None:
            raise ConfigError("judge", "False or None for a wiki without a model", judge)
        report, gone = await resolve_duplicates(
            engine,
            namespace,
            min_score=options.share("min_score", min_score),
            is_judged=is_judged,
            dry_run=options.switch("dry_run", dry_run),
        )
        await _follow(engine, namespace, gone)
        return report

    def _merging(self, namespace: str) -> Engine:
        engine = self._known(namespace)
        if engine.ranker is not None and engine.store.db.in_transaction:
            raise TransactionError(
                f"merges have to be told to vector ranker {engine.ranker.name}, which cannot be undone inside "
                "transaction(); call it before or after"
            )
        return engine


async def _follow(engine: Engine, namespace: str, gone: Sequence[str]) -> None:
    """Vectors of what changed, and none of what is gone."""
    from lorelite.retrieve.ranker import persisted
    from lorelite.retrieve.semantic import embed_missing

    await persisted(engine, namespace, gone)
    await embed_missing(engine, namespace)
