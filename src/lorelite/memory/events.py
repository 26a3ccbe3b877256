"""Events: what happened, as a caller tells it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import InvalidOption
from lorelite.hooks import Diagnostic
from lorelite.ids import random_id
from lorelite.memory.fields import some_text
from lorelite.records import Event, EventType
from lorelite.text.clean import clean_text

MAX_SUMMARY_CHARS = 100_000
_EVENT_FIELDS = {"event_type", "summary", "related_node_id"}


def new_event(engine: Engine, namespace: str, event: Mapping[str, Any]) -> Event:
    """Store an event and give it back.

    A related node that is not there is left out, and an event_type that is not known counts as "observation"; the
    latter is told as the diagnostic event_type_unknown. The summary is stored whole.
    """
    if not isinstance(event, Mapping):
        raise InvalidOption("event", "a mapping with event_type and summary", event)
    unknown = sorted(map(str, set(event) - _EVENT_FIELDS))
    if unknown:
        raise InvalidOption("event", f"only the fields {', '.join(sorted(_EVENT_FIELDS))}", unknown)
    related = event.get("related_node_id")
    if related is not None:
        wanted = clean_text(options.text("event.related_node_id", related))
        related = wanted if engine.store.nodes.get(namespace, wanted) is not None else None
    kind = event.get("event_type", "observation")
    record = Event(
        id=random_id("event"),
        namespace=namespace,
        event_type=_event_type(kind),
        summary=some_text("event.summary", event.get("summary"), MAX_SUMMARY_CHARS),
        related_node_id=related,
        created_at=engine.clock(),
    )
    with engine.store.atomic():
        engine.store.namespaces.ensure(namespace)
        engine.store.journal.add_event(record)
    if kind != record.event_type:
        engine.tell(
            Diagnostic(
                code="event_type_unknown",
                severity="warning",
                operation="write",
                namespace=namespace,
                message=f"an event_type that is none of {', '.join(get_args(EventType))} was stored as observation",
                detail={"event_id": record.id},
                at=record.created_at,
            )
        )
    return record


def _event_type(given: object) -> EventType:
    return next((known for known in get_args(EventType) if known == given), "observation")
