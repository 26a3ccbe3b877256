"""Graphs carried in from other programs, and out to them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, overload

from lorelite.blocking.core import Core
from lorelite.graph_records import GraphImport
from lorelite.records import UpsertReport
from lorelite.reports import ExportReport

if TYPE_CHECKING:
    from lorelite.interchange.graph_export import GraphFormat


class GraphInterchange(Core):
    def import_graph(
        self,
        namespace: str,
        path: str | Path,
        *,
        nodes: str | Path | None = None,
        source_ref: str | None = None,
    ) -> UpsertReport:
        """See AsyncWiki.import_graph."""
        return self._run(self._wiki.import_graph(namespace, path, nodes=nodes, source_ref=source_ref))

    def import_replies(self, namespace: str, path: str | Path, *, source_ref: str | None = None) -> UpsertReport:
        """See AsyncWiki.import_replies."""
        return self._run(self._wiki.import_replies(namespace, path, source_ref=source_ref))

    def import_graphrag(self, namespace: str, path: str | Path) -> GraphImport:
        """See AsyncWiki.import_graphrag."""
        return self._run(self._wiki.import_graphrag(namespace, path))

    @overload
    def export_graph(
        self, namespace: str, format: GraphFormat = "graphml", *, path: None = None, chunks: bool = False
    ) -> str: ...

    @overload
    def export_graph(
        self, namespace: str, format: GraphFormat = "graphml", *, path: str | Path, chunks: bool = False
    ) -> ExportReport: ...

    def export_graph(
        self,
        namespace: str,
        format: GraphFormat = "graphml",
        *,
        path: str | Path | None = None,
        chunks: bool = False,
    ) -> str | ExportReport:
        """See AsyncWiki.export_graph."""
        if path is None:
            return self._run(self._wiki.export_graph(namespace, format, chunks=chunks))
        return self._run(self._wiki.export_graph(namespace, format, path=path, chunks=chunks))
