"""`local_community_search`: what surrounds the entities that the question is about, reports included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from lorelite import options
from lorelite.graph_records import CommunityReport, GraphEntity, GraphRelation, SearchContext, TextChunk
from lorelite.pipeline.knowledge import Knowledge
from lorelite.pipeline.processor import CHUNK_ENTITIES, ENTITY_COMMUNITIES
from lorelite.ports import ChatModel, Embedder
from lorelite.strategies.graph_tables import (
    chunk_order,
    ends,
    entity_row,
    rank,
    relation_order,
    relation_row,
    report_rows,
)
from lorelite.strategies.naive import chunks_within
from lorelite.strategies.strategy import MIN_SCORE, check_options
from lorelite.strategies.tables import SOURCES, fitting, source_rows, table_context

if TYPE_CHECKING:
    from lorelite.pipeline.run import GraphEngine

Layout = Literal["nano", "microsoft"]

_PER_ENTITY = 10
"""Relations of an entity in the layout "microsoft", besides those between two entities found."""
_TEXT_SHARE, _REPORT_SHARE = 0.5, 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalCommunitySearch:
    """Entities that fit the question, the reports on their communities, their relations, and where they stand.

    top_k: entities looked up. level: the deepest level of communities, 0 the coarsest. single_report: only the best.
    text_unit_tokens, entity_tokens, relation_tokens, report_tokens: of each table.
    layout: "nano" takes these; "microsoft" takes at most 10 entities, 10 relations each besides those between two of
    them, and shares the sum of the four: half for text, 15 % for reports, entities and relations halve the rest.
    """

    top_k: int = 20
    level: int = 2
    text_unit_tokens: int = 4_000
    entity_tokens: int = 4_000
    relation_tokens: int = 4_800
    report_tokens: int = 3_200
    single_report: bool = False
    min_score: float | None = MIN_SCORE
    layout: Layout = "nano"
    model: ChatModel | None = None
    embedding: Embedder | None = None

    name: ClassVar[str] = "localCommunitySearch"
    requires: ClassVar[tuple[str, ...]] = (CHUNK_ENTITIES, ENTITY_COMMUNITIES)

    def __post_init__(self) -> None:
        check_options(self, "top_k", "text_unit_tokens", "entity_tokens", "relation_tokens", "report_tokens")
        check_options(self, "level", least=0)
        options.switch(f"{self.name}.single_report", self.single_report)
        options.one_of(f"{self.name}.layout", self.layout, ("nano", "microsoft"))

    async def retrieve(self, run: GraphEngine, prompt: str) -> SearchContext:
        knowledge = run.knowledge
        is_nano = self.layout == "nano"
        hits = await knowledge.nearest("entities", prompt, self.top_k, self.min_score)
        # Entities that are found may be gone: twice as many are looked up as are shown.
        entities = (await knowledge.entities([hit.id for hit in hits]))[
            : self.top_k if is_nano else -(-self.top_k // 2)
        ]
        if not entities:
            return table_context(self.name, {})
        relations = await knowledge.relations_of([entity.id for entity in entities])
        others = dict.fromkeys(id for relation in relations for id in ends(relation))
        known = {entity.id: entity for entity in await knowledge.entities(list(others))}
        known |= {entity.id: entity for entity in entities}
        if is_nano:
            relations.sort(key=lambda each: (-rank(each, known), -each.weight, *ends(each)))
        else:
            relations = _best_of_each(entities, relations, known)
        reports = (await community_reports(knowledge, entities, self.level))[: 1 if self.single_report else None]
        chunks = await chunks_within(knowledge, chunk_order(entities, relations, known), self._budgets()[SOURCES])
        return self._context(entities, relations, known, reports, chunks)

    def _context(
        self,
        entities: Sequence[GraphEntity],
        relations: Sequence[GraphRelation],
        known: Mapping[str, GraphEntity],
        reports: Sequence[CommunityReport],
        chunks: Sequence[TextChunk],
    ) -> SearchContext:
        rows = {
            "Reports": report_rows(reports),
            "Entities": [entity_row(entity) for entity in entities],
            "Relationships": [relation_row(relation, rank(relation, known)) for relation in relations],
            SOURCES: source_rows(chunks),
        }
        delimiter = "," if self.layout == "nano" else "|"
        tables = {name: fitting(name, rows[name], budget, delimiter) for name, budget in self._budgets().items()}
        return table_context(self.name, tables, chunks[: len(tables[SOURCES])], delimiter=delimiter)

    def _budgets(self) -> dict[str, int]:
        """Table → tokens."""
        budgets = {
            "Reports": self.report_tokens,
            "Entities": self.entity_tokens,
            "Relationships": self.relation_tokens,
            SOURCES: self.text_unit_tokens,
        }
        if self.layout == "nano":
            return budgets
        total = sum(budgets.values())
        text, reports = int(_TEXT_SHARE * total), int(_REPORT_SHARE * total)
        entities = (total - text - reports) // 2
        relations = total - text - reports - entities
        return {"Reports": reports, "Entities": entities, "Relationships": relations, SOURCES: text}


def _best_of_each(
    entities: Sequence[GraphEntity], relations: Sequence[GraphRelation], known: Mapping[str, GraphEntity]
) -> list[GraphRelation]:
    """All relations between two of the entities, and of the others the best ten for each entity."""
    chosen = {entity.id: entity for entity in entities}
    ordered = sorted(relations, key=lambda each: relation_order(each, chosen, known))
    between = sum(all(id in chosen for id in ends(relation)) for relation in relations)
    return ordered[: between + _PER_ENTITY * len(entities)]


async def community_reports(knowledge: Knowledge, entities: Sequence[GraphEntity], level: int) -> list[CommunityReport]:
    """The reports on the entities' communities down to *level*: those of most of the entities first, then by rating."""
    member_of = await knowledge.communities_of([entity.id for entity in entities])
    counts = Counter(id for entity in entities for id in member_of.get(entity.id, ()))
    reports = [report for report in await knowledge.reports(sorted(counts)) if report.level <= level]
    return sorted(reports, key=lambda report: (-counts[report.community_id], -report.rating, report.community_id))
