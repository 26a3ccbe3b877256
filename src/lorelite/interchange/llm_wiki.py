"""`import_llm_wiki`: what core-llm-wiki keeps, in its SQLite file or its JSON dump."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lorelite.engine import Engine
from lorelite.errors import CannotOpen
from lorelite.interchange.importing import Rename, import_dump
from lorelite.interchange.sources import SQLITE_MARK
from lorelite.ports import OnProgress
from lorelite.reports import ImportReport
from lorelite.store.foreign import NEWEST_SCHEMA, foreign_dump


def import_llm_wiki(
    engine: Engine,
    path: str,
    *,
    table_prefix: str | None,
    merge: bool,
    rename: Rename,
    embedding_model: str | None,
    dry_run: bool,
    on_progress: OnProgress | None,
) -> ImportReport:
    """Take in the wiki at *path*. Raises DumpError, and writes nothing, when there is none in it."""

    def taken_in(source: object) -> ImportReport:
        return import_dump(
            engine,
            source,
            merge=merge,
            rename=rename,
            embedding_model=embedding_model,
            dry_run=dry_run,
            on_progress=on_progress,
        )

    if not _is_sqlite(path):
        return taken_in(path)
    with foreign_dump(path, table_prefix) as dump:
        report = taken_in(dump)
    version = str(dump["schema_version"] or "")
    if version.isdigit() and int(version) > NEWEST_SCHEMA:
        newer = f"the file has schema version {version}; columns that came after {NEWEST_SCHEMA} mean nothing here"
        report = replace(report, problems=(newer, *report.problems))
    return report


def _is_sqlite(path: str) -> bool:
    try:
        with Path(path).open("rb") as stream:
            return stream.read(len(SQLITE_MARK)) == SQLITE_MARK
    except (OSError, ValueError) as error:
        raise CannotOpen(path, getattr(error, "strerror", None) or str(error)) from error
