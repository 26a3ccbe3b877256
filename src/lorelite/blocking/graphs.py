"""Knowledge graphs of a wiki's namespaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lorelite.blocking.core import Core
from lorelite.given import as_model
from lorelite.ports import OnProgress

if TYPE_CHECKING:
    from lorelite.blocking.knowledge_graph import BlockingKnowledgeGraph
    from lorelite.pipeline.chunking import Chunking
    from lorelite.pipeline.processor import Processor


class Graphs(Core):
    def graph(
        self,
        namespace: str,
        *,
        pipeline: Sequence[Processor] = (),
        chunking: Chunking | Mapping[str, Any] | None = None,
        cheap_model: Any = None,
        on_progress: OnProgress | None = None,
    ) -> BlockingKnowledgeGraph:
        """See AsyncWiki.graph."""
        from lorelite.blocking.knowledge_graph import BlockingKnowledgeGraph

        cheap = as_model(cheap_model)
        graph = self._run(
            self._wiki.graph(
                namespace,
                pipeline=pipeline,
                chunking=chunking,
                cheap_model=cheap.as_blocking() if cheap else None,
                on_progress=on_progress,
            )
        )
        return BlockingKnowledgeGraph(graph.as_blocking(), self._run)
