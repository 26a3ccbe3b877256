"""Facts, tasks and events: what a caller states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lorelite import options
from lorelite.ingest.remember import new_event, new_fact
from lorelite.records import (
    Confidence,
    Event,
    MemoryBundle,
    Node,
    SourceType,
)
from lorelite.retrieve.read import bundle
from lorelite.retrieve.semantic import embed_nodes
from lorelite.wiki.core import Core


class Memory(Core):
    async def write(
        self,
        namespace: str,
        *,
        title: str | None = None,
        body: str = "",
        tags: Iterable[str] = (),
        node_type: str | None = None,
        confidence: Confidence = "certain",
        source_type: SourceType = "user_stated",
        node_id: str | None = None,
        event: Mapping[str, Any] | None = None,
    ) -> Node | Event:
        """Remember a fact (`title`, `body` …) or an event (`event={"event_type": …, "summary": …}`).

        node_id replaces that fact's content; otherwise a fresh id is made. An event may name a `related_node_id`.
        """
        engine = self._open_engine()
        namespace = options.namespace(namespace)
        if options.exactly_one(("title", "event"), (title is not None, event is not None)) == "event":
            assert event is not None
            return new_event(engine, namespace, event)
        fact = new_fact(
            engine,
            namespace,
            title=title,
            body=body,
            tags=tags,
            node_type=node_type,
            confidence=confidence,
            source_type=source_type,
            node_id=node_id,
        )
        if not engine.store.db.in_transaction:
            await embed_nodes(engine, [fact])
        return fact

    async def get_memory_bundle(self, namespace: str) -> MemoryBundle:
        """Everything a namespace holds true now: all facts, newest first, open tasks, recent events, edges."""
        engine = self._known(namespace)
        nodes = engine.store.nodes.recent(namespace, kinds=("fact", "entity"), limit=1 << 31)
        return bundle(engine, [namespace], nodes, {}, "")
