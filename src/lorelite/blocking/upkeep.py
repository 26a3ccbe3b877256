"""Jobs that keep the memory healthy, and what state it is in."""

from __future__ import annotations

from collections.abc import Callable

from lorelite.blocking.core import Core
from lorelite.ports import OnProgress
from lorelite.reports import (
    Activity,
    HealReport,
    LibrarianReport,
    MaintenanceRun,
    PendingMaintenance,
    PruneReport,
    ReembedReport,
    Status,
)
from lorelite.spending import Budget


class Upkeep(Core):
    def run_librarian(
        self,
        namespace: str,
        *,
        prompt: str | None = None,
        batch_size: int = 50,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
        budget: Budget | None = None,
    ) -> LibrarianReport:
        """See AsyncWiki.run_librarian."""
        return self._run(
            self._wiki.run_librarian(
                namespace,
                prompt=prompt,
                batch_size=batch_size,
                dry_run=dry_run,
                on_progress=on_progress,
                budget=budget,
            )
        )

    def pending_maintenance(self, namespace: str | None = None) -> list[PendingMaintenance]:
        """See AsyncWiki.pending_maintenance."""
        return self._run(self._wiki.pending_maintenance(namespace))

    def run_pending_maintenance(
        self,
        namespace: str | None = None,
        *,
        only_due: bool = True,
        on_progress: OnProgress | None = None,
        budget: Budget | None = None,
    ) -> tuple[MaintenanceRun, ...]:
        """See AsyncWiki.run_pending_maintenance."""
        return self._run(
            self._wiki.run_pending_maintenance(namespace, only_due=only_due, on_progress=on_progress, budget=budget)
        )

    def run_heal(
        self,
        namespace: str,
        *,
        prompt: str | None = None,
        batch_size: int = 25,
        body_chars: int = 4_000,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
        budget: Budget | None = None,
    ) -> HealReport:
        """See AsyncWiki.run_heal."""
        return self._run(
            self._wiki.run_heal(
                namespace,
                prompt=prompt,
                batch_size=batch_size,
                body_chars=body_chars,
                dry_run=dry_run,
                on_progress=on_progress,
                budget=budget,
            )
        )

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

    def subscribe_status(self, namespace: str, callback: Callable[[Activity], None]) -> Callable[[], None]:
        """See AsyncWiki.subscribe_status."""
        return self._run(self._wiki.subscribe_status(namespace, callback))
