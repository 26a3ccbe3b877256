"""Librarian, write and its automatic runs, status, prompts for answering out of memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bench.conformance.values import renamed
from lorelite import (
    Activity,
    NotFound,
    hydrate_librarian_prompt,
    map_librarian_options_to_read_options,
    validate_librarian_prompt,
)

if TYPE_CHECKING:
    from bench.conformance.session import Session

_EVENT = {"relatedEntryId": "related_node_id", "related_entry_id": "related_node_id"}
_LIBRARIAN = {"promptOverride": "prompt"}


def _write(session: Session, namespace: str, event: Any = None) -> None:
    session.wiki.write(namespace, event=renamed(event, _EVENT) if isinstance(event, Mapping) else event)


def _run_librarian(session: Session, namespace: str, options: Any = None) -> None:
    try:
        session.wiki.run_librarian(namespace, **renamed(options, _LIBRARIAN))
    except NotFound:
        return  # A namespace that nothing was written to has no events.


def _pending(session: Session, namespace: str | None = None) -> list[dict[str, Any]]:
    return [
        {
            "entityId": waiting.namespace,
            "pendingEvents": waiting.pending_events,
            "pendingTokensEstimate": waiting.tokens_estimate,
            "healDue": waiting.heal_due,
            "reembedPending": waiting.reembed_pending,
        }
        for waiting in session.wiki.pending_maintenance(namespace)
    ]


def _run_pending(session: Session, namespace: str | None = None, options: Any = None) -> None:
    session.wiki.run_pending_maintenance(namespace)


def _triple(activity: Activity) -> dict[str, bool]:
    return {
        "ingesting": activity.ingesting,
        "librarian": activity.is_running("librarian"),
        "heal": activity.is_running("heal"),
    }


def _status(session: Session, namespace: str) -> dict[str, bool]:
    return _triple(session.store.board.activity(namespace))


def _subscribe(session: Session, namespace: str) -> dict[str, Any]:
    """The reference tells of a change of its triple alone."""
    heard: list[dict[str, bool]] = []
    session.statuses = heard

    def note(activity: Activity) -> None:
        triple = _triple(activity)
        if not heard or heard[-1] != triple:
            heard.append(triple)

    session.store.board.watch(namespace, note)
    return {}


def _hydrate(session: Session, template: Any, values: Any) -> str:
    return hydrate_librarian_prompt(template, renamed(values))


_WARNINGS = {
    "context": "Custom Librarian systemPrompt omits {{context}}; retrieved memory will not be injected.",
    "query": "Custom Librarian systemPrompt omits {{query}}; the original request will not be injected.",
    "tasks": "Custom Librarian systemPrompt omits {{tasks}} while retrieved tasks are available.",
}
"""Each warning of ours names one place; the reference words it like this."""


def _validate(session: Session, template: Any, options: Any = None) -> list[str]:
    warnings = validate_librarian_prompt(template, **renamed(options))
    return [next(text for place, text in _WARNINGS.items() if f"{{{{{place}}}}}" in warning) for warning in warnings]


def _map_options(session: Session, options: Any) -> dict[str, Any]:
    names = {"tier_weights": "tierWeights", "max_results": "maxResults"}
    mapped = map_librarian_options_to_read_options(renamed(options))
    return {names.get(name, name): value for name, value in mapped.items()}


CALLS = {
    "write": _write,
    "runLibrarian": _run_librarian,
    "pendingMaintenance": _pending,
    "getPendingMaintenance": _pending,
    "runPendingMaintenance": _run_pending,
    "getEntityStatus": _status,
}
FUNCTIONS = {
    "hydrateLibrarianPrompt": _hydrate,
    "validateLibrarianPromptTemplate": _validate,
    "mapLibrarianOptionsToReadOptions": _map_options,
}
OPEN = {"subscribe": _subscribe}
CONFIG = {
    "autoLibrarianThreshold": lambda value: {"auto_librarian_threshold": value or 20},
    "autoHealThreshold": lambda value: {"auto_heal_threshold": value or 100},
}
"""There 0 counts as the default."""
VIEWS = {
    "llm_wiki_checkpoints": """
        select n.name as entity_id,
               (select count(*) from event e where e.namespace = n.name and e.sequence <= coalesce((
                  select j.watermark from job j where j.namespace = n.name and j.kind = 'heal'
                   order by j.created_at desc, j.rowid desc limit 1), 0)) as heal_checkpoint,
               (select count(*) from event e where e.namespace = n.name and e.sequence <= coalesce((
                  select j.watermark from job j where j.namespace = n.name and j.kind = 'librarian'
                   order by j.created_at desc, j.rowid desc limit 1), 0)) as memory_checkpoint
          from namespace n""",
}
SIDES = {"statuses": lambda session: session.statuses}
ERRORS = {"WikiParseError": "BadReply"}
JUDGED = {"librarian": ("llmCalls", "diagnostics"), "write": ("llmCalls",)}
READS_ONLY = {"getEntityStatus", "pendingMaintenance", "getPendingMaintenance"}
