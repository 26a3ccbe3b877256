"""Numbered migrations, each atomic with its record (`user_version`). `schema.sql` is their readable result."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from importlib.resources import files

from lorelite.errors import NewerSchema, NotADatabase
from lorelite.store.connection import Database

MIGRATIONS = ("0001_initial", "0002_memory_engine", "0003_graphrag", "0004_stores", "0005_calls")
SCHEMA_VERSION = len(MIGRATIONS)
APPLICATION_ID = 0x4C6F7265  # "Lore"


def check_recognised(db: Database) -> None:
    """Raises NotADatabase for a file of another program, or an old one opened for reading; NewerSchema for a newer."""
    version = _version(db)
    application = int(db.value("pragma application_id"))
    if application != APPLICATION_ID and (version or db.value("select count(*) from sqlite_schema")):
        raise NotADatabase(db.path, "it is an SQLite file of another program")
    if version > SCHEMA_VERSION:
        raise NewerSchema(db.path, version, SCHEMA_VERSION)
    if version < SCHEMA_VERSION and db.read_only:
        raise NotADatabase(
            db.path,
            f"it has schema version {version}, older than {SCHEMA_VERSION}; open it once for writing to upgrade it",
        )


def migrate(db: Database) -> None:
    """Bring the file to SCHEMA_VERSION; a new file gets everything."""
    for number in range(_version(db), SCHEMA_VERSION):
        with db.atomic():
            for statement in statements(migration_text(MIGRATIONS[number])):
                db.run(statement)
            db.run(f"pragma application_id = {APPLICATION_ID}")
            db.run(f"pragma user_version = {number + 1}")


def _version(db: Database) -> int:
    return int(db.value("pragma user_version"))


def migration_text(name: str) -> str:
    return (files("lorelite.store") / "sql" / f"{name}.sql").read_text("utf-8")


def schema_text() -> str:
    """The present schema, as one readable script."""
    return (files("lorelite.store") / "sql" / "schema.sql").read_text("utf-8")


def statements(script: str) -> Iterator[str]:
    """The statements of a script one by one (executescript() would commit the migration's transaction first)."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip():
        yield pending
