"""The file, and what can be carried out of it and into it."""

from __future__ import annotations

from pathlib import Path

from lorelite.opening import import_file
from lorelite.wiki.core import Core


class Interchange(Core):
    async def export_file(self) -> bytes:
        """The whole file, as bytes that any SQLite and any Lorelite opens."""
        return self._open_engine().store.to_bytes()

    @classmethod
    async def import_file(cls, path: str | Path, data: bytes) -> None:
        """Put an exported file at *path*, in place of what is there, after checking that it can be opened.

        Raises NotADatabase or NewerSchema, and leaves what is there as it is, when the bytes are no Lorelite file.
        """
        await import_file(path, data)
