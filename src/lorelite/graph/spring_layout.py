"""Places for the nodes of a small graph, so that what is related lies together: the same for the same graph."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

Point = tuple[float, float]
_WHOLE = (0.0, 0.0, 1.0, 1.0)
_GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))


def spring_layout(count: int, links: Sequence[tuple[int, int, float]], *, rounds: int = 80) -> list[Point]:
    """A point for each of the nodes 0 … count - 1, both coordinates in 0 … 1; links are (node, node, weight).

    Parts that are not connected lie side by side, each on an area as large as its share of the nodes. Within one, nodes
    push each other away and links draw theirs together (T. Fruchterman, E. Reingold: Graph Drawing by Force-directed
    Placement, 1991), from a spiral in place of chance. A round looks at every pair: meant for a few hundred nodes.
    """
    parts = sorted(_parts(count, links), key=lambda part: (-len(part), part))
    points: list[Point] = [(0.5, 0.5)] * count
    for part, (left, top, width, height) in zip(parts, _areas([len(part) for part in parts], _WHOLE), strict=True):
        places = {node: place for place, node in enumerate(part)}
        inner = [(places[a], places[b], weight) for a, b, weight in links if a in places and a != b]
        for node, (x, y) in zip(part, _connected_layout(len(part), inner, rounds), strict=True):
            points[node] = (left + width * (0.08 + 0.84 * x), top + height * (0.08 + 0.84 * y))
    return points


def _parts(count: int, links: Sequence[tuple[int, int, float]]) -> list[list[int]]:
    """The connected parts, each in ascending order."""
    home = list(range(count))

    def root(node: int) -> int:
        while home[node] != node:
            home[node] = node = home[home[node]]
        return node

    for a, b, _ in links:
        home[max(root(a), root(b))] = min(root(a), root(b))
    found: dict[int, list[int]] = {}
    for node in range(count):
        found.setdefault(root(node), []).append(node)
    return list(found.values())


def _areas(sizes: Sequence[int], area: tuple[float, float, float, float]) -> list[tuple[float, float, float, float]]:
    """(left, top, width, height) for each size, largest first: the area halved by size, along its longer side."""
    if len(sizes) <= 1:
        return [area] * len(sizes)
    left, top, width, height = area
    total, first, cut = sum(sizes), sizes[0], 1
    while cut < len(sizes) - 1 and 2 * (first + sizes[cut]) <= total:
        first += sizes[cut]
        cut += 1
    share = first / total
    if width >= height:
        one, other = (left, top, width * share, height), (left + width * share, top, width * (1 - share), height)
    else:
        one, other = (left, top, width, height * share), (left, top + height * share, width, height * (1 - share))
    return _areas(sizes[:cut], one) + _areas(sizes[cut:], other)


def _connected_layout(count: int, links: Sequence[tuple[int, int, float]], rounds: int) -> list[Point]:
    if count < 2:
        return [(0.5, 0.5)] * count
    rest = 1 / math.sqrt(count)  # the distance at which two linked nodes are at ease
    xs = [0.5 * math.sqrt((n + 0.5) / count) * math.cos(n * _GOLDEN_ANGLE) for n in range(count)]
    ys = [0.5 * math.sqrt((n + 0.5) / count) * math.sin(n * _GOLDEN_ANGLE) for n in range(count)]
    heaviest = max((weight for _, _, weight in links), default=1.0) or 1.0
    degrees = Counter(end for a, b, _ in links for end in (a, b))
    # A link between two hubs pulls less: else they would lie on one spot with all that is around them.
    pulls = [(a, b, (0.3 + 0.7 * weight / heaviest) / math.sqrt(min(degrees[a], degrees[b]))) for a, b, weight in links]
    for done in range(rounds):
        _round(xs, ys, pulls, rest, 0.12 * (1 - done / rounds) + 0.002)
    return list(zip(_spread(xs), _spread(ys), strict=True))


def _round(xs: list[float], ys: list[float], pulls: Sequence[tuple[int, int, float]], rest: float, most: float) -> None:
    """Move every node once, by at most *most*."""
    count = len(xs)
    dx, dy = [-0.6 * x * rest for x in xs], [-0.6 * y * rest for y in ys]
    push = rest * rest
    for a in range(count):
        x, y = xs[a], ys[a]
        sum_x = sum_y = 0.0
        for b in range(a + 1, count):
            gap_x, gap_y = x - xs[b], y - ys[b]
            force = push / (gap_x * gap_x + gap_y * gap_y + 1e-6)
            gap_x *= force
            gap_y *= force
            sum_x += gap_x
            sum_y += gap_y
            dx[b] -= gap_x
            dy[b] -= gap_y
        dx[a] += sum_x
        dy[a] += sum_y
    for a, b, pull in pulls:
        gap_x, gap_y = xs[a] - xs[b], ys[a] - ys[b]
        force = pull * math.hypot(gap_x, gap_y) / rest
        dx[a] -= gap_x * force
        dy[a] -= gap_y * force
        dx[b] += gap_x * force
        dy[b] += gap_y * force
    for n in range(count):
        length = math.hypot(dx[n], dy[n]) or 1.0
        step = min(length, most) / length
        xs[n] += dx[n] * step
        ys[n] += dy[n] * step


def _spread(values: list[float]) -> list[float]:
    low, high = min(values), max(values)
    return [(value - low) / (high - low) if high > low else 0.5 for value in values]
