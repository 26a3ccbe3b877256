"""Jobs that keep the memory healthy, and what state it is in."""

from __future__ import annotations

from lorelite.blocking.core import Core
from lorelite.ports import OnProgress
from lorelite.records import Status
from lorelite.reports import PruneReport, ReembedReport


class Upkeep(Core):
    def run_prune(
        self,
        namespace: str,
        *,
        retain_deleted_for: float | None = None,
        retain_events_for: float | None = None,
        retain_changes_for: float | None = None,
        vacuum: bool = False,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
    ) -> PruneReport:
        """See AsyncWiki.run_prune."""
        return self._run(
            self._wiki.run_prune(
                namespace,
                retain_deleted_for=retain_deleted_for,
                retain_events_for=retain_events_for,
                retain_changes_for=retain_changes_for,
                vacuum=vacuum,
                dry_run=dry_run,
                on_progress=on_progress,
            )
        )

    def run_reembed(
        self,
        namespace: str | None = None,
        *,
        force: bool = False,
        skip_existing: bool = True,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
    ) -> ReembedReport:
        """See AsyncWiki.run_reembed."""
        return self._run(
            self._wiki.run_reembed(
                namespace, force=force, skip_existing=skip_existing, dry_run=dry_run, on_progress=on_progress
            )
        )

    def get_status(self, namespace: str) -> Status:
        """See AsyncWiki.get_status."""
        return self._run(self._wiki.get_status(namespace))
