"""BM25 of an index whose postings can be read in one go: with numpy, and the lengths of few nodes.

The scores are FTS5's own to the last bit. FTS5 walks every posting twice and looks up the length of every node that
holds a word; here a node's length is looked up only when, were it as short as can be, it would be among the best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lorelite.search.inverted import K1, B, inverse_frequency

OFFSET_BITS = 28
COLUMN_BITS = 2
FEWEST_NODES = 20_000
"""In an index of fewer FTS5 is as fast, and loading numpy takes longer than many searches."""


def numpy_for(nodes: int) -> Any:
    """numpy where it is of use to an index of so many nodes, else None."""
    if nodes < FEWEST_NODES:
        return None
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def numbers(numpy: Any, text: str | None) -> Any:
    """The whole numbers of a text in which commas part them."""
    return numpy.fromstring(text or "", dtype=numpy.int64, sep=",")


def varints(data: bytes) -> list[int]:
    """Numbers in SQLite's way: seven bits a byte, the highest first, and the last byte of each below 128."""
    found, number = [], 0
    for byte in data:
        number = number << 7 | byte & 127
        if byte < 128:
            found.append(number)
            number = 0
    return found


def varints_of(numpy: Any, data: bytes) -> Any:
    """The same for many numbers."""
    digits = numpy.frombuffer(data, dtype=numpy.uint8).astype(numpy.int64)
    is_last = digits < 128
    if is_last.all():
        return digits
    last = numpy.flatnonzero(is_last)
    number = numpy.concatenate(([0], numpy.cumsum(is_last)[:-1]))
    return numpy.bincount(number, (digits & 127) << 7 * (last[number] - numpy.arange(len(digits)))).astype(numpy.int64)


def in_a_row(numpy: Any, places: Sequence[Any]) -> Any:
    """Where tokens stand one behind the other: the places of the first. A place is a node's key, its column and the
    token's offset in it, in COLUMN_BITS and OFFSET_BITS."""
    found = places[0]
    for distance, following in enumerate(places[1:], 1):
        found = numpy.intersect1d(found, following - distance, assume_unique=True)
    return found


def best(
    numpy: Any,
    places: Sequence[Any],
    weights: Sequence[float],
    nodes: int,
    tokens: int,
    lengths: Callable[[Any], Any],
    limit: int,
) -> list[tuple[int, float]]:
    """(key, score) of the *limit* nodes that score best, ties by key.

    places: of each clause, ascending. weights: of the columns. nodes, tokens: how many there are in all.
    lengths: gives the numbers of tokens of the nodes with these keys, which ascend.
    """
    postings = [_postings(numpy, of_clause, weights) for of_clause in places if len(of_clause)]
    if not postings or limit < 1:
        return []
    keys, slots = numpy.unique(numpy.concatenate([found for found, _ in postings]), return_inverse=True)
    frequency = numpy.concatenate([counts for _, counts in postings])
    rarity = numpy.repeat(
        [inverse_frequency(nodes, len(found)) for found, _ in postings], [len(found) for found, _ in postings]
    )
    average = tokens / nodes

    def scores(length: Any) -> Any:
        norm = K1 * (1 - B + B * length / average)
        parts = rarity * (frequency * (K1 + 1) / (frequency + norm[slots]))
        return numpy.bincount(slots, parts, len(keys))

    at_best = scores(numpy.ones(len(keys)))
    # A node of endless length scores nothing: that of one not looked up yet.
    length = numpy.full(len(keys), numpy.inf)
    asked = _largest(numpy, at_best, 2 * limit)
    length[asked] = lengths(keys[asked])
    score = scores(length)
    if len(asked) < len(keys):
        reached = numpy.partition(score, -limit)[-limit]
        others = numpy.flatnonzero((at_best >= reached) & numpy.isinf(length))
        if len(others):
            length[others] = lengths(keys[others])
            score = scores(length)
    chosen = _largest(numpy, score, limit)
    order = chosen[numpy.lexsort((keys[chosen], -score[chosen]))][:limit]
    return list(zip(keys[order].tolist(), score[order].tolist(), strict=True))


def _postings(numpy: Any, places: Any, weights: Sequence[float]) -> tuple[Any, Any]:
    """(keys, weighted numbers of occurrences) of the nodes that hold a clause."""
    keys = places >> (OFFSET_BITS + COLUMN_BITS)
    first = numpy.flatnonzero(numpy.concatenate(([True], keys[1:] != keys[:-1])))
    of_columns = numpy.asarray(weights)[(places >> OFFSET_BITS) & ((1 << COLUMN_BITS) - 1)]
    return keys[first], numpy.add.reduceat(of_columns, first)


def _largest(numpy: Any, values: Any, count: int) -> Any:
    """The positions, ascending, of the *count* largest values and of those that equal the last of them."""
    if count >= len(values):
        return numpy.arange(len(values))
    return numpy.flatnonzero(values >= numpy.partition(values, -count)[-count])
