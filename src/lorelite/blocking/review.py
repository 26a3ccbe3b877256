"""What waits for a look: drafts, and what may want attention."""

from __future__ import annotations

from lorelite.blocking.core import Core
from lorelite.findings import DraftPage, LintReport
from lorelite.records import Node


class Review(Core):
    def list_drafts(self, namespace: str, *, limit: int = 50, cursor: str | None = None) -> DraftPage:
        """See AsyncWiki.list_drafts."""
        return self._run(self._wiki.list_drafts(namespace, limit=limit, cursor=cursor))

    def promote_draft(self, namespace: str, *, node_id: str, by: str) -> Node:
        """See AsyncWiki.promote_draft."""
        return self._run(self._wiki.promote_draft(namespace, node_id=node_id, by=by))

    def lint(self, namespace: str) -> LintReport:
        """See AsyncWiki.lint."""
        return self._run(self._wiki.lint(namespace))
