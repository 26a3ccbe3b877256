"""The model calls that the file has recorded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, overload

from lorelite.blocking.core import Core

if TYPE_CHECKING:
    from lorelite.call_records import CallDiff, CallImport, CallStatus, CallSummary, RecordedCall
    from lorelite.reports import ExportReport


class Calls(Core):
    def list_calls(
        self,
        namespace: str | None = None,
        *,
        purpose: str | None = None,
        model: str | None = None,
        status: CallStatus | None = None,
        limit: int = 50,
    ) -> list[RecordedCall]:
        """See AsyncWiki.list_calls."""
        return self._run(self._wiki.list_calls(namespace, purpose=purpose, model=model, status=status, limit=limit))

    def get_call(self, call_id: int) -> RecordedCall:
        """See AsyncWiki.get_call."""
        return self._run(self._wiki.get_call(call_id))

    def call_summary(
        self, namespace: str | None = None, *, purpose: str | None = None, model: str | None = None
    ) -> CallSummary:
        """See AsyncWiki.call_summary."""
        return self._run(self._wiki.call_summary(namespace, purpose=purpose, model=model))

    @overload
    def export_calls(
        self, path: None = None, *, namespace: str | None = None, purpose: str | None = None, model: str | None = None
    ) -> bytes: ...

    @overload
    def export_calls(
        self, path: str | Path, *, namespace: str | None = None, purpose: str | None = None, model: str | None = None
    ) -> ExportReport: ...

    def export_calls(
        self,
        path: str | Path | None = None,
        *,
        namespace: str | None = None,
        purpose: str | None = None,
        model: str | None = None,
    ) -> bytes | ExportReport:
        """See AsyncWiki.export_calls."""
        if path is None:
            return self._run(self._wiki.export_calls(namespace=namespace, purpose=purpose, model=model))
        return self._run(self._wiki.export_calls(path, namespace=namespace, purpose=purpose, model=model))

    def import_calls(self, source: str | Path | bytes | BinaryIO, *, namespace: str | None = None) -> CallImport:
        """See AsyncWiki.import_calls."""
        return self._run(self._wiki.import_calls(source, namespace=namespace))

    def diff_calls(
        self, model_a: str, model_b: str, *, namespace: str | None = None, purpose: str | None = None
    ) -> CallDiff:
        """See AsyncWiki.diff_calls."""
        return self._run(self._wiki.diff_calls(model_a, model_b, namespace=namespace, purpose=purpose))

    def clear_calls(
        self,
        namespace: str | None,
        *,
        purpose: str | None = None,
        model: str | None = None,
        status: CallStatus | None = None,
        older_than: float | None = None,
    ) -> int:
        """See AsyncWiki.clear_calls."""
        return self._run(
            self._wiki.clear_calls(namespace, purpose=purpose, model=model, status=status, older_than=older_than)
        )
