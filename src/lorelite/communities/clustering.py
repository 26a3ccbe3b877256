"""The communities of a knowledge graph: found anew when its relations changed, and then near to those of before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from lorelite.communities.schema import named, told_by
from lorelite.graph.hierarchy import MAX_CLUSTER_SIZE, SEED, Cluster, Hierarchy, cluster
from lorelite.graph_records import Community, GraphEntity
from lorelite.ids import text_hash
from lorelite.pipeline.knowledge import Knowledge, WeightedEdges

STATE = "communities"
"""Under what `Knowledge.remember` keeps of which graph the stored communities are."""

_BATCH = 500
_GROWN = 1.25
"""After growing by this factor a graph is also clustered from nothing, since starting from what was found before may
by then have led away from what is best."""
_WORSE = 0.01
"""And so it is when modularity fell by this much."""


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

    The same graph keeps its communities. After a change the search starts from the stored ones, so that those away
    from the change stay as they are; from nothing too when the graph has grown by a quarter since that was last done,
    or modularity fell: then what has the higher modularity stays. Killed at any point, the next run gives the same.
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
        before = state.get("baseline" if is_whole else "earlier")
        hierarchy, baseline = _clustered(graph, options, stored, before)
        found = named(knowledge.namespace, hierarchy.clusters, options.min_community_size)
        new = {"graph": digest, "communities": _digest(found), "baseline": baseline, "earlier": before}
        await knowledge.remember(STATE, new)
    communities = await _told(knowledge, found)
    if communities != stored:
        await knowledge.put_communities(communities)
    return communities


def _clustered(
    graph: WeightedEdges, options: ClusterOptions, stored: Sequence[Community], before: dict[str, Any] | None
) -> tuple[Hierarchy, dict[str, Any]]:
    """The hierarchy, and what it is measured against next time: size and modularity of a search from nothing."""
    edges = len(graph.edges)
    if stored and before is not None and edges <= before["edges"] * _GROWN:
        near = _cluster(graph, options, _as_hierarchy(stored))
        if near.modularity >= before["modularity"] - _WORSE:
            return near, before
    found = _cluster(graph, options, None)
    baseline = {"edges": edges, "modularity": found.modularity}
    if stored:
        near = _cluster(graph, options, _as_hierarchy(stored))
        found = near if near.modularity >= found.modularity else found
    return found, baseline


def _cluster(graph: WeightedEdges, options: ClusterOptions, previous: Hierarchy | None) -> Hierarchy:
    return cluster(
        graph.edges,
        algorithm=options.algorithm,
        # Entities without relations are communities of one.
        entity_ids=graph.entity_ids if options.min_community_size <= 1 else (),
        seed=options.seed,
        resolution=options.resolution,
        max_cluster_size=options.max_cluster_size,
        use_lcc=options.use_lcc,
        engine=options.engine,
        previous=previous,
    )


def _as_hierarchy(communities: Sequence[Community]) -> Hierarchy:
    clusters = (
        Cluster(each.id, each.level, each.entity_ids, each.parent, each.children, each.is_final) for each in communities
    )
    return Hierarchy(tuple(clusters), 0.0)


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
