"""Partitions by the C library igraph, where it is installed and asked for."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from lorelite.errors import ClusteringAlgorithmError, NotFound
from lorelite.graph.weighted import WeightedGraph


def igraph_partition(
    algorithm: str, seed: int, resolution: float
) -> Callable[[WeightedGraph, Sequence[int] | None], list[int]]:
    """igraph's Leiden (modularity, two iterations) or Louvain; each call with random numbers anew from *seed*.

    Raises NotFound where igraph is not installed, ClusteringAlgorithmError for an algorithm that it does not have.
    """
    if algorithm not in ("leiden", "louvain"):
        raise ClusteringAlgorithmError(algorithm, ("leiden", "louvain"))
    try:
        import igraph
    except ImportError as error:
        hint = "install it with: pip install 'lorelite[igraph]', or leave out engine"
        raise NotFound("package", "igraph", hint) from error

    def partition(graph: WeightedGraph, start: Sequence[int] | None) -> list[int]:
        pairs = [(node, to) for node, joined in enumerate(graph.neighbours) for to in joined if node < to]
        weights = [
            weight
            for node, joined in enumerate(graph.neighbours)
            for to, weight in zip(joined, graph.weights[node], strict=True)
            if node < to
        ]
        given = igraph.Graph(n=len(graph), edges=pairs)
        igraph.set_random_number_generator(random.Random(seed))
        try:
            if algorithm == "leiden":
                found = given.community_leiden("modularity", weights, resolution, n_iterations=2)
            else:
                found = given.community_multilevel(weights, resolution=resolution)
        finally:
            igraph.set_random_number_generator(random)  # as igraph has it by itself
        return list(found.membership)

    return partition
