"""`export_dump`: what namespaces hold, in memory or streamed into a file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lorelite.dumps import MemoryDump, NamespaceDump, Row
from lorelite.engine import Engine
from lorelite.errors import CannotOpen, StorageFull
from lorelite.interchange.columns import compact
from lorelite.interchange.dump_file import Item, write_lines
from lorelite.interchange.sources import SQLITE_MARK
from lorelite.reports import ExportReport
from lorelite.store.connection import has_surrogates
from lorelite.store.dump import DUMPED_TABLES, snapshot
from lorelite.store.lock import NO_ROOM


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
    if not path or "\0" in path or has_surrogates(path):
        raise CannotOpen(path, "expected a file path")
    target = Path(path)
    if target.exists() and not target.is_file():
        raise CannotOpen(path, "it is not a regular file")
    if is_database(target):
        raise CannotOpen(path, "it is an SQLite file, and the dump would take its place; choose another path")
    partial = target.with_name(f"{target.name}.partial")
    counts: dict[str, int] = {}
    size = 0
    header = {"generated_at": engine.clock(), "namespaces": list(namespaces)}
    try:
        with snapshot(engine.store.db), partial.open("wb") as stream:
            for line in write_lines(header, _counted(_items(engine, namespaces, vectors), counts)):
                size += stream.write(line)
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(target)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise StorageFull(path, str(error)) from error
        raise CannotOpen(path, f"the dump cannot be written there: {error.strerror or error}") from error
    finally:
        partial.unlink(missing_ok=True)
    counts.pop("namespace", None)
    return ExportReport(path=path, namespaces=tuple(namespaces), counts=counts, size_bytes=size)


def is_database(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(len(SQLITE_MARK)) == SQLITE_MARK
    except (OSError, ValueError):  # what cannot be read is told of when it is written
        return False


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
