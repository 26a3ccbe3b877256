"""Descriptions of entities that many chunks add to, kept short by a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lorelite.errors import BadReply
from lorelite.graph_records import GraphEntity
from lorelite.pipeline.knowledge import Parts
from lorelite.pipeline.run import GraphEngine
from lorelite.prompts import summarise_entity
from lorelite.text.budget import token_cost, truncated_to

MANY_PARTS = 8
"""As many descriptions of one thing are summarised however short they are."""
WINDOW_TOKENS = 8_000
"""What a request may hold of descriptions; more are summarised in groups, and their summaries again."""
_BATCH = 64


async def summarise(
    run: GraphEngine, entity_ids: Sequence[str], *, max_tokens: int, language: str | None = None
) -> Counter[str]:
    """Give a summary to each of the entities that needs one: its descriptions together reach *max_tokens*, or are many.

    Counts `summaries`, and `summaries_failed`: the joined descriptions, cut to the limit, stand in for those.
    """
    counts: Counter[str] = Counter()
    for start in range(0, len(entity_ids), _BATCH):
        told = await run.knowledge.descriptions(entity_ids[start : start + _BATCH])
        due = [each for each in told if not each.is_summarised and needs_summary(each.parts, max_tokens)]
        written = await _written(run, due, max_tokens, language)
        summaries = {}
        for each, summary in zip(due, written, strict=True):
            counts["summaries" if summary else "summaries_failed"] += 1
            summaries[each.entity.id] = summary or truncated_to("\n".join(each.parts), max_tokens)
        if summaries:
            await run.knowledge.put_summaries(summaries)
    return counts


def needs_summary(parts: Sequence[str], max_tokens: int) -> bool:
    """Are these descriptions too much to be read as they are?"""
    return len(parts) > 1 and (len(parts) >= MANY_PARTS or token_cost("\n".join(parts)) >= max_tokens)


def grouped(parts: Sequence[str], window: int) -> list[list[str]]:
    """The parts in order, in groups of at least two that cost at most *window* where two do; the rest of one joins.

    A part is cut to half of the window, so that two always fit.
    """
    groups: list[list[str]] = []
    cost = 0
    for part in (truncated_to(part, window // 2) for part in parts):
        if not groups or (len(groups[-1]) > 1 and cost + token_cost(part) > window):
            groups.append([])
            cost = 0
        groups[-1].append(part)
        cost += token_cost(part)
    if len(groups) > 1 and len(groups[-1]) == 1:
        groups[-2:] = [groups[-2] + groups[-1]]
    return groups


async def _written(run: GraphEngine, due: Sequence[Parts], max_tokens: int, language: str | None) -> list[str | None]:
    """A summary for each, None where the model gave none. Goes on in rounds until each is one text."""
    texts: list[list[str] | None] = [list(each.parts) for each in due]
    while open_ones := [number for number, parts in enumerate(texts) if parts and len(parts) > 1]:
        asked = [(number, group) for number in open_ones for group in grouped(texts[number] or (), WINDOW_TOKENS)]
        replies = await _asked(run, [(due[number].entity, group) for number, group in asked], max_tokens, language)
        for number in open_ones:
            said = [reply for (which, _), reply in zip(asked, replies, strict=True) if which == number]
            texts[number] = None if None in said else [reply for reply in said if reply]
    return [parts[0] if parts else None for parts in texts]


async def _asked(
    run: GraphEngine, groups: Sequence[tuple[GraphEntity, list[str]]], max_tokens: int, language: str | None
) -> list[str | None]:
    requests = [
        summarise_entity.build(entity.name, parts, max_tokens=max_tokens, language=language) for entity, parts in groups
    ]
    said: list[str | None] = []
    for start in range(0, len(requests), _BATCH):
        for reply in await run.cheap(requests[start : start + _BATCH]):
            try:
                said.append(None if reply.error else truncated_to(summarise_entity.parse(reply.text), 2 * max_tokens))
            except BadReply:
                run.judge(reply, "none")
                said.append(None)
    return said
