"""Communities of a planted graph: ours beside igraph, networkx and graspologic, where these are installed.

    python -m bench.communities [--edges 100000] [--mixing 0.2] [--only ours] [--max name=X ...]

    leiden         level 0 alone                   leiden_levels   with everything over 10 members divided again
    louvain        level 0 alone                   local_moving    level 0 alone, as the toolkit's
    inserted       leiden_levels after the last 1 % of the edges came, from what was found before they did
    igraph_…, networkx_…, graspologic_…            the same by other libraries

The graph has three nodes for ten edges, hubs, weights 1 … 9 and a group for every 200 edges, but at most 200 groups.
Seconds of processor time, reading the edges included; Q is the modularity of level 0 by our own measure. `--max` judges
seconds: `--max leiden_levels=10`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from bench.planted import Edges, planted
from bench.report import json_line, limits, table
from lorelite.graph.hierarchy import SEED, Cluster, Hierarchy, cluster
from lorelite.graph.modularity import modularity
from lorelite.graph.weighted import canonical

MAX_CLUSTER_SIZE = 10
Groups = Sequence[Sequence[str]]
"""The members of each community of level 0."""


@dataclass(frozen=True, slots=True)
class Result:
    """Seconds; modularity and number of communities of level 0; levels and clusters on all of them."""

    seconds: float
    modularity: float
    communities: int
    levels: int
    clusters: int


def graph_of(edges: int, mixing: float) -> Edges:
    return planted(edges * 3 // 10, edges, min(max(edges // 200, 2), 200), mixing=mixing)[0]


def ours(edges: Edges) -> dict[str, Callable[[], Hierarchy]]:
    """What is measured, by name; `inserted` knows what was found before."""
    before = cluster(edges[: -(len(edges) // 100)])
    return {
        "leiden": lambda: cluster(edges, max_cluster_size=None),
        "leiden_levels": lambda: cluster(edges, max_cluster_size=MAX_CLUSTER_SIZE),
        "louvain": lambda: cluster(edges, algorithm="louvain", max_cluster_size=None),
        "local_moving": lambda: cluster(edges, algorithm="local-moving", max_cluster_size=None),
        "inserted": lambda: cluster(edges, max_cluster_size=MAX_CLUSTER_SIZE, previous=before),
    }


def by_igraph(edges: Edges) -> dict[str, Callable[[], Hierarchy]]:
    import_module("igraph")  # here, so that the first call is not charged with it
    return {
        "igraph_leiden": lambda: cluster(edges, engine="igraph", max_cluster_size=None),
        "igraph_leiden_levels": lambda: cluster(edges, engine="igraph", max_cluster_size=MAX_CLUSTER_SIZE),
        "igraph_louvain": lambda: cluster(edges, engine="igraph", algorithm="louvain", max_cluster_size=None),
    }


def by_networkx(edges: Edges) -> dict[str, Callable[[], Groups]]:
    import networkx

    def louvain() -> Groups:
        graph = networkx.Graph()
        graph.add_weighted_edges_from(edges)
        return [list(group) for group in networkx.community.louvain_communities(graph, seed=SEED)]

    return {"networkx_louvain": louvain}


def by_graspologic(edges: Edges) -> dict[str, Callable[[], Hierarchy | Groups]]:
    import graspologic_native

    def leiden() -> Groups:
        _, community = graspologic_native.leiden(edges, iterations=2, seed=SEED)
        groups: dict[int, list[str]] = {}
        for name, number in community.items():
            groups.setdefault(number, []).append(name)
        return list(groups.values())

    def levels() -> Hierarchy:
        found = graspologic_native.hierarchical_leiden(
            edges, iterations=2, max_cluster_size=MAX_CLUSTER_SIZE, seed=SEED
        )
        members: dict[tuple[int, int], list[str]] = {}
        for row in found:
            members.setdefault((row.level, row.cluster), []).append(row.node)
        return Hierarchy(
            tuple(
                Cluster(str(n), level, tuple(names), None, (), True) for (level, n), names in sorted(members.items())
            ),
            0.0,
        )

    return {"graspologic_leiden": leiden, "graspologic_leiden_levels": levels}


def measured(edges: Edges, call: Callable[[], Hierarchy | Groups]) -> Result:
    names, graph = canonical(edges)
    start = time.process_time()
    found = call()
    seconds = time.process_time() - start
    if isinstance(found, Hierarchy):
        groups: Groups = [c.members for c in found.clusters if c.level == 0]
        levels, clusters = found.clusters[-1].level + 1, len(found.clusters)
    else:
        groups, levels, clusters = found, 1, len(found)
    community = {name: number for number, group in enumerate(groups) for name in group}
    value = modularity(graph, [community[name] for name in names])
    return Result(seconds, value, len(groups), levels, clusters)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="bench.communities", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--edges", type=int, default=100_000)
    parser.add_argument("--mixing", type=float, default=0.2, help="share of edges that ignore the groups")
    parser.add_argument("--only", choices=["ours"], help="leave the other libraries out")
    parser.add_argument("--max", nargs="+", default=[], metavar="name=X", help="exit with 1 when one takes longer")
    options = parser.parse_args(arguments)
    edges = graph_of(options.edges, options.mixing)
    methods: dict[str, Callable[[], Hierarchy | Groups]] = {**ours(edges)}
    others: dict[str, Callable[[Edges], Mapping[str, Callable[[], Hierarchy | Groups]]]] = {
        "igraph": by_igraph,
        "networkx": by_networkx,
        "graspologic_native": by_graspologic,
    }
    for package, made in others.items():
        if options.only is None and find_spec(package):
            methods |= made(edges)
    results = {}
    rows = []
    for name, call in methods.items():
        result = results[name] = measured(edges, call)
        rows.append((name, f"{result.seconds:.3f}", f"{result.modularity:.4f}", result.communities, result.levels,
                     result.clusters))  # fmt: skip
    print(f"{len(edges):,} edges, {len(canonical(edges)[0]):,} nodes, mixing {options.mixing}")
    print(table(("method", "seconds", "Q", "communities", "levels", "clusters"), rows))
    slow = {name: limit for name, limit in limits(options.max).items() if results[name].seconds > limit}
    for name, limit in slow.items():
        print(f"{name}: {results[name].seconds:.3f} s, more than {limit:g}")
    figures = {name: round(result.seconds, 4) for name, result in results.items()}
    values = {f"{name}.q": round(result.modularity, 4) for name, result in results.items()}
    print(json_line({"bench": "communities", "edges": len(edges), **figures, **values}))
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
