"""The file, and what can be carried out of it and into it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TextIO, overload

from lorelite._drive import drive
from lorelite.blocking.core import Core
from lorelite.dumps import MemoryDump
from lorelite.ports import OnProgress
from lorelite.reports import ExportReport, ImportReport
from lorelite.revisions import OutboxEvent, RowCounts
from lorelite.wiki import AsyncWiki


class Interchange(Core):
    def export_file(self, *, calls: bool = True) -> bytes:
        """See AsyncWiki.export_file."""
        return self._run(self._wiki.export_file(calls=calls))

    @classmethod
    def import_file(cls, path: str | Path, data: bytes) -> None:
        """See AsyncWiki.import_file."""
        drive(AsyncWiki.import_file(path, data))

    def get_outbox_events(
        self, *, consumer: str = "default", namespace: str | None = None, limit: int = 100
    ) -> list[OutboxEvent]:
        """See AsyncWiki.get_outbox_events."""
        return self._run(self._wiki.get_outbox_events(consumer=consumer, namespace=namespace, limit=limit))

    def mark_outbox_events_processed(
        self, up_to: int | OutboxEvent | Sequence[int | OutboxEvent], *, consumer: str = "default"
    ) -> None:
        """See AsyncWiki.mark_outbox_events_processed."""
        self._run(self._wiki.mark_outbox_events_processed(up_to, consumer=consumer))

    def apply_outbox_events(self, namespace: str, events: Iterable[OutboxEvent | Mapping[str, Any]]) -> RowCounts:
        """See AsyncWiki.apply_outbox_events."""
        return self._run(self._wiki.apply_outbox_events(namespace, events))

    @overload
    def export_dump(
        self,
        namespaces: str | Sequence[str] | None = None,
        *,
        path: None = None,
        vectors: bool = True,
        calls: bool = False,
    ) -> MemoryDump: ...

    @overload
    def export_dump(
        self,
        namespaces: str | Sequence[str] | None = None,
        *,
        path: str | Path,
        vectors: bool = True,
        calls: bool = False,
    ) -> ExportReport: ...

    def export_dump(
        self,
        namespaces: str | Sequence[str] | None = None,
        *,
        path: str | Path | None = None,
        vectors: bool = True,
        calls: bool = False,
    ) -> MemoryDump | ExportReport:
        """See AsyncWiki.export_dump."""
        if path is None:
            return self._run(self._wiki.export_dump(namespaces, vectors=vectors, calls=calls))
        return self._run(self._wiki.export_dump(namespaces, path=path, vectors=vectors, calls=calls))

    def import_dump(
        self,
        source: MemoryDump | str | Path | bytes | BinaryIO | TextIO | Mapping[str, Any],
        *,
        merge: bool = False,
        namespace: str | Mapping[str, str] | None = None,
        embedding_model: str | None = None,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
    ) -> ImportReport:
        """See AsyncWiki.import_dump."""
        return self._run(
            self._wiki.import_dump(
                source,
                merge=merge,
                namespace=namespace,
                embedding_model=embedding_model,
                dry_run=dry_run,
                on_progress=on_progress,
            )
        )

    def import_llm_wiki(
        self,
        path: str | Path,
        *,
        namespace: str | Mapping[str, str] | None = None,
        merge: bool = False,
        table_prefix: str | None = None,
        embedding_model: str | None = None,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
    ) -> ImportReport:
        """See AsyncWiki.import_llm_wiki."""
        return self._run(
            self._wiki.import_llm_wiki(
                path,
                namespace=namespace,
                merge=merge,
                table_prefix=table_prefix,
                embedding_model=embedding_model,
                dry_run=dry_run,
                on_progress=on_progress,
            )
        )
