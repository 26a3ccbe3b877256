"""Jobs that keep the memory healthy, and what state it is in."""

from __future__ import annotations

from lorelite import options
from lorelite.jobs.prune import run_prune
from lorelite.jobs.reembed import reembed
from lorelite.ports import OnProgress
from lorelite.records import Status
from lorelite.reports import PruneReport, ReembedReport
from lorelite.retrieve.status import status
from lorelite.wiki.core import Core


class Upkeep(Core):
    async def run_prune(
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
        """Remove for good what was deleted, and what happened or was logged, longer ago than so many days.

        None takes `WikiConfig.prune_deleted_after_days` and its neighbours; 0 keeps nothing, math.inf all of it.
        Events that the librarian has still to read stay, and so does what a reader of the outbox has still to read.
        The log of changes is one for the whole file. vacuum: give the room back to the disk, and leave no trace there.
        Raises PrunePartialFailure when the vector ranker could not be told of a node; what it was told of is removed.
        """
        return await run_prune(
            self._known(namespace),
            namespace,
            retain_deleted_for=options.days("retain_deleted_for", retain_deleted_for),
            retain_events_for=options.days("retain_events_for", retain_events_for),
            retain_changes_for=options.days("retain_changes_for", retain_changes_for),
            vacuum=options.switch("vacuum", vacuum),
            dry_run=options.switch("dry_run", dry_run),
            on_progress=options.callback("on_progress", on_progress),
        )

    async def run_reembed(
        self,
        namespace: str | None = None,
        *,
        force: bool = False,
        skip_existing: bool = True,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
    ) -> ReembedReport:
        """Make the vectors that the present embedder has not made yet, or has made of an older text; None: everywhere.

        Texts that failed are tried again after a wait that doubles from a minute to a day, five times in all; force
        tries them now. skip_existing=False makes every vector anew. A text that the embedder refuses does not cost the
        others of its batch theirs.
        """
        engine = self._open_engine() if namespace is None else self._known(namespace)
        return await reembed(
            engine,
            engine.store.namespaces.names() if namespace is None else [namespace],
            force=options.switch("force", force),
            skip_existing=options.switch("skip_existing", skip_existing),
            dry_run=options.switch("dry_run", dry_run),
            on_progress=options.callback("on_progress", on_progress),
        )

    async def get_status(self, namespace: str) -> Status:
        """What the namespace holds, its documents, and the file it lives in."""
        engine = self._known(namespace)
        return status(engine, namespace, unflushed=bool(self._storage is not None and self._storage.unflushed))
