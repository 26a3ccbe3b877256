"""Reports of communities, from the deepest level up: each is written once, and again only when its content changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lorelite.asking import read_replies
from lorelite.communities.packing import Packing, Told, packed
from lorelite.communities.schema import View, content_hash, views
from lorelite.communities.without_model import assembled, chunks_to_read, fallback
from lorelite.errors import ModelError
from lorelite.graph_records import Community, CommunityReport
from lorelite.pipeline.knowledge import Knowledge
from lorelite.pipeline.processor import ENTITY_COMMUNITIES
from lorelite.pipeline.run import GraphEngine
from lorelite.ports import ModelRequest
from lorelite.prompts import community_report as prompt
from lorelite.prompts.again import longest
from lorelite.text.budget import token_cost, truncated_to

BATCH = 64
"""Communities that are asked for and stored together: of a smaller level all."""

_ENTITIES = 2_000
"""About how many entities are read together to see which reports are out of date."""

LEAST_TABLES = 200
"""Tokens that must be left for the tables of a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    max_input_tokens: int = 12_000
    max_report_tokens: int = 2_000
    levels: tuple[int, ...] | None = None
    """Levels that get reports; None: all."""
    force_sub_communities: bool = False
    packing: Packing = "share"
    instructions: str | None = None


@dataclass(slots=True)
class Written:
    """What became of the communities that reports were wanted for."""

    reports: int = 0
    """Written anew, fallbacks among them."""
    reused: int = 0
    fallbacks: int = 0


async def write_reports(run: GraphEngine, communities: Sequence[Community], options: ReportOptions) -> Written:
    """Bring the reports of all communities up to date; those of communities that are no more go last.

    A level is done before the one above it. What a killed run stored is not asked for again. A community whose request
    failed keeps the report it had, and `run.failed` is told of it. Without a model, reports are put together.
    """
    wanted = [each for each in communities if options.levels is None or each.level in options.levels]
    due = await _out_of_date(run, wanted)
    written, done = Written(reused=len(wanted) - len(due)), 0
    for level in sorted({community.level for community in due}, reverse=True):
        for batch in _batches([community for community in due if community.level == level]):
            await _write_batch(run, batch, options, written)
            done += len(batch)
            run.tell(ENTITY_COMMUNITIES, done, len(due), f"reports of level {level}")
    current = {community.id for community in wanted}
    stale = [report.community_id for report in await run.knowledge.reports() if report.community_id not in current]
    if stale:
        await run.knowledge.drop_reports(stale)
    return written


async def _out_of_date(run: GraphEngine, communities: Sequence[Community]) -> list[Community]:
    """The communities that need a report, in their order; the report of one that is now on another level goes along."""
    knowledge = run.knowledge
    current: set[str] = set()
    for group in _families(communities):
        stored = {report.community_id: report for report in await knowledge.reports([each.id for each in group])}
        if not stored:
            continue
        ids = sorted({id for community in group if community.id in stored for id in community.entity_ids})
        entities, relations = await knowledge.entities(ids), await knowledge.relations_of(ids)
        moved = []
        for level in sorted({community.level for community in group}):
            there = [each for each in group if each.level == level and each.id in stored]
            for view in views(there, entities, relations):
                report = stored[view.community.id]
                if _is_current(report, view, run.has_model):
                    current.add(report.community_id)
                    if report.level != level:
                        moved.append(replace(report, level=level))
        if moved:
            await knowledge.put_reports(moved)
    return [community for community in communities if community.id not in current]


async def _write_batch(run: GraphEngine, batch: Sequence[Community], options: ReportOptions, written: Written) -> None:
    knowledge = run.knowledge
    ids = [id for community in batch for id in community.entity_ids]
    seen = views(batch, await knowledge.entities(ids), await knowledge.relations_of(ids))
    failures: dict[str, Exception] = {}
    if run.has_model:
        reports = await _asked(run, seen, options, failures)
    else:
        wanted = [chunks_to_read(view) for view in seen]
        there = {
            chunk.id: chunk for chunk in await knowledge.chunks(list(dict.fromkeys(id for ids in wanted for id in ids)))
        }
        reports = [
            assembled(view, [there[id] for id in ids if id in there]) for view, ids in zip(seen, wanted, strict=True)
        ]
    if reports:
        await knowledge.put_reports(reports)
    written.reports += len(reports)
    written.fallbacks += sum(report.is_fallback for report in reports)
    for id, error in failures.items():
        run.failed(id, ENTITY_COMMUNITIES, error)


def _is_current(report: CommunityReport, view: View, by_model: bool) -> bool:
    """Does a stored report still tell what is there? One put together gives way once there is a model."""
    if report.origin == "model" or report.is_fallback:
        return report.content_hash == content_hash(view)
    return not by_model and report.content_hash == content_hash(view, with_chunks=True)


def _families(communities: Sequence[Community]) -> Iterator[list[Community]]:
    """The communities in groups that are read together: each with all below it, of about `_ENTITIES` entities."""
    known = {community.id: community for community in communities}
    group_of: dict[str, int] = {}
    groups: list[list[Community]] = []
    size = _ENTITIES
    for community in communities:  # the coarsest first, so that a parent has its group before its children
        if community.parent in known:
            number = group_of[community.parent]
        else:
            if size >= _ENTITIES:
                groups.append([])
                size = 0
            number = len(groups) - 1
            size += len(community.entity_ids)
        group_of[community.id] = number
        groups[number].append(community)
    yield from groups


async def _asked(
    run: GraphEngine, changed: Sequence[View], options: ReportOptions, failures: dict[str, Exception]
) -> list[CommunityReport]:
    """Reports by the model. A reply that cannot be used is asked for once more, then a fallback stands in its place."""
    parts = await _parts(run.knowledge, changed)
    requests = [_request(view, parts[view.community.id], options) for view in changed]
    answers = await read_replies(run.complete, requests, lambda at, text: _report(text, changed[at], options))
    reports = []
    for view, answered in zip(changed, answers, strict=True):
        for reply in answered.unread:
            run.judge(reply, "none")
        if answered.value is not None:
            reports.append(answered.value)
        elif answered.unread:
            reports.append(fallback(view))
        else:
            failures[view.community.id] = answered.error or answered.reply.error or ModelError("no reply")
    return reports


def _report(reply_text: str, view: View, options: ReportOptions) -> CommunityReport:
    """The report of a reply. Raises BadReply when it cannot be used."""
    said = prompt.parse(reply_text)
    report = CommunityReport(
        community_id=view.community.id,
        level=view.community.level,
        title=said.title,
        summary=said.summary,
        rating=said.rating,
        rating_explanation=said.rating_explanation,
        findings=said.findings,
        content_hash=content_hash(view),
    )
    return _within(report, options.max_report_tokens)


async def _parts(knowledge: Knowledge, changed: Sequence[View]) -> dict[str, list[Told]]:
    """Of each community those of the next level that have a report by now."""
    ids = [id for view in changed for id in view.community.children]
    communities = {community.id: community for community in await knowledge.communities(ids)}
    reports = {report.community_id: report for report in await knowledge.reports(ids)}
    return {
        view.community.id: [(communities[id], reports[id]) for id in view.community.children if id in reports]
        for view in changed
    }


def _request(view: View, parts: Sequence[Told], options: ReportOptions) -> ModelRequest:
    """The request about a community, which asked a second time too costs at most `max_input_tokens`."""
    tokens = options.max_input_tokens
    while True:
        tables = packed(view, parts, tokens, force=options.force_sub_communities, packing=options.packing)
        request = prompt.build(tables, options.max_report_tokens, options.instructions)
        excess = _cost(longest(request)) - options.max_input_tokens
        if excess <= 0 or not tables:
            return request
        tokens = max(0, tokens - excess)


def overhead(max_report_tokens: int, instructions: str | None) -> int:
    """What a request costs before its tables."""
    return _cost(longest(prompt.build({}, max_report_tokens, instructions)))


def _cost(request: ModelRequest) -> int:
    return token_cost(request.system) + token_cost(request.user)


def _within(report: CommunityReport, tokens: int) -> CommunityReport:
    """The report without its last findings, and with its summary cut, where it is longer than asked for."""
    while report.findings and token_cost(report.text) > tokens:
        report = replace(report, findings=report.findings[:-1])
    if token_cost(report.text) > tokens:
        room = max(1, tokens - token_cost(report.title) - 2)
        report = replace(report, summary=truncated_to(report.summary, room))
    return report


def _batches(communities: Sequence[Community]) -> Iterator[Sequence[Community]]:
    for start in range(0, len(communities), BATCH):
        yield communities[start : start + BATCH]
