"""`global_community_search`: questions about the whole, answered from the reports on all its parts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from lorelite import options
from lorelite.graph_records import Community, CommunityReport, SearchContext
from lorelite.pipeline.processor import CHUNK_ENTITIES, ENTITY_COMMUNITIES
from lorelite.ports import ChatModel, Embedder
from lorelite.prompts import global_map
from lorelite.records import Usage
from lorelite.strategies.report_choice import by_words, deepest, relevant
from lorelite.strategies.strategy import ask_all, check_options
from lorelite.strategies.tables import Row, csv_line, csv_table, truncate
from lorelite.text.budget import token_cost

if TYPE_CHECKING:
    from lorelite.pipeline.run import GraphEngine

_COLUMNS = ("id", "content", "rating", "importance")


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalCommunitySearch:
    """Every group of reports is asked for the points that it contributes (map); the best points are the context.

    level: the deepest level of communities, 0 the coarsest. deepest_only: without those whose members are all in
    deeper ones. min_rating: of a report. max_communities: those of most chunks. max_tokens: of a group, and of the
    context. map_concurrency: requests handed to the model at a time. dynamic: from the coarsest reports only down to
    where a report rates at least dynamic_threshold (0 … 5) for the question. general_knowledge: the answer may add
    what the model knows otherwise.
    Without a model nothing is asked: the points are the summaries of the reports that fit best, else of the largest
    communities.
    """

    level: int = 2
    min_rating: float = 0.0
    max_communities: int = 512
    max_tokens: int = 16_384
    map_concurrency: int = 16
    dynamic: bool = False
    dynamic_threshold: float = 1.0
    deepest_only: bool = False
    general_knowledge: bool = False
    model: ChatModel | None = None
    embedding: Embedder | None = None

    name: ClassVar[str] = "globalCommunitySearch"
    requires: ClassVar[tuple[str, ...]] = (CHUNK_ENTITIES, ENTITY_COMMUNITIES)

    def __post_init__(self) -> None:
        check_options(self, "max_communities", "max_tokens", "map_concurrency")
        check_options(self, "level", least=0)
        for name in ("min_rating", "dynamic_threshold"):
            options.finite(f"{self.name}.{name}", getattr(self, name))
        for name in ("dynamic", "deepest_only", "general_knowledge"):
            options.switch(f"{self.name}.{name}", getattr(self, name))

    async def retrieve(self, run: GraphEngine, prompt: str) -> SearchContext:
        communities = {each.id: each for each in await run.knowledge.communities() if each.level <= self.level}
        if self.deepest_only:
            communities = {each.id: each for each in deepest(communities.values())}
        reports = {
            report.community_id: report
            for report in await run.knowledge.reports(list(communities))
            if report.rating >= self.min_rating
        }
        usage = Usage()
        if self.dynamic:
            reports, usage = await relevant(run, prompt, communities, reports, self.dynamic_threshold)
        order = sorted(reports, key=lambda id: (-communities[id].occurrence, -reports[id].rating, id))
        chosen = [(communities[id], reports[id]) for id in order[: self.max_communities]]
        if run.model is None:
            points = await _summaries(run, prompt, chosen)
        else:
            points, spent = await self._mapped(run, prompt, _groups(chosen, self.max_tokens))
            usage += spent
        return _points_context(self.name, points, self.max_tokens, usage)

    async def _mapped(self, run: GraphEngine, prompt: str, groups: Sequence[Sequence[Row]]) -> tuple[list[Row], Usage]:
        """The points of all groups, the best first; what a reply that cannot be read says is lost."""
        requests = [global_map.build(prompt, csv_table(_COLUMNS, group)) for group in groups]
        replies, usage = await ask_all(run, requests, self.map_concurrency, global_map.parse)
        points = [
            {"analyst": analyst, "description": description, "score": score}
            for analyst, found in enumerate(replies, 1)
            for description, score in found or ()
            if score > 0
        ]
        return sorted(points, key=lambda point: -point["score"]), usage


def _groups(chosen: Iterable[tuple[Community, CommunityReport]], budget: int) -> list[list[Row]]:
    """The reports in groups whose tables cost at most *budget* tokens; a report that alone costs more is cut."""
    room = budget - token_cost(csv_line(_COLUMNS))
    groups: list[list[Row]] = []
    left = -1
    for number, (community, report) in enumerate(chosen, 1):
        row: Row = {"id": number, "rating": report.rating, "importance": community.occurrence}
        row = _cut(row, report.text, room)
        cost = _cost(row)
        if cost > left:
            groups.append([])
            left = room
        groups[-1].append(row)
        left -= cost
    return groups


def _cut(row: Row, text: str, budget: int) -> Row:
    """The row with as much of *text* as its content as costs no more than *budget*, one character at least."""
    if _cost({**row, "content": text}) > budget:
        fits = bisect_right(range(1, len(text)), budget, key=lambda length: _cost({**row, "content": text[:length]}))
        text = text[: max(1, fits)]
    return {**row, "content": text}


def _cost(row: Row) -> int:
    return token_cost(csv_line(row[column] for column in _COLUMNS))


async def _summaries(run: GraphEngine, prompt: str, chosen: Sequence[tuple[Community, CommunityReport]]) -> list[Row]:
    """Without a model: what the reports say in short, those first that share words with the question."""
    fits = await by_words(run.knowledge, prompt, len(chosen))
    fitting = [pair for pair in chosen if pair[0].id in fits]
    fitting.sort(key=lambda pair: -fits[pair[0].id])
    weights = fits if fitting else {community.id: community.occurrence for community, _ in chosen}
    return [
        {
            "analyst": number,
            "description": f"{report.title}: {report.summary}",
            "score": max(1, round(global_map.MAX_SCORE * min(1.0, weights[community.id]))),
            "community_id": community.id,
        }
        for number, (community, report) in enumerate(fitting or chosen, 1)
    ]


def _points_context(strategy: str, points: Sequence[Row], max_tokens: int, usage: Usage) -> SearchContext:
    kept = truncate(points, _shown, max_tokens)
    text = "\n".join(map(_shown, kept))
    tables: Mapping[str, tuple[Row, ...]] = {"Points": tuple(kept)} if kept else {}
    return SearchContext(strategy=strategy, text=text, tables=tables, tokens=token_cost(text), usage=usage)


def _shown(point: Row) -> str:
    return f"----Analyst {point['analyst']}----\nImportance Score: {point['score']}\n{point['description']}\n"
