"""`get_memory_bundle`: a namespace as a whole."""

from __future__ import annotations

from typing import get_args

from lorelite.engine import Engine
from lorelite.records import MemoryBundle, TaskStatus
from lorelite.retrieve.citing import cited
from lorelite.store.connection import EVERY


def memory_bundle(engine: Engine, namespace: str) -> MemoryBundle:
    """All facts and entities held true now, newest first, all tasks, the ten newest events, the edges among them."""
    store = engine.store
    nodes = store.nodes.recent(namespace, kinds=("fact", "entity"), limit=EVERY)
    return MemoryBundle(
        facts=tuple(cited(engine, nodes)),
        tasks=tuple(store.journal.tasks(namespace, statuses=get_args(TaskStatus))),
        events=tuple(store.journal.recent_events(namespace, 10)),
        edges=tuple(store.edges.among(namespace, [node.id for node in nodes])),
        metadata={"namespaces": [namespace]},
    )
