"""Heal, prune, forget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bench.conformance.rows import Unavailable
from bench.conformance.values import renamed
from lorelite import NotFound

if TYPE_CHECKING:
    from bench.conformance.session import Session

_HEAL = {"promptOverride": "prompt", "bodyTruncationChars": "body_chars"}
_PRUNE = {"retainSoftDeletedFor": "retain_deleted_for"}
_FORGET = {"entryId": "node_id"}


def _heal(session: Session, namespace: str, options: Mapping[str, Any] | None = None) -> Any:
    try:
        report = session.call("run_heal", namespace, **renamed(options, _HEAL))
    except NotFound:
        # The reference has no namespaces to be missing.
        return {name: [] if name in ("skipped", "degraded") else 0 for name in _HEALED}
    return {
        "scanned": report.scanned,
        "downgraded": report.downgraded,
        "deleted": report.deleted,
        "newFactsCreated": report.added,
        "skipped": report.skipped,
        # The reference names only facts whose body it cut.
        "degraded": [
            {"id": fact.id, "originalBodyChars": fact.body_chars, "truncatedBodyChars": fact.shown_chars}
            for fact in report.degraded
            if fact.shown_chars < fact.body_chars
        ],
        "remaining": report.remaining,
        "deferred": report.deferred,
    }


_HEALED = ("scanned", "downgraded", "deleted", "newFactsCreated", "skipped", "degraded", "remaining", "deferred")


def _prune(session: Session, namespace: str, options: Mapping[str, Any] | None = None) -> Any:
    if any(isinstance(value, float) and math.isinf(value) and value > 0 for value in (options or {}).values()):
        raise Unavailable("infinity is refused by the reference, and is ours for keeping for ever", blocks=False)
    # The reference's null keeps for ever; where it is not given, the settings hold.
    given = {name: math.inf if value is None else value for name, value in (options or {}).items()}
    try:
        report = session.call("run_prune", namespace, **renamed(given, _PRUNE))
    except NotFound:
        return {"entries": 0, "tasks": 0, "events": 0}
    return {"entries": report.nodes, "tasks": report.tasks, "events": report.events}


def _forget(session: Session, namespace: str, selector: Mapping[str, Any], options: Any = None) -> Any:
    chosen = renamed(selector, _FORGET)
    is_rehearsal = bool((options or {}).get("dryRun"))
    if is_rehearsal and chosen.keys() & {"node_id", "task_id"}:
        raise Unavailable("the reference cannot rehearse forgetting by id, ours can", blocks=False)
    nothing = {"deleted": {"entries": 0, "tasks": 0}}
    if not chosen:
        return nothing  # The reference takes no selector for nothing to do; ours asks for one.
    try:
        report = session.wiki.forget(namespace, dry_run=is_rehearsal, **chosen)
    except NotFound:
        return nothing
    counts = {"deleted": {"entries": report.nodes, "tasks": report.tasks}}
    return counts | ({"metadataReset": True} if chosen.get("clear_all") and not is_rehearsal else {})


def _deletions_told(session: Session) -> Any:
    ranker: Any = session.wiki._wiki._engine.ranker
    told = [] if ranker is None else ranker._ranker.told
    return [{"factId": node_id, "vector": None} for _, node_id, has_vector in told if not has_vector]


CALLS = {"runHeal": _heal, "runPrune": _prune, "forget": _forget}
CONFIG = {
    "pruneRetainSoftDeletedFor": "prune_deleted_after_days",
    "pruneEventsAfter": "prune_events_after_days",
}
ERRORS = {"PrunePartialFailureError": "PrunePartialFailure"}
JUDGED = {"heal": ("llmCalls", "diagnostics"), "prune": ("diagnostics", "hooks")}
SIDES = {"hooks": _deletions_told}
