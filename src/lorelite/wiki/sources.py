"""Which sources a namespace holds, and which of a caller's are still to be taken in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lorelite import options
from lorelite.findings import PendingSource
from lorelite.records import DocumentInfo
from lorelite.wiki.core import Core


class Sources(Core):
    async def has_changed(self, namespace: str, *, source_ref: str, source_hash: str) -> bool:
        """False when this version of the source stands complete; True when ingest_document has something to do.

        `pending_sources` asks for many at once.
        """
        from lorelite.ingest.pending import status_of

        engine = self._open_engine()
        namespace = options.namespace(namespace)
        return status_of(engine, namespace, options.source_ref(source_ref), options.source_hash(source_hash)) != (
            "current"
        )

    async def pending_sources(
        self, namespace: str, *, sources: Iterable[Mapping[str, str] | tuple[str, str]]
    ) -> tuple[PendingSource, ...]:
        """What each source would need, in their order: new, changed, partial or current, and whose duplicate it is.

        sources: mappings with source_ref and source_hash, or pairs of both.
        """
        from lorelite.ingest.pending import pending_sources

        engine = self._open_engine()
        return pending_sources(engine, options.namespace(namespace), sources)

    async def list_source_refs(self, namespace: str) -> list[DocumentInfo]:
        """The documents of a namespace, by source_ref."""
        return self._known(namespace).store.documents.infos(namespace)

    async def find_source_refs_by_hash(self, namespace: str, *, source_hash: str) -> list[str]:
        """The source_refs whose complete version has this hash, oldest first: one, unless duplicates were wanted."""
        documents = self._known(namespace).store.documents.with_hash(namespace, options.source_hash(source_hash))
        return [document.source_ref for document in documents if document.status == "complete"]

    async def list_namespaces(self, *, prefix: str = "") -> list[str]:
        """The namespaces of the file, by name; those that begin with *prefix*."""
        names = self._open_engine().store.namespaces.names()
        return [name for name in names if name.startswith(options.text("prefix", prefix))]
