"""The contracts of stores, of those in memory."""

from __future__ import annotations

from graph_contract import GraphContract
from kv_contract import KVContract
from vector_contract import VectorContract

from lorelite.adapters import in_memory
from lorelite.adapters.in_memory import in_memory_graph, in_memory_kv, in_memory_vector


class TestGraph(GraphContract):
    open = staticmethod(in_memory_graph)


class TestVectors(VectorContract):
    open = staticmethod(in_memory_vector)


class TestValues(KVContract):
    open = staticmethod(in_memory_kv)


def test_factories_have_the_names_of_the_sdk_too():
    assert in_memory.inMemoryGraph is in_memory_graph
    assert in_memory.inMemoryVector is in_memory_vector
    assert in_memory.inMemoryKV is in_memory_kv
