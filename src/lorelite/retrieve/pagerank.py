"""`pagerank_search`: hits of a search, and what they lead to over the graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from lorelite.engine import Engine
from lorelite.graph.pagerank import personalised_pagerank
from lorelite.graph.walk import DAMPING
from lorelite.records import Explanation, MemoryBundle
from lorelite.retrieve.candidates import whole
from lorelite.retrieve.explain import explained
from lorelite.retrieve.hits import ranked
from lorelite.retrieve.passages import PassageLinks
from lorelite.retrieve.read import bundle, packed, read
from lorelite.retrieve.search import Search, search
from lorelite.retrieve.seeds import seed_masses
from lorelite.retrieve.tiers import Findings, Place, Tiers
from lorelite.timeline.past import at

SEEDS = 20
"""Hits that walks start from; this constant and those below were measured together with DAMPING."""
HITS = 100
"""Hits that a walk may be drawn to."""
GRAPH_SHARE = 0.9
"""Of the score; the rest is the seed's own."""
MOST_PASSAGES = 400
"""Passages whose links are read."""
TOLERANCE = 0.002
_UNREACHED = 1e-6
"""What a hit counts as such: enough to order those that no walk reaches."""


async def pagerank_read(
    engine: Engine,
    namespace: str,
    wanted: Search,
    *,
    damping: float = DAMPING,
    token_budget: int | None = None,
    explain: bool = False,
) -> MemoryBundle:
    """What a personalised PageRank over passages finds: chunks and facts that the hits mention, or that mention what
    they do, come before hits that stand alone. Of an empty query what changed last.

    Scores are shares of the walker's time blended with the seed's own share. Entities are found as hits only.
    """
    engine = at(engine, [namespace], wanted.filters.as_of)
    if not wanted.query.strip():
        return await read(engine, [namespace], wanted, Tiers(), token_budget=token_budget)
    walk = await _walk(engine, namespace, wanted, damping)
    scores = walk.best(wanted.limit)
    nodes = engine.store.nodes.by_ids(namespace, list(scores))
    placed = ranked(nodes, {id: score for id, score in scores.items() if id in nodes})
    places = [Place(hit.node, hit.score) for hit in placed]
    told: dict[str, Any] = {}
    if token_budget is not None:
        places, told["tokens"] = packed(places, token_budget)
    shown = [place.node for place in places]
    if engine.config.track_access:
        engine.store.access.note([node.id for node in shown], engine.clock())
    shown_scores = {node.id: scores[node.id] for node in shown}
    made = bundle(engine, [namespace], shown, shown_scores, wanted.query, as_of=wanted.filters.as_of)
    why = (
        _with_places(explained(engine, wanted.query, wanted.filters.kinds, shown, {namespace: walk.found}), walk.ranks)
        if explain
        else {}
    )
    return replace(made, metadata={**made.metadata, **told}, explanations=why)


async def pagerank_scores(
    engine: Engine, namespace: str, wanted: Search, *, damping: float = DAMPING
) -> dict[str, float]:
    """Node → score of what `pagerank_read` finds, best first, ties by id; of an empty query nothing.

    Nothing of it is read, and nobody is taken to have seen it.
    """
    if not wanted.query.strip():
        return {}
    return (await _walk(at(engine, [namespace], wanted.filters.as_of), namespace, wanted, damping)).best(wanted.limit)


@dataclass(frozen=True, slots=True)
class _Walk:
    found: Findings
    ranks: Mapping[str, float]
    """Passage → share of the walker's time."""
    scores: Mapping[str, float]
    """Node → score, of these and of the hits."""

    def best(self, limit: int) -> dict[str, float]:
        """Best first, ties by id."""
        return {id: self.scores[id] for id in sorted(self.scores, key=lambda id: (-self.scores[id], id))[:limit]}


async def _walk(engine: Engine, namespace: str, wanted: Search, damping: float) -> _Walk:
    found = (await search(engine, [namespace], replace(wanted, limit=max(HITS, wanted.limit))))[namespace]
    top = max((hit.score for hit in found.hits), default=0.0)
    fits = {hit.node.id: max(0.0, hit.score) / top if top > 0 else 0.0 for hit in found.hits}
    passages = [hit.node for hit in found.hits if hit.node.kind != "entity"]
    starts = whole(engine, passages[:SEEDS])
    kinds = tuple(kind for kind in wanted.filters.kinds if kind != "entity")
    links = PassageLinks(
        engine, namespace, replace(wanted.filters, kinds=kinds), {node.id: fits[node.id] for node in passages}
    )
    links.add_text_links(starts)
    seeds = seed_masses(engine, namespace, wanted.query, starts, fits, links)
    ranks = personalised_pagerank(
        seeds, links.neighbours, restart=1 - damping, tolerance=TOLERANCE, max_nodes=MOST_PASSAGES
    )
    total = sum(seeds.values()) or 1.0
    scores = {
        id: GRAPH_SHARE * ranks.get(id, 0.0) + (1 - GRAPH_SHARE) * seeds.get(id, 0.0) / total
        + _UNREACHED * fits.get(id, 0.0)
        for id in {**ranks, **fits}
    }  # fmt: skip
    return _Walk(found, ranks, scores)


def _with_places(explanations: Mapping[str, Explanation], ranks: Mapping[str, float]) -> dict[str, Explanation]:
    """The explanations with each node's place and share in the walk."""
    order = sorted(ranks, key=lambda id: (-ranks[id], id))
    places = {id: place for place, id in enumerate(order, 1)}
    return {
        id: replace(explanation, graph_rank=places.get(id), graph_score=ranks.get(id))
        for id, explanation in explanations.items()
    }
