"""Facts, tasks and events: what a caller states, changes and vouches for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from lorelite import options
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
        lifecycle: Lifecycle | None = None,
        valid_from: int | None = None,
        valid_to: int | None = None,
        stale_after: int | None = None,
        generated_by: str | None = None,
        sources: Sequence[Mapping[str, Any]] | None = None,
        usage_window: tuple[int | None, int | None] | None = None,
        event: Mapping[str, Any] | None = None,
    ) -> Node | Event:
        """Remember a fact (`title`, `body` …) or an event (`event={"event_type": …, "summary": …}`).

        node_id: states that fact anew, or gives a new one this id; None makes one. What is None from lifecycle on
        stays as it is, in a new fact "stable" and empty. valid_from, valid_to: milliseconds between which the fact
        holds. stale_after: milliseconds from which on it should be checked again. sources: mappings, for example
        {"resource": "https://…"}. An event may name a `related_node_id`; an event_type that is not known is stored as
        "observation". Where the settings want it, jobs that an event makes due run before the call returns; what goes
        wrong in them is told to the hooks, and never costs the event.
        Raises ImmutableFact for a fact of a document, NodeOwnershipConflict for an id of another namespace.
        """
        engine = self._open_engine()
        namespace = options.namespace(namespace)
        if options.exactly_one(("title", "event"), (title is not None, event is not None)) == "event":
            from lorelite.jobs.maintenance import after_write
            from lorelite.memory.events import new_event

            assert event is not None
            happened = new_event(engine, namespace, event)
            await after_write(engine, namespace)
            return happened
        from lorelite.memory.facts import write_fact

        fields = {
            "title": title,
            "body": body,
            "tags": tags,
            "node_type": node_type,
            "confidence": confidence,
            "source_type": source_type,
        } | options.not_none(
            lifecycle=lifecycle,
            valid_from=valid_from,
            valid_to=valid_to,
            stale_after=stale_after,
            generated_by=generated_by,
            sources=sources,
            usage_window=usage_window,
        )
        fact = write_fact(engine, namespace, node_id, fields)
        await embed_nodes(engine, [fact])
        return fact

    async def update_fact(
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
        """Change the fields of a fact that are given, and no other; None clears one. Gives the fact back.

        Other words (title, body) lose the verifications of the old ones. Of a fact that a document states only
        lifecycle, stale_after, generated_by, sources and usage_window may be set, else ImmutableFact.
        Raises NotFound when the fact is not there.
        """
        from lorelite.memory.facts import update_fact

        engine = self._known(namespace)
        fields = options.given(
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
        fact = update_fact(engine, namespace, node_id, fields)
        if fields.keys() & {"title", "body", "tags"}:
            await embed_nodes(engine, [fact])
        return fact

    async def verify(
        self,
        namespace: str,
        *,
        node_id: str | None = None,
        task_id: str | None = None,
        by: str,
        at: int | None = None,
    ) -> Node | Task:
        """Record that somebody vouches for a fact (any node) or a task; gives it back.

        by: "human:anna" or the like makes it human-reviewed, any other name machine-confirmed. at: milliseconds, by
        default now; the latest of all verifications counts, in whatever order they come. Raises NotFound.
        """
        from lorelite.memory.trust import verify_node, verify_task

        engine = self._known(namespace)
        what = options.exactly_one(("node_id", "task_id"), (node_id is not None, task_id is not None))
        if what == "node_id":
            return verify_node(engine, namespace, options.node_id("node_id", node_id), by, at)
        return verify_task(engine, namespace, options.node_id("task_id", task_id), by, at)

    async def add_task(
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
        """Remember something to be done. priority: 0 (whenever) to 10 (now).

        Raises NodeOwnershipConflict when the id is taken, NotFound when the related node is not there.
        """
        from lorelite.memory.tasks import add_task

        fields = options.given(
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
        return add_task(self._open_engine(), options.namespace(namespace), task_id, fields)

    async def update_task(
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
        """Change the fields of a task that are given, and no other; None clears one. Gives the task back.

        "done" and "abandoned" set `resolved_at`, any other status clears it. Raises NotFound.
        """
        from lorelite.memory.tasks import update_task

        fields = options.given(
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
        return update_task(self._known(namespace), namespace, task_id, fields)

    async def list_tasks(
        self, namespace: str, *, status: TaskStatus | Sequence[TaskStatus] | None = None, limit: int = 100
    ) -> list[Task]:
        """Tasks, most urgent first, then oldest. status: one, or several; None all."""
        engine = self._known(namespace)
        wanted = get_args(TaskStatus) if status is None else [status] if isinstance(status, str) else status
        return engine.store.journal.tasks(
            namespace,
            statuses=options.many_of("status", wanted, get_args(TaskStatus)),
            limit=options.whole_number("limit", limit, 0, 100_000),
        )

    async def get_memory_bundle(self, namespace: str) -> MemoryBundle:
        """All that a namespace holds true now: facts and entities, newest first, tasks of every status, the ten newest
        events, and the edges among the facts."""
        from lorelite.memory.bundle import memory_bundle

        return memory_bundle(self._known(namespace), namespace)
