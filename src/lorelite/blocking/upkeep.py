"""Jobs that keep the memory healthy, and what state it is in."""

from __future__ import annotations

from lorelite.blocking.core import Core
from lorelite.records import (
    Status,
)


class Upkeep(Core):
    def get_status(self, namespace: str) -> Status:
        """See AsyncWiki.get_status."""
        return self._run(self._wiki.get_status(namespace))
