"""What waits for a look: drafts, and what may want attention."""

from __future__ import annotations

from lorelite import options
from lorelite.findings import DraftPage, LintReport
from lorelite.records import Node
from lorelite.wiki.core import Core


class Review(Core):
    async def list_drafts(self, namespace: str, *, limit: int = 50, cursor: str | None = None) -> DraftPage:
        """Facts kept as drafts, newest first: at most *limit* (up to 500), going on from a page's *cursor*.

        Drafts are read and walked like any fact unless exclude_drafts says otherwise.
        """
        from lorelite.memory.drafts import list_drafts

        return list_drafts(self._known(namespace), namespace, limit=limit, cursor=cursor)

    async def promote_draft(self, namespace: str, *, node_id: str, by: str) -> Node:
        """Make a draft a stable fact and note who says so, e.g. by="human:anna". Raises NotFound for no draft."""
        from lorelite.memory.drafts import promote_draft

        return promote_draft(self._known(namespace), namespace, options.node_id("node_id", node_id), by)

    async def lint(self, namespace: str) -> LintReport:
        """What may want attention: dangling edges, breaches of the ontology, drafts, stale facts and the like.

        Each is counted, with the ids of the first twenty. Changes nothing.
        """
        from lorelite.memory.lint import lint

        return lint(self._known(namespace), namespace)
