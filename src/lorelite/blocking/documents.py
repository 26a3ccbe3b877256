"""Documents and graphs taken in, listed and forgotten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lorelite.blocking.core import Core
from lorelite.ports import OnProgress
from lorelite.records import (
    Estimate,
    ForgetReport,
    IngestReport,
    OnDuplicate,
    UpsertReport,
)
from lorelite.spending import Budget


class Documents(Core):
    def ingest_document(
        self,
        namespace: str,
        *,
        source_ref: str,
        text: str,
        source_hash: str | None = None,
        chunk_chars: int | None = None,
        chunk_overlap: int | None = None,
        prompt: str | None = None,
        on_duplicate: OnDuplicate = "skip",
        allow_empty: bool = False,
        on_progress: OnProgress | None = None,
        budget: Budget | None = None,
    ) -> IngestReport:
        """See AsyncWiki.ingest_document."""
        return self._run(
            self._wiki.ingest_document(
                namespace,
                source_ref=source_ref,
                text=text,
                source_hash=source_hash,
                chunk_chars=chunk_chars,
                chunk_overlap=chunk_overlap,
                prompt=prompt,
                on_duplicate=on_duplicate,
                allow_empty=allow_empty,
                on_progress=on_progress,
                budget=budget,
            )
        )

    def estimate_ingest(
        self,
        namespace: str,
        *,
        source_ref: str,
        text: str,
        source_hash: str | None = None,
        chunk_chars: int | None = None,
        chunk_overlap: int | None = None,
        prompt: str | None = None,
    ) -> Estimate:
        """See AsyncWiki.estimate_ingest."""
        return self._run(
            self._wiki.estimate_ingest(
                namespace,
                source_ref=source_ref,
                text=text,
                source_hash=source_hash,
                chunk_chars=chunk_chars,
                chunk_overlap=chunk_overlap,
                prompt=prompt,
            )
        )

    def upsert_graph(
        self,
        namespace: str,
        *,
        source_ref: str,
        source_hash: str,
        nodes: Sequence[Mapping[str, Any]] = (),
        edges: Sequence[Mapping[str, Any]] = (),
    ) -> UpsertReport:
        """See AsyncWiki.upsert_graph."""
        return self._run(
            self._wiki.upsert_graph(namespace, source_ref=source_ref, source_hash=source_hash, nodes=nodes, edges=edges)
        )

    def sync_search_index(self, namespace: str) -> int:
        """See AsyncWiki.sync_search_index."""
        return self._run(self._wiki.sync_search_index(namespace))

    def forget(
        self,
        namespace: str,
        *,
        node_id: str | None = None,
        task_id: str | None = None,
        source_ref: str | None = None,
        source_hash: str | None = None,
        clear_all: bool = False,
        dry_run: bool = False,
    ) -> ForgetReport:
        """See AsyncWiki.forget."""
        return self._run(
            self._wiki.forget(
                namespace,
                node_id=node_id,
                task_id=task_id,
                source_ref=source_ref,
                source_hash=source_hash,
                clear_all=clear_all,
                dry_run=dry_run,
            )
        )

    def get_document(self, namespace: str, source_ref: str) -> str:
        """See AsyncWiki.get_document."""
        return self._run(self._wiki.get_document(namespace, source_ref))
