"""Which community reports have to do with a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from lorelite.graph_records import Community, CommunityReport
from lorelite.pipeline.knowledge import Knowledge
from lorelite.prompts import rate_report
from lorelite.records import Usage
from lorelite.strategies.broad import particular
from lorelite.strategies.strategy import ask_all

if TYPE_CHECKING:
    from lorelite.pipeline.run import GraphEngine

_BATCH = 16


def deepest(communities: Iterable[Community]) -> list[Community]:
    """Those that are the deepest community of at least one of their members."""
    listed = sorted(communities, key=lambda each: each.level)
    last = {entity_id: each.id for each in listed for entity_id in each.entity_ids}
    wanted = set(last.values())
    return [each for each in listed if each.id in wanted]


async def by_words(knowledge: Knowledge, prompt: str, most: int) -> dict[str, float]:
    """Community → how well its report fits, from above 0 to 1, for the *most* that fit best.

    None fit a question for an overview: "main themes" is asked of the reports, not in them.
    """
    asked = particular(prompt)
    hits = await knowledge.nearest("communities", asked, most) if most and asked else []
    return {hit.id: min(1.0, hit.score) for hit in hits if hit.score > 0}


async def best_reports(knowledge: Knowledge, prompt: str, most: int) -> list[CommunityReport]:
    """The *most* reports that fit best; where none does, those on the communities of most chunks."""
    fits = await by_words(knowledge, prompt, most)
    if fits:
        return sorted(
            await knowledge.reports(list(fits)), key=lambda each: (-fits[each.community_id], each.community_id)
        )
    occurrence = {community.id: community.occurrence for community in await knowledge.communities()}
    reports = await knowledge.reports()
    reports.sort(key=lambda each: (-occurrence.get(each.community_id, 0.0), -each.rating, each.community_id))
    return reports[:most]


async def relevant(
    run: GraphEngine,
    prompt: str,
    communities: Mapping[str, Community],
    reports: Mapping[str, CommunityReport],
    threshold: float,
) -> tuple[dict[str, CommunityReport], Usage]:
    """The reports that rate at least *threshold* (0 … 5) for the question, found from the coarsest level down.

    Below a report that does not, nothing is read, unless none of its whole level does. A report gives way to those on
    parts of its community. (Dynamic community selection of Microsoft GraphRAG.)
    """
    usage = Usage()
    fits = {} if run.model else await by_words(run.knowledge, prompt, len(await run.knowledge.communities()))
    kept: dict[str, CommunityReport] = {}
    levels = sorted({communities[id].level for id in reports})
    asked = [id for id in reports if communities[id].level == levels[0]] if levels else []
    for level in levels:
        ratings, spent = await _ratings(run, prompt, {id: reports[id] for id in asked}, fits)
        usage += spent
        good = [id for id in asked if ratings[id] >= threshold]
        for id in good:
            kept.pop(communities[id].parent or "", None)
            kept[id] = reports[id]
        if good:
            asked = [child for id in good for child in communities[id].children if child in reports]
        elif not kept:
            asked = [id for id in reports if communities[id].level == level + 1]
        else:
            break
    return kept, usage


async def _ratings(
    run: GraphEngine, prompt: str, reports: Mapping[str, CommunityReport], fits: Mapping[str, float]
) -> tuple[dict[str, float], Usage]:
    """Report → 0 … 5; without a model by *fits*, how well its words fit the question."""
    if run.model is None:
        return {id: rate_report.MAX_RATING * fits.get(id, 0.0) for id in reports}, Usage()
    requests = [rate_report.build(prompt, report.text) for report in reports.values()]
    found, usage = await ask_all(run, requests, _BATCH, rate_report.parse)
    return {id: rating or 0.0 for id, rating in zip(reports, found, strict=True)}, usage
