"""What was held true when: facts that take the place of others, and the past of a namespace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorelite import options
from lorelite.memory.history import history
from lorelite.memory.supersede import supersede
from lorelite.records import FactVersion
from lorelite.reports import SupersedeReport
from lorelite.retrieve.semantic import embed_nodes
from lorelite.wiki.core import Core


class Timeline(Core):
    async def supersede(
        self, namespace: str, *, node_id: str, by: str | Mapping[str, Any], valid_from: int | None = None
    ) -> SupersedeReport:
        """From a moment on let one fact hold in another's place. The old one stays, and reads of the past show it.

        by: the id of a fact that is there, or a mapping with `title`, `body` and any other field of `write`.
        valid_from: milliseconds, by default now. Edges of the old fact stay with it.
        Raises SupersedeError: `reason` is not_found, cross_namespace, already_superseded, immutable_target or cycle.
        """
        engine = self._known(namespace)
        moment = options.moment("valid_from", valid_from)
        report = supersede(engine, namespace, options.node_id("node_id", node_id), by, moment)
        if not isinstance(by, str) and not engine.store.db.in_transaction:
            await embed_nodes(engine, list(engine.store.nodes.by_ids(namespace, [report.new_id]).values()))
        return report

    async def history(self, namespace: str, *, node_id: str) -> list[FactVersion]:
        """All that was held in a fact's place, oldest first, and from when until when.

        That is what it superseded, what superseded it, and earlier wordings of each as far as the log of changes
        reaches. Raises NotFound.
        """
        return history(self._known(namespace), namespace, options.node_id("node_id", node_id))
