"""`write`: one fact or one event, as a caller states it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import InvalidOption
from lorelite.ids import random_id
from lorelite.records import Confidence, Event, EventType, Node, SourceType
from lorelite.text.clean import clean_text

MAX_SUMMARY_CHARS = 4_000
_EVENT_FIELDS = {"event_type", "summary", "related_node_id"}


def new_fact(
    engine: Engine,
    namespace: str,
    *,
    title: object,
    body: object,
    tags: Iterable[str],
    node_type: str | None,
    confidence: object,
    source_type: object,
    node_id: str | None,
) -> Node:
    """Store a fact and give it back. With *node_id* an existing fact's content is replaced."""
    now = engine.clock()
    fact = Node(
        id=random_id("fact") if node_id is None else options.node_id("node_id", node_id),
        namespace=namespace,
        kind="fact",
        title=clean_text(options.text("title", title)).strip(),
        body=clean_text(options.text("body", body)),
        node_type=None if node_type is None else clean_text(options.text("node_type", node_type)),
        tags=tuple(map(clean_text, options.texts("tags", tags))),
        confidence=options.one_of("confidence", confidence, get_args(Confidence)),
        source_type=options.one_of("source_type", source_type, get_args(SourceType)),
        created_at=now,
        updated_at=now,
    )
    if not fact.title:
        raise InvalidOption("title", "some text", title)
    with engine.store.atomic():
        engine.store.namespaces.ensure(namespace)
        engine.store.nodes.put([fact])
    return engine.store.nodes.get(namespace, fact.id) or fact


def new_event(engine: Engine, namespace: str, event: Mapping[str, Any]) -> Event:
    """Store an event and give it back. A related node that is not there is left out."""
    if not isinstance(event, Mapping):
        raise InvalidOption("event", "a mapping with event_type and summary", event)
    unknown = sorted(map(str, set(event) - _EVENT_FIELDS))
    if unknown:
        raise InvalidOption("event", f"only the fields {', '.join(sorted(_EVENT_FIELDS))}", unknown)
    summary = clean_text(options.text("event.summary", event.get("summary"))).strip()
    if not summary or len(summary) > MAX_SUMMARY_CHARS:
        raise InvalidOption("event.summary", f"1 to {MAX_SUMMARY_CHARS:,} characters", f"{len(summary):,} characters")
    related = event.get("related_node_id")
    if related is not None:
        wanted = clean_text(options.text("event.related_node_id", related))
        related = wanted if engine.store.nodes.get(namespace, wanted) is not None else None
    record = Event(
        id=random_id("event"),
        namespace=namespace,
        event_type=options.one_of("event.event_type", event.get("event_type", "observation"), get_args(EventType)),
        summary=summary,
        related_node_id=related,
        created_at=engine.clock(),
    )
    with engine.store.atomic():
        engine.store.namespaces.ensure(namespace)
        engine.store.journal.add_event(record)
    return record
