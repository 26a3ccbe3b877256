"""Contexts as tables: rows become CSV (RFC 4180, lines end in "\\n") until a budget of tokens is spent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, TypeVar

from lorelite.graph_records import SearchContext, TextChunk
from lorelite.text.budget import token_cost

T = TypeVar("T")
Row = Mapping[str, Any]
Tables = Mapping[str, Sequence[Row]]

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "Answers": ("id", "question", "answer", "score"),
    "Reports": ("id", "content"),
    "Points": ("id", "description", "score"),
    "Entities": ("id", "entity", "type", "description", "rank"),
    "Relationships": ("id", "source", "target", "description", "weight", "rank"),
    "Sources": ("id", "content"),
}
"""Name of a table → its columns, tables in the order in which they are shown. Rows may hold more than is shown."""
SOURCES = "Sources"


def truncate(items: Iterable[T], text_of: Callable[[T], str], budget: int) -> list[T]:
    """The first of *items* whose texts cost at most *budget* tokens together: up to the first that would pass it."""
    kept = []
    for item in items:
        budget -= token_cost(text_of(item))
        if budget < 0:
            break
        kept.append(item)
    return kept


def fitting(name: str, rows: Iterable[Row], budget: int, delimiter: str = ",") -> list[Row]:
    """The first rows whose table costs at most *budget* tokens with its heading."""
    columns = COLUMNS[name]
    head = token_cost("\n" + _headed(name, csv_line(columns, delimiter)))
    return truncate(numbered(rows), lambda row: csv_line(_values(row, columns), delimiter), budget - head)


def in_turn(lists: Iterable[Sequence[T]]) -> list[T]:
    """The first of each, then the second of each, and so on."""
    return [item for items in zip_longest(*lists) for item in items if item is not None]


def numbered(rows: Iterable[Row]) -> list[Row]:
    """The rows with `id` 1, 2, 3 …: by what an answer may name them."""
    return [{"id": number, **row} for number, row in enumerate(rows, 1)]


def csv_line(values: Iterable[Any], delimiter: str = ",") -> str:
    """One record and its line end."""
    return delimiter.join(_field(value, delimiter) for value in values) + "\n"


def csv_table(columns: Sequence[str], rows: Iterable[Row], delimiter: str = ",") -> str:
    """The header and the rows, nothing else."""
    lines = (csv_line(_values(row, columns), delimiter) for row in rows)
    return csv_line(columns, delimiter) + "".join(lines)


def rendered(tables: Tables, delimiter: str = ",") -> str:
    """The tables that have rows, each under its name, a blank line between them."""
    parts = [_headed(name, csv_table(COLUMNS[name], rows, delimiter)) for name, rows in tables.items() if rows]
    return "\n".join(parts)


def table_context(
    strategy: str,
    tables: Tables,
    chunks: Sequence[TextChunk] = (),
    *,
    delimiter: str = ",",
) -> SearchContext:
    """The context that shows these tables; *chunks* are those of the rows of Sources, in their order."""
    ordered = {name: tuple(tables[name]) for name in COLUMNS if tables.get(name)}
    text = rendered(ordered, delimiter)
    return SearchContext(
        strategy=strategy,
        text=text,
        tables=ordered,
        chunks=tuple(chunks),
        tokens=token_cost(text),
    )


def source_rows(chunks: Iterable[TextChunk]) -> list[Row]:
    return [{"content": chunk.content, "chunk_id": chunk.id} for chunk in chunks]


def _headed(name: str, table: str) -> str:
    return f"-----{name}-----\n{table}"


def _values(row: Row, columns: Sequence[str]) -> list[Any]:
    return [row.get(column, "") for column in columns]


def _field(value: Any, delimiter: str) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    if delimiter in text or '"' in text or "\n" in text or "\r" in text:
        return '"' + text.replace('"', '""') + '"'
    return text
