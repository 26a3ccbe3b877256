"""The SQLite file of core-llm-wiki, read without trusting it.

A copy is read, so neither the file nor what lies beside it is touched. Views, triggers and functions of the file
never run: only plain tables are read, and an authorizer refuses everything else.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from lorelite.errors import CannotOpen, DumpError, InvalidOption, StorageFull
from lorelite.store.lock import NO_ROOM
from lorelite.store.migrate import APPLICATION_ID

NEWEST_SCHEMA = 13
"""Of the versions of that program's schema whose columns are known here."""
_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,30}_")
_ENTRIES = frozenset({"id", "entity_id", "title", "body"})
_MAX_VALUE_BYTES = 64 * 1024 * 1024
_REFUSALS = (sqlite3.Error, sqlite3.Warning, UnicodeError)
"""What SQLite raises, and what its Python side raises for names that are no UTF-8."""
_ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)


@contextmanager
def foreign_dump(path: str, table_prefix: str | None) -> Iterator[dict[str, Any]]:
    """The content as core-llm-wiki's dump, its rows read one at a time; usable inside the block only.

    Beside the dump's own keys an entity has `manifest` and `sources`, and the dump `schema_version`.
    Raises DumpError when there is no such wiki in the file, InvalidOption when there are several and none was chosen.
    """
    with tempfile.TemporaryDirectory() as folder, closing(_opened(_copied(path, Path(folder)), path)) as connection:
        try:
            yield _Wiki(connection, path, table_prefix).dump()
        except _REFUSALS as error:
            raise DumpError(path, f"it cannot be read: {error}") from error


def _copied(path: str, folder: Path) -> Path:
    target = folder / "copy.db"
    try:
        for suffix in ("", "-wal"):
            source = Path(path + suffix)
            if not suffix or source.is_file():
                shutil.copyfile(source, f"{target}{suffix}")
    except OSError as error:
        if error.errno in NO_ROOM:
            raise StorageFull(tempfile.gettempdir(), str(error)) from error
        raise CannotOpen(path, error.strerror or str(error)) from error
    return target


def _opened(copy: Path, path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(copy, isolation_level=None)
    try:
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
        for pragma in ("trusted_schema = off", "cell_size_check = on", "query_only = on"):
            connection.execute(f"pragma {pragma}")
        if connection.execute("pragma application_id").fetchone()[0] == APPLICATION_ID:
            raise DumpError(path, "it is a file of Lorelite; open it, and carry namespaces over with export_dump")
        connection.execute("select count(*) from sqlite_schema").fetchone()
        connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY)
        return connection
    except _REFUSALS as error:
        connection.close()
        raise DumpError(path, f"it cannot be read as an SQLite file: {error}") from error
    except BaseException:
        connection.close()
        raise


class _Wiki:
    """The tables with one prefix."""

    def __init__(self, connection: sqlite3.Connection, path: str, table_prefix: str | None) -> None:
        self._connection = connection
        rows = connection.execute("select name, sql from sqlite_schema where type = 'table'").fetchall()
        # A virtual table runs code of its module.
        self._tables = {
            str(row["name"]) for row in rows if not str(row["sql"]).lstrip().lower().startswith("create virtual")
        }
        self._prefix = self._chosen(path, table_prefix)

    def _chosen(self, path: str, wanted: str | None) -> str:
        found = sorted(
            prefix
            for name in self._tables
            if name.endswith("entries")
            and _PREFIX.fullmatch(prefix := name.removesuffix("entries"))
            and self._columns(name) >= _ENTRIES
        )
        if wanted is not None:
            if wanted not in found:
                raise InvalidOption("table_prefix", f"one of {found}", wanted)
            return wanted
        if len(found) > 1:
            raise InvalidOption("table_prefix", f"one of {found}, since the file holds several wikis", wanted)
        if not found:
            raise DumpError(path, "it holds no wiki of core-llm-wiki (no table …_entries with its columns)")
        return found[0]

    def dump(self) -> dict[str, Any]:
        names = {
            row["entity_id"]
            for table in ("entries", "tasks", "events", "edges", "entity_manifests", "source_ref_index")
            if "entity_id" in self._columns(self._prefix + table)
            for row in self._connection.execute(f'select distinct entity_id from "{self._prefix}{table}"')
        }
        meta = {row["key"]: row["value"] for row in self._rows("meta")}
        return {
            "schema_version": meta.get("schema_version"),
            "entities": {
                name: {
                    "facts": self._rows("entries", name),
                    "tasks": self._rows("tasks", name),
                    "events": self._rows("events", name),
                    "edges": self._rows("edges", name),
                    "sources": self._rows("source_ref_index", name),
                    "manifest": self._manifest(name),
                    "summary": meta.get(f"entity_summary:{name}"),
                }
                for name in sorted(names, key=str)
            },
        }

    def _rows(self, table: str, entity_id: Any = None) -> Iterator[dict[str, Any]]:
        name = self._prefix + table
        columns = self._columns(name)
        if not columns or (entity_id is not None and "entity_id" not in columns):
            return
        conditions = ["entity_id is ?"] if entity_id is not None else []
        if "deleted_at" in columns:
            conditions.append("deleted_at is null")
        where = f"where {' and '.join(conditions)}" if conditions else ""
        order = "" if self._is_without_rowid(name) else "order by rowid"
        parameters = () if entity_id is None else (entity_id,)
        for row in self._connection.execute(f'select * from "{name}" {where} {order}', parameters):
            yield dict(zip(row.keys(), row, strict=True))

    def _manifest(self, entity_id: Any) -> dict[str, Any] | None:
        row = next(self._rows("entity_manifests", entity_id), None)
        if row is None:
            return None
        try:
            manifest = json.loads(row.get("manifest_json") or "{}")
        except (ValueError, TypeError, RecursionError):
            manifest = None
        return {"mode": row.get("mode"), "manifest": manifest, "updated_at": row.get("updated_at")}

    def _columns(self, table: str) -> set[str]:
        if table not in self._tables:
            return set()
        cursor = self._connection.execute(f'select * from "{table}" limit 0')
        return {column[0] for column in cursor.description}

    def _is_without_rowid(self, table: str) -> bool:
        try:
            self._connection.execute(f'select rowid from "{table}" limit 0')
            return False
        except sqlite3.OperationalError:
            return True
