"""`read`: what one or several namespaces remember about a query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lorelite.engine import Engine
from lorelite.records import Event, MemoryBundle, Node, Task
from lorelite.retrieve.candidates import newest, whole
from lorelite.retrieve.citing import cited
from lorelite.retrieve.explain import explained
from lorelite.retrieve.hits import Hit, Listed
from lorelite.retrieve.search import Search, search
from lorelite.retrieve.tiers import Findings, Place, Tiers, chosen
from lorelite.retrieve.traverse import cut_to_fit, node_cost
from lorelite.text.budget import pack
from lorelite.timeline.past import at


async def read(
    engine: Engine,
    namespaces: Sequence[str],
    wanted: Search,
    tiers: Tiers,
    *,
    token_budget: int | None = None,
    explain: bool = False,
) -> MemoryBundle:
    """Facts by relevance, open tasks, recent events. An empty query gives what changed last, unscored."""
    engine = at(engine, namespaces, wanted.filters.as_of)
    listed: list[Place[Listed]] = []
    found: Mapping[str, Findings] = {}
    if not wanted.query.strip():
        listed = _newest(engine, namespaces, wanted)
    elif wanted.limit:
        taking_part = [name for name in namespaces if not tiers.leaves_out(name)]
        found = await search(engine, taking_part, wanted)
        listed = chosen(found, tiers, wanted.limit, _arrangement(engine, wanted))
    nodes = whole(engine, [place.node for place in listed])
    places = [Place(node, place.score, place.row) for node, place in zip(nodes, listed, strict=True)]
    told = _told(engine, namespaces, tiers)
    if token_budget is not None:
        places, told["tokens"] = packed(places, token_budget)
    if wanted.query.strip() and engine.config.track_access:
        engine.store.access.note([place.node.id for place in places], engine.clock())
    scores = {place.node.id: place.score for place in places if place.score is not None}
    nodes = [place.node for place in places]
    given = bundle(engine, namespaces, nodes, scores, wanted.query, as_of=wanted.filters.as_of)
    why = explained(engine, wanted.query, wanted.filters.kinds, nodes, found) if explain and found else {}
    return replace(given, explanations=why, metadata={**given.metadata, **told})


def _arrangement(engine: Engine, wanted: Search) -> Callable[[list[Place[Listed]]], list[Place[Listed]]]:
    """How the places are put in order before the first are taken."""
    diversity = wanted.diversity
    if not diversity:
        return list
    from lorelite.retrieve.diversity import varied

    return lambda places: varied(engine, places, diversity, wanted.limit, wanted.most)


def _told(engine: Engine, namespaces: Sequence[str], tiers: Tiers) -> dict[str, Any]:
    """What the bundle's metadata say beside the query: the factors in force, and names that are not there (yet)."""
    told: dict[str, Any] = {}
    if tiers.weights:
        told["tier_weights"] = dict(tiers.weights)
    if tiers.floors:
        told["tier_floors"] = dict(tiers.floors)
    unknown = [name for name in namespaces if engine.store.namespaces.get(name) is None]
    if unknown:
        told["unknown_namespaces"] = unknown
    return told


async def best_hits(engine: Engine, namespace: str, wanted: Search) -> list[Hit[Node]]:
    """The scored hits of one namespace; of an empty query what changed last, at 0."""
    engine = at(engine, [namespace], wanted.filters.as_of)
    if not wanted.query.strip():
        return [Hit(node, 0.0) for node in newest(engine, namespace, wanted.filters, wanted.limit)]
    hits = (await search(engine, [namespace], wanted))[namespace].hits
    nodes = whole(engine, [hit.node for hit in hits])
    return [Hit(node, hit.score) for node, hit in zip(nodes, hits, strict=True)]


def _newest(engine: Engine, namespaces: Sequence[str], wanted: Search) -> list[Place[Listed]]:
    found = {name: Findings(unscored=newest(engine, name, wanted.filters, wanted.limit)) for name in namespaces}
    return chosen(found, Tiers(), wanted.limit)


def packed(places: Sequence[Place[Node]], budget: int) -> tuple[list[Place[Node]], Mapping[str, int]]:
    """What of the places goes into *budget* tokens, the first always (its body cut to fit); and how it came out."""
    if not places:
        return [], {"used": 0, "candidates": 0, "packed": 0}
    first = places[0]
    fitting = [replace(first, node=cut_to_fit(first.node, budget)), *places[1:]]
    costs = [node_cost(place.node) for place in fitting]
    scores = [place.score for place in places]
    kept = pack(costs, None if not any(score is not None for score in scores) else scores, budget)
    used = sum(costs[position] for position in kept)
    return [fitting[position] for position in kept], {"used": used, "candidates": len(places), "packed": len(kept)}


def bundle(
    engine: Engine,
    namespaces: Sequence[str],
    nodes: Sequence[Node],
    scores: Mapping[str, float],
    query: str,
    *,
    as_of: int | None = None,
) -> MemoryBundle:
    """The nodes with their citations, the edges among them, and each namespace's tasks and events.

    Of one namespace all open tasks and 10 events; of several at most 20 tasks and 10 events for each, no more than 200
    and 100 in all.
    """
    store = engine.store
    ids = [node.id for node in nodes]
    return MemoryBundle(
        facts=tuple(cited(engine, nodes)),
        tasks=tuple(_tasks(engine, namespaces)),
        events=tuple(_events(engine, namespaces, as_of)),
        edges=tuple(edge for name in namespaces for edge in store.edges.among(name, ids, as_of)),
        fact_scores=dict(scores),
        metadata={"query": query, "namespaces": list(namespaces)},
    )


def _tasks(engine: Engine, namespaces: Sequence[str]) -> list[Task]:
    most = -1 if len(namespaces) == 1 else min(20 * len(namespaces), 200)
    tasks = [task for name in namespaces for task in engine.store.journal.open_tasks(name, most)]
    tasks.sort(key=lambda task: (-task.priority, task.created_at, task.id))
    return tasks if most < 0 else tasks[:most]


def _events(engine: Engine, namespaces: Sequence[str], as_of: int | None) -> list[Event]:
    most = min(10 * len(namespaces), 100)
    events = [event for name in namespaces for event in engine.store.journal.recent_events(name, most)]
    if as_of is not None:
        events = [event for event in events if event.created_at <= as_of]
    # Stable: events of one moment stay in the order in which they were written.
    events.sort(key=lambda event: event.created_at)
    return events[-most:] if most else []
