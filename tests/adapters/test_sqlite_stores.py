"""The contracts of stores, of those in a Lorelite file."""

from __future__ import annotations

import pytest
from graph_contract import GraphContract
from kv_contract import KVContract
from vector_contract import VectorContract

from lorelite.adapters import sqlite
from lorelite.adapters.sqlite import sqlite_graph, sqlite_kv, sqlite_vector
from lorelite.store.store import Store


class InAFile:
    """Namespaces of one file."""

    @pytest.fixture(autouse=True)
    def store(self):
        self.file = Store(":memory:")
        yield
        self.file.close()


class TestGraph(InAFile, GraphContract):
    def open(self, namespace):
        return sqlite_graph(self.file, namespace)


class TestVectors(InAFile, VectorContract):
    def open(self, namespace):
        return sqlite_vector(self.file, namespace)


class TestValues(InAFile, KVContract):
    def open(self, namespace):
        return sqlite_kv(self.file, namespace)


def test_factories_have_the_names_of_the_sdk_too():
    assert sqlite.sqliteGraph is sqlite_graph
    assert sqlite.sqliteVector is sqlite_vector
    assert sqlite.sqliteKV is sqlite_kv
