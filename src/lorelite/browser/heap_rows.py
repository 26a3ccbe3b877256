"""Vectors in Python's memory, which JavaScript compares: in a tab a loop of its own is forty times as fast as Python's.

The numbers are the stored ones, so that a score is wrong by no more than doubles are. JavaScript reads them where they
lie, in the heap of the WebAssembly module, without a copy.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cache
from typing import Any

from pyodide.code import run_js

from lorelite.search.vectors import Stored, cosines

_SLOP = 1e-9
"""More than doubles are ever wrong by, in whichever order they are added."""
_KERNEL = """({
  lengths(rows, size, from) {
    const buffer = rows.getBuffer("f32");
    try {
      const numbers = buffer.data, count = numbers.length / size, found = new Float64Array(count - from);
      for (let row = from; row < count; row += 1) {
        let sum = 0;
        for (let at = row * size; at < (row + 1) * size; at += 1) sum += numbers[at] * numbers[at];
        found[row - from] = Number.isFinite(sum) ? Math.sqrt(sum) : 0;
      }
      return found;
    } finally { buffer.release(); }
  },

  scan(rows, lengths, query, wanted) {
    const buffers = [rows.getBuffer("f32"), lengths.getBuffer("f64"), query.getBuffer("f64"), wanted.getBuffer("u8")];
    try {
      const [numbers, sizes, asked, isWanted] = buffers.map((buffer) => buffer.data);
      const unit = asked.slice(), size = unit.length, even = size - (size % 4);
      const scores = new Float64Array(sizes.length).fill(-Infinity);
      for (let row = 0, from = 0; row < scores.length; row += 1, from += size) {
        if (!isWanted[row]) continue;
        let a = 0, b = 0, c = 0, d = 0, at = 0;
        for (; at < even; at += 4) {
          a += numbers[from + at] * unit[at];
          b += numbers[from + at + 1] * unit[at + 1];
          c += numbers[from + at + 2] * unit[at + 2];
          d += numbers[from + at + 3] * unit[at + 3];
        }
        for (; at < size; at += 1) a += numbers[from + at] * unit[at];
        scores[row] = sizes[row] > 0 ? (a + b + c + d) / sizes[row] : 0;
      }
      const from = (bound) => {
        const found = [];
        for (let row = 0; row < scores.length; row += 1) if (isHere(row) && scores[row] >= bound) found.push(row);
        return Int32Array.from(found);
      };
      const here = Uint8Array.from(isWanted), isHere = (row) => here[row] === 1;
      return {
        best(limit) {
          const count = here.reduce((sum, each) => sum + each, 0);
          if (limit >= count) return from(-Infinity);
          return from(scores.slice().sort()[scores.length - limit]);
        },
        atLeast: from,
      };
    } finally { for (const buffer of buffers) buffer.release(); }
  },
})"""


class HeapRows:
    """float32 numbers, four bytes each, as they are stored."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._numbers = array("f")
        self._lengths = array("d")

    @property
    def nbytes(self) -> int:
        return 4 * len(self._numbers) + 8 * len(self._lengths)

    def append(self, packed: Sequence[bytes]) -> None:
        known = len(self._lengths)
        self._numbers.frombytes(b"".join(packed))
        found = _kernel().lengths(self._numbers, self._dimensions, known)
        self._lengths.frombytes(found.to_bytes())

    def scan(self, unit: Sequence[float], is_wanted: bytes) -> HeapScan:
        """Score all rows; is_wanted: a byte for each, 1 or 0."""
        return HeapScan(_kernel().scan(self._numbers, self._lengths, array("d", unit), is_wanted))

    def cosines(self, unit: Sequence[float], rows: Sequence[int], stored: Stored) -> list[float]:
        """The cosines of these rows as every Python computes them."""
        size = self._dimensions
        return cosines(unit, b"".join(self._numbers[row * size : (row + 1) * size].tobytes() for row in rows))


class HeapScan:
    """The scores of one query, which JavaScript holds."""

    def __init__(self, scores: Any) -> None:
        self._scores = scores

    def best(self, limit: int) -> list[int]:
        """The *limit* rows with the highest scores, and more where the last ones tie; in no order."""
        found: list[int] = self._scores.best(limit).to_py().tolist()
        return found

    def at_least(self, cosine: float) -> list[int]:
        """All rows whose cosine may be this or more."""
        found: list[int] = self._scores.atLeast(cosine - _SLOP).to_py().tolist()
        return found


@cache
def _kernel() -> Any:
    return run_js(_KERNEL)
