"""The data of the comparison: the same numbers as js/generator.mjs gives, bit for bit; integers only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

numpy: Any
try:
    import numpy
except ImportError:  # the browser
    numpy = None

WORDS = 5_000
DIMENSIONS = 384
_U32 = 0xFFFFFFFF
_SYLLABLES = [consonant + vowel for consonant in "bdklmnrs" for vowel in "aeiou"]

Below = Callable[[int], int]
"""Draws a whole number from 0 up to its argument, which is left out."""


@dataclass(frozen=True, slots=True)
class Fact:
    id: str
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Edge:
    id: str
    source: int
    target: int
    edge_type: str


def uniform(seed: int) -> Callable[[], int]:
    """mulberry32: a stream of unsigned 32-bit numbers."""
    state = seed & _U32

    def draw() -> int:
        nonlocal state
        state = (state + 0x6D2B79F5) & _U32
        t = ((state ^ (state >> 15)) * (state | 1)) & _U32
        t ^= (t + (((t ^ (t >> 7)) * (t | 61)) & _U32)) & _U32
        return t ^ (t >> 14)

    return draw


def below(seed: int) -> Below:
    draw = uniform(seed)
    return lambda limit: (draw() * limit) >> 32


@cache
def word(number: int) -> str:
    """Two syllables that count and a third that keeps most words two letters apart."""
    first, second, third = number % 40, number // 40 % 40, number // 1600
    return _SYLLABLES[first] + _SYLLABLES[second] + _SYLLABLES[(3 * first + 7 * second + 11 * third) % 40]


def facts() -> Iterator[Fact]:
    """Facts without end: titles of 4 to 7 words, bodies of 20 to 40, few words common and most rare."""
    draw = below(12345)

    def phrase(length: int) -> str:
        return " ".join(word(draw(WORDS) * draw(WORDS) // WORDS) for _ in range(length))

    number = 0
    while True:
        title = phrase(4 + draw(4))
        body = phrase(20 + draw(21))
        yield Fact(f"f{number:07d}", title, f"{body} ref{number}" if number % 10 == 0 else body)
        number += 1


def query_facts(count: int, corpus: int) -> list[int]:
    """The facts of whose titles the queries take the first three words."""
    draw = below(777)
    return [draw(corpus) for _ in range(count)]


def query(title: str) -> str:
    return " ".join(title.split(" ")[:3])


def edges(nodes: int, degree: int) -> list[Edge]:
    """`nodes * degree / 2` different edges between random pairs."""
    draw = below(1000 + degree)
    pairs: set[tuple[int, int]] = set()
    made: list[Edge] = []
    while len(made) < nodes * degree // 2:
        pair = source, target = draw(nodes), draw(nodes)
        if source != target and pair not in pairs:
            pairs.add(pair)
            made.append(Edge(f"e{len(made):07d}", source, target, f"rel_{'abc'[draw(3)]}"))
    return made


def spokes(count: int) -> list[Edge]:
    """Node 0 joined to nodes 1 … *count*, half of the edges leading out and half leading in."""
    return [Edge(f"h{m:07d}", *((0, m) if m % 2 else (m, 0)), "hub") for m in range(1, count + 1)]


def anchors(links: list[Edge], count: int) -> list[int]:
    """The first nodes from 1 on that have an edge out and an edge in."""
    both = {edge.source for edge in links} & {edge.target for edge in links}
    return sorted(both - {0})[:count]


def source_hash(number: int) -> str:
    return f"{number + 1:064x}"


def vector(text: str) -> list[int]:
    """The sum of its tokens' vectors: whole numbers, exact in 32-bit floats."""
    tokens = re.findall("[a-z0-9]+", text.lower())
    if not tokens:
        return [1] + [0] * (DIMENSIONS - 1)
    vectors = list(map(_token_vector, tokens))
    if numpy is not None:
        return numpy.array(vectors).sum(axis=0).tolist()  # type: ignore[no-any-return]
    return list(map(sum, zip(*vectors, strict=True)))


@cache
def _token_vector(token: str) -> Sequence[int]:
    seed = 0x811C9DC5
    for byte in token.encode():
        seed = ((seed ^ byte) * 0x01000193) & _U32
    draw = uniform(seed)
    numbers = [(draw() >> 24) - 128 for _ in range(DIMENSIONS)]
    return numbers if numpy is None else numpy.array(numbers)
