"""Which sources a namespace holds, and which of a caller's are still to be taken in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lorelite.blocking.core import Core
from lorelite.findings import PendingSource
from lorelite.records import DocumentInfo


class Sources(Core):
    def has_changed(self, namespace: str, *, source_ref: str, source_hash: str) -> bool:
        """See AsyncWiki.has_changed."""
        return self._run(self._wiki.has_changed(namespace, source_ref=source_ref, source_hash=source_hash))

    def pending_sources(
        self, namespace: str, *, sources: Iterable[Mapping[str, str] | tuple[str, str]]
    ) -> tuple[PendingSource, ...]:
        """See AsyncWiki.pending_sources."""
        return self._run(self._wiki.pending_sources(namespace, sources=sources))

    def list_source_refs(self, namespace: str) -> list[DocumentInfo]:
        """See AsyncWiki.list_source_refs."""
        return self._run(self._wiki.list_source_refs(namespace))

    def find_source_refs_by_hash(self, namespace: str, *, source_hash: str) -> list[str]:
        """See AsyncWiki.find_source_refs_by_hash."""
        return self._run(self._wiki.find_source_refs_by_hash(namespace, source_hash=source_hash))

    def list_namespaces(self, *, prefix: str = "") -> list[str]:
        """See AsyncWiki.list_namespaces."""
        return self._run(self._wiki.list_namespaces(prefix=prefix))
