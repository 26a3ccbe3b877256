"""Facts and graphs made from a seed: the same numbers give the same data on every machine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

_ONSETS = ("b", "ch", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "sh", "t", "tr", "v", "z")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ou")
VOCABULARY = 6_000


@dataclass(frozen=True, slots=True)
class Fact:
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Link:
    """A directed edge between two nodes, given by their numbers."""

    source: int
    target: int
    edge_type: str


def vocabulary(size: int = VOCABULARY) -> list[str]:
    """*size* different pronounceable words of two or three syllables, commonest first."""
    chosen = random.Random(11)
    words: dict[str, None] = {}
    while len(words) < size:
        syllables = (chosen.choice(_ONSETS) + chosen.choice(_VOWELS) for _ in range(chosen.choice((2, 2, 3))))
        words["".join(syllables)] = None
    return list(words)


def facts(count: int, seed: int = 1) -> Iterator[Fact]:
    """Titles of 4 to 7 words and bodies of 20 to 40, drawn so that few words are common and most are rare.

    Every tenth body ends in a reference number found nowhere else, so that exact look-ups have one answer.
    """
    words, chosen = vocabulary(), random.Random(seed)

    def phrase(shortest: int, longest: int) -> str:
        # The product of two uniform numbers leans towards 0, the common end of the vocabulary.
        picks = (int(chosen.random() * chosen.random() * len(words)) for _ in range(chosen.randint(shortest, longest)))
        return " ".join(words[pick] for pick in picks)

    for number in range(count):
        body = phrase(20, 40)
        yield Fact(phrase(4, 7), f"{body} REF-{number:07d}" if number % 10 == 0 else body)


@dataclass(frozen=True, slots=True)
class Facts:
    """`facts(count, seed)` as something that has a length and may be gone through again; it keeps none of them."""

    count: int
    seed: int = 1

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Fact]:
        return facts(self.count, self.seed)

    def __contains__(self, fact: object) -> bool:
        return any(each == fact for each in self)


def links(nodes: int, degree: int, seed: int = 2) -> list[Link]:
    """`nodes * degree / 2` different edges between random pairs: every node has *degree* of them on average."""
    chosen = random.Random(seed)
    pairs: dict[tuple[int, int], None] = {}
    while len(pairs) < nodes * degree // 2:
        source, target = chosen.randrange(nodes), chosen.randrange(nodes)
        if source != target:
            pairs[source, target] = None
    return [Link(source, target, f"rel_{chosen.randrange(3)}") for source, target in pairs]


def hub_links(spokes: int) -> list[Link]:
    """Node 0 joined to nodes 1 … *spokes*, half of the edges leading out and half leading in."""
    return [Link(0, node, "hub") if node % 2 else Link(node, 0, "hub") for node in range(1, spokes + 1)]


def query(title: str) -> str:
    """The first three words of a title."""
    return " ".join(title.split()[:3])
