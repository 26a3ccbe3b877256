"""What the graph may hold: ontologies, and types for what has none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from lorelite import options
from lorelite.findings import Instructions
from lorelite.ontology.manifest import Manifest, Ontology, OntologyMode
from lorelite.ports import OnProgress
from lorelite.reports import BackfillReport, OntologyReport
from lorelite.settings import BackfillClassifier
from lorelite.spending import Budget, budgeted
from lorelite.wiki.core import Core


class Rules(Core):
    async def get_ontology(self, namespace: str) -> Ontology | None:
        """The namespace's ontology, or the one its settings seed it with; None when it has neither.

        Without one the mode of `WikiConfig.ontology` holds, with an empty manifest.
        """
        from lorelite.memory.ontology import stated_ontology

        return stated_ontology(self._open_engine(), options.namespace(namespace))

    async def set_ontology(
        self,
        namespace: str,
        manifest: Manifest | Ontology | Mapping[str, Any],
        *,
        mode: OntologyMode | None = None,
        if_absent: bool = False,
    ) -> Ontology:
        """Give the namespace its ontology in place of any it has, and give back what then holds.

        manifest: a Manifest, a mapping with node_types and edge_types, or an Ontology.
        mode: off, emergent or strict; by default the one of an Ontology, else that of `WikiConfig.ontology`.
        if_absent: leave an ontology that was set before as it is. What is stored already is not changed by a new
        ontology: `lint` tells what does not fit it, `run_ontology_backfill` types what has no type.
        Raises InvalidManifest with the place that does not hold together.
        """
        from lorelite.memory.ontology import set_ontology

        return set_ontology(
            self._open_engine(),
            options.namespace(namespace),
            manifest,
            mode=mode,
            if_absent=options.switch("if_absent", if_absent),
        )

    async def set_ontologies(
        self,
        ontologies: Mapping[str, Manifest | Ontology | Mapping[str, Any]],
        *,
        mode: OntologyMode | None = None,
        if_absent: bool = False,
    ) -> OntologyReport:
        """`set_ontology` for several namespaces, all or none: namespace → manifest, Ontology, or {"mode", "manifest"}.

        mode: for those that name none themselves.
        """
        from lorelite.memory.ontology import set_ontologies

        keep = options.switch("if_absent", if_absent)
        return set_ontologies(self._open_engine(), ontologies, mode=mode, if_absent=keep)

    @budgeted
    async def run_ontology_backfill(
        self,
        namespace: str,
        *,
        prompt: str | None = None,
        batch_size: int = 25,
        classifier: BackfillClassifier | None = None,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
        budget: Budget | None = None,
    ) -> BackfillReport:
        """Type facts that have no type, up to *batch_size*, oldest change first; call it until nothing remains.

        classifier: "model" asks the model, which may find edges as well; "auto" prefers the model's own `classify`;
        "rules" asks nobody; by default what `WikiConfig.ontology` says. Without a model it is always "rules".
        A fact that was tried is left alone for a week. Types that are there are never changed, nor is `updated_at`.
        prompt: a template in place of the built-in one, for this call. dry_run: the same report, nothing written.
        budget: what its calls may cost at most, as within `spending`.
        """
        from lorelite.jobs.ontology_backfill import run_ontology_backfill

        return await run_ontology_backfill(
            self._known(namespace),
            namespace,
            prompt=prompt,
            batch_size=options.whole_number("batch_size", batch_size, 1, 10_000),
            classifier=options.one_of("classifier", classifier, (None, *get_args(BackfillClassifier))),
            dry_run=options.switch("dry_run", dry_run),
            on_progress=options.callback("on_progress", on_progress),
        )

    async def get_instructions(self, namespace: str) -> Instructions:
        """The prompts in force in a namespace, with what they say about its ontology; see docs/prompts.md."""
        from lorelite.memory.instructions import get_instructions

        return get_instructions(self._open_engine(), options.namespace(namespace))
