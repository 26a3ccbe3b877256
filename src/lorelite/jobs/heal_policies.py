"""What age alone decides: inferred facts that nobody used are set aside, those long unread become tentative."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lorelite.store.health import AgingFact
from lorelite.temporal import DAY_MS


@dataclass(frozen=True, slots=True)
class PolicyPlan:
    orphans: tuple[str, ...] = ()
    """To be set aside."""
    stale: tuple[str, ...] = ()
    """To be made tentative."""


def policy_plan(
    facts: Sequence[AgingFact], *, now: int, orphan_after_days: float | None, stale_after_days: float | None
) -> PolicyPlan:
    """What becomes of *facts*; None switches a policy off. A fact exactly as old as the limit has reached it."""
    orphans = [fact.id for fact in facts if _is_orphan(fact, _cutoff(now, orphan_after_days))]
    gone = set(orphans)
    stale = [fact.id for fact in facts if fact.id not in gone and _is_stale(fact, _cutoff(now, stale_after_days))]
    return PolicyPlan(tuple(orphans), tuple(stale))


def oldest_cutoff(now: int, *days: float | None) -> int | None:
    """The moment before which some policy may apply; None when all are off, or look back further than time goes."""
    found = (_cutoff(now, each) for each in days)
    return max((int(cutoff) for cutoff in found if cutoff >= 0), default=None)


def _cutoff(now: int, days: float | None) -> float:
    return float("-inf") if days is None else now - days * DAY_MS


def _is_orphan(fact: AgingFact, cutoff: float) -> bool:
    """Inferred, old, never read, never vouched for, and nothing rests on it. What a caller stated is never one."""
    is_unread = not fact.access_count and fact.last_accessed_at is None
    is_inferred = fact.source_type == "librarian_inferred"
    return is_inferred and is_unread and not fact.is_verified and not fact.is_used and fact.created_at <= cutoff


def _is_stale(fact: AgingFact, cutoff: float) -> bool:
    last_use = fact.created_at if fact.last_accessed_at is None else fact.last_accessed_at
    return fact.confidence == "inferred" and last_use <= cutoff
