"""Running a job: its turn in the namespace, its row in the file, its progress, its end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import asdict, replace
from typing import Any, Literal, TypeVar

from lorelite.engine import Engine
from lorelite.errors import JobBusy, LoreliteError, TransactionError
from lorelite.hooks import Caller, Diagnostic
from lorelite.ids import random_id
from lorelite.jobs.inferred import Remark
from lorelite.ports import OnProgress
from lorelite.records import Progress
from lorelite.reports import JobReport, JobStatus
from lorelite.store.board import Turn

Report = TypeVar("Report", bound=JobReport)

_under_way: ContextVar[tuple[tuple[int, str], ...]] = ContextVar("lorelite_jobs", default=())
"""(which open file, namespace) of the jobs that this task is inside of: one more there would wait for itself."""


class JobRun:
    """What a job's work is given: where the last run stopped, and where to store how far this one has come."""

    def __init__(self, engine: Engine, turn: Turn, dry_run: bool, on_progress: OnProgress | None) -> None:
        self.id = turn.job.id
        self.kind = turn.job.kind
        self.namespace = turn.job.namespace
        self.caller: Caller = turn.job.caller
        self.dry_run = dry_run
        self.watermark = 0
        """How far runs of this kind had read when this one began."""
        self.progress: Mapping[str, Any] = {}
        """What an interrupted run of this kind had saved; else empty."""
        self.failed: Mapping[str, Any] = {}
        """What the last run of this kind had saved, if it failed; else empty."""
        self._engine = engine
        self._turn = turn
        self._on_progress = on_progress
        self._remarks: list[Diagnostic] = []

    def save(self, progress: Mapping[str, Any], *, watermark: int | None = None) -> None:
        """Store how far the run has come, together with what it writes: call it inside of that transaction.

        progress: plain JSON values, given to the next run if this one is interrupted; watermark: given to the next
        run in any case. Does nothing in a dry run.
        """
        if not self.dry_run:
            self._engine.store.jobs.save(self.id, progress, watermark)
            self._post(progress=dict(progress))

    def tell(self, done: int, total: int, detail: str = "") -> None:
        """Say how far the run has come: to the caller's on_progress and to those who watch the status."""
        self._post(done=done, total=total, detail=detail)
        if self._on_progress is not None:
            self._on_progress(Progress(self.kind, done, total, detail))

    def remark(
        self, code: str, message: str, *, severity: Literal["info", "warning", "error"] = "warning", **detail: Any
    ) -> None:
        """Tell the caller's hook of something that went otherwise than asked; it is called when the run has ended."""
        self._remarks.append(
            Diagnostic(
                code=code,
                severity=severity,
                operation=self.kind,
                namespace=self.namespace,
                message=message,
                detail=detail,
                caller=self.caller,
                at=self._engine.clock(),
            )
        )

    def remark_all(self, remarks: Iterable[Remark]) -> None:
        """`remark` for what a plan has to say."""
        for remark in remarks:
            self.remark(remark.code, remark.message, severity=remark.severity, **remark.detail)

    def pass_on(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Tell the caller's hook of these as well, when the run has ended."""
        self._remarks += diagnostics

    def _begin(self) -> None:
        store = self._engine.store
        self.failed = store.jobs.failed(self.namespace, self.kind)
        if self.dry_run:
            self.watermark = store.jobs.watermark(self.namespace, self.kind)
        else:
            with store.atomic():
                self.id, self.watermark, self.progress = store.jobs.begin(self.namespace, self.kind, self.caller)
        self._post(id=self.id, state="running", since=self._engine.clock(), progress=self.progress)

    def _post(self, **changes: Any) -> None:
        self._engine.store.board.post(self._turn, replace(self._turn.job, **changes))


async def run_job(
    engine: Engine,
    namespace: str,
    kind: str,
    work: Callable[[JobRun], Awaitable[Report]],
    *,
    dry_run: bool = False,
    caller: Caller = "call",
    on_progress: OnProgress | None = None,
) -> Report:
    """Do *work* when the jobs before it in the namespace have ended; gives its report, raises its error.

    A run that was interrupted (killed, cancelled) leaves its progress to the next of its kind; one that failed leaves
    its error in the file. Raises JobBusy when a job of the namespace is what calls, TransactionError when it would have
    to wait inside a transaction.
    """
    store = engine.store
    here = (id(store), namespace)
    if here in _under_way.get():
        raise JobBusy(kind, namespace)
    inside = store.db.in_transaction
    if inside and not store.board.is_free(namespace):
        raise TransactionError(
            f"{kind} would wait for another job on {namespace!r} inside transaction(); call it before or after"
        )
    job = JobStatus(
        id=random_id("job"), kind=kind, namespace=namespace, caller=caller, state="queued", since=engine.clock()
    )
    async with store.board.turn(job) as turn:
        if store.db.in_transaction and not inside:
            raise TransactionError(
                f"another task began a transaction while {kind} on {namespace!r} waited for its turn; call it again"
            )
        run = JobRun(engine, turn, dry_run, on_progress)
        token = _under_way.set((*_under_way.get(), here))
        try:
            run._begin()
            report = await work(run)
            if not dry_run:
                with store.atomic():
                    store.jobs.finish(run.id, asdict(report))
            return report
        except BaseException as error:
            _record_end(engine, run, error, inside)
            raise
        finally:
            _under_way.reset(token)
            engine.tell(*run._remarks)


def _record_end(engine: Engine, run: JobRun, error: BaseException, inside: bool) -> None:
    store = engine.store
    # A transaction that another task began meanwhile is not ours to write into. The row then stays as begun, and
    # since nobody runs it, counts as interrupted.
    if run.dry_run or store.read_only or store.db.in_transaction != inside:
        return
    try:
        with store.atomic():
            if isinstance(error, Exception):
                store.jobs.fail(run.id, f"{type(error).__name__}: {error}")
            else:
                store.jobs.interrupt(run.id)
    except LoreliteError:
        return  # The job's own error is the one to raise; the row counts as interrupted.
