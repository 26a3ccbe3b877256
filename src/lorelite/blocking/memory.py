"""Facts, tasks and events: what a caller states, changes and vouches for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lorelite.blocking.core import Core
from lorelite.options import UNCHANGED, Unchanged
from lorelite.records import (
    Confidence,
    Event,
    Lifecycle,
    MemoryBundle,
    Node,
    SourceType,
    Task,
    TaskStatus,
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
        lifecycle: Lifecycle | None = None,
        valid_from: int | None = None,
        valid_to: int | None = None,
        stale_after: int | None = None,
        generated_by: str | None = None,
        sources: Sequence[Mapping[str, Any]] | None = None,
        usage_window: tuple[int | None, int | None] | None = None,
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
                lifecycle=lifecycle,
                valid_from=valid_from,
                valid_to=valid_to,
                stale_after=stale_after,
                generated_by=generated_by,
                sources=sources,
                usage_window=usage_window,
                event=event,
            )
        )

    def update_fact(
        self,
        namespace: str,
        *,
        node_id: str,
        title: str | Unchanged = UNCHANGED,
        body: str | Unchanged = UNCHANGED,
        tags: Iterable[str] | Unchanged = UNCHANGED,
        node_type: str | Unchanged | None = UNCHANGED,
        confidence: Confidence | Unchanged = UNCHANGED,
        source_type: SourceType | Unchanged = UNCHANGED,
        lifecycle: Lifecycle | Unchanged = UNCHANGED,
        valid_from: int | Unchanged | None = UNCHANGED,
        valid_to: int | Unchanged | None = UNCHANGED,
        stale_after: int | Unchanged | None = UNCHANGED,
        generated_by: str | Unchanged | None = UNCHANGED,
        sources: Sequence[Mapping[str, Any]] | Unchanged = UNCHANGED,
        usage_window: tuple[int | None, int | None] | Unchanged | None = UNCHANGED,
    ) -> Node:
        """See AsyncWiki.update_fact."""
        return self._run(
            self._wiki.update_fact(
                namespace,
                node_id=node_id,
                title=title,
                body=body,
                tags=tags,
                node_type=node_type,
                confidence=confidence,
                source_type=source_type,
                lifecycle=lifecycle,
                valid_from=valid_from,
                valid_to=valid_to,
                stale_after=stale_after,
                generated_by=generated_by,
                sources=sources,
                usage_window=usage_window,
            )
        )

    def verify(
        self,
        namespace: str,
        *,
        node_id: str | None = None,
        task_id: str | None = None,
        by: str,
        at: int | None = None,
    ) -> Node | Task:
        """See AsyncWiki.verify."""
        return self._run(self._wiki.verify(namespace, node_id=node_id, task_id=task_id, by=by, at=at))

    def add_task(
        self,
        namespace: str,
        *,
        description: str,
        priority: int = 0,
        status: TaskStatus = "pending",
        body: str = "",
        related_node_id: str | None = None,
        task_id: str | None = None,
        node_type: str | None = None,
        lifecycle: Lifecycle = "stable",
        stale_after: int | None = None,
        generated_by: str | None = None,
        sources: Sequence[Mapping[str, Any]] = (),
        usage_window: tuple[int | None, int | None] | None = None,
    ) -> Task:
        """See AsyncWiki.add_task."""
        return self._run(
            self._wiki.add_task(
                namespace,
                description=description,
                priority=priority,
                status=status,
                body=body,
                related_node_id=related_node_id,
                task_id=task_id,
                node_type=node_type,
                lifecycle=lifecycle,
                stale_after=stale_after,
                generated_by=generated_by,
                sources=sources,
                usage_window=usage_window,
            )
        )

    def update_task(
        self,
        namespace: str,
        *,
        task_id: str,
        description: str | Unchanged = UNCHANGED,
        priority: int | Unchanged = UNCHANGED,
        status: TaskStatus | Unchanged = UNCHANGED,
        body: str | Unchanged = UNCHANGED,
        related_node_id: str | Unchanged | None = UNCHANGED,
        node_type: str | Unchanged | None = UNCHANGED,
        lifecycle: Lifecycle | Unchanged = UNCHANGED,
        stale_after: int | Unchanged | None = UNCHANGED,
        generated_by: str | Unchanged | None = UNCHANGED,
        sources: Sequence[Mapping[str, Any]] | Unchanged = UNCHANGED,
        usage_window: tuple[int | None, int | None] | Unchanged | None = UNCHANGED,
    ) -> Task:
        """See AsyncWiki.update_task."""
        return self._run(
            self._wiki.update_task(
                namespace,
                task_id=task_id,
                description=description,
                priority=priority,
                status=status,
                body=body,
                related_node_id=related_node_id,
                node_type=node_type,
                lifecycle=lifecycle,
                stale_after=stale_after,
                generated_by=generated_by,
                sources=sources,
                usage_window=usage_window,
            )
        )

    def list_tasks(
        self, namespace: str, *, status: TaskStatus | Sequence[TaskStatus] | None = None, limit: int = 100
    ) -> list[Task]:
        """See AsyncWiki.list_tasks."""
        return self._run(self._wiki.list_tasks(namespace, status=status, limit=limit))

    def get_memory_bundle(self, namespace: str) -> MemoryBundle:
        """See AsyncWiki.get_memory_bundle."""
        return self._run(self._wiki.get_memory_bundle(namespace))
