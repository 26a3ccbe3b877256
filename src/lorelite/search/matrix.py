"""The vectors of one model in memory, in few bytes, kept up row by row; what they find is exact all the same.

The rows in memory are rounded. They say which vectors may be among the nearest, and these are compared as they are
stored: first the best by rounded score, whose last cosine c is a bound, then all whose cosine may be c or more.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import compress
from typing import Protocol

from lorelite.search import vectors
from lorelite.search.vectors import Stored, normalised

MANY = 50_000
"""Rows from which on numpy keeps a byte for each number, no more."""
_GONE = 0
"""The code of the kind of a row that stands for nothing any more."""

Fetch = Callable[[Sequence[int]], Mapping[int, bytes]]
"""Gives the stored vectors of these keys, those that are there."""


class Scan(Protocol):
    """Rounded scores of all rows for one query."""

    def best(self, limit: int) -> list[int]: ...

    def at_least(self, cosine: float) -> list[int]: ...


class Rows(Protocol):
    """Rounded vectors."""

    @property
    def nbytes(self) -> int: ...

    def append(self, packed: Sequence[bytes]) -> None: ...

    def scan(self, unit: Sequence[float], is_wanted: bytes) -> Scan: ...

    def cosines(self, unit: Sequence[float], rows: Sequence[int], stored: Stored) -> list[float]: ...


class Matrix:
    """Vectors of one length, each with the key and the kind of what it stands for."""

    def __init__(self, dimensions: int) -> None:
        self._keys = array("q")
        self._kinds = bytearray()
        self._codes: dict[str, int] = {}
        self._highest = -1
        self._nothing = bytes(4 * dimensions)
        self._rows = _rows(dimensions)

    def __len__(self) -> int:
        return len(self._keys) - self.gone

    @property
    def gone(self) -> int:
        """Rows whose key was removed; they still take their room."""
        return self._kinds.count(_GONE)

    @property
    def nbytes(self) -> int:
        return self._rows.nbytes + len(self._kinds) + self._keys.itemsize * len(self._keys)

    def append(self, rows: Sequence[tuple[int, str, bytes]]) -> None:
        """Add (key, kind, stored vector); a key that is there already must be removed first."""
        if not rows:
            return
        for key, kind, _ in rows:
            self._keys.append(key)
            self._kinds.append(self._codes.setdefault(kind, len(self._codes) + 1))
        self._highest = max(self._highest, *(key for key, _, _ in rows))
        self._rows.append([data for _, _, data in rows])
        if len(self._keys) > MANY and hasattr(self._rows, "as_bytes"):
            self._rows = self._rows.as_bytes()

    def remove(self, keys: Set[int]) -> None:
        """Forget what stands for these keys, those that are there."""
        # What was added last, which is what changes most, has keys that are not here yet.
        if any(key <= self._highest for key in keys):
            for row in _places(self._keys, keys):
                self._kinds[row] = _GONE

    def of_kinds(self, kinds: Iterable[str], fetch: Fetch) -> Nearby:
        """What stands for nodes of these kinds, as it is now."""
        is_wanted = bytearray(256)
        for kind in kinds:
            is_wanted[self._codes.get(kind, _GONE)] = 1
        is_wanted[_GONE] = 0
        wanted = bytes(self._kinds.translate(is_wanted))

        def stored(rows: Sequence[int]) -> list[bytes]:
            # Another program may just have taken one away.
            keys = [self._keys[row] for row in rows]
            found = fetch(keys)
            return [found.get(key, self._nothing) for key in keys]

        return Nearby(self._keys, self._rows, wanted, stored)


class Nearby:
    """A matrix without the rows that are not wanted. It is good until the matrix changes."""

    def __init__(self, keys: array[int], rows: Rows, is_wanted: bytes, stored: Stored) -> None:
        self._all = keys
        self._rows = rows
        self._is_wanted = is_wanted
        self._stored = stored
        self._last: tuple[Sequence[float], Scan] | None = None

    def __len__(self) -> int:
        return self._is_wanted.count(1)

    @property
    def keys(self) -> list[int]:
        return sorted(compress(self._all, self._is_wanted))

    def nearest(self, query: Sequence[float], limit: int) -> list[tuple[int, float]]:
        """(key, cosine) of the *limit* vectors nearest to *query*, ties by key; 0 for a vector without a direction."""
        unit = normalised(query)
        if not any(unit):
            return [(key, 0.0) for key in self.keys[:limit]]
        if limit <= 0 or not len(self):
            return []
        scan = self._scan(unit)
        scores = self._cosines(unit, scan.best(limit))
        bound = min(scores.values()) if len(scores) >= limit else -2.0
        others = [row for row in scan.at_least(bound) if self._all[row] not in scores]
        scores |= self._cosines(unit, others)
        return sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit]

    def _scan(self, unit: Sequence[float]) -> Scan:
        """Kept for the same question, which is asked for more when too little of what it found passes."""
        if self._last is None or self._last[0] != unit:
            self._last = unit, self._rows.scan(unit, self._is_wanted)
        return self._last[1]

    def _cosines(self, unit: Sequence[float], rows: Sequence[int]) -> dict[int, float]:
        scores = self._rows.cosines(unit, rows, self._stored) if rows else []
        return dict(zip([self._all[row] for row in rows], scores, strict=True))


def _rows(dimensions: int) -> Rows:
    if sys.platform == "emscripten":
        from lorelite.browser.heap_rows import HeapRows

        return HeapRows(dimensions)
    if vectors.installed_numpy() is None:
        from lorelite.search.packed_columns import PackedColumns

        return PackedColumns(dimensions)
    from lorelite.search.numpy_rows import FloatRows

    return FloatRows(dimensions)


def _places(keys: array[int], wanted: Set[int]) -> list[int]:
    """Where these keys stand."""
    numpy = vectors.installed_numpy()
    if numpy is None:
        return [row for row, key in enumerate(keys) if key in wanted]
    found: list[int] = numpy.flatnonzero(numpy.isin(numpy.frombuffer(keys, "i8"), list(wanted))).tolist()
    return found
