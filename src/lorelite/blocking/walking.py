"""Walks along the edges, and the search that takes them."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite.blocking.core import Core
from lorelite.graph.walk import DAMPING
from lorelite.records import Confidence, Direction, Graph, Kind, MemoryBundle, SourceType
from lorelite.retrieve.search import HybridWeight
from lorelite.retrieve.traverse import EdgeChoice, WalkOrder


class Walking(Core):
    def traverse_graph(
        self,
        namespace: str,
        *,
        source_id: str | Sequence[str],
        max_depth: int = 1,
        direction: Direction | None = None,
        edge_types: Sequence[str] | None = None,
        max_nodes: int | None = None,
        min_confidence: Confidence | None = None,
        exclude_source_types: Sequence[SourceType] | None = None,
        exclude_drafts: bool | None = None,
        as_of: int | None = None,
        token_budget: int | None = None,
        kinds: Sequence[Kind] | None = None,
        order: WalkOrder | None = None,
        query: str | None = None,
        edges: EdgeChoice = "induced",
    ) -> Graph:
        """See AsyncWiki.traverse_graph."""
        return self._run(
            self._wiki.traverse_graph(
                namespace,
                source_id=source_id,
                max_depth=max_depth,
                direction=direction,
                edge_types=edge_types,
                max_nodes=max_nodes,
                min_confidence=min_confidence,
                exclude_source_types=exclude_source_types,
                exclude_drafts=exclude_drafts,
                as_of=as_of,
                token_budget=token_budget,
                kinds=kinds,
                order=order,
                query=query,
                edges=edges,
            )
        )

    def shortest_path(
        self,
        namespace: str,
        *,
        source_id: str,
        target_id: str,
        max_depth: int = 6,
        direction: Direction = "both",
        edge_types: Sequence[str] | None = None,
        weighted: bool = False,
        kinds: Sequence[Kind] | None = None,
        min_confidence: Confidence | None = None,
        exclude_source_types: Sequence[SourceType] | None = None,
        exclude_drafts: bool | None = None,
        as_of: int | None = None,
    ) -> Graph:
        """See AsyncWiki.shortest_path."""
        return self._run(
            self._wiki.shortest_path(
                namespace,
                source_id=source_id,
                target_id=target_id,
                max_depth=max_depth,
                direction=direction,
                edge_types=edge_types,
                weighted=weighted,
                kinds=kinds,
                min_confidence=min_confidence,
                exclude_source_types=exclude_source_types,
                exclude_drafts=exclude_drafts,
                as_of=as_of,
            )
        )

    def pagerank_search(
        self,
        namespace: str,
        query: str,
        *,
        max_results: int | None = None,
        kinds: Sequence[Kind] | None = None,
        hybrid_weight: HybridWeight = None,
        as_of: int | None = None,
        exclude_drafts: bool | None = None,
        token_budget: int | None = None,
        damping: float = DAMPING,
        explain: bool = False,
    ) -> MemoryBundle:
        """See AsyncWiki.pagerank_search."""
        return self._run(
            self._wiki.pagerank_search(
                namespace,
                query,
                max_results=max_results,
                kinds=kinds,
                hybrid_weight=hybrid_weight,
                as_of=as_of,
                exclude_drafts=exclude_drafts,
                token_budget=token_budget,
                damping=damping,
                explain=explain,
            )
        )
