"""`export_dump`: what namespaces hold, in memory or streamed into a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lorelite.dumps import MemoryDump, NamespaceDump
from lorelite.engine import Engine
from lorelite.interchange.calls import call_row
from lorelite.interchange.columns import compact
from lorelite.interchange.dump_file import Item, write_lines
from lorelite.interchange.whole_file import whole_file
from lorelite.reports import ExportReport
from lorelite.store.calls import CallFilter
from lorelite.store.dump import DUMPED_TABLES, snapshot


def export_dump(engine: Engine, namespaces: Sequence[str], *, vectors: bool, calls: bool) -> MemoryDump:
    """The namespaces as one object."""
    with snapshot(engine.store.db):
        return MemoryDump(
            generated_at=engine.clock(),
            namespaces={name: _namespace_dump(engine, name, _tables(vectors, calls)) for name in namespaces},
        )


def export_file(engine: Engine, namespaces: Sequence[str], path: str, *, vectors: bool, calls: bool) -> ExportReport:
    """The namespaces as a file, row by row.

    The file is there whole or not at all; memory does not grow with it. A database is never written over: it may be
    the wiki itself.
    """
    counts: dict[str, int] = {}
    size = 0
    header = {"generated_at": engine.clock(), "namespaces": list(namespaces)}
    with whole_file(path) as stream, snapshot(engine.store.db):
        for line in write_lines(header, _counted(_items(engine, namespaces, _tables(vectors, calls)), counts)):
            size += stream.write(line)
    counts.pop("namespace", None)
    return ExportReport(path=path, namespaces=tuple(namespaces), counts=counts, size_bytes=size)


def _tables(vectors: bool, calls: bool) -> list[str]:
    """The tables that are taken along."""
    dumped = [table for table in DUMPED_TABLES if vectors or table != "vector"]
    return [*dumped, "call"] if calls else dumped


def _rows(engine: Engine, namespace: str, table: str) -> Iterator[dict[str, Any]]:
    if table == "call":
        return map(call_row, engine.store.calls.each(CallFilter(namespace=namespace)))
    return (compact(table, row) for row in engine.store.dump.rows(namespace, table))


def _items(engine: Engine, namespaces: Sequence[str], tables: Sequence[str]) -> Iterator[Item]:
    for name in namespaces:
        created_at, summary = engine.store.dump.namespace(name)
        yield "namespace", {"name": name, "created_at": created_at} | ({"summary": summary} if summary else {})
        for table in tables:
            for row in _rows(engine, name, table):
                yield table, row


def _counted(items: Iterator[Item], counts: dict[str, int]) -> Iterator[Item]:
    for item in items:
        counts[item[0]] = counts.get(item[0], 0) + 1
        yield item


def _namespace_dump(engine: Engine, name: str, tables: Sequence[str]) -> NamespaceDump:
    created_at, summary = engine.store.dump.namespace(name)
    found = {table: tuple(_rows(engine, name, table)) for table in tables}
    rows = {table: rows for table, rows in found.items() if rows}
    return NamespaceDump(name=name, created_at=created_at, summary=summary, rows=rows)
