"""Communities within communities: the whole graph first, then each that is too large, by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf

from lorelite.errors import ClusteringAlgorithmError, InvalidOption
from lorelite.graph.components import components
from lorelite.graph.leiden import leiden
from lorelite.graph.local_moving import local_moving
from lorelite.graph.louvain import louvain
from lorelite.graph.modularity import modularity
from lorelite.graph.weighted import WeightedGraph, canonical

SEED = 0xDEADBEEF
MAX_CLUSTER_SIZE = 10
ALGORITHMS = ("leiden", "louvain", "local-moving")
ENGINES = ("python", "igraph")

Partition = Callable[[WeightedGraph, Sequence[int] | None], list[int]]
"""For each node of a graph its community, any number; given communities to begin with, or None."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Members, sorted, that belong together on a level (0: the whole graph), and the clusters above and below it.

    `id` is a number as text, running over all levels. `is_final`: it was not divided any further.
    """

    id: str
    level: int
    members: tuple[str, ...]
    parent: str | None
    children: tuple[str, ...]
    is_final: bool


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Clusters, level by level, and the modularity of level 0."""

    clusters: tuple[Cluster, ...]
    modularity: float


def cluster(
    edges: Iterable[tuple[str, str, float]],
    *,
    algorithm: str = "leiden",
    entity_ids: Iterable[str] = (),
    seed: int = SEED,
    resolution: float = 1.0,
    max_cluster_size: int | None = MAX_CLUSTER_SIZE,
    use_lcc: bool = False,
    engine: str = "python",
    previous: Hierarchy | None = None,
) -> Hierarchy:
    """The communities of the undirected graph of *edges* (source, target, weight), and the communities within them.

    Level 0 divides the whole graph. Each cluster of more than *max_cluster_size* members is divided again by itself,
    its parts being clusters of the next level, until none is larger or what is larger does not divide; None: level 0
    only. Of a level's parts of one cluster the largest comes first, ties by the smallest member. The same for the same
    edges in any order, in any runtime, whatever PYTHONHASHSEED.

    Weights of parallel edges are summed, edges of a node with itself and weights not above 0 ignored.
    algorithm: "leiden", "louvain" or "local-moving" (which needs no seed). entity_ids: nodes that are there even
    without an edge, then as communities of one. resolution: above 0; higher makes smaller communities. use_lcc: only
    the largest connected component. engine: "python", or "igraph" for that library's Leiden or Louvain, faster and
    with other partitions. previous: what was found before the graph changed, to begin with, so that most communities
    stay as they were; the answer then depends on it too. Ignored by local moving and by igraph.

    Raises ClusteringAlgorithmError for another algorithm, InvalidOption for an option out of its range, NotFound where
    igraph is asked for and not installed.
    """
    if not 0 < resolution < inf:
        raise InvalidOption("resolution", "a number above 0", resolution)
    if not isinstance(seed, int):
        raise InvalidOption("seed", "a whole number", seed)
    if max_cluster_size is not None and max_cluster_size < 1:
        raise InvalidOption("max_cluster_size", "1 or more, or None", max_cluster_size)
    partition = partition_by(algorithm, engine, seed, resolution)
    names, graph = canonical(edges, entity_ids)
    if use_lcc and names:
        largest = components(graph)[0]
        names, graph = [names[node] for node in largest], graph.induced(largest)
    earlier = _Earlier(previous, names)

    def parts(nodes: Sequence[int], level: int) -> list[list[int]]:
        inner = graph if level == 0 else graph.induced(nodes)
        return grouped(nodes, partition(inner, earlier.start(level, nodes)))

    return divided(names, graph, parts, max_cluster_size, resolution)


def divided(
    names: Sequence[str],
    graph: WeightedGraph,
    parts: Callable[[Sequence[int], int], list[list[int]]],
    max_cluster_size: int | None,
    resolution: float,
) -> Hierarchy:
    """The hierarchy of *graph*, whose nodes are called *names*: all of them divided, and again what is too large.

    parts: of nodes, ascending, and the level of their parts gives these parts, in the order that they are to have.
    """
    members = parts(range(len(graph)), 0)
    community = [0] * len(graph)
    for number, nodes in enumerate(members):
        for node in nodes:
            community[node] = number
    level = [0] * len(members)
    parent: list[int | None] = [None] * len(members)
    children: list[list[int]] = [[] for _ in members]
    for number, nodes in enumerate(members):  # grows while it is walked: breadth first, so level by level
        if max_cluster_size is None or len(nodes) <= max_cluster_size:
            continue
        below = level[number] + 1
        found = parts(nodes, below)
        if len(found) == 1:
            continue
        children[number] = list(range(len(members), len(members) + len(found)))
        members += found
        level += [below] * len(found)
        parent += [number] * len(found)
        children += [[] for _ in found]
    clusters = tuple(
        Cluster(
            id=str(number),
            level=level[number],
            members=tuple(names[node] for node in nodes),
            parent=None if (above := parent[number]) is None else str(above),
            children=tuple(map(str, children[number])),
            is_final=not children[number],
        )
        for number, nodes in enumerate(members)
    )
    return Hierarchy(clusters, modularity(graph, community, resolution))


def grouped(nodes: Sequence[int], community: Sequence[int]) -> list[list[int]]:
    """The *nodes*, ascending, by their communities: the largest first, ties by the smallest node."""
    found: dict[int, list[int]] = {}
    for node, own in zip(nodes, community, strict=True):
        found.setdefault(own, []).append(node)
    return sorted(found.values(), key=len, reverse=True)


class _Earlier:
    """Where the nodes were on each level of an earlier hierarchy."""

    def __init__(self, hierarchy: Hierarchy | None, names: Sequence[str]) -> None:
        self.levels: dict[int, dict[int, int]] = {}
        if hierarchy is not None:
            place = {name: node for node, name in enumerate(names)}
            for number, found in enumerate(hierarchy.clusters):
                level = self.levels.setdefault(found.level, {})
                level.update((place[name], number) for name in found.members if name in place)

    def start(self, level: int, nodes: Sequence[int]) -> list[int] | None:
        """The communities that *nodes* were in, nodes that were in none alone; None if none was in any."""
        known = self.levels.get(level, {})
        if not any(node in known for node in nodes):
            return None
        return [known.get(node, -1 - node) for node in nodes]


def partition_by(algorithm: str, engine: str, seed: int, resolution: float) -> Partition:
    """What divides a graph, given communities to begin with or None; errors are those of `cluster`."""
    if algorithm not in ALGORITHMS:
        raise ClusteringAlgorithmError(algorithm, ALGORITHMS)
    if engine not in ENGINES:
        raise InvalidOption("engine", " or ".join(ENGINES), engine)
    if engine == "igraph":
        from lorelite.graph.by_igraph import igraph_partition

        return igraph_partition(algorithm, seed, resolution)
    if algorithm == "leiden":
        return lambda graph, start: leiden(graph, seed=seed, resolution=resolution, start=start)
    if algorithm == "louvain":
        return lambda graph, start: louvain(graph, seed=seed, resolution=resolution, start=start)
    return lambda graph, start: local_moving(graph, resolution)
