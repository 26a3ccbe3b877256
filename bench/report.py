"""How every runner speaks: a table for people, then one line of JSON for machines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns padded with spaces; the last column is left ragged."""
    lines = [[str(cell) for cell in row] for row in [headings, *rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def json_line(record: Mapping[str, Any]) -> str:
    """One line, keys in the order given."""
    return json.dumps(record, ensure_ascii=False)


def limits(pairs: Iterable[str]) -> dict[str, float]:
    """`["open=50", "walk=20"]` as a dictionary of numbers."""
    found = {}
    for pair in pairs:
        name, equals, number = pair.partition("=")
        if not equals:
            raise ValueError(f"expected name=number, found {pair!r}")
        found[name] = float(number)
    return found
