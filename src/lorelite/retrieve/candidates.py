"""From what an index names to the nodes that may be shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lorelite.engine import Engine
from lorelite.records import Node
from lorelite.retrieve.hits import Filters, Hit, Listed, ranked
from lorelite.store.nodes import Head

Scored = Sequence[tuple[int, float]]
"""(node key, score), best first."""


def best_passing(engine: Engine, match: Callable[[int], Scored], filters: Filters, limit: int) -> list[Hit[Head]]:
    """The best *limit* of what `match(how many)` gives that pass the filters.

    An index knows nothing of kinds, types and windows: it is asked for more until enough pass, or all were seen; and
    nothing of which node is newer, so for some more where scores are equal.
    """
    if not limit:
        return []
    asked, many = limit + 10, 2 * limit + 50
    while True:
        scored = match(asked)
        heads = passing(engine, [key for key, _ in scored], filters)
        scores = {heads[key].id: score for key, score in scored if key in heads}
        found = ranked({head.id: head for head in heads.values()}, scores)[:limit]
        if len(scored) < asked:
            return found
        if len(found) == limit and (asked >= many or found[-1].score > scored[-1][1]):
            return found
        asked = max(many, 4 * asked)


def passing(engine: Engine, keys: Sequence[int], filters: Filters) -> dict[int, Head]:
    """The nodes with these index keys that pass, by key."""
    found = engine.store.nodes.heads(
        keys, kinds=filters.kinds, exclude_drafts=filters.exclude_drafts, as_of=filters.as_of
    )
    if filters.node_types is None:
        return found
    return {key: head for key, head in found.items() if filters.has_type(head)}


def whole(engine: Engine, listed: Sequence[Listed]) -> list[Node]:
    """The nodes with all they say, in the same order."""
    missing: dict[str, list[str]] = {}
    for item in listed:
        if not isinstance(item, Node):
            missing.setdefault(item.namespace, []).append(item.id)
    read = {id: node for name, ids in missing.items() for id, node in engine.store.nodes.by_ids(name, ids).items()}
    return [item if isinstance(item, Node) else read[item.id] for item in listed]


def passing_ids(engine: Engine, namespace: str, ids: Iterable[str], filters: Filters) -> dict[str, Node]:
    """The nodes of the namespace with these ids that pass, by id; ids that are not there are left out."""
    now = engine.clock()
    found = engine.store.nodes.by_ids(namespace, list(ids))
    return {id: node for id, node in found.items() if filters.admits(node, now)}


def newest(engine: Engine, namespace: str, filters: Filters, limit: int) -> list[Node]:
    """The nodes that pass and were changed last, newest first, ties by id."""
    asked = limit
    while True:
        nodes = engine.store.nodes.recent(
            namespace, kinds=filters.kinds, limit=asked, exclude_drafts=filters.exclude_drafts, as_of=filters.as_of
        )
        found = [node for node in nodes if filters.has_type(node)]
        if len(found) >= limit or len(nodes) < asked:
            return found[:limit]
        asked *= 4
