"""An undirected weighted graph over the numbers 0 … n-1, the same for the same edges in any order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import frexp, fsum, inf, isfinite, ldexp
from operator import itemgetter

_FAR = 1e60
"""Squares of sums of weights below it are finite, and those of their reciprocals above 0."""
_MOST = 1e300


def weight_of(value: object) -> float:
    """A weight as somebody stored it, "5" for 5 as well; 1 for what is no finite number."""
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return 1.0
    return found if isfinite(found) else 1.0


@dataclass(frozen=True, slots=True)
class WeightedGraph:
    """What each node touches: `neighbours[i]`, each once and never i itself, and as many `weights[i]`, above 0.

    `strengths[i]` is the weight of all that touches node i; in a graph of merged nodes it counts twice what lies inside
    of i. `total` is the sum of the strengths: twice the weight of the edges.
    """

    neighbours: list[Sequence[int]]
    weights: list[Sequence[float]]
    strengths: list[float]
    total: float

    def __len__(self) -> int:
        return len(self.strengths)

    def induced(self, nodes: Sequence[int]) -> WeightedGraph:
        """The graph of *nodes* (ascending) and the edges among them; they are numbered anew in their order."""
        place = {node: number for number, node in enumerate(nodes)}
        neighbours: list[Sequence[int]] = []
        weights: list[Sequence[float]] = []
        for node in nodes:
            kept = [(place[to], weight) for to, weight in zip(self.neighbours[node], self.weights[node], strict=True)
                    if to in place]  # fmt: skip
            neighbours.append([to for to, _ in kept])
            weights.append([weight for _, weight in kept])
        return _graph(neighbours, weights)


def canonical(
    edges: Iterable[tuple[str, str, float]], entity_ids: Iterable[str] = ()
) -> tuple[list[str], WeightedGraph]:
    """The names, sorted, and the graph over their places in that list.

    The weights of parallel edges, in whichever direction, are summed; an edge from a node to itself is ignored, and so
    is one whose weight is not above 0 and finite. A name that no edge is left to is there only if it is among
    *entity_ids*. Weights so large or small that sums and squares of them are no numbers are all scaled by one power
    of two.
    """
    kept = _in_range([edge for edge in edges if edge[0] != edge[1] and 0 < edge[2] < inf])
    names = sorted({*map(itemgetter(0), kept), *map(itemgetter(1), kept), *entity_ids})
    place = {name: number for number, name in enumerate(names)}
    count = len(names)
    pairs: dict[int, float] = {}
    parallel: dict[int, list[float]] = {}
    for source, target, weight in kept:
        a, b = place[source], place[target]
        pair = a * count + b if a < b else b * count + a
        if pair in pairs:
            parallel.setdefault(pair, [pairs[pair]]).append(weight)
        else:
            pairs[pair] = float(weight)
    for pair, summed in parallel.items():
        pairs[pair] = fsum(summed)  # the one sum that does not depend on the order
    neighbours: list[list[int]] = [[] for _ in names]
    weights: list[list[float]] = [[] for _ in names]
    numbers = list(range(count))
    same: dict[float, float] = {}
    for pair in sorted(pairs):
        first, second = divmod(pair, count)
        # one object for each number, however often it comes: less memory to fetch makes what follows a sixth faster
        a, b, weight = numbers[first], numbers[second], same.setdefault(pairs[pair], pairs[pair])
        neighbours[a].append(b)
        weights[a].append(weight)
        neighbours[b].append(a)
        weights[b].append(weight)
    return names, _graph(list(neighbours), list(weights))


def _in_range(edges: list[tuple[str, str, float]]) -> list[tuple[str, str, float]]:
    """The edges, with the largest weight near 1 where it is far from it; how weights compare stays as it is."""
    largest = max(map(itemgetter(2), edges), default=1.0)
    if 1 / _FAR < largest < _FAR:
        return edges
    places = -frexp(largest)[1]
    scaled = ((source, target, ldexp(weight, places)) for source, target, weight in edges)
    return [edge for edge in scaled if edge[2] > 0]


def summed(weights: Sequence[float]) -> float:
    """Their sum, the same in any order; of numbers so large that it is no number, the largest weight there may be."""
    try:
        return max(-_MOST, min(_MOST, fsum(weights)))
    except (OverflowError, ValueError):
        return max(-_MOST, min(_MOST, sum(weights)))


def merged(graph: WeightedGraph, group: Sequence[int], count: int) -> WeightedGraph:
    """The graph of *count* groups, node i being in `group[i]`: between two lies the weight of all that joins them."""
    links: list[dict[int, float]] = [{} for _ in range(count)]
    strengths = [0.0] * count
    group_of = group.__getitem__
    for own, strength, near, weights in zip(group, graph.strengths, graph.neighbours, graph.weights, strict=True):
        strengths[own] += strength
        joined = links[own]
        for other, weight in zip(map(group_of, near), weights, strict=True):
            if other != own:
                joined[other] = joined[other] + weight if other in joined else weight
    return WeightedGraph(
        [list(joined) for joined in links], [list(joined.values()) for joined in links], strengths, graph.total
    )


def _graph(neighbours: list[Sequence[int]], weights: list[Sequence[float]]) -> WeightedGraph:
    # fsum and not sum, which rounds otherwise from Python 3.12 on
    strengths = [fsum(touching) for touching in weights]
    return WeightedGraph(neighbours, weights, strengths, fsum(strengths))
