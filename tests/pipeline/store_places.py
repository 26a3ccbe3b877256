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
    def open_namespace(name: str) -> Knowledge:
        return StoreKnowledge(name, in_memory_graph(name), in_memory_vector(name), in_memory_kv(name), embedder)

    return lambda _: open_namespace


def in_sqlite(embedder: Embedder | None) -> Callable[[ExitStack], Open]:
    def begin(files: ExitStack) -> Open:
        file = Store(":memory:", clock=lambda: 1_700_000_000_000)
        files.callback(file.close)
        return lambda name: StoreKnowledge(
            name, sqlite_graph(file, name), sqlite_vector(file, name), sqlite_kv(file, name), embedder
        )

    return begin


IN_STORES: Mapping[str, Callable[[ExitStack], Open]] = {
    "stores in memory": in_memory(HashEmbedder()),
    "stores in memory without vectors": in_memory(None),
    "stores in SQLite": in_sqlite(HashEmbedder()),
}
