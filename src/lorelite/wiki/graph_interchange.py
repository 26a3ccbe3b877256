"""Graphs carried in from other programs, and out to them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, overload

from lorelite import options
from lorelite.graph_records import GraphImport
from lorelite.ids import text_hash
from lorelite.records import UpsertReport
from lorelite.reports import ExportReport
from lorelite.wiki.core import Core

if TYPE_CHECKING:
    from lorelite.interchange.edge_lists import GraphFile
    from lorelite.interchange.graph_export import GraphFormat


class GraphInterchange(Core):
    async def import_graph(
        self,
        namespace: str,
        path: str | Path,
        *,
        nodes: str | Path | None = None,
        source_ref: str | None = None,
    ) -> UpsertReport:
        """Take in nodes and edges of another program: GraphML, node-link JSON, or a table of edges.

        Tables are CSV, TSV, JSON Lines or Parquet with a header: source and target (or from and to, subject and object
        …), and where they are there type, weight and description. nodes: a table of nodes beside it: id, name, type,
        description. source_ref: the name under which it is kept, the file's by default. Nodes become entities. The
        same file again changes nothing; a changed one takes the place of what it said before.
        Raises CannotOpen, and DumpError for what is no such file.
        """
        from lorelite.interchange.edge_lists import read_graph_file

        given = Path(options.file_path(path))
        beside = None if nodes is None else Path(options.file_path(nodes))
        name = given.name if source_ref is None else options.source_ref(source_ref)
        prefix = f"{options.namespace(namespace)}\n{name}"
        return self._upsert(namespace, name, read_graph_file(given, beside, prefix=prefix))

    async def import_replies(self, namespace: str, path: str | Path, *, source_ref: str | None = None) -> UpsertReport:
        """Take in what a model replied to another program's extraction prompts, without asking a model again.

        path: text with delimited tuples, ("entity"<|>NAME<|>TYPE<|>DESCRIPTION), or a JSON cache that holds such texts
        anywhere: of nano-graphrag, LightRAG, Microsoft GraphRAG. source_ref: as in `import_graph`.
        Raises CannotOpen, and DumpError when there is no such reply.
        """
        from lorelite.interchange.tuple_replies import read_replies_file

        given = Path(options.file_path(path))
        name = given.name if source_ref is None else options.source_ref(source_ref)
        prefix = f"{options.namespace(namespace)}\n{name}"
        return self._upsert(namespace, name, read_replies_file(given, prefix=prefix))

    async def import_graphrag(self, namespace: str, path: str | Path) -> GraphImport:
        """Take in an index of Microsoft GraphRAG: the folder of its tables, as Parquet (extra `parquet`), CSV or JSON.

        Needed are entities, relationships and text_units; documents, communities and community_reports are used where
        they are there. Text units become chunks, which citations of answers name. Running it again changes nothing.
        Raises NotFound for a missing table, DumpError for a damaged one.
        """
        from lorelite.interchange.microsoft_graphrag import import_microsoft_graphrag
        from lorelite.pipeline.file_knowledge import FileKnowledge

        knowledge = FileKnowledge(self._open_engine(), options.namespace(namespace))
        return await import_microsoft_graphrag(knowledge, Path(options.file_path(path)))

    @overload
    async def export_graph(
        self, namespace: str, format: GraphFormat = "graphml", *, path: None = None, chunks: bool = False
    ) -> str: ...

    @overload
    async def export_graph(
        self, namespace: str, format: GraphFormat = "graphml", *, path: str | Path, chunks: bool = False
    ) -> ExportReport: ...

    async def export_graph(
        self,
        namespace: str,
        format: GraphFormat = "graphml",
        *,
        path: str | Path | None = None,
        chunks: bool = False,
    ) -> str | ExportReport:
        """The entities and their relations for other programs: as text, or with *path* written to a file.

        format: "graphml" (networkx, Gephi, yEd, Cytoscape), "json" (node-link), "cypher" (Neo4j and its kin),
        "nodes.csv" or "edges.csv". chunks: with the chunks, which entities they mention, and which are alike.
        A file is there whole or not at all, and memory does not grow with it.
        """
        from lorelite.interchange.graph_export import exported
        from lorelite.pipeline.file_knowledge import FileKnowledge

        return await exported(FileKnowledge(self._known(namespace), namespace), format, path=path, chunks=chunks)

    def _upsert(self, namespace: str, source_ref: str, graph: GraphFile) -> UpsertReport:
        from lorelite.ingest.upsert import upsert_graph

        return upsert_graph(
            self._open_engine(),
            namespace,
            source_ref=source_ref,
            source_hash=text_hash(f"{source_ref}\n{graph.nodes!r}\n{graph.edges!r}"),
            nodes=graph.nodes,
            edges=graph.edges,
        )
