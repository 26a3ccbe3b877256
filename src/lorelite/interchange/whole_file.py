"""Writing a file that is there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from lorelite.errors import CannotOpen, StorageFull
from lorelite.interchange.sources import SQLITE_MARK
from lorelite.store.connection import has_surrogates
from lorelite.store.lock import NO_ROOM


@contextmanager
def whole_file(path: str) -> Iterator[BinaryIO]:
    """A stream; what is written to it takes the place of *path* when all of it is safe, and goes when it fails.

    A database is never written over: it may be the wiki itself. Raises CannotOpen, StorageFull.
    """
    if not path or "\0" in path or has_surrogates(path):
        raise CannotOpen(path, "expected a file path")
    target = Path(path)
    try:
        if target.exists() and not target.is_file():
            raise CannotOpen(path, "it is not a regular file")
    except OSError as error:  # such as a name that is too long
        raise CannotOpen(path, f"the export cannot be written there: {error.strerror or error}") from error
    if is_database(target):
        raise CannotOpen(path, "it is an SQLite file, and the export would take its place; choose another path")
    partial = target.with_name(f"{target.name}.partial")
    try:
        with partial.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(target)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise StorageFull(path, str(error)) from error
        raise CannotOpen(path, f"the export cannot be written there: {error.strerror or error}") from error
    finally:
        partial.unlink(missing_ok=True)


def is_database(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(len(SQLITE_MARK)) == SQLITE_MARK
    except (OSError, ValueError):  # what cannot be read is told of when it is written
        return False
