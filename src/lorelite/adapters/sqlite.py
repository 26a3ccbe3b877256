"""Stores in a Lorelite file. Those of one path share its connection; ":memory:" is a file of its own each time."""

from __future__ import annotations

from pathlib import Path

from lorelite.store.port_graph import SqliteGraph
from lorelite.store.port_values import SqliteKV
from lorelite.store.port_vectors import SqliteVector
from lorelite.store.store import Store


def sqlite_graph(path: str | Path | Store = ":memory:", namespace: str = "default") -> SqliteGraph:
    """A graph store whose nodes and edges are those of the file's graph.

    path: a file, made when it is not there; or an opened Store, which a Wiki may use as well and whose owner closes
    it. Raises a StoreError when the file cannot be used.
    """
    return SqliteGraph(path, namespace)


def sqlite_vector(path: str | Path | Store = ":memory:", namespace: str = "default") -> SqliteVector:
    """A vector store, which compares with every vector. path: as of sqlite_graph."""
    return SqliteVector(path, namespace)


def sqlite_kv(path: str | Path | Store = ":memory:", namespace: str = "default") -> SqliteKV:
    """A key-value store. path: as of sqlite_graph."""
    return SqliteKV(path, namespace)


sqliteGraph = sqlite_graph
sqliteVector = sqlite_vector
sqliteKV = sqlite_kv
