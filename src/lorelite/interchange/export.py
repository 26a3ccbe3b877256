"""`export_dump`: what namespaces hold, in memory or streamed into a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lorelite.dumps import MemoryDump, NamespaceDump, Row
from lorelite.engine import Engine
from lorelite.interchange.columns import compact
from lorelite.interchange.dump_file import Item, write_lines
from lorelite.interchange.whole_file import whole_file
from lorelite.reports import ExportReport
from lorelite.store.dump import DUMPED_TABLES, snapshot


def export_dump(engine: Engine, namespaces: Sequence[str], *, vectors: bool) -> MemoryDump:
    """The namespaces as one object."""
    with snapshot(engine.store.db):
        return MemoryDump(
            generated_at=engine.clock(),
            namespaces={name: _namespace_dump(engine, name, vectors) for name in namespaces},
        )


def export_file(engine: Engine, namespaces: Sequence[str], path: str, *, vectors: bool) -> ExportReport:
    """The namespaces as a file, row by row.

    The file is there whole or not at all; memory does not grow with it. A database is never written over: it may be
    the wiki itself.
    """
    counts: dict[str, int] = {}
    size = 0
    header = {"generated_at": engine.clock(), "namespaces": list(namespaces)}
    with whole_file(path) as stream, snapshot(engine.store.db):
        for line in write_lines(header, _counted(_items(engine, namespaces, vectors), counts)):
            size += stream.write(line)
    counts.pop("namespace", None)
    return ExportReport(path=path, namespaces=tuple(namespaces), counts=counts, size_bytes=size)


def _items(engine: Engine, namespaces: Sequence[str], vectors: bool) -> Iterator[Item]:
    for name in namespaces:
        created_at, summary = engine.store.dump.namespace(name)
        yield "namespace", {"name": name, "created_at": created_at} | ({"summary": summary} if summary else {})
        for table in DUMPED_TABLES:
            if vectors or table != "vector":
                for row in engine.store.dump.rows(name, table):
                    yield table, compact(table, row)


def _counted(items: Iterator[Item], counts: dict[str, int]) -> Iterator[Item]:
    for item in items:
        counts[item[0]] = counts.get(item[0], 0) + 1
        yield item


def _namespace_dump(engine: Engine, name: str, vectors: bool) -> NamespaceDump:
    created_at, summary = engine.store.dump.namespace(name)
    tables: dict[str, tuple[Row, ...]] = {}
    for table in DUMPED_TABLES:
        rows: list[dict[str, Any]] = []
        if vectors or table != "vector":
            rows = [compact(table, row) for row in engine.store.dump.rows(name, table)]
        if rows:
            tables[table] = tuple(rows)
    return NamespaceDump(name=name, created_at=created_at, summary=summary, rows=tables)
