"""The librarian: events become facts and tasks, each event read once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from lorelite.asking import read_replies
from lorelite.engine import Engine
from lorelite.errors import BadReply, ModelError, OnlyForeseen
from lorelite.hooks import Caller
from lorelite.instructions import effective_prompt
from lorelite.jobs.batches import failure_of
from lorelite.jobs.inferred import Remark, author_of
from lorelite.jobs.librarian_plan import Candidate, Plan, is_unclear, plan_facts, plan_tasks
from lorelite.jobs.librarian_question import NEAREST, Rows, fitting, question_about, question_of_standing
from lorelite.jobs.neighbours import neighbours
from lorelite.jobs.runner import JobRun, run_job
from lorelite.jobs.without_model import read_events
from lorelite.memory.ontology import drop_diagnostics, edge_rows, typed
from lorelite.ontology.typing import Typing
from lorelite.ports import ModelRequest, OnProgress
from lorelite.prompts import librarian as prompt_of_librarian
from lorelite.prompts import resolve
from lorelite.prompts.librarian import FactClaim, LibrarianReply
from lorelite.records import Event, Node, Usage
from lorelite.reports import LibrarianReport
from lorelite.retrieve.semantic import embed_nodes
from lorelite.text.alike import Statement, overlap, statement
from lorelite.text.grounding import Grounding, grounded

T = TypeVar("T")

KIND = "librarian"
BATCH = 50
"""Events in one request, while they fit."""
_TRIES = 3
"""How often a reply about one event alone may be unreadable."""


async def run_librarian(
    engine: Engine,
    namespace: str,
    *,
    prompt: str | None = None,
    batch_size: int = BATCH,
    dry_run: bool = False,
    on_progress: OnProgress | None = None,
    caller: Caller = "call",
) -> LibrarianReport:
    """Read the events that no run has read, and remember what they say.

    Each batch is one transaction, its watermark included: what raises leaves the batches before it done, and its own
    events to the next run. Raises BadReply for a reply that cannot be read, and the model's errors.
    """
    template = effective_prompt(engine, "librarian", prompt)

    async def work(run: JobRun) -> LibrarianReport:
        return await _Librarian(engine, run, template).read_all(batch_size)

    return await run_job(engine, namespace, KIND, work, dry_run=dry_run, caller=caller, on_progress=on_progress)


class _CutOff(Exception):
    """The reply ended too early, or the request was too long, and there are fewer events to try."""


class _Librarian:
    def __init__(self, engine: Engine, run: JobRun, template: str | None) -> None:
        self._engine = engine
        self._run = run
        self._template = template
        self._namespace = run.namespace
        self._told: list[Statement] = []
        self._report = LibrarianReport(
            dry_run=run.dry_run, watermark=run.watermark, origin="heuristic" if engine.model is None else "model"
        )

    async def read_all(self, batch_size: int) -> LibrarianReport:
        journal = self._engine.store.journal
        waiting, _ = journal.waiting_events(self._namespace, self._report.watermark)
        # What is told from now on is left to the next run, or one where events never cease would not end.
        last = self._engine.store.health.last_event(self._namespace)
        size = min(batch_size, (self._failed("events") + 1) // 2 or batch_size)
        self._run.tell(0, waiting)
        while rows := self._next(size, last):
            try:
                reply, labels = await self._reading(rows)
            except _CutOff:
                size = len(rows) // 2
                continue
            except OnlyForeseen:
                reply, labels = self._as_told(rows), {}
            except (ModelError, BadReply) as error:
                if failure_of(error) == "unavailable":
                    raise
                if self._failed("alone") < _TRIES - 1:
                    self._note_failure(rows)
                    raise
                reply, labels = self._as_told(rows), {}
                self._run.remark(
                    "event_unread", "no reply about an event could be read; it was kept as told", event_id=rows[0][1].id
                )
            candidates = await self._candidates(rows, reply, labels)
            changed = self._write(rows, reply, candidates, labels)
            if not self._run.dry_run:
                await embed_nodes(self._engine, changed, KIND)
            self._run.tell(self._report.events_read, max(waiting, self._report.events_read))
        return self._report

    def _next(self, size: int, last: int) -> Rows:
        rows = self._engine.store.journal.events_after(self._namespace, self._report.watermark, size)
        return fitting([row for row in rows if row[0] <= last])

    # One event that no model can read must not keep all later ones: run by run the batch that failed is halved, and an
    # event that stands alone and fails for the third time is remembered as without a model.

    def _failed(self, what: str) -> int:
        """What the last run noted of its failure, where this one stands at the same event; else 0."""
        failed = self._run.failed
        return int(failed.get(what, 0)) if failed.get("watermark") == self._report.watermark else 0

    def _note_failure(self, rows: Rows) -> None:
        if not self._run.dry_run:
            alone = self._failed("alone") + 1 if len(rows) == 1 else 0
            with self._engine.store.atomic(KIND):
                self._run.save({"watermark": self._report.watermark, "events": len(rows), "alone": alone})

    def _count(self, **more: int | Usage) -> None:
        self._report = replace(
            self._report, **{name: getattr(self._report, name) + value for name, value in more.items()}
        )

    def _as_told(self, rows: Rows) -> LibrarianReply:
        return read_events([event for _, event in rows], self._engine.store.journal.open_tasks(self._namespace))

    # -- asking -------------------------------------------------------------------------------------------------

    async def _reading(self, rows: Rows) -> tuple[LibrarianReply, dict[str, str]]:
        if self._engine.model is None:
            return self._as_told(rows), {}
        question = await question_about(self._engine, self._namespace, rows, self._template)
        try:
            reply = await self._asked(question.request, prompt_of_librarian.parse)
        except ModelError as error:
            if len(rows) > 1 and failure_of(error) == "truncated":
                raise _CutOff from error
            raise
        if not reply.complete:
            if len(rows) > 1:
                raise _CutOff
            self._run.remark("reply_cut", "the reply ended too early; what it held whole was kept")
        return reply, question.labels

    async def _asked(self, request: ModelRequest, parse: Callable[[str], T]) -> T:
        ask = partial(self._engine.complete, self._namespace)
        ask_again = self._engine.config.ask_again
        [answered] = await read_replies(ask, [request], lambda _, text: parse(text), ask_again=ask_again)
        self._count(usage=answered.reply.usage)
        for reply in answered.unread:
            self._engine.judge(reply, "none")
        return answered.result

    # -- weighing -----------------------------------------------------------------------------------------------

    async def _candidates(self, rows: Rows, reply: LibrarianReply, labels: dict[str, str]) -> list[Candidate]:
        """Each fact of the reply with what is known about the same; unclear ones are asked about, all at once."""
        events = [event for _, event in rows]
        near = await neighbours(
            self._engine, self._namespace, [(claim.title, claim.body) for claim in reply.facts], NEAREST
        )
        wanted = [labels.get(claim.target.upper(), claim.target) for claim in reply.facts]
        targets = self._engine.store.nodes.by_ids(self._namespace, [id for id in wanted if id])
        words = [statement("", event.summary).words for event in events]
        candidates = []
        for claim, some, target in zip(reply.facts, near, wanted, strict=True):
            known = [*([targets[target]] if target in targets else []), *some.nodes]
            candidates.append(
                Candidate(
                    claim=claim,
                    known=tuple({node.id: node for node in known if node.kind == "fact"}.values()),
                    alike=some.alike,
                    event=_event_of(claim, events, words),
                    grounding=self._grounding(claim, events),
                )
            )
        return await self._ruled(candidates)

    def _grounding(self, claim: FactClaim, events: Sequence[Event]) -> Grounding | None:
        if self._engine.model is None or not self._engine.checks_quotes_of(KIND):
            return None
        return grounded(claim.evidence, [event.summary for event in events])

    async def _ruled(self, candidates: list[Candidate]) -> list[Candidate]:
        unclear = {f"C{place}": one for place, one in enumerate(candidates, 1) if is_unclear(one)}
        if not unclear or self._engine.model is None:
            return candidates
        labels = {id: {f"F{at}": node.id for at, node in enumerate(one.known, 1)} for id, one in unclear.items()}
        try:
            decisions = await self._asked(question_of_standing(unclear), resolve.parse)
        except (ModelError, BadReply):
            # The words decide then, carefully; what was read so far must not be lost over it.
            self._run.remark("resolve_failed", "how facts stand to known ones was decided by their words alone")
            return candidates
        return [
            replace(one, ruling=replace(ruling, target=labels[id].get(ruling.target.upper(), ruling.target)))
            if (ruling := decisions.get(id := f"C{place}")) is not None and id in unclear
            else one
            for place, one in enumerate(candidates, 1)
        ]

    # -- writing ------------------------------------------------------------------------------------------------

    def _write(
        self, rows: Rows, reply: LibrarianReply, candidates: Sequence[Candidate], labels: dict[str, str]
    ) -> list[Node]:
        """Plan on what is there now, and write the plan, in one go; gives the nodes whose words are new."""
        watermark = rows[-1][0]
        if self._run.dry_run:
            plan, typing = self._planned(rows, reply, candidates, labels)
            edges = len(typing.edges) + len(plan.edges)
        else:
            with self._engine.store.atomic(KIND):
                plan, typing = self._planned(rows, reply, candidates, labels)
                edges = self._apply(plan, typing)
                self._run.save({}, watermark=watermark)
        for rejected in reply.rejected:
            self._run.remark(
                f"{rejected.kind}_rejected",
                f"a {rejected.kind} of the reply cannot be used",
                item_index=rejected.index,
                reason=rejected.reason,
            )
        for one in candidates:
            if one.grounding is not None and not one.grounding.ok:
                self._run.remark(
                    one.grounding.code,
                    "a fact is not backed by the words it quotes, and was kept as a draft",
                    item_index=one.claim.index,
                    reason=one.grounding.reason,
                )
        self._run.remark_all(plan.remarks)
        self._run.pass_on(
            drop_diagnostics(self._engine, self._namespace, typing.dropped, operation=KIND, caller=self._run.caller)
        )
        self._count(
            events_read=len(rows),
            added=plan.added,
            updated=plan.updated,
            superseded=plan.superseded,
            noops=plan.noops,
            drafts=plan.drafts,
            rejected=len(reply.rejected),
            tasks_added=plan.tasks_added,
            tasks_closed=plan.tasks_closed,
            tasks_deduplicated=plan.tasks_deduplicated,
            edges_added=edges,
        )
        self._report = replace(self._report, watermark=watermark)
        return [node for node in plan.nodes if node.superseded_by is None]

    def _planned(
        self, rows: Rows, reply: LibrarianReply, candidates: Sequence[Candidate], labels: dict[str, str]
    ) -> tuple[Plan, Typing]:
        """The plan, on what is there now: it may have changed while the model was thinking."""
        store = self._engine.store
        author = author_of(self._engine, self._namespace, KIND, self._engine.clock())
        there = store.journal.events_by_ids(self._namespace, [event.id for _, event in rows])
        ids = {node.id for one in candidates for node in one.known} | set(labels.values())
        found = store.nodes.by_ids(self._namespace, sorted(ids))
        fresh = {
            id: node
            for id, node in found.items()
            if node.superseded_by is None and (node.valid_to is None or node.valid_to > author.now)
        }
        plan = Plan()
        current = []
        for one in candidates:
            if one.event.id not in there:
                continue
            # Words of a fact that was forgotten while the model thought would come back in its new wording.
            if one.updates(labels) in ids - found.keys():
                detail = {"item_index": one.claim.index, "reason": "target_forgotten"}
                plan.remarks.append(Remark("fact_rejected", "the fact that it rewords was forgotten", detail))
                continue
            current.append(replace(one, known=tuple(fresh[node.id] for node in one.known if node.id in fresh)))
        plan_facts(current, labels, author, plan, self._told)
        if there:
            tasks = store.journal.open_tasks(self._namespace)
            plan_tasks(reply.tasks, tasks, labels, author, plan)
        typing = typed(self._engine, self._namespace, plan.proposals, updates=reply.updates, dry_run=self._run.dry_run)
        plan.nodes = [
            replace(node, node_type=typing.types[node.id]) if typing.types.get(node.id) else node for node in plan.nodes
        ]
        return plan, typing

    def _apply(self, plan: Plan, typing: Typing) -> int:
        """Write the rows; gives how many edges are new."""
        store = self._engine.store
        # A node that two candidates changed is written as the last of them left it.
        store.nodes.put(list({node.id: node for node in plan.nodes}.values()), whole=True)
        edges = store.edges.add([*edge_rows(self._engine, self._namespace, typing), *plan.edges])
        store.documents.copy_citations(plan.cites)
        for task in plan.tasks:
            store.journal.put_task(task)
        return edges


def _event_of(claim: FactClaim, events: Sequence[Event], words: Sequence[frozenset[str]]) -> Event:
    """The event that a fact rests on: the last one it quotes, else the one with most words in common."""
    for event in reversed(events):
        if any(grounded([quote], [event.summary]).ok or quote in event.summary for quote in claim.evidence):
            return event
    said = statement(claim.title, claim.body).words
    best = max(range(len(events)), key=lambda place: (overlap(said, words[place]), place))
    return events[best]
