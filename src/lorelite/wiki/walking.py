"""Walks along the edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from lorelite import options
from lorelite.records import CONFIDENCE_RANK, Confidence, Direction, Graph, Kind, SourceType
from lorelite.retrieve.traverse import EdgeChoice, traverse
from lorelite.store.edges import WalkFilter
from lorelite.wiki.core import Core

_ALL_KINDS = get_args(Kind)


class Walking(Core):
    async def traverse_graph(
        self,
        namespace: str,
        *,
        source_id: str,
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
        order: Literal["recent", "weight"] = "recent",
        edges: EdgeChoice = "induced",
    ) -> Graph:
        """The neighbourhood of a node: the anchor first, then by depth, newest (or strongest) first, then id.

        max_depth: clamped to 1 … WikiConfig.max_traversal_depth (3). edge_types: None all, [] none.
        max_nodes: 20 by default, the anchor included; `truncated` tells whether more were there.
        kinds, min_confidence, exclude_source_types, exclude_drafts: nodes that fail are dead ends; not the anchor.
        token_budget: keep nodes in order while they fit (four characters a token).
        edges: "induced" all edges among the nodes, "walked" only those over which they were reached.
        """
        engine = self._known(namespace)
        config = engine.config
        limit = config.max_traversal_nodes if max_nodes is None else max_nodes
        floor = min_confidence or config.min_traversal_confidence
        lowest = CONFIDENCE_RANK[options.one_of("min_confidence", floor, CONFIDENCE_RANK)]
        excluded = config.exclude_source_types if exclude_source_types is None else exclude_source_types
        return traverse(
            engine,
            namespace,
            options.node_id("source_id", source_id),
            where=WalkFilter(
                edge_types=None if edge_types is None else options.texts("edge_types", edge_types),
                kinds=None if kinds is None else options.many_of("kinds", kinds, _ALL_KINDS),
                confidences=tuple(name for name, rank in CONFIDENCE_RANK.items() if rank >= lowest),
                exclude_source_types=options.many_of("exclude_source_types", excluded, get_args(SourceType)),
                exclude_drafts=options.switch("exclude_drafts", exclude_drafts, config.exclude_drafts),
                as_of=options.moment("as_of", as_of),
            ),
            direction=options.one_of("direction", direction or config.traversal_direction, get_args(Direction)),
            max_depth=options.depth("max_depth", max_depth, config.max_traversal_depth),
            max_nodes=options.whole_number("max_nodes", limit, 1),
            order=options.one_of("order", order, ("recent", "weight")),
            token_budget=None if token_budget is None else options.whole_number("token_budget", token_budget, 0),
            edges=options.one_of("edges", edges, get_args(EdgeChoice)),
        )
