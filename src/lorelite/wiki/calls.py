"""The model calls that the file has recorded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, get_args, overload

from lorelite import options
from lorelite.errors import NotFound
from lorelite.temporal import DAY_MS
from lorelite.wiki.core import Core

if TYPE_CHECKING:
    from lorelite.call_records import CallDiff, CallImport, CallStatus, CallSummary, RecordedCall
    from lorelite.reports import ExportReport
    from lorelite.store.calls import CallFilter


class Calls(Core):
    async def list_calls(
        self,
        namespace: str | None = None,
        *,
        purpose: str | None = None,
        model: str | None = None,
        status: CallStatus | None = None,
        limit: int = 50,
    ) -> list[RecordedCall]:
        """Recorded calls, the newest first, each with its prompt and its reply.

        namespace: whose; None: of the whole file. purpose: what they were for, e.g. "extract", "answer". status: ok,
        partial or none, by how much of the reply could be read, or error.
        """
        which = _which(namespace, purpose, model, status)
        return self._open_engine().store.calls.listed(which, options.whole_number("limit", limit, 0))

    async def get_call(self, call_id: int) -> RecordedCall:
        """One recorded call. Raises NotFound."""
        found = self._open_engine().store.calls.get(options.whole_number("call_id", call_id, 0, (1 << 63) - 1))
        if found is None:
            raise NotFound("call", str(call_id), "list_calls tells which there are")
        return found

    async def call_summary(
        self, namespace: str | None = None, *, purpose: str | None = None, model: str | None = None
    ) -> CallSummary:
        """What the calls came to, in all and for each purpose and model: how many, tokens, money, time."""
        from lorelite.evaluation.call_totals import summary

        return summary(self._open_engine().store.calls.totals(_which(namespace, purpose, model, None)))

    @overload
    async def export_calls(
        self, path: None = None, *, namespace: str | None = None, purpose: str | None = None, model: str | None = None
    ) -> bytes: ...

    @overload
    async def export_calls(
        self, path: str | Path, *, namespace: str | None = None, purpose: str | None = None, model: str | None = None
    ) -> ExportReport: ...

    async def export_calls(
        self,
        path: str | Path | None = None,
        *,
        namespace: str | None = None,
        purpose: str | None = None,
        model: str | None = None,
    ) -> bytes | ExportReport:
        """The calls as JSON Lines that check themselves: bytes, or with *path* a file. No key is among them.

        The same calls always give the same bytes. Who imports them repeats what was done without a model.
        """
        from lorelite.interchange.calls import export_calls, exported_calls

        engine, which = self._open_engine(), _which(namespace, purpose, model, None)
        return exported_calls(engine, which) if path is None else export_calls(engine, which, options.file_path(path))

    async def import_calls(self, source: str | Path | bytes | BinaryIO, *, namespace: str | None = None) -> CallImport:
        """Take in calls that `export_calls` wrote: a path, an open file or bytes; those that are here already stay.

        namespace: take all of them in under this name. Open a wiki with WikiConfig(replay="only") to be answered by
        them alone. Raises DumpError for a file that is damaged or something else, and takes in nothing then.
        """
        from lorelite.interchange.calls import import_calls

        name = None if namespace is None else options.namespace(namespace)
        return import_calls(self._open_engine(), source, name)

    async def diff_calls(
        self, model_a: str, model_b: str, *, namespace: str | None = None, purpose: str | None = None
    ) -> CallDiff:
        """What two models replied to the same prompts, where that differs, and what each took.

        Calls of one prompt come to be when the same is done with another model, or with replay="off".
        """
        from lorelite.evaluation.call_diff import diff_calls

        return diff_calls(
            self._open_engine(),
            options.node_id("model_a", model_a),
            options.node_id("model_b", model_b),
            _which(namespace, purpose, None, None),
        )

    async def clear_calls(
        self,
        namespace: str | None,
        *,
        purpose: str | None = None,
        model: str | None = None,
        status: CallStatus | None = None,
        older_than: float | None = None,
    ) -> int:
        """Delete recorded calls; gives how many. What was made of them stays; asking the same again costs again.

        namespace: whose; None: of the whole file. older_than: days; None: however new.
        """
        from dataclasses import replace

        engine, which = self._open_engine(), _which(namespace, purpose, model, status)
        days = options.days("older_than", older_than)
        if days is not None:
            which = replace(which, before=int(max(0.0, engine.clock() - days * DAY_MS)))
        return engine.store.calls.delete(which)


def _which(namespace: object, purpose: object, model: object, status: object) -> CallFilter:
    from lorelite.call_records import CallStatus
    from lorelite.store.calls import CallFilter

    return CallFilter(
        namespace=None if namespace is None else options.namespace(namespace),
        purpose=None if purpose is None else options.text("purpose", purpose),
        model=None if model is None else options.text("model", model),
        status=None if status is None else options.one_of("status", status, get_args(CallStatus)),
    )
