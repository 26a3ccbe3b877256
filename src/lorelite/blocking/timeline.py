"""What was held true when: facts that take the place of others, and the past of a namespace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorelite.blocking.core import Core
from lorelite.records import FactVersion
from lorelite.reports import SupersedeReport
from lorelite.revisions import Diff, RestoreReport, UndoReport


class Timeline(Core):
    def supersede(
        self, namespace: str, *, node_id: str, by: str | Mapping[str, Any], valid_from: int | None = None
    ) -> SupersedeReport:
        """See AsyncWiki.supersede."""
        return self._run(self._wiki.supersede(namespace, node_id=node_id, by=by, valid_from=valid_from))

    def history(self, namespace: str, *, node_id: str) -> list[FactVersion]:
        """See AsyncWiki.history."""
        return self._run(self._wiki.history(namespace, node_id=node_id))

    def diff(self, namespace: str, t1: int, t2: int | None = None) -> Diff:
        """See AsyncWiki.diff."""
        return self._run(self._wiki.diff(namespace, t1, t2))

    def restore(self, namespace: str, as_of: int, *, dry_run: bool = False) -> RestoreReport:
        """See AsyncWiki.restore."""
        return self._run(self._wiki.restore(namespace, as_of, dry_run=dry_run))

    def undo(self, namespace: str, *, dry_run: bool = False) -> UndoReport:
        """See AsyncWiki.undo."""
        return self._run(self._wiki.undo(namespace, dry_run=dry_run))
