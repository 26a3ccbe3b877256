"""Communities of a store's entities, and reports on them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from lorelite import options
from lorelite.errors import ClusteringAlgorithmError, UnsupportedStoreError
from lorelite.graph.hierarchy import cluster
from lorelite.prompts import toolkit_report
from lorelite.toolkit.asking import ask_all, required_model
from lorelite.toolkit.records import EntityCommunity, EntityStore, Enumerable, KitEntity, KitRelation

_LOG = logging.getLogger(__name__)
_NAMES_IN_A_TITLE = 3

Algorithm = Literal["local-moving", "louvain", "leiden"]


async def detect_communities(
    store: EntityStore, *, algorithm: Algorithm = "local-moving", resolution: float = 1.0, min_size: int = 1
) -> list[EntityCommunity]:
    """Clusters of the store's entities, largest first, ties by the smallest member's id; ids "c0", "c1", …

    local-moving is the first phase of Louvain (Blondel et al. 2008), deterministic; louvain and leiden (Traag et al.
    2019) are the whole algorithms. Relations count in both directions, parallel ones with the sum of their weights.
    Entities without relations are communities of one. min_size: leave smaller ones out. Raises UnsupportedStoreError
    for a store that cannot list what it holds.
    """
    options.whole_number("min_size", min_size, 1)
    options.finite("resolution", resolution)
    if algorithm not in get_args(Algorithm):
        raise ClusteringAlgorithmError(algorithm, get_args(Algorithm))
    if not isinstance(store, Enumerable):
        raise UnsupportedStoreError(store, "Enumerable", ("all_entities", "all_relations"))
    entities = await store.all_entities()
    edges = [(each.source_id, each.target_id, each.weight) for each in await store.all_relations()]
    found = cluster(
        edges,
        algorithm=algorithm,
        entity_ids=[entity.id for entity in entities],
        resolution=resolution,
        max_cluster_size=None,
    )
    groups = [tuple(sorted(each.members)) for each in found.clusters if each.level == 0]
    groups.sort(key=lambda members: (-len(members), members[0]))
    kept = [members for members in groups if len(members) >= min_size]
    return [EntityCommunity(id=f"c{number}", entity_ids=members) for number, members in enumerate(kept)]


class CommunityReporter:
    """Gives communities a title and a summary."""

    def __init__(self, model: Any, *, min_size: int = 2, max_entities: int = 50, max_relations: int = 100) -> None:
        """min_size: communities with fewer members get none. max_entities, max_relations: how many the model is shown,
        those with most relations first."""
        self._model = required_model(model)
        self._min_size = options.whole_number("min_size", min_size, 1)
        self._max_entities = options.whole_number("max_entities", max_entities, 1)
        self._max_relations = options.whole_number("max_relations", max_relations, 0)

    async def report(self, store: EntityStore, communities: Sequence[EntityCommunity]) -> list[EntityCommunity]:
        """The communities in the same order, with reports.

        One that the model fails at is titled by its members of most relations, and its `error` says why; the others go
        on.
        """
        wanted = [each for each in communities if each.size >= self._min_size]
        shown = {each.id: await self._shown(store, each) for each in wanted}
        requests = [toolkit_report.build(*shown[each.id]) for each in wanted]
        replies = await ask_all(self._model, requests) if requests else []
        written = {}
        for community, reply in zip(wanted, replies, strict=True):
            try:
                if reply.error is not None:
                    raise reply.error
                title, summary = toolkit_report.parse(reply.text)
                written[community.id] = replace(community, title=title, summary=summary, error="")
            except Exception as error:
                _LOG.warning("no report on community %s: %s", community.id, error)
                names = [line.partition(" (")[0] for line in shown[community.id][0][:_NAMES_IN_A_TITLE]]
                written[community.id] = replace(community, title=", ".join(names), summary="", error=str(error))
        return [written.get(each.id, each) for each in communities]

    async def _shown(self, store: EntityStore, community: EntityCommunity) -> tuple[list[str], list[str]]:
        """A line for each entity and relation that the model is shown."""
        members: dict[str, KitEntity] = {}
        relations: dict[str, KitRelation] = {}
        for id in community.entity_ids:
            entity = await store.get_entity(id)
            if entity is not None:
                members[id] = entity
                relations |= {each.key: each for each in await store.get_relations(id)}
        within = [each for each in relations.values() if each.source_id in members and each.target_id in members]
        degrees = Counter(end for each in within for end in {each.source_id, each.target_id})
        ordered = sorted(members.values(), key=lambda each: (-degrees[each.id], each.name, each.id))
        within.sort(key=lambda each: (-degrees[each.source_id] - degrees[each.target_id], each.key))
        return (
            [_entity_line(each) for each in ordered[: self._max_entities]],
            [_relation_line(each, members) for each in within[: self._max_relations]],
        )


def _entity_line(entity: KitEntity) -> str:
    description = entity.properties.get("description")
    return f"{entity.name} ({entity.type})" + (f": {description}" if description else "")


def _relation_line(relation: KitRelation, members: Mapping[str, KitEntity]) -> str:
    description = relation.properties.get("description")
    line = f"{members[relation.source_id].name} -[{relation.type}]-> {members[relation.target_id].name}"
    return line + (f": {description}" if description else "")
