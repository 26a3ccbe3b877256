"""The communities of a knowledge graph: found anew when its relations changed, and then near to those of before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from lorelite.communities.schema import named, told_by
from lorelite.graph.adapting import adapted
from lorelite.graph.hierarchy import MAX_CLUSTER_SIZE, SEED, Cluster, Hierarchy, cluster, partition_by
from lorelite.graph_records import Community, GraphEntity
from lorelite.ids import text_hash
from lorelite.pipeline.knowledge import Knowledge, WeightedEdges

STATE = "communities"
"""Under what `Knowledge.remember` keeps what the stored communities were found from."""

_BATCH = 500
_GROWN = 1.25
"""After growing by this factor a graph is also clustered from nothing, to see how good its communities are."""
_WORSE = 0.01
"""And so it is when modularity fell by this much."""
_TOLERANCE = 0.005
"""What modularity may lie below that of a search from nothing, as long as that spares reports."""

_Found = dict[str, Any]
"""What is remembered of a search. edges, modularity: of the graph at the last search from nothing. digests: of each
community of level 0, in order, what its members are joined by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions:
    """As in `lorelite.graph.hierarchy.cluster`. min_community_size: smaller clusters are no communities."""

    algorithm: str = "leiden"
    max_cluster_size: int = MAX_CLUSTER_SIZE
    seed: int = SEED
    resolution: float = 1.0
    use_lcc: bool = False
    min_community_size: int = 2
    engine: str = "python"


async def find_communities(knowledge: Knowledge, options: ClusterOptions) -> list[Community]:
    """Bring the stored communities up to date and give them, ordered by level, then id.

    The same graph keeps its communities. After a change only what the change reaches is moved. When the graph has grown
    by a quarter since it was last searched from nothing, or its modularity fell, that is done again, and its result
    taken if it is clearly better. Killed at any point, the next run gives the same.
    """
    graph = await knowledge.weighted_edges()
    stored = await knowledge.communities()
    state = await knowledge.recall(STATE) or {}
    digest = text_hash(json.dumps([asdict(options), list(graph.entity_ids), list(graph.edges)]))
    is_whole = state.get("communities") == _digest(stored)
    if is_whole and state.get("graph") == digest:
        found: Sequence[Community] = stored
    else:
        # Of a run that was killed before it stored its communities, those of the run before are there.
        before = state.get("found" if is_whole else "earlier")
        hierarchy, size, quality = _clustered(graph, options, stored, before)
        found = named(knowledge.namespace, hierarchy.clusters, options.min_community_size)
        now = {"edges": size, "modularity": quality, "digests": _edge_digests(graph, found)}
        state = {"graph": digest, "communities": _digest(found), "found": now}
        await knowledge.remember(STATE, {**state, "earlier": before})
    communities = await _told(knowledge, found)
    if communities != stored:
        await knowledge.put_communities(communities)
    if found is not stored or "earlier" in state:
        await knowledge.remember(STATE, {name: value for name, value in state.items() if name != "earlier"})
    return communities


def _clustered(
    graph: WeightedEdges, options: ClusterOptions, stored: Sequence[Community], before: _Found | None
) -> tuple[Hierarchy, int, float]:
    """The hierarchy, and what it is measured against next time: size and modularity at the last search from nothing."""
    near = None
    if stored and options.algorithm != "local-moving":  # which depends on the order of the nodes alone
        near = _near(graph, options, stored, before)
        if before is not None and _is_good(near, len(graph.edges), before):
            return near, before["edges"], before["modularity"]
    found = _from_nothing(graph, options)
    is_near = near is not None and near.modularity >= found.modularity - _TOLERANCE
    return near if near and is_near else found, len(graph.edges), found.modularity


def _is_good(near: Hierarchy, edges: int, before: _Found) -> bool:
    """Is no search from nothing due?"""
    is_as_large: bool = edges <= before["edges"] * _GROWN
    return is_as_large and bool(near.modularity >= before["modularity"] - _WORSE)


def _from_nothing(graph: WeightedEdges, options: ClusterOptions) -> Hierarchy:
    return cluster(
        graph.edges,
        algorithm=options.algorithm,
        entity_ids=_nodes(graph, options),
        seed=options.seed,
        resolution=options.resolution,
        max_cluster_size=options.max_cluster_size,
        use_lcc=options.use_lcc,
        engine=options.engine,
    )


def _near(
    graph: WeightedEdges, options: ClusterOptions, stored: Sequence[Community], before: _Found | None
) -> Hierarchy:
    """The communities near to the stored ones."""
    coarsest = [community for community in stored if community.level == 0]
    digests = before["digests"] if before else []
    now = _edge_digests(graph, coarsest)
    changed = {
        id
        for number, community in enumerate(coarsest)
        if number >= len(digests) or digests[number] != now[number]
        for id in community.entity_ids
    }
    clusters = (
        Cluster(each.id, each.level, each.entity_ids, each.parent, each.children, each.is_final) for each in stored
    )
    divide = partition_by(options.algorithm, options.engine, options.seed, options.resolution)
    return adapted(
        graph.edges,
        Hierarchy(tuple(clusters), 0.0),
        changed,
        lambda part: divide(part, None),
        entity_ids=_nodes(graph, options),
        resolution=options.resolution,
        max_cluster_size=options.max_cluster_size,
        use_lcc=options.use_lcc,
    )


def _nodes(graph: WeightedEdges, options: ClusterOptions) -> Sequence[str]:
    """Entities without relations are communities of one, if such are wanted."""
    return graph.entity_ids if options.min_community_size <= 1 else ()


def _edge_digests(graph: WeightedEdges, communities: Sequence[Community]) -> list[str]:
    """Of each community of level 0, in order, what its members are joined by, inside and outwards, in short."""
    coarsest = [community for community in communities if community.level == 0]
    home = {id: number for number, community in enumerate(coarsest) for id in community.entity_ids}
    touching: list[list[str]] = [[] for _ in coarsest]
    for source, target, weight in graph.edges:
        line = f"{source}\t{target}\t{weight!r}"
        for number in {home.get(source, -1), home.get(target, -1)} - {-1}:
            touching[number].append(line)
    return [text_hash("\n".join(sorted(lines)))[:8] for lines in touching]


async def _told(knowledge: Knowledge, found: Sequence[Community]) -> list[Community]:
    members = sorted({id for community in found for id in community.entity_ids})
    entities: dict[str, GraphEntity] = {}
    for start in range(0, len(members), _BATCH):
        for entity in await knowledge.entities(members[start : start + _BATCH]):
            entities[entity.id] = replace(entity, description="")  # descriptions are what takes room
    return told_by(found, entities, await knowledge.chunk_ids())


def _digest(communities: Sequence[Community]) -> str:
    rows = [[each.id, each.level, each.parent, list(each.children)] for each in communities]
    return text_hash(json.dumps(rows))
