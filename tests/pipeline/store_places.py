"""Places to keep a knowledge graph that are three stores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack

from lorelite.adapters.in_memory import in_memory_graph, in_memory_kv, in_memory_vector
from lorelite.adapters.sqlite import sqlite_graph, sqlite_kv, sqlite_vector
from lorelite.models.hash_embedder import HashEmbedder
from lorelite.pipeline.knowledge import Knowledge
from lorelite.pipeline.store_knowledge import StoreKnowledge
from lorelite.ports import Embedder
from lorelite.store.store import Store

Open = Callable[[str], Knowledge]
"""Namespace → its knowledge; every namespace of one test is kept in the same place."""


def in_memory(embedder: Embedder | None) -> Callable[[ExitStack], Open]:
    return lambda: (
        lambda namespace: StoreKnowledge(
            namespace, in_memory_graph(namespace), in_memory_vector(namespace), in_memory_kv(namespace), embedder
        )
    )


def in_sqlite(embedder: Embedder | None) -> Callable[[ExitStack], Open]:
    def begin(files: ExitStack) -> Open:
        file = Store(":memory:", clock=lambda: 1_700_000_000_000)
        files.callback(file.close)
        return lambda namespace: StoreKnowledge(
            namespace,
            sqlite_graph(file, namespace),
            sqlite_vector(file, namespace),
            sqlite_kv(file, namespace),
            embedder,
        )

    return begin


IN_STORES: Mapping[str, Callable[[ExitStack], Open]] = {
    "stores in memory": in_memory(HashEmbedder()),
    "stores in memory without vectors": in_memory(None),
    "stores in SQLite": in_sqlite(HashEmbedder()),
}
