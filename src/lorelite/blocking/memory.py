"""Facts, tasks and events: what a caller states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lorelite.blocking.core import Core
from lorelite.records import (
    Confidence,
    Event,
    MemoryBundle,
    Node,
    SourceType,
)


class Memory(Core):
    def write(
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
        """See AsyncWiki.write."""
        return self._run(
            self._wiki.write(
                namespace,
                title=title,
                body=body,
                tags=tags,
                node_type=node_type,
                confidence=confidence,
                source_type=source_type,
                node_id=node_id,
                event=event,
            )
        )

    def get_memory_bundle(self, namespace: str) -> MemoryBundle:
        """See AsyncWiki.get_memory_bundle."""
        return self._run(self._wiki.get_memory_bundle(namespace))
