"""The file cannot be used as asked."""

from __future__ import annotations

from lorelite.errors.base import LoreliteError, shown


class StoreError(LoreliteError):
    """The file behind the wiki cannot be used as asked. What was committed before is kept."""


class CannotOpen(StoreError):
    """The path is missing, a folder, not readable, or not writable."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"cannot open {shown(path)}: {reason}", path=path, reason=reason)


class NotADatabase(StoreError):
    """The file is corrupt, or is not a Lorelite file. It was not changed."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{shown(path)} cannot be used as a Lorelite file: {reason}; the file was left as it is, "
            "restore it from a copy or choose another path",
            path=path,
            reason=reason,
        )


class NewerSchema(StoreError):
    """The file was written by a newer Lorelite."""

    def __init__(self, path: str, found: int, known: int) -> None:
        super().__init__(
            f"{shown(path)} has schema version {found}, but this Lorelite knows versions up to {known}; "
            "upgrade Lorelite to open it",
            path=path,
            found=found,
            known=known,
        )


class WriterLocked(StoreError):
    """Another process, tab or Wiki object has the file open for writing."""

    def __init__(self, path: str, owner: str) -> None:
        super().__init__(
            f"{shown(path)} is already open for writing ({owner}); close it there, "
            "or open it for reading with read_only=True",
            path=path,
            owner=owner,
        )


class ReadOnly(StoreError):
    """A write was tried on a wiki that was opened for reading."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{shown(path)} was opened for reading only; open it without read_only=True to write")


class StorageFull(StoreError):
    """The disk or the browser's quota is full. Nothing of the failed call was kept; earlier data is safe."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"no room to write {shown(path)}: {reason}; make room and call again, earlier data is safe",
            path=path,
            reason=reason,
        )


class StorageUnavailable(StoreError):
    """The browser offers no persistent storage here."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(
            f"browser storage {shown(name)} is not available: {reason}; "
            "open a wiki in memory with AsyncWiki.open(':memory:') and export it to keep it",
            name=name,
            reason=reason,
        )
