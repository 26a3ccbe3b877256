"""The file, and what can be carried out of it and into it."""

from __future__ import annotations

from pathlib import Path

from lorelite._drive import drive
from lorelite.blocking.core import Core
from lorelite.wiki import AsyncWiki


class Interchange(Core):
    def export_file(self) -> bytes:
        """See AsyncWiki.export_file."""
        return self._run(self._wiki.export_file())

    @classmethod
    def import_file(cls, path: str | Path, data: bytes) -> None:
        """See AsyncWiki.import_file."""
        drive(AsyncWiki.import_file(path, data))
