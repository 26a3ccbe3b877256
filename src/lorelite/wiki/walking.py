"""Walks along the edges, and the search that takes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import InvalidOption
from lorelite.graph.walk import DAMPING
from lorelite.records import CONFIDENCE_RANK, Confidence, Direction, Graph, Kind, MemoryBundle, SourceType
from lorelite.retrieve.hits import Filters
from lorelite.retrieve.search import HybridWeight, Search
from lorelite.retrieve.traverse import EdgeChoice, WalkOrder, traverse
from lorelite.store.edges import WalkFilter
from lorelite.wiki.core import Core

_MOST_ANCHORS = 1_000
_MOST_DAMPING = 0.99


class Walking(Core):
    async def traverse_graph(
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
        """The neighbourhood of a node, or of several: the anchors first, then by depth, in the order chosen, then id.

        source_id: one, or a list of at most 1,000 from which the walk sets out at once; depth is counted from the
        nearest. Those that are not there are left out. max_depth: clamped to 1 … WikiConfig.max_traversal_depth (3).
        edge_types: None all, [] none. max_nodes: 20 by default, the anchors included; `truncated` tells whether more
        were there. kinds, min_confidence, exclude_source_types, exclude_drafts: nodes that fail are dead ends; not the
        anchors. token_budget: keep nodes in order while they fit (four characters a token).
        order: within each depth "recent" newest first, the default; "weight" strongest connection first; "relevance",
        the default with a *query*, first what fits it, by words and, with an embedder, by meaning (inside a transaction
        that is a TransactionError).
        edges: "induced" all edges among the nodes, "walked" only those over which they were reached.
        """
        engine = self._known(namespace)
        config = engine.config
        limit = config.max_traversal_nodes if max_nodes is None else max_nodes
        chosen = _walk_order(order, query)
        return await traverse(
            engine,
            namespace,
            _anchors(source_id),
            where=_filter(
                engine,
                edge_types=edge_types,
                kinds=kinds,
                min_confidence=min_confidence,
                exclude_source_types=exclude_source_types,
                exclude_drafts=exclude_drafts,
                as_of=as_of,
            ),
            direction=options.one_of("direction", direction or config.traversal_direction, get_args(Direction)),
            max_depth=options.depth("max_depth", max_depth, config.max_traversal_depth),
            max_nodes=options.whole_number("max_nodes", limit, 1),
            order=chosen,
            query="" if query is None else query,
            token_budget=None if token_budget is None else options.whole_number("token_budget", token_budget, 0),
            edges=options.one_of("edges", edges, get_args(EdgeChoice)),
        )

    async def shortest_path(
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
        """How two nodes are connected: the nodes of one shortest path from *source_id* to *target_id*, in its order,
        each with its `path` from the source, and the edges between them. An empty graph when there is no path.

        max_depth: at most so many edges, 1 to 100. direction: "both" crosses edges either way, "outbound" along them,
        "inbound" against them. weighted: not the fewest edges, but the lowest sum of 1/weight within max_depth edges;
        edges whose weight is not above 0 are not crossed then. Of several such paths the one whose ids come first.
        The other filters are those of `traverse_graph`; the two ends pass each of them. A search that meets more than
        50,000 nodes gives up: the graph is empty, and `truncated`.
        """
        from lorelite.retrieve.paths import path_between

        engine = self._known(namespace)
        return path_between(
            engine,
            namespace,
            options.node_id("source_id", source_id),
            options.node_id("target_id", target_id),
            where=_filter(
                engine,
                edge_types=edge_types,
                kinds=kinds,
                min_confidence=min_confidence,
                exclude_source_types=exclude_source_types,
                exclude_drafts=exclude_drafts,
                as_of=as_of,
            ),
            direction=options.one_of("direction", direction, get_args(Direction)),
            max_depth=options.whole_number("max_depth", max_depth, 1, 100),
            weighted=options.switch("weighted", weighted),
        )

    async def pagerank_search(
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
        """As `read`, and what the hits lead to: passages that the query or a good hit mentions by their title, or that
        share with it what few others mention, come before hits that stand alone. For questions whose answer is spread
        over several documents.

        A walker sets out from the best hits and from what the query names, and follows the links among passages; the
        score is the share of its time blended with the hit's own (personalised PageRank). Reads only what is near.
        kinds: "chunk" and "fact" by default; entities join passages and are found only as `read` finds them. damping:
        0 … 0.99, the chance that the walker goes on; 0 ranks what the query finds and names. explain: tell in
        `explanations` the place and share that each result has in the walk. The other options are those of `read`.
        """
        from lorelite.retrieve.pagerank import pagerank_read

        engine = self._known(namespace)
        config = engine.config
        limit = config.max_results if max_results is None else max_results
        weight = config.hybrid_weight if hybrid_weight is None else hybrid_weight
        chosen = ("chunk", "fact") if kinds is None else kinds
        wanted = Search(
            query=options.text("query", query),
            filters=Filters(
                kinds=options.many_of("kinds", chosen, get_args(Kind)),
                exclude_drafts=options.switch("exclude_drafts", exclude_drafts, config.exclude_drafts),
                as_of=options.moment("as_of", as_of),
            ),
            limit=options.whole_number("max_results", limit, 0, 10_000),
            weight=weight if weight in (None, "cosine") else options.share("hybrid_weight", weight),
        )
        return await pagerank_read(
            engine,
            namespace,
            wanted,
            damping=_damping(damping),
            token_budget=None if token_budget is None else options.whole_number("token_budget", token_budget, 0),
            explain=options.switch("explain", explain),
        )


def _damping(value: object) -> float:
    share = options.share("damping", value)
    if share > _MOST_DAMPING:
        raise InvalidOption("damping", f"a number from 0 to {_MOST_DAMPING}", value)
    return share


def _filter(
    engine: Engine,
    *,
    edge_types: object,
    kinds: object,
    min_confidence: object,
    exclude_source_types: object,
    exclude_drafts: object,
    as_of: object,
) -> WalkFilter:
    config = engine.config
    floor = min_confidence or config.min_traversal_confidence
    lowest = CONFIDENCE_RANK[options.one_of("min_confidence", floor, CONFIDENCE_RANK)]
    excluded = config.exclude_source_types if exclude_source_types is None else exclude_source_types
    return WalkFilter(
        edge_types=None if edge_types is None else options.texts("edge_types", edge_types),
        kinds=None if kinds is None else options.many_of("kinds", kinds, get_args(Kind)),
        confidences=tuple(name for name, rank in CONFIDENCE_RANK.items() if rank >= lowest),
        exclude_source_types=options.many_of("exclude_source_types", excluded, get_args(SourceType)),
        exclude_drafts=options.switch("exclude_drafts", exclude_drafts, config.exclude_drafts),
        as_of=options.moment("as_of", as_of),
    )


def _anchors(source_id: object) -> list[str]:
    """Each once, in the order given."""
    if isinstance(source_id, str) or not isinstance(source_id, Iterable):
        return [options.node_id("source_id", source_id)]
    given: list[Any] = list(source_id)
    if not 0 < len(given) <= _MOST_ANCHORS:
        raise InvalidOption("source_id", f"1 to {_MOST_ANCHORS:,} node ids", given)
    return list(dict.fromkeys(options.node_id("source_id", id) for id in given))


def _walk_order(order: WalkOrder | None, query: object) -> WalkOrder:
    has_query = query is not None and bool(options.text("query", query).strip())
    if order is None and query is None:
        return "recent"
    chosen: WalkOrder = options.one_of("order", "relevance" if order is None else order, get_args(WalkOrder))
    if has_query != (chosen == "relevance") or (query is not None and not has_query):
        raise InvalidOption("query", "some text with order='relevance', and none with another order", query)
    return chosen
