"""`resolve_duplicates`: what is suggested most surely, merged at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lorelite.engine import Engine
from lorelite.merge_records import DuplicatesReport, MergeSuggestion
from lorelite.prompts import merge_judge
from lorelite.prompts.fence import shortened
from lorelite.records import Node, Usage
from lorelite.resolution.evidence import have_conflicting_types
from lorelite.resolution.merge import CAUSE, merge_entities
from lorelite.resolution.suggest import suggest_merges

_PAIRS_PER_REQUEST = 20
_MOST_DESCRIBED = 300
_MOST = 1 << 31


async def resolve_duplicates(
    engine: Engine, namespace: str, *, min_score: float, is_judged: bool, dry_run: bool
) -> tuple[DuplicatesReport, list[str]]:
    """Merge every pair that is suggested with at least this score and, where the model is asked, that it calls one.

    Pairs are taken from the likeliest down; one that would bring together what was rejected, or what is of different
    types, is left out. Gives the report, and the ids of those that are gone.
    """
    suggested = suggest_merges(engine, namespace, min_score=min_score, limit=_MOST)
    declined: list[MergeSuggestion] = []
    usage = Usage()
    if is_judged and suggested:
        same, usage = await _judged(engine, namespace, suggested)
        declined = [each for place, each in enumerate(suggested) if place not in same]
        suggested = [each for place, each in enumerate(suggested) if place in same]
    groups = _Groups(engine, namespace, suggested)
    chosen = [each for each in suggested if groups.join(each)]
    gone: list[str] = []
    if not dry_run:
        with engine.store.atomic(CAUSE):
            for into, others in groups.merges():
                found = engine.store.nodes.by_ids(namespace, [into, *others])
                present = [other for other in others if other in found]
                if into in found and present:
                    gone += merge_entities(engine, namespace, into=into, others=present, reason="duplicates").merged
    report = DuplicatesReport(merged=tuple(chosen), declined=tuple(declined), dry_run=dry_run, usage=usage)
    return report, gone


async def _judged(engine: Engine, namespace: str, suggested: Sequence[MergeSuggestion]) -> tuple[set[int], Usage]:
    """The places of the pairs that the model calls one. A reply that failed, or that nobody understands, is a no."""
    ids = list({id for each in suggested for id in (each.into_id, each.other_id)})
    nodes = engine.store.nodes.by_ids(namespace, ids)
    batches = [suggested[place : place + _PAIRS_PER_REQUEST] for place in range(0, len(suggested), _PAIRS_PER_REQUEST)]
    same: set[int] = set()
    usage = Usage()
    size = max(1, engine.config.model_batch)
    for begin in range(0, len(batches), size):
        some = batches[begin : begin + size]
        requests = [merge_judge.build([_shown(each, nodes) for each in batch]) for batch in some]
        replies = await engine.complete(namespace, requests)
        for place, (batch, reply) in enumerate(zip(some, replies, strict=True), begin):
            usage += reply.usage
            if reply.error is None:
                yes = merge_judge.parse(reply.text, len(batch))
                same |= {place * _PAIRS_PER_REQUEST + number for number in yes}
    return same, usage


def _shown(each: MergeSuggestion, nodes: dict[str, Node]) -> dict[str, Any]:
    def told(id: str, name: str) -> dict[str, str]:
        node = nodes.get(id)
        said = {"name": name, "type": node.node_type or "" if node else ""}
        return said | ({"description": shortened(node.body, _MOST_DESCRIBED)} if node and node.body else {})

    return {
        "first": told(each.into_id, each.into),
        "second": told(each.other_id, each.other),
        "evidence": [found.reason for found in each.evidence],
    }


class _Groups:
    """Which entities come together, pair by pair."""

    def __init__(self, engine: Engine, namespace: str, suggested: Sequence[MergeSuggestion]) -> None:
        ids = {id: None for each in suggested for id in (each.into_id, each.other_id)}
        nodes = engine.store.nodes.by_ids(namespace, list(ids))
        self._types = {id: node.node_type for id, node in nodes.items()}
        self._rejected = engine.store.merges.rejected(namespace)
        self._members: dict[str, list[str]] = {id: [id] for id in ids}
        """The one that stays → all of its group, itself first."""
        self._stays = {id: id for id in ids}

    def join(self, each: MergeSuggestion) -> bool:
        """Bring a pair's groups together; False where they are one already or may not be one."""
        into, other = self._stays[each.into_id], self._stays[each.other_id]
        pairs = [(one, two) for one in self._members[into] for two in self._members[other]]
        if into == other or any(self._may_not(*pair) for pair in pairs):
            return False
        members = self._members.pop(other)
        self._members[into] += members
        self._stays |= dict.fromkeys(members, into)
        return True

    def _may_not(self, one: str, other: str) -> bool:
        is_rejected = (min(one, other), max(one, other)) in self._rejected
        return is_rejected or have_conflicting_types(self._types.get(one), self._types.get(other))

    def merges(self) -> list[tuple[str, list[str]]]:
        """(the one that stays, those that become part of it)."""
        return [(id, members[1:]) for id, members in self._members.items() if len(members) > 1]
