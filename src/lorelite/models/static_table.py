"""The word table of the StaticEmbedder: a row of 4-bit numbers per English word. Made by tools/static_table.py."""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from lorelite.errors import ModelError
from lorelite.text.strict_json import read_json

FILE = "static_table.bin"
DIMENSIONS = 384
"""Of a whole vector; a row of the table is its beginning."""
OFFSET = 8
"""What is to be taken from each digit of a row: they stand for -7 … 7."""

_UPPER = bytes(byte >> 4 for byte in range(256))
_LOWER = bytes(byte & 15 for byte in range(256))
_ENDINGS = (
    ("ies", ("y",)), ("ers", ("er",)), ("es", ("e", "")), ("s", ("",)), ("ied", ("y",)), ("ed", ("e", "")),
    ("ing", ("", "e")), ("ly", ("",)), ("er", ("", "e")), ("ness", ("",)),
)  # fmt: skip
_SHORTEST_WITH_ENDING = 5
_SHORTEST_BASE = 3


@dataclass(frozen=True, slots=True)
class WordTable:
    """Words with their vectors: `scales[place] * (digit - OFFSET)` for the `digits(place)` of `find(word)`."""

    dimensions: int
    places: dict[str, int]
    scales: tuple[float, ...]
    rows: bytes

    def find(self, word: str) -> int | None:
        """The place of a word in lower case without diacritics, else of that word without an English ending."""
        if word in self.places or not word.isascii() or len(word) < _SHORTEST_WITH_ENDING:
            return self.places.get(word)
        for ending, others in _ENDINGS:
            base = word.removesuffix(ending)
            if base != word and len(base) >= _SHORTEST_BASE:
                for other in others:
                    if base + other in self.places:
                        return self.places[base + other]
        return None

    def digits(self, place: int) -> bytes:
        """The row at a place, a byte for each dimension."""
        packed = self.rows[place * self.dimensions // 2 : (place + 1) * self.dimensions // 2]
        return packed.translate(_UPPER) + packed.translate(_LOWER)


def read_table(data: bytes) -> WordTable:
    """The table in the bytes of its file. Raises ModelError when they are something else."""
    try:
        head, rest = zlib.decompress(data).split(b"\n", 1)
        told = read_json(head.decode())
        count, dimensions = told["words"], told["dimensions"]
        *words, numbers = rest.split(b"\n", count)
        size = 4 * count
        scales, rows = struct.unpack(f"<{count}f", numbers[:size]), numbers[size:]
        places = {word.decode(): place for place, word in enumerate(words)}
        if not all(map(math.isfinite, scales)) or not 0 < dimensions <= DIMENSIONS or dimensions % 2:
            raise ValueError("its numbers are none of a table")
    except (zlib.error, ValueError, KeyError, TypeError, OverflowError, struct.error) as error:
        raise ModelError(f"these {len(data)} bytes are not the StaticEmbedder's table: {error}") from error
    if len(words) != count or len(rows) != count * dimensions // 2:
        raise ModelError(f"the StaticEmbedder's table was cut off: expected {count} rows, found {len(rows)} bytes")
    return WordTable(dimensions, places, scales, rows)


@cache
def own_table() -> WordTable:
    """The table that comes with the package. Raises ModelError where it was left out."""
    try:
        data = resources.files("lorelite.models").joinpath("data", FILE).read_bytes()
    except FileNotFoundError as error:
        raise ModelError(
            f"lorelite/models/data/{FILE} is not in this installation; install the wheel from PyPI, "
            "or give the file's bytes to StaticEmbedder(table=…)"
        ) from error
    return read_table(data)
