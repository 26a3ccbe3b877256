"""Communities as records: which clusters count, what they are called, and what their reports are about."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lorelite.graph.hierarchy import Cluster
from lorelite.graph_records import Community, GraphEntity, GraphRelation
from lorelite.ids import content_id, text_hash


@dataclass(frozen=True, slots=True)
class View:
    """A community as it is told: its members and what joins them, the most connected first."""

    community: Community
    entities: tuple[GraphEntity, ...]
    """By (-degree, name)."""
    relations: tuple[GraphRelation, ...]
    """Those with both ends inside, by (-sum of the degrees, source, target)."""
    degrees: Mapping[str, int]
    """Of the members, in the whole graph."""

    def rank(self, relation: GraphRelation) -> int:
        """The degrees of both ends together."""
        return self.degrees[relation.source_id] + self.degrees[relation.target_id]


def named(namespace: str, clusters: Sequence[Cluster], min_size: int) -> list[Community]:
    """The clusters of at least *min_size* entities, ordered by level, then id.

    An id stands for the set of members: a community that is found again, on whichever level, keeps its id.
    """
    kept = [cluster for cluster in clusters if len(cluster.members) >= max(1, min_size)]
    ids = {cluster.id: content_id("community", namespace, *sorted(cluster.members)) for cluster in kept}
    communities = []
    for cluster in kept:
        children = tuple(sorted(ids[child] for child in cluster.children if child in ids))
        communities.append(
            Community(
                id=ids[cluster.id],
                level=cluster.level,
                entity_ids=tuple(sorted(cluster.members)),
                parent=None if cluster.parent is None else ids[cluster.parent],
                children=children,
                is_final=not children,
            )
        )
    return sorted(communities, key=lambda community: (community.level, community.id))


def told_by(
    communities: Sequence[Community], entities: Mapping[str, GraphEntity], chunk_order: Sequence[str]
) -> list[Community]:
    """The communities with their chunks (in the order of insertion), their occurrence, and a title of names.

    entities: all members by id.
    """
    place = {id: number for number, id in enumerate(chunk_order)}
    chunks = []
    for community in communities:
        members = (entities[id] for id in community.entity_ids if id in entities)
        chunks.append(
            sorted({id for member in members for id in member.chunk_ids if id in place}, key=place.__getitem__)
        )
    most = max(map(len, chunks), default=0) or 1
    return [
        replace(
            community,
            chunk_ids=tuple(ids),
            occurrence=len(ids) / most,
            title=title_of(by_degree(entities[id] for id in community.entity_ids if id in entities)),
        )
        for community, ids in zip(communities, chunks, strict=True)
    ]


def views(
    communities: Sequence[Community], entities: Iterable[GraphEntity], relations: Iterable[GraphRelation]
) -> list[View]:
    """Of communities of one level, which share no entity, what each is told by."""
    by_id = {entity.id: entity for entity in entities}
    degrees = {id: entity.degree for id, entity in by_id.items()}
    home = {id: number for number, community in enumerate(communities) for id in community.entity_ids if id in by_id}
    inside: dict[int, list[GraphRelation]] = {}
    for relation in relations:
        number = home.get(relation.source_id)
        if number is not None and number == home.get(relation.target_id):
            inside.setdefault(number, []).append(relation)
    return [
        View(
            community,
            tuple(by_degree(by_id[id] for id in community.entity_ids if id in by_id)),
            tuple(sorted(inside.get(number, ()), key=lambda each: _relation_order(each, degrees))),
            degrees,
        )
        for number, community in enumerate(communities)
    ]


def by_degree(entities: Iterable[GraphEntity]) -> list[GraphEntity]:
    return sorted(entities, key=lambda entity: (-entity.degree, entity.name, entity.id))


def _relation_order(relation: GraphRelation, degrees: Mapping[str, int]) -> tuple[int, str, str, str, str]:
    rank = degrees[relation.source_id] + degrees[relation.target_id]
    return (-rank, relation.source, relation.target, relation.source_id, relation.target_id)


TITLE_NAMES = 3


def title_of(entities: Sequence[GraphEntity]) -> str:
    """The names of the first three."""
    return ", ".join(entity.name for entity in entities[:TITLE_NAMES])


def content_hash(view: View, *, with_chunks: bool = False) -> str:
    """What a report depends on: the members, their descriptions and relations; the level does not count.

    with_chunks: and the chunks that tell of them, for a report that quotes them.
    """
    members = sorted([entity.name, entity.type, entity.description] for entity in view.entities)
    relations = sorted(
        [*sorted((relation.source, relation.target)), relation.type, relation.description]
        for relation in view.relations
    )
    chunks = list(view.community.chunk_ids) if with_chunks else []
    return text_hash(json.dumps([members, relations, chunks], ensure_ascii=False))
