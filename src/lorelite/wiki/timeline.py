"""What was held true when: facts that take the place of others, and the past of a namespace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import InvalidOption
from lorelite.records import FactVersion
from lorelite.reports import SupersedeReport
from lorelite.retrieve.ranker import rows_came_back
from lorelite.retrieve.semantic import embed_missing, embed_nodes
from lorelite.revisions import Diff, RestoreReport, UndoReport
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
        from lorelite.memory.supersede import supersede

        engine = self._known(namespace)
        moment = options.moment("valid_from", valid_from)
        report = supersede(engine, namespace, options.node_id("node_id", node_id), by, moment)
        if not isinstance(by, str):
            await embed_nodes(engine, list(engine.store.nodes.by_ids(namespace, [report.new_id]).values()))
        return report

    async def history(self, namespace: str, *, node_id: str) -> list[FactVersion]:
        """All that was held in a fact's place, oldest first, and from when until when.

        That is what it superseded, what superseded it, and earlier wordings of each as far as the log of changes
        reaches. Raises NotFound.
        """
        from lorelite.memory.history import history

        return history(self._known(namespace), namespace, options.node_id("node_id", node_id))

    async def diff(self, namespace: str, t1: int, t2: int | None = None) -> Diff:
        """What was held true at `t2` (by default now) and not, or not the same, at `t1`: nodes, edges and tasks.

        Moments are milliseconds. Windows that opened or closed between count. Raises NoHistory when the log of changes
        begins later than the earlier moment.
        """
        from lorelite.timeline.diff import diff

        engine = self._known(namespace)
        first, second = options.moment("t1", t1), options.moment("t2", t2)
        if first is None:
            raise InvalidOption("t1", "milliseconds since 1970", t1)
        return diff(engine, namespace, first, engine.clock() if second is None else second)

    async def restore(self, namespace: str, as_of: int, *, dry_run: bool = False) -> RestoreReport:
        """Bring a whole namespace back to what it was at a moment, as one more revision, which `undo` takes back.

        What was forgotten since comes back too, as long as the log holds it. Raises NoHistory when the log of changes
        begins later. dry_run: only count.
        """
        from lorelite.timeline.restore import restore

        engine = self._known(namespace)
        moment = options.moment("as_of", as_of)
        if moment is None:
            raise InvalidOption("as_of", "milliseconds since 1970", as_of)
        report = restore(engine, namespace, moment, dry_run=options.switch("dry_run", dry_run))
        await self._embed_returned(engine, namespace, report)
        return report

    async def undo(self, namespace: str, *, dry_run: bool = False) -> UndoReport:
        """Take back the last revision of a namespace: all that one call, or one `transaction()`, changed in it.

        A second `undo` takes the first one back. `cause` of the report tells what was undone. Raises NotFound when
        nothing is logged, NoHistory without a log. dry_run: only count.
        """
        from lorelite.timeline.restore import undo

        engine = self._known(namespace)
        report = undo(engine, namespace, dry_run=options.switch("dry_run", dry_run))
        await self._embed_returned(engine, namespace, report)
        return report

    async def _embed_returned(self, engine: Engine, namespace: str, report: RestoreReport | UndoReport) -> None:
        if not report.dry_run:
            await rows_came_back(engine, namespace)
        if report.written.nodes and not report.dry_run:
            await embed_missing(engine, namespace)
