"""A knowledge graph as it is drawn: its most connected entities, coloured by community."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lorelite.graph_records import Community, GraphView, ViewCommunity, ViewEdge, ViewNode
from lorelite.pipeline.knowledge import Knowledge


async def graph_view(knowledge: Knowledge, *, level: int, max_nodes: int) -> GraphView:
    """The *max_nodes* entities related to most others, what joins them, and their communities at *level*."""
    every = await knowledge.entity_ids()
    degrees = await knowledge.degrees(every)
    shown = sorted(every, key=lambda id: (-degrees.get(id, 0), id))[:max_nodes]
    lines = {id: tuple(line) for id, line in (await knowledge.communities_of(shown)).items()}
    communities = await knowledge.communities()
    by_id = {community.id: community for community in communities}
    colours = _colours(_at(level, communities), await knowledge.chunk_ids())
    place_of = {id: next((each for each in reversed(line) if each in colours), None) for id, line in lines.items()}
    nodes = [
        ViewNode(
            id=entity.id,
            name=entity.name,
            type=entity.type,
            degree=entity.degree,
            communities=lines.get(entity.id, ()),
            community=(place := place_of.get(entity.id)),
            colour=None if place is None else colours[place],
        )
        for entity in await knowledge.entities(shown)
    ]
    edges = [
        ViewEdge(
            source_id=relation.source_id,
            target_id=relation.target_id,
            type=relation.type,
            weight=relation.weight,
            is_directed=relation.is_directed,
        )
        for relation in await knowledge.relations_of(shown, among=())
    ]
    seen = {node.community for node in nodes}
    kept = [by_id[id] for id in sorted(colours, key=colours.__getitem__) if id in seen]
    titles = {report.community_id: report.title for report in await knowledge.reports([each.id for each in kept])}
    return GraphView(
        level=level,
        nodes=tuple(nodes),
        edges=tuple(edges),
        communities=tuple(_shown(each, titles, colours) for each in kept),
        entities=len(every),
    )


def _at(level: int, communities: Sequence[Community]) -> list[Community]:
    """Those that together divide the graph at a level: its own, and those above it that are divided no further."""
    return [each for each in communities if each.level == level or (each.level < level and not each.children)]


def _colours(communities: Sequence[Community], chunk_ids: Sequence[str]) -> dict[str, int]:
    """Numbers from 0, by which community the documents tell of first: what is inserted later recolours little."""
    order = {id: number for number, id in enumerate(chunk_ids)}

    def told(community: Community) -> tuple[int, str]:
        first = min((order[id] for id in community.chunk_ids if id in order), default=len(order))
        return first, community.entity_ids[0]

    return {community.id: number for number, community in enumerate(sorted(communities, key=told))}


def _shown(community: Community, titles: Mapping[str, str], colours: Mapping[str, int]) -> ViewCommunity:
    return ViewCommunity(
        id=community.id,
        title=titles.get(community.id) or community.title,
        level=community.level,
        size=len(community.entity_ids),
        colour=colours[community.id],
    )
