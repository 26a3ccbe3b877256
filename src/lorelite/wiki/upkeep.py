"""Jobs that keep the memory healthy, and what state it is in."""

from __future__ import annotations

from lorelite.records import (
    Status,
)
from lorelite.retrieve.status import status
from lorelite.wiki.core import Core


class Upkeep(Core):
    async def get_status(self, namespace: str) -> Status:
        """What the namespace holds, its documents, and the file it lives in."""
        engine = self._known(namespace)
        return status(engine, namespace, unflushed=bool(self._storage is not None and self._storage.unflushed))
