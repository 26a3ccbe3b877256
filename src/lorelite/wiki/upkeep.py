"""Jobs that keep the memory healthy, and what state it is in."""

from __future__ import annotations

from collections.abc import Callable

from lorelite import options
from lorelite.errors import InvalidOption
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
from lorelite.spending import Budget, budgeted
from lorelite.wiki.core import Core


class Upkeep(Core):
    @budgeted
    async def run_librarian(
        self,
        namespace: str,
        *,
        prompt: str | None = None,
        batch_size: int = 50,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
        budget: Budget | None = None,
    ) -> LibrarianReport:
        """Read the events that were not read yet, each once, and remember what they say as facts and tasks.

        What is known already is left as it is, what says more updates an inferred fact, what is true now in place of
        something else supersedes it. A fact of a document never changes: what contradicts it becomes a draft.
        Without a model each event becomes a tentative fact, word for word. prompt: in place of the built-in one, for
        this call. batch_size: events in one request, while they fit.
        Raises BadReply, or the model's error; the events of that request are then read by the next run.
        budget: what its calls may cost at most, as within `spending`.
        """
        from lorelite.jobs.librarian import run_librarian

        return await run_librarian(
            self._known(namespace),
            namespace,
            prompt=prompt,
            batch_size=options.whole_number("batch_size", batch_size, 1, 1_000),
            dry_run=options.switch("dry_run", dry_run),
            on_progress=options.callback("on_progress", on_progress),
        )

    async def pending_maintenance(self, namespace: str | None = None) -> list[PendingMaintenance]:
        """What waits to be done, for one namespace or all; those where nothing waits are left out."""
        from lorelite.jobs.maintenance import pending

        engine = self._open_engine() if namespace is None else self._known(namespace)
        names = engine.store.namespaces.names() if namespace is None else [namespace]
        found = [pending(engine, name) for name in names]
        return [waiting for waiting in found if waiting.is_due or waiting.pending_events]

    @budgeted
    async def run_pending_maintenance(
        self,
        namespace: str | None = None,
        *,
        only_due: bool = True,
        on_progress: OnProgress | None = None,
        budget: Budget | None = None,
    ) -> tuple[MaintenanceRun, ...]:
        """Run the jobs that are due or were interrupted, in one namespace or all; gives what each reported.

        only_due=False reads events that are fewer than `WikiConfig.auto_librarian_threshold` too. A job that fails is
        reported with its error, and keeps none of the others from running.
        budget: what its calls may cost at most, as within `spending`.
        """
        from lorelite.jobs.maintenance import run_pending

        engine = self._open_engine() if namespace is None else self._known(namespace)
        return await run_pending(
            engine,
            engine.store.namespaces.names() if namespace is None else [namespace],
            only_due=options.switch("only_due", only_due),
            on_progress=options.callback("on_progress", on_progress),
        )

    @budgeted
    async def run_heal(
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
        """Look after the facts that were not looked at for longest: at most *batch_size*, none twice in seven days.

        Inferred facts that grew old unused are deleted, those long unread become tentative; one statement told twice
        is merged; and the model, where there is one, names what is wrong, contradictory or missing. What a caller
        stated is never deleted, a document's fact never changed: that is reported, or becomes a draft that cites both.
        prompt: in place of the built-in one, for this call. body_chars: how much of a single fact is shown to a model
        whose replies are cut off. A dry run asks the model as well, and writes nothing.
        budget: what its calls may cost at most, as within `spending`.
        """
        from lorelite.jobs.heal import run_heal

        return await run_heal(
            self._known(namespace),
            namespace,
            prompt=prompt,
            batch_size=options.whole_number("batch_size", batch_size, 1, 10_000),
            body_chars=options.whole_number("body_chars", body_chars, 1, 1_000_000),
            dry_run=options.switch("dry_run", dry_run),
            on_progress=options.callback("on_progress", on_progress),
        )

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
        from lorelite.jobs.prune import run_prune

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
        from lorelite.jobs.reembed import run_reembed, summed

        engine = self._open_engine() if namespace is None else self._known(namespace)
        rehearse = options.switch("dry_run", dry_run)
        reports = [
            await run_reembed(
                engine,
                name,
                force=options.switch("force", force),
                skip_existing=options.switch("skip_existing", skip_existing),
                dry_run=rehearse,
                on_progress=options.callback("on_progress", on_progress),
            )
            for name in (engine.store.namespaces.names() if namespace is None else [namespace])
        ]
        return summed(reports, dry_run=rehearse)

    async def get_status(self, namespace: str) -> Status:
        """What the namespace holds, its documents, and the file it lives in."""
        from lorelite.retrieve.status import status

        engine = self._known(namespace)
        return status(engine, namespace, unflushed=bool(self._storage is not None and self._storage.unflushed))

    async def subscribe_status(self, namespace: str, callback: Callable[[Activity], None]) -> Callable[[], None]:
        """Call *callback* at once, and whenever a job or the taking in of a document begins, gets on or ends there.

        Gives the function that ends it, which may be called more than once. A callback that raises is called no more.
        The namespace need not be there yet.
        """
        engine = self._open_engine()
        watcher = options.callback("callback", callback)
        if watcher is None:
            raise InvalidOption("callback", "a function of one Activity", None)
        return engine.store.board.watch(options.namespace(namespace), watcher)
