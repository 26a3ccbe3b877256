"""Graphs that everybody measures communities by, as networkx has them, and what holds of any partition."""

from __future__ import annotations

from collections import Counter

import pytest

from lorelite.graph.components import split_by_connection
from lorelite.graph.weighted import canonical

NAMES = ("karate", "les_miserables", "florentine", "davis")


def known_graph(name):
    """Edges with the published weights; members of the karate club as "00" … "33", others by their names."""
    networkx = pytest.importorskip("networkx", reason="networkx, which has the known graphs, is not installed")
    made = {
        "karate": networkx.karate_club_graph,
        "les_miserables": networkx.les_miserables_graph,
        "florentine": networkx.florentine_families_graph,
        "davis": networkx.davis_southern_women_graph,
    }[name]()
    return [(_id(a), _id(b), float(data.get("weight", 1))) for a, b, data in made.edges(data=True)]


def _id(node):
    return f"{node:02}" if isinstance(node, int) else node


def graph_of(edges):
    return canonical(edges)[1]


def sizes(community):
    return sorted(Counter(community).values(), reverse=True)


def in_one_piece_each(graph, community):
    return len(set(split_by_connection(graph, community))) == len(set(community))


def ring_of_cliques(cliques, size):
    """Edges of cliques, each joined to the next by one edge, and the clique of each node."""
    edges = []
    for clique in range(cliques):
        members = [f"{clique:02}.{member:02}" for member in range(size)]
        edges += [(a, b, 1.0) for i, a in enumerate(members) for b in members[:i]]
        edges.append((members[0], f"{(clique + 1) % cliques:02}.01", 1.0))
    return edges, [clique for clique in range(cliques) for _ in range(size)]
