"""What the graph may hold: ontologies, and types for what has none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorelite.blocking.core import Core
from lorelite.findings import Instructions
from lorelite.ontology.manifest import Manifest, Ontology, OntologyMode
from lorelite.ports import OnProgress
from lorelite.reports import BackfillReport, OntologyReport
from lorelite.settings import BackfillClassifier
from lorelite.spending import Budget


class Rules(Core):
    def get_ontology(self, namespace: str) -> Ontology | None:
        """See AsyncWiki.get_ontology."""
        return self._run(self._wiki.get_ontology(namespace))

    def set_ontology(
        self,
        namespace: str,
        manifest: Manifest | Ontology | Mapping[str, Any],
        *,
        mode: OntologyMode | None = None,
        if_absent: bool = False,
    ) -> Ontology:
        """See AsyncWiki.set_ontology."""
        return self._run(self._wiki.set_ontology(namespace, manifest, mode=mode, if_absent=if_absent))

    def set_ontologies(
        self,
        ontologies: Mapping[str, Manifest | Ontology | Mapping[str, Any]],
        *,
        mode: OntologyMode | None = None,
        if_absent: bool = False,
    ) -> OntologyReport:
        """See AsyncWiki.set_ontologies."""
        return self._run(self._wiki.set_ontologies(ontologies, mode=mode, if_absent=if_absent))

    def run_ontology_backfill(
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
        """See AsyncWiki.run_ontology_backfill."""
        return self._run(
            self._wiki.run_ontology_backfill(
                namespace,
                prompt=prompt,
                batch_size=batch_size,
                classifier=classifier,
                dry_run=dry_run,
                on_progress=on_progress,
                budget=budget,
            )
        )

    def get_instructions(self, namespace: str) -> Instructions:
        """See AsyncWiki.get_instructions."""
        return self._run(self._wiki.get_instructions(namespace))
