"""Entities, relations, reports and chunks as rows of a context's tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from lorelite.graph_records import CommunityReport, GraphEntity, GraphRelation, SearchContext, TextChunk
from lorelite.strategies.tables import SOURCES, Row, fitting, source_rows, table_context
from lorelite.text.budget import token_cost


def relation_order(
    relation: GraphRelation, chosen: Mapping[str, GraphEntity], known: Mapping[str, GraphEntity]
) -> tuple[bool, int, float, str, str]:
    """Sorts relations between two chosen entities first, then by degrees, then by weight."""
    is_between = relation.source_id in chosen and relation.target_id in chosen
    return (not is_between, -rank(relation, known), -relation.weight, *ends(relation))


def rank(relation: GraphRelation, known: Mapping[str, GraphEntity]) -> int:
    """The degrees of both ends together."""
    return sum(known[id].degree for id in ends(relation) if id in known)


def graph_context(
    strategy: str,
    entities: Sequence[GraphEntity],
    relations: Sequence[GraphRelation],
    chunks: Sequence[TextChunk],
    *,
    max_tokens: int,
    entity_tokens: int,
    relation_tokens: int,
) -> SearchContext:
    """Entities, Relationships and Sources as tables. Empty when there are no chunks and no entities."""
    known = {entity.id: entity for entity in entities}
    tables = {
        "Entities": fitting("Entities", map(entity_row, entities), min(entity_tokens, max_tokens // 4)),
        "Relationships": fitting(
            "Relationships",
            (relation_row(relation, rank(relation, known)) for relation in relations),
            min(relation_tokens, max_tokens // 4),
        ),
    }
    left = max_tokens - token_cost(table_context(strategy, tables).text)
    tables[SOURCES] = fitting(SOURCES, source_rows(chunks), left)
    return table_context(strategy, tables, chunks[: len(tables[SOURCES])])


def entity_row(entity: GraphEntity) -> Row:
    return {
        "entity": entity.name,
        "type": entity.type,
        "description": entity.description,
        "rank": entity.degree,
        "entity_id": entity.id,
    }


def relation_row(relation: GraphRelation, rank: int) -> Row:
    return {
        "source": relation.source,
        "target": relation.target,
        "description": relation.description,
        "weight": float(relation.weight),
        "rank": rank,
        "source_id": relation.source_id,
        "target_id": relation.target_id,
    }


def pair(one: str, other: str) -> tuple[str, str]:
    """Two ends whichever way round."""
    return (one, other) if one <= other else (other, one)


def ends(relation: GraphRelation) -> tuple[str, str]:
    return relation.source_id, relation.target_id


def report_rows(reports: Iterable[CommunityReport]) -> list[Row]:
    return [{"content": report.text, "community_id": report.community_id} for report in reports]


def chunk_order(
    entities: Sequence[GraphEntity], relations: Sequence[GraphRelation], known: Mapping[str, GraphEntity]
) -> list[str]:
    """The chunks that tell of the entities: by entity, and of each first those that tell of most of its neighbours."""
    near: dict[str, list[GraphEntity]] = {entity.id: [] for entity in entities}
    for relation in relations:
        for id, other in (ends(relation), ends(relation)[::-1]):
            if id in near and other in known:
                near[id].append(known[other])
    order: dict[str, None] = {}
    for entity in entities:
        together = Counter(chunk_id for other in near[entity.id] for chunk_id in other.chunk_ids)
        order |= dict.fromkeys(sorted(entity.chunk_ids, key=lambda id: -together[id]))
    return list(order)
