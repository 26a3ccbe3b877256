"""`resolve_duplicates`: what is suggested most surely, merged at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from typing import Any

from lorelite.engine import Engine
from lorelite.errors import StrictOntologyViolation
from lorelite.memory.ontology import effective
from lorelite.merge_records import DuplicatesReport, MergeSuggestion
from lorelite.prompts import merge_judge
from lorelite.prompts.fence import shortened
from lorelite.records import Node, Usage
from lorelite.resolution.evidence import have_conflicting_types
from lorelite.resolution.merge import CAUSE, merge_entities, rejected_pairs
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

    def merge() -> list[tuple[str, Sequence[str]]]:
        return [(into, _merged(engine, namespace, into, others)) for into, others in groups.merges()]

    store = engine.store
    done: list[tuple[str, Sequence[str]]] = list(groups.merges())
    if not dry_run:
        with store.atomic(CAUSE):
            done = merge()
    elif effective(engine, namespace).mode == "strict" and not store.db.read_only:
        # What it does not permit shows itself in the merging.
        done = store.rehearsed(merge)
    there = {id for into, merged in done for id in (into, *merged) if merged}
    chosen = [each for each in chosen if {each.into_id, each.other_id} <= there]
    report = DuplicatesReport(merged=tuple(chosen), declined=tuple(declined), dry_run=dry_run, usage=usage)
    return report, [] if dry_run else [id for _, merged in done for id in merged]


def _merged(engine: Engine, namespace: str, into: str, others: Sequence[str]) -> Sequence[str]:
    """The ids of what was merged: all that is still there, or nothing where a strict ontology does not permit it."""
    found = engine.store.nodes.by_ids(namespace, [into, *others])
    present = [other for other in others if other in found]
    if into not in found or not present:
        return ()
    try:
        with engine.store.atomic():
            return merge_entities(engine, namespace, into=into, others=present, reason="duplicates").merged
    except StrictOntologyViolation:
        return ()


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
        self._types = {id: {node.node_type} if (node := nodes.get(id)) else {None} for id in ids}
        """The one that stays → what its group is said to be."""
        self._rejected: defaultdict[str, set[str]] = defaultdict(set)
        for one, other in rejected_pairs(engine, namespace):
            self._rejected[one].add(other)
            self._rejected[other].add(one)
        self._members: dict[str, list[str]] = {id: [id] for id in ids}
        """The one that stays → all of its group, itself first."""
        self._stays = {id: id for id in ids}

    def join(self, each: MergeSuggestion) -> bool:
        """Bring a pair's groups together; False where they are one already or may not be one."""
        into, other = self._stays[each.into_id], self._stays[each.other_id]
        if into == other or self._may_not(into, other):
            return False
        members = self._members.pop(other)
        self._members[into] += members
        self._types[into] |= self._types.pop(other)
        self._stays |= dict.fromkeys(members, into)
        return True

    def _may_not(self, into: str, other: str) -> bool:
        if any(have_conflicting_types(*pair) for pair in product(self._types[into], self._types[other])):
            return True
        theirs = self._members[other]
        return any(not self._rejected[id].isdisjoint(theirs) for id in self._members[into] if id in self._rejected)

    def merges(self) -> list[tuple[str, list[str]]]:
        """(the one that stays, those that become part of it)."""
        return [(id, members[1:]) for id, members in self._members.items() if len(members) > 1]
