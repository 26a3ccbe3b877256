"""Knowledge graphs of a wiki's namespaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lorelite import options
from lorelite.given import as_model
from lorelite.ports import OnProgress
from lorelite.wiki.core import Core

if TYPE_CHECKING:
    from lorelite.knowledge_graph import KnowledgeGraph
    from lorelite.pipeline.chunking import Chunking
    from lorelite.pipeline.processor import Processor


class Graphs(Core):
    async def graph(
        self,
        namespace: str,
        *,
        pipeline: Sequence[Processor] = (),
        chunking: Chunking | Mapping[str, Any] | None = None,
        cheap_model: Any = None,
        on_progress: OnProgress | None = None,
    ) -> KnowledgeGraph:
        """The namespace as a knowledge graph that a pipeline builds and strategies search: see docs/graphrag.md.

        What `ingest_document`, `upsert_graph` and imports wrote is part of it. pipeline: processors in order, for
        example [chunk_entity_generation(), entity_community_generation()]; none: documents are cut and stored alone.
        chunking: a Chunking, or a mapping with size, overlap (tokens) and mode; None: as the settings say.
        cheap_model: for summaries, in place of the wiki's. The graph needs no closing; it ends with the wiki.
        Raises PipelineOrderError and ConfigError.
        """
        from lorelite.knowledge_graph import KnowledgeGraph, Models
        from lorelite.pipeline.chunking import checked_chunking
        from lorelite.pipeline.processor import checked_pipeline
        from lorelite.wiki.graph_home import home_opener

        engine = self._open_engine()
        return KnowledgeGraph(
            home_opener(self),
            options.namespace(namespace),
            pipeline=checked_pipeline(pipeline),
            models=Models(model=engine.model, cheap_model=as_model(cheap_model), embedder=engine.embedder),
            chunking=checked_chunking(chunking),
            on_progress=options.callback("on_progress", on_progress),
        )
